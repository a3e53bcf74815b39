//! Comparing releases, files and folders, and what became of a recording.

use std::fs;

use codex_wire_diff::DIFF_SCHEMA;
use serde_json::Value;

use crate::support::{Finished, GOOD, folder, golden, run, run_with, workspace};

#[test]
fn differences_can_be_read() {
    let place = workspace();
    golden("diff-help.txt", &place, "diff --help");
    golden("diff-exec.txt", &place, "diff exec 0.43.0 0.51.0");
    golden("diff-fork.txt", &place, "diff core agcodex-0.1.0 0.34.0");
    golden(
        "diff-markdown.txt",
        &place,
        "diff exec 0.91.0 0.93.0 --format markdown",
    );
    golden(
        "diff-app-server.txt",
        &place,
        "diff app-server --stability stable 0.165.0 0.166.0",
    );
    golden("diff-same.txt", &place, "diff exec 0.52.0 0.53.0");
}

/// Two recordings are compared as sessions, of the same surface or of two.
#[test]
fn two_runs() {
    let place = workspace();
    let pairs = [
        (
            "releases",
            "exec/0.117.0/unknown_model.jsonl",
            "exec/0.145.0/unknown_model.jsonl",
        ),
        (
            "outcomes",
            "exec/0.117.0/mcp.jsonl",
            "exec/0.145.0/mcp.jsonl",
        ),
        (
            "scenes",
            "exec/0.145.0/command_fail.jsonl",
            "exec/0.145.0/command_parallel.jsonl",
        ),
        (
            "surfaces",
            "rollout/0.98.0/auto_compact/exec-1.jsonl",
            "rollout/0.98.0/auto_compact/home/sessions/2026/11/22/rollout-2026-11-22T15-02-54-01a203c8-153d-7580-a05a-339d80741f2c.jsonl",
        ),
    ];
    for (name, before, after) in pairs {
        let command = format!("diff fixtures/{before} fixtures/{after}");
        golden(&format!("diff-runs-{name}.txt"), &place, &command);
    }
    golden(
        "diff-runs-json.txt",
        &place,
        "diff --format json fixtures/exec/0.117.0/unknown_model.jsonl fixtures/exec/0.145.0/unknown_model.jsonl",
    );
    let same = run(
        &place,
        "diff fixtures/exec/0.145.0/mcp.jsonl fixtures/exec/0.145.0/mcp.jsonl",
    );
    assert_eq!((same.code, &*same.stderr), (0, ""));
    assert!(
        same.stdout.ends_with(": no difference\n"),
        "{}",
        same.stdout
    );
    for (arguments, error) in [
        (
            "fixtures/exec/0.145.0/mcp.jsonl",
            "required arguments were not provided",
        ),
        (
            "fixtures/exec/0.145.0/mcp.jsonl a.jsonl b.jsonl",
            "name two recordings",
        ),
        (
            "fixtures/exec/0.145.0/mcp.jsonl fixtures/exec",
            "a folder; name a recording",
        ),
        (
            "fixtures/exec/0.145.0/mcp.jsonl nothing.jsonl",
            "cannot read nothing.jsonl",
        ),
        (
            "nothing.jsonl fixtures/exec/0.145.0/mcp.jsonl",
            "cannot read nothing.jsonl",
        ),
        (
            "fixtures/exec/0.145.0/mcp.jsonl README.md",
            "codex-wire: cannot read README.md: not a transcript",
        ),
        (
            "--fail-on breaking fixtures/exec/0.145.0/mcp.jsonl README.md",
            "about releases",
        ),
        (
            "--stability stable fixtures/exec/0.145.0/mcp.jsonl README.md",
            "about releases",
        ),
        (
            "--behaviour --stability stable 0.98.0 0.169.0",
            "cannot be used with",
        ),
        (
            "--to 0.169.0 --transcript README.md",
            "codex-wire: cannot read README.md: not a transcript",
        ),
        ("exec 0.145.0", "name a protocol and two releases"),
        ("exce 0.145.0 0.169.0", "invalid value 'exce'"),
        ("- -", "standard input can be one"),
    ] {
        let refused = run(&place, &format!("diff {arguments}"));
        assert_eq!((refused.code, &*refused.stdout), (2, ""), "{arguments}");
        assert!(
            refused.stderr.contains(error),
            "{arguments}: {}",
            refused.stderr
        );
    }
}

/// Flags narrow what is shown, and `--fail-on` counts what is shown.
#[test]
fn only_some_changes() {
    let place = workspace();
    golden(
        "diff-only.txt",
        &place,
        "diff exec 0.50.0 0.51.0 --only breaking",
    );
    golden(
        "diff-only-none.txt",
        &place,
        "diff exec 0.124.0 0.125.0 --only breaking,maybe",
    );
    golden(
        "diff-side.txt",
        &place,
        "diff app-server 0.165.0 0.166.0 --side client",
    );
    golden(
        "diff-message.txt",
        &place,
        "diff app-server 0.165.0 0.166.0 --message account* --message review/start --format markdown",
    );
    golden(
        "diff-item.txt",
        &place,
        "diff exec 0.51.0 0.101.0 --message mcp_* --message collab_*",
    );
    let code = |args: &str| run(&place, args).code;
    let breaks = "diff exec 0.50.0 0.51.0 --fail-on breaking";
    assert_eq!(code(breaks), 1);
    assert_eq!(code(&format!("{breaks} --only breaking")), 1);
    for filter in ["--only maybe", "--side client", "--message turn.*"] {
        assert_eq!(code(&format!("{breaks} {filter}")), 0, "{filter}");
    }
    for bad in ["--only worst", "--side both", "--message [", "--message="] {
        assert_eq!(code(&format!("{breaks} {bad}")), 2, "{bad}");
    }
}

/// Whatever the flags: what is shown and what is not are all differences.
#[test]
fn nothing_is_lost_to_a_filter() {
    let schema: Value = serde_json::from_str(DIFF_SCHEMA).unwrap();
    let count = |filter: &str| -> (u64, u64) {
        let args = format!("diff app-server 0.157.0 0.169.0 --format json {filter}");
        let printed: Value = serde_json::from_str(&run(&workspace(), &args).stdout).unwrap();
        assert!(jsonschema::is_valid(&schema, &printed), "{filter}");
        let sum = |name: &str| -> u64 {
            let counts = printed[name].as_object().unwrap().values();
            counts.filter_map(Value::as_u64).sum()
        };
        assert_eq!(
            sum("totals"),
            printed["differences"].as_array().unwrap().len() as u64
        );
        (sum("totals"), sum("hidden"))
    };
    let (all, none) = count("");
    assert_eq!(none, 0);
    let filters = [
        "--only breaking",
        "--only maybe",
        "--side codex",
        "--side client",
        "--message thread/*",
        "--side client --message thread/*",
    ];
    let shown = filters.map(|filter| {
        let (shown, hidden) = count(filter);
        assert_eq!(shown + hidden, all, "{filter}");
        assert!(0 < shown && shown < all, "{filter}: {shown} of {all}");
        shown
    });
    // What both sides write is in both.
    assert!(shown[2] + shown[3] >= all, "{shown:?} of {all}");
}

#[test]
fn exit_codes() {
    let code = |args: &str| run(&workspace(), args).code;
    assert_eq!(code("diff exec 0.50.0 0.51.0"), 0);
    assert_eq!(code("diff exec 0.50.0 0.51.0 --fail-on breaking"), 1);
    assert_eq!(code("diff exec 0.61.0 0.62.0 --fail-on breaking"), 0);
    assert_eq!(code("diff exec 0.61.0 0.62.0 --fail-on maybe"), 1);
    assert_eq!(code("diff exec 0.124.0 0.125.0 --fail-on maybe"), 0);
    for bad in [
        "diff",
        "diff exec",
        "diff exec 0.50.0",
        "diff exec 0.50.0 nonsense",
        "diff exec 0.1.0 0.50.0",
        "diff exec 0.50.0 no/such/file.json",
        "diff --transcript run.jsonl",
        "diff --to 0.50.0",
    ] {
        assert_eq!(code(bad), 2, "{bad}");
    }
}

#[test]
fn json_has_its_schema() {
    let finished = run(&workspace(), "diff exec 0.42.0 0.169.0 --format json");
    let printed: Value = serde_json::from_str(&finished.stdout).unwrap();
    let schema: Value = serde_json::from_str(DIFF_SCHEMA).unwrap();
    assert!(jsonschema::is_valid(&schema, &printed));
    assert!(!printed["differences"].as_array().unwrap().is_empty());
    assert_eq!(finished.stderr, "");
}

/// Colours are for terminals only.
#[test]
fn colours() {
    let plain = run(&workspace(), "diff exec 0.50.0 0.51.0");
    assert!(!plain.stdout.contains('\u{1b}'), "{}", plain.stdout);
    let coloured = run(&workspace(), "diff exec 0.50.0 0.51.0 --color always");
    assert!(coloured.stdout.contains("\u{1b}["), "{}", coloured.stdout);
}

#[test]
fn files_and_folders_are_sides() {
    let place = folder("diff-sides");
    let write = |name: &str, args: &str| {
        let finished = run(&place, args);
        assert_eq!(finished.code, 0, "{}", finished.stderr);
        fs::create_dir_all(place.join(name).parent().unwrap()).unwrap();
        fs::write(place.join(name), finished.stdout).unwrap();
    };
    write(
        "old/exec.json",
        "schema exec --release 0.50.0 --profile known",
    );
    write(
        "new/exec.json",
        "schema exec --release 0.51.0 --profile known",
    );
    let releases = run(&place, "diff exec 0.50.0 0.51.0");
    let listed = |finished: &str| -> Vec<String> {
        // Only comparisons of releases have evidence.
        let lines = finished
            .lines()
            .filter(|line| line.starts_with("  ") && !line.starts_with("      inferred: "));
        lines.map(str::to_owned).collect()
    };
    assert!(!listed(&releases.stdout).is_empty());
    for sides in [
        "old/exec.json new/exec.json",
        "old new",
        "0.50.0 new/exec.json",
    ] {
        let finished = run(&place, &format!("diff exec {sides}"));
        assert_eq!(finished.code, 0, "{}", finished.stderr);
        assert_eq!(
            listed(&finished.stdout),
            listed(&releases.stdout),
            "{sides}"
        );
    }
}

#[test]
fn would_a_recording_survive() {
    let place = folder("diff-transcript");
    fs::write(place.join("run.jsonl"), GOOD).unwrap();
    golden(
        "diff-transcript.txt",
        &place,
        "diff --transcript run.jsonl --from 0.50.0 --to 0.51.0",
    );
    let finished = run(
        &place,
        "diff --transcript run.jsonl --to 0.51.0 --format json",
    );
    let printed: Value = serde_json::from_str(&finished.stdout).unwrap();
    // The command's start has no exit code, which 0.51.0 always writes.
    assert_eq!(printed["unmatched"]["list"][0]["line"], 3, "{printed:#}");
    let kinds = printed["transcript"]["kinds"].as_array().unwrap();
    assert_eq!(kinds.len(), 5);
    let places: Vec<&str> = printed["differences"]["differences"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|difference| difference["place"].as_str())
        .collect();
    assert!(
        places.contains(&"CommandExecutionItem.exit_code"),
        "{places:?}"
    );
    // To a release that speaks alike nothing changes.
    let finished = run(
        &place,
        "diff --transcript run.jsonl --to 0.45.0 --fail-on maybe",
    );
    assert_eq!(finished.code, 0, "{}", finished.stdout);
    let finished = run(
        &place,
        "diff --transcript run.jsonl --to 0.51.0 --fail-on breaking",
    );
    assert_eq!(finished.code, 1, "{}", finished.stdout);
}

/// What makes a recorded line invalid is among the changes, and what is not shown is counted.
#[test]
fn what_recordings_contain() {
    let place = workspace();
    let parsed = |args: &str| -> Value {
        let finished = run(&place, args);
        serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{}", finished.stderr))
    };
    let sum = |counts: &Value| -> u64 {
        let counts = counts.as_object().unwrap().values();
        counts.filter_map(Value::as_u64).sum()
    };
    for (protocol, transcript, from, to) in [
        ("exec", "exec/0.116.0/collab", "0.116.0", "0.44.0"),
        (
            "exec",
            "exec/0.117.0/command_parallel",
            "0.117.0",
            "0.169.0",
        ),
        (
            "core",
            "core/0.29.0/override_turn_context",
            "0.29.0",
            "0.34.0",
        ),
        (
            "app-server",
            "app-server/0.98.0/04c_patch_cancel",
            "0.98.0",
            "0.142.0",
        ),
        (
            "app-server",
            "app-server/0.163.0/02h_raw_events",
            "0.163.0",
            "0.80.0",
        ),
    ] {
        let found = parsed(&format!(
            "diff --transcript fixtures/{transcript}.jsonl --from {from} --to {to} --format json"
        ));
        let differences = &found["differences"];
        let shown = sum(&differences["totals"]);
        let all = parsed(&format!("diff {protocol} {from} {to} --format json"));
        let all = sum(&all["totals"]);
        assert_ne!(found["unmatched"]["count"], 0, "{transcript}");
        assert_eq!(shown + sum(&differences["hidden"]), all, "{transcript}");
        assert!(0 < shown && shown < all, "{transcript}: {shown} of {all}");
        // Each change has a message of the recording.
        let kinds = found["transcript"]["kinds"].as_array().unwrap();
        let names: Vec<&Value> = kinds.iter().map(|kind| &kind["name"]).collect();
        for difference in differences["differences"].as_array().unwrap() {
            let mut messages = difference["messages"].as_array().unwrap().iter();
            assert!(
                messages.any(|message| names.contains(&&message["name"])),
                "{transcript}: {difference:#}"
            );
        }
    }
    // A variant, a member of a variant, and what is in an array.
    let shown = |line: &str| {
        let folder = folder("diff-contains");
        fs::write(folder.join("run.jsonl"), line).unwrap();
        let args = "diff --transcript run.jsonl --from 0.51.0 --to 0.101.0 --format json";
        let finished = run(&folder, args);
        let found: Value = serde_json::from_str(&finished.stdout).unwrap();
        let list = found["differences"]["differences"].as_array().unwrap();
        let places = list.iter().map(|one| one["place"].as_str().unwrap());
        places.collect::<Vec<_>>().join(" ")
    };
    let mcp = |content: &str| {
        format!(
            r#"{{"type":"item.completed","item":{{"id":"item_0","type":"mcp_tool_call","server":"s","tool":"t","arguments":{{}},"result":{{"content":[{content}],"structured_content":null}},"error":null,"status":"completed"}}}}"#
        )
    };
    let text = r#"{"type":"text","text":"hi"}"#;
    assert_eq!(shown(&mcp(text)), "McpContent ThreadItem");
    assert_eq!(shown(&mcp("")), "ThreadItem");
    let search =
        r#"{"type":"item.completed","item":{"id":"item_0","type":"web_search","query":"q"}}"#;
    assert_eq!(shown(search), "ThreadItem WebSearchItem.action");
    assert_eq!(shown(r#"{"type":"turn.started"}"#), "");
}

/// A folder, an archive and standard input are transcripts too, each with one result.
#[test]
fn several_recordings() {
    let place = folder("diff-recordings");
    fs::create_dir(place.join("all")).unwrap();
    let search =
        r#"{"type":"item.completed","item":{"id":"item_0","type":"web_search","query":"q"}}"#;
    fs::write(place.join("all/a.jsonl"), GOOD).unwrap();
    fs::write(place.join("all/b.jsonl"), search).unwrap();
    fs::write(place.join("all/notes.jsonl"), "no recording\n").unwrap();
    golden(
        "diff-folder.txt",
        &place,
        "diff --transcript all --from 0.50.0 --to 0.101.0",
    );
    let args = "diff --transcript - --from 0.50.0 --to 0.51.0";
    let piped = run_with(&place, args, GOOD.as_bytes());
    let named = run(&place, &args.replace(" - ", " all/a.jsonl "));
    assert_eq!(piped.code, 0, "{}", piped.stderr);
    let named = named.stdout.replace(" all/a.jsonl:", " <stdin>:");
    assert_eq!(piped.stdout, named.replace("all/a.jsonl:", "-:"));
    // The user has named this file, and folders of two protocols have no one answer.
    for bad in ["all/notes.jsonl", "empty", "two", "missing.jsonl"] {
        fs::create_dir_all(place.join("empty")).unwrap();
        fs::create_dir_all(place.join("two")).unwrap();
        fs::write(place.join("two/a.jsonl"), GOOD).unwrap();
        let event = r#"{"id":"0","msg":{"type":"agent_message","message":"hello"}}"#;
        fs::write(place.join("two/b.jsonl"), event).unwrap();
        let finished = run(&place, &format!("diff --transcript {bad} --to 0.34.0"));
        assert_eq!(finished.code, 2, "{bad}: {}", finished.stdout);
        assert!(finished.stderr.contains(bad), "{}", finished.stderr);
    }
    let nothing = run_with(&place, "diff --transcript - --to 0.51.0", b"");
    assert_eq!(nothing.code, 2, "{}", nothing.stdout);
}

/// A dialect that ended is a break, however it is asked for.
#[test]
fn dialects_end() {
    let place = folder("diff-dialects");
    let code = |args: &str| run(&place, args);
    for args in [
        "diff exec 0.42.0 0.43.0",
        "diff exec-legacy 0.31.0 0.44.0",
        "diff exec 0.31.0 0.169.0",
        "diff core 0.42.0 0.169.0",
    ] {
        let finished = code(&format!("{args} --fail-on breaking"));
        assert_eq!(
            finished.code, 1,
            "{args}: {}{}",
            finished.stdout, finished.stderr
        );
        assert!(
            finished.stdout.contains("no longer spoken"),
            "{args}: {}",
            finished.stdout
        );
    }
    let neither = code("diff exec-legacy 0.44.0 0.50.0");
    assert_eq!(neither.code, 2);
    assert!(
        neither.stderr.contains("has exec-legacy"),
        "{}",
        neither.stderr
    );
    // What reads a legacy stream does not survive.
    let legacy = concat!(
        "{\"model\":\"m\",\"provider\":\"p\",\"workdir\":\"/w\"}\n",
        "{\"prompt\":\"hi\"}\n",
        "{\"id\":\"0\",\"msg\":{\"type\":\"task_started\",\"model_context_window\":272000}}\n",
        "{\"id\":\"0\",\"msg\":{\"type\":\"agent_message\",\"message\":\"hello\"}}\n",
    );
    fs::write(place.join("legacy.jsonl"), legacy).unwrap();
    let finished =
        code("diff exec --transcript legacy.jsonl --from 0.41.0 --to 0.169.0 --fail-on breaking");
    assert_eq!(finished.code, 1, "{}{}", finished.stdout, finished.stderr);
    assert!(
        finished.stdout.contains("no longer spoken"),
        "{}",
        finished.stdout
    );
    assert!(
        !finished.stdout.contains("no difference"),
        "{}",
        finished.stdout
    );
}

/// Names in files may hold what steers a terminal; it does not get there, in colour or without.
#[test]
fn nothing_steers_the_terminal() {
    let place = folder("diff-steering");
    let name = "x\u{1b}[31m\u{61c}\u{9b}\u{2028}\u{202e}y";
    let schema = |kind: &str, value: &str| {
        serde_json::json!({
            "title": name,
            "type": "object",
            "properties": {
                name: {"type": kind},
                "e": {"enum": [value, "b"]},
                "f": {"type": "string", "pattern": value},
            },
            "required": [name, "e", "f"],
        })
    };
    let before = format!("{name}1.json");
    fs::write(place.join(&before), schema("string", name).to_string()).unwrap();
    fs::write(place.join("after.json"), schema("integer", "a").to_string()).unwrap();
    for format in ["text", "json", "markdown"] {
        let args = [
            "diff",
            "exec",
            &before,
            "after.json",
            "--format",
            format,
            "--color",
            "always",
        ];
        let finished = said_of(&place, &args);
        assert_eq!(finished.code, 0, "{}", finished.stderr);
        let colours = without_colours(&finished.stdout);
        assert!(!colours.contains(steers), "{format}: {colours:?}");
    }
    // Nor by a path in an error.
    let args = [
        "diff",
        "exec",
        &format!("{name}missing.json"),
        "after.json",
        "--color",
        "always",
    ];
    let finished = said_of(&place, &args);
    assert_eq!(finished.code, 2);
    let colours = without_colours(&finished.stderr);
    assert!(!colours.contains(steers), "{colours:?}");
}

/// Runs the program with arguments that contain spaces and other special characters.
fn said_of(place: &std::path::Path, args: &[&str]) -> Finished {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_codex-wire"))
        .args(args)
        .current_dir(place)
        .output()
        .unwrap();
    Finished {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}

/// The text without the colours the program itself sets.
fn without_colours(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        out.push_str(&rest[..at]);
        let after = &rest[at + 2..];
        let end = after
            .find(|c: char| !(c.is_ascii_digit() || c == ';'))
            .unwrap_or(0);
        // Only what sets colours is taken out.
        if after[end..].starts_with('m') && !after.starts_with("31m\u{61c}") {
            rest = &after[end + 1..];
        } else {
            out.push_str("\u{1b}[");
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

fn steers(c: char) -> bool {
    c != '\n' && (c.is_control() || "\u{61c}\u{2028}\u{2029}\u{202e}".contains(c))
}

/// What is called as a release is one, whatever stands beside it.
#[test]
fn a_folder_is_no_release() {
    let place = folder("diff-release-or-folder");
    let args = "diff core agcodex-0.1.0 0.34.0 --format json";
    let before = run(&place, args);
    assert_eq!(before.code, 0, "{before:?}");
    for name in ["0.34.0", "agcodex-0.1.0", "schemas"] {
        fs::create_dir(place.join(name)).unwrap();
        fs::write(place.join(name).join("a.json"), "{\"type\":\"string\"}").unwrap();
    }
    assert_eq!(run(&place, args).stdout, before.stdout);
    // A path with a slash, and a name that is not a release, are read.
    for path in ["./0.34.0", "schemas"] {
        let finished = run(&place, &format!("diff core {path} 0.34.0"));
        let said = format!("{path}: no JSON Schema in it");
        assert!(finished.stderr.contains(&said), "{finished:?}");
    }
}

#[test]
fn a_second_release_is_missing() {
    let finished = run(&workspace(), "diff --behaviour 0.145.0");
    let said =
        "codex-wire: nothing to compare: name two releases, or a protocol and two releases\n";
    assert_eq!((finished.code, &*finished.stderr), (2, said));
}

/// Two schemas without a protocol are taken for recordings; how they are compared is said.
#[test]
fn schemas_need_a_protocol() {
    let place = folder("diff-schemas");
    for name in ["a.json", "b.json"] {
        fs::write(place.join(name), "{\"type\":\"object\"}\n").unwrap();
    }
    let finished = run(&place, "diff a.json b.json");
    assert_eq!((finished.code, &*finished.stdout), (2, ""), "{finished:?}");
    assert!(
        finished.stderr.contains("cannot read a.json: ")
            && finished.stderr.contains("codex-wire diff app-server "),
        "{finished:?}"
    );
}

/// A line that cannot be read is named, and nothing passes for complete.
#[test]
fn unread_lines_of_a_recording_are_named() {
    let place = folder("diff-unread");
    let garbled = GOOD.as_bytes().to_vec();
    let at = GOOD.find("secret").unwrap();
    let garbled = [&garbled[..at], b"\xff", &garbled[at..]].concat();
    fs::write(place.join("garbled.jsonl"), garbled).unwrap();
    fs::write(place.join("cut.jsonl"), &GOOD[..GOOD.len() - 9]).unwrap();
    for (file, said) in [
        (
            "garbled.jsonl",
            "error[framing/invalid-utf8] garbled.jsonl:4:",
        ),
        ("cut.jsonl", "error[framing/cut-line] cut.jsonl:5:"),
    ] {
        let finished = run(&place, &format!("diff --transcript {file} --to 0.50.0"));
        assert_eq!(finished.code, 2, "{finished:?}");
        assert!(finished.stdout.contains(said), "{finished:?}");
        assert!(
            !finished.stdout.contains("every line is valid"),
            "{finished:?}"
        );
    }
    fs::write(place.join("whole.jsonl"), GOOD).unwrap();
    fs::write(place.join("text.jsonl"), format!("starting\n{GOOD}")).unwrap();
    let finished = run(&place, "diff whole.jsonl text.jsonl");
    assert_eq!(finished.code, 2, "{finished:?}");
    let said = "text.jsonl: not read: line 1: the line is not JSON\n";
    assert!(finished.stderr.ends_with(said), "{finished:?}");
    fs::create_dir(place.join("none")).unwrap();
    let finished = run(&place, "diff --transcript none --to 0.50.0");
    assert!(
        finished.stderr.contains("the folder holds no"),
        "{finished:?}"
    );
}
