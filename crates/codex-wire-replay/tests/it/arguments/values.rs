//! What is read from command lines, expected values written by hand.

use std::ffi::OsStr;

use codex_wire_base::Release;
use codex_wire_replay::Language;
use codex_wire_replay::arguments::{
    AppServer, CommandLine, Exec, Format, Invocation, Listen, Prompt, Run, Session,
};

fn of(version: &str) -> CommandLine {
    CommandLine::of(version.parse::<Release>().unwrap())
}

fn exec(version: &str, line: &str) -> Exec {
    match of(version).parse(line.split(' ')) {
        Ok(Invocation::Exec(exec)) => exec,
        other => panic!("{line}: {other:?}"),
    }
}

fn server(version: &str, line: &str) -> AppServer {
    match of(version).parse(line.split(' ')) {
        Ok(Invocation::AppServer(server)) => server,
        other => panic!("{line}: {other:?}"),
    }
}

fn values<'o>(exec: &'o Exec, name: &'o str) -> Vec<&'o OsStr> {
    exec.options.values(name).collect()
}

#[test]
fn a_prompt_is_a_word_a_dash_or_nothing() {
    for (line, prompt) in [
        ("exec --json word", Prompt::Text("word".into())),
        ("exec word --json", Prompt::Text("word".into())),
        ("exec --json -- --json", Prompt::Text("--json".into())),
        ("exec --json -", Prompt::Dash),
        ("exec --json", Prompt::Absent),
        ("exec resume x word", Prompt::Text("word".into())),
        ("exec resume x", Prompt::Absent),
    ] {
        assert_eq!(exec("0.98.0", line).prompt, prompt, "{line}");
    }
}

#[test]
fn a_value_stands_behind_its_flag_or_is_glued_to_it() {
    for line in ["--model x", "--model=x", "-m x", "-mx", "-m=x"] {
        let exec = exec("0.169.0", &format!("exec {line} word"));
        assert_eq!(exec.options.value("model"), Some(OsStr::new("x")), "{line}");
        assert_eq!(exec.prompt, Prompt::Text("word".into()));
    }
}

#[test]
fn overrides_from_before_the_command_come_first() {
    let exec = exec("0.125.0", "-c a=1 -m x exec -c b=2 resume -c c=3 --last");
    assert_eq!(values(&exec, "config"), ["a=1", "b=2", "c=3"]);
    assert!(!exec.options.has("model"));
    let server = server("0.125.0", "-c a=1 --enable x app-server -c b=2");
    assert_eq!(
        server.options.values("config").collect::<Vec<_>>(),
        ["a=1", "b=2"]
    );
    assert!(server.options.has("enable"));
}

#[test]
fn images_are_many() {
    for line in ["-i a -i b", "-i a,b", "--image a b", "--image=a,b"] {
        let exec = exec("0.125.0", &format!("exec {line} -- word"));
        assert_eq!(values(&exec, "image"), ["a", "b"], "{line}");
        assert_eq!(exec.prompt, Prompt::Text("word".into()), "{line}");
    }
}

#[test]
fn a_session_is_resumed_by_its_id_or_as_the_last() {
    let word = Prompt::Text("word".into());
    for (line, session, prompt) in [
        ("exec resume x word", Session::Id("x".into()), &word),
        ("exec resume --last word", Session::Last, &word),
        ("exec resume --last", Session::Last, &Prompt::Absent),
        ("exec resume", Session::Unnamed, &Prompt::Absent),
        ("exec resume x -", Session::Id("x".into()), &Prompt::Dash),
        ("exec word resume x", Session::Id("x".into()), &word),
    ] {
        let exec = exec("0.98.0", line);
        assert_eq!(
            (&exec.run, &exec.prompt),
            (&Run::Resume(session), prompt),
            "{line}"
        );
    }
    let fork = exec("0.169.0", "exec fork x");
    assert_eq!(fork.run, Run::Fork(Session::Id("x".into())));
    assert_eq!(
        exec("0.169.0", "exec review --uncommitted").run,
        Run::Review
    );
    assert_eq!(exec("0.169.0", "exec word").run, Run::Start);
}

#[test]
fn the_format_is_that_of_the_release() {
    for (version, line, format) in [
        ("0.40.0", "exec --json x", Format::Json),
        ("0.42.0", "exec --json x", Format::Json),
        (
            "0.42.0",
            "exec --experimental-json x",
            Format::ExperimentalJson,
        ),
        ("0.44.0", "exec --experimental-json x", Format::Json),
        ("0.169.0", "exec --json resume --last", Format::Json),
        ("0.169.0", "exec resume --last --json", Format::Json),
        ("0.169.0", "exec x", Format::Text),
    ] {
        assert_eq!(exec(version, line).format(), format, "{version} {line}");
    }
    assert!(
        of("0.40.0")
            .parse(["exec", "--experimental-json", "x"])
            .is_err()
    );
}

#[test]
fn a_server_listens_where_it_is_told() {
    for (line, listen) in [
        ("app-server", Listen::Stdio),
        ("app-server --stdio", Listen::Stdio),
        ("app-server --listen stdio://", Listen::Stdio),
        ("app-server --listen=off", Listen::Off),
        ("app-server --listen unix://", Listen::Unix(None)),
        (
            "app-server --listen unix:///a/b",
            Listen::Unix(Some("/a/b".to_owned())),
        ),
        (
            "app-server --listen ws://127.0.0.1:8",
            Listen::WebSocket("127.0.0.1:8".parse().unwrap()),
        ),
        (
            "app-server --listen ws://[::1]:8",
            Listen::WebSocket("[::1]:8".parse().unwrap()),
        ),
    ] {
        assert_eq!(server("0.169.0", line).listen, listen, "{line}");
    }
    assert_eq!(server("0.58.0", "app-server").listen, Listen::Stdio);
    let old = of("0.58.0")
        .parse(["app-server", "--listen", "stdio://"])
        .unwrap_err();
    assert!(
        old.stderr
            .starts_with("error: unexpected argument '--listen'"),
        "{old:?}"
    );
}

#[test]
fn tool_servers_are_listed_by_releases_that_were_asked() {
    for (line, json) in [("mcp list", false), ("mcp list --json", true)] {
        let invocation = of("0.169.0").parse(line.split(' '));
        assert_eq!(invocation, Ok(Invocation::McpList { json }), "{line}");
        assert_eq!(of("0.41.0").mcp_list(json), None);
    }
    let list = of("0.42.0").mcp_list(true).unwrap();
    assert_eq!((list.status, list.stdout.as_str()), (0, "[]\n"));
}

#[test]
fn features_are_listed_by_releases_that_were_asked() {
    let parsed = of("0.98.0").parse(["features", "list"]);
    assert_eq!(parsed, Ok(Invocation::FeaturesList));
    let list = |version: &str| of(version).features_list().map(|list| list.stdout);
    let text = list("0.98.0").unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 27);
    assert_eq!(
        lines[..2],
        [
            "undo                             stable             false",
            "shell_tool                       stable             true"
        ]
    );
    assert_eq!(list("0.125.0").unwrap().lines().count(), 65);
    assert_eq!(list("0.169.0").unwrap().lines().count(), 215);
    assert_eq!((list("0.99.0"), list("0.44.0")), (None, None));
}

#[test]
fn files_of_types_are_asked_for() {
    let files = |line: &str| match of("0.98.0").parse(line.split(' ')) {
        Ok(Invocation::TypeFiles(files)) => files,
        other => panic!("{line}: {other:?}"),
    };
    let types = files("-c walrus app-server generate-ts -o x --prettier node --experimental");
    assert_eq!(types.language, Language::TypeScript);
    assert_eq!(types.out.as_os_str(), "x");
    assert_eq!(types.prettier.as_deref(), Some("node".as_ref()));
    assert!(types.is_experimental);
    let schemas = files("app-server generate-json-schema --out=x/y");
    assert_eq!(schemas.language, Language::JsonSchema);
    assert!(!schemas.is_experimental && schemas.prettier.is_none());
    let older = "app-server generate-ts --out x --experimental";
    assert!(of("0.94.0").parse(older.split(' ')).is_err());
}

#[test]
fn commands_that_nobody_plays_are_named() {
    for (line, words) in [
        ("mcp get --json a", &["mcp"][..]),
        ("mcp list --jsn", &["mcp"]),
        ("-c mcp_servers.a.command=b mcp list", &["mcp"]),
        ("app-server proxy", &["app-server", "proxy"]),
        ("features enable x", &["features"]),
        ("--enable x features list", &["features"]),
        ("login", &["login"]),
        ("completion bash", &["completion"]),
    ] {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let invocation = of("0.169.0").parse(line.split(' '));
        assert_eq!(invocation, Ok(Invocation::Other(words)), "{line}");
    }
}

#[test]
fn an_unknown_release_has_the_command_line_of_an_earlier_one() {
    for (version, recorded) in [
        ("0.43.0", "0.42.0"),
        ("0.44.0", "0.44.0"),
        ("0.10.0", "0.20.0"),
        ("0.98.0-alpha.1", "0.95.0"),
        ("1.0.0", "0.169.0"),
    ] {
        let command_line = of(version);
        assert_eq!(command_line.recorded().to_string(), recorded, "{version}");
        let Ok(Invocation::Print(answer)) = command_line.parse(["-V"]) else {
            panic!("{version}")
        };
        assert_eq!(answer.stdout, format!("codex-cli {version}\n"));
    }
}

#[test]
fn the_version_and_help_are_those_of_the_release() {
    let printed = |version: &str, line: &str| match of(version).parse(line.split(' ')) {
        Ok(Invocation::Print(answer)) => answer.stdout,
        other => panic!("{other:?}"),
    };
    assert_eq!(printed("0.98.0", "--version x"), "codex-cli 0.98.0\n");
    assert_eq!(printed("0.98.0", "exec -V"), "codex-cli-exec 0.98.0\n");
    let old = printed("0.98.0", "app-server --help");
    assert!(old.contains("Usage: codex app-server [OPTIONS]"), "{old}");
    assert!(old.contains("--enable <FEATURE>") && !old.contains("--listen"));
    let new = printed("0.104.0", "help app-server");
    assert!(new.contains("--listen <URL>"), "{new}");
    let hidden = printed("0.130.0", "exec --help");
    assert!(!hidden.contains("--full-auto"), "{hidden}");
}

#[test]
fn somebody_is_logged_in_or_not() {
    let out = of("0.98.0").login_status(false);
    assert_eq!((out.status, out.stderr.as_str()), (1, "Not logged in\n"));
    let into = of("0.98.0").login_status(true);
    assert_eq!(into.status, 0);
    assert!(
        into.stderr.starts_with("Logged in using an API key - sk-"),
        "{into:?}"
    );
    let newest = of("0.169.0").login_status(true);
    assert!(
        newest.stderr.starts_with("API key configured - sk-"),
        "{newest:?}"
    );
}

#[test]
fn a_bad_override_is_named() {
    for (text, why) in [
        ("tusk", "Invalid override (missing '='): tusk"),
        ("=x", "Empty key in override: =x"),
    ] {
        let refusal = of("0.98.0").parse(["exec", "-c", text, "word"]);
        let refusal = refusal.unwrap_err();
        assert_eq!(refusal.status, 1);
        let expected = format!("Error parsing -c overrides: {why}\n");
        assert_eq!(refusal.stderr, expected);
    }
}
