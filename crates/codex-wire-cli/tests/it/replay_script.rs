//! A script, played by the program to a client.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::replay::{Client, codex, install, output, thread_of};
use crate::support::{folder, run, workspace};

const SCRIPTS: &str = "crates/codex-wire-replay/tests/scripts";

/// Releases from all times of both protocols.
const RELEASES: [&str; 4] = ["0.63.0", "0.98.0", "0.125.0", "0.169.0"];

/// Installs an example script, played as a release.
fn installed(name: &str, script: &str, release: &str) -> PathBuf {
    install(
        name,
        &format!("--release {release} --script {SCRIPTS}/{script}.toml"),
    )
}

fn lines(stdout: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Holds that what Codex wrote in a recording conforms to the release exactly.
fn conforms(folder: &Path, file: &str, release: &str) {
    let checked = run(
        folder,
        &format!("check --release {release} --profile exact --side codex {file}"),
    );
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
}

#[test]
fn a_script_is_played_as_every_release() {
    let folder = folder("script-exec");
    for release in ["0.20.0", "0.41.0", "0.42.0"].iter().chain(&RELEASES) {
        let record = folder.join(format!("{release}.jsonl"));
        let played = run(
            &workspace(),
            &format!(
                "replay --script {SCRIPTS}/mixed.toml -p exec --release {release} --record {}",
                record.display()
            ),
        );
        assert_eq!(played.code, 0, "{release}: {}", played.stderr);
        assert!(played.stdout.lines().count() > 10, "{}", played.stdout);
        conforms(&folder, &format!("{release}.jsonl"), release);
    }
    // The newest release is played if none is named.
    let newest = run(
        &workspace(),
        &format!("replay --script {SCRIPTS}/say.toml -p exec"),
    );
    let named = run(
        &workspace(),
        &format!("replay --script {SCRIPTS}/say.toml -p exec --release 0.169.0"),
    );
    assert_eq!(newest.stdout, named.stdout);
}

#[test]
fn errors_name_the_place_in_the_script() {
    let folder = folder("script-errors");
    fs::write(
        folder.join("bad.toml"),
        "[[step]]\nrun = 'ls'\n  exti = 1\n",
    )
    .unwrap();
    fs::write(folder.join("spawn.toml"), "[[step]]\nspawn = 'Look.'\n").unwrap();
    let play = |args: &str| {
        let refused = run(&folder, &format!("replay {args}"));
        assert_eq!(refused.code, 2, "{args}: {}", refused.stderr);
        refused.stderr
    };
    for (args, error) in [
        (
            "--script bad.toml -p exec",
            "bad.toml:3:3: unknown field `exti`",
        ),
        (
            "--script bad.toml --install to",
            "bad.toml:3:3: unknown field `exti`",
        ),
        (
            "--script spawn.toml -p exec --release 0.80.0",
            "spawn.toml:2:1: `spawn` needs 0.92.0 or later, not 0.80.0",
        ),
        (
            "--script spawn.toml --install to --release 0.80.0",
            "spawn.toml:2:1: `spawn` needs 0.92.0 or later, not 0.80.0",
        ),
        ("--script none.toml -p exec", "cannot read none.toml"),
        ("--script spawn.toml", "give --protocol"),
        (
            "--script spawn.toml -p core",
            "as `codex proto` up to 0.42.0, not of 0.1",
        ),
        (
            "--script spawn.toml -p app-server --release 0.50.0",
            "0.50.0 is older than the app-server protocol, which begins at 0.58.0",
        ),
        ("--script spawn.toml x.jsonl", "cannot be used with"),
        ("x.jsonl -p exec", "cannot be used with"),
        ("", "<RECORDING>..."),
    ] {
        let stderr = play(args);
        assert!(stderr.contains(error), "{args}: {stderr}");
    }
    assert!(!folder.join("to").exists());
}

/// Each run is a thread of its own, and a resumed one plays the turns in their order.
#[test]
fn runs_of_an_installed_script_are_threads() {
    let program = installed("script-resume", "turns", "0.125.0");
    let home = folder("script-resume-home");
    let begun: Vec<String> = (0..3)
        .map(|_| thread_of(&output(&mut codex(&program, &home, "exec --json begin")).stdout))
        .collect();
    assert!(begun[0] != begun[1] && begun[1] != begun[2] && begun[2] != begun[0]);
    let texts = |args: &str, thread: &str| {
        let played = output(&mut codex(&program, &home, args));
        assert_eq!(thread_of(&played.stdout), thread, "{args}");
        let lines = lines(&played.stdout).into_iter();
        let texts = lines.filter_map(|line| Some(line["item"]["text"].as_str()?.to_owned()));
        texts.collect::<Vec<_>>()
    };
    let second = texts(&format!("exec --json resume {} go", begun[1]), &begun[1]);
    assert_eq!(second, ["Second."]);
    // After the last turn it comes again.
    assert_eq!(texts("exec --json resume --last go", &begun[1]), second);
    let unknown = output(&mut codex(
        &program,
        &home,
        "exec --json resume 01a1f985-0000-7cf1-a49c-3848a4230ae1 x",
    ));
    assert_eq!(unknown.status.code(), Some(1));
    assert!(unknown.stdout.is_empty());
}

/// What is printed for people has the session, so that a client can resume it, and the tokens.
#[test]
fn a_run_without_json_can_be_resumed() {
    for (release, first) in [
        ("0.98.0", "OpenAI Codex v0.98.0 (research preview)"),
        ("0.125.0", "OpenAI Codex v0.125.0 (research preview)"),
        ("0.169.0", "OpenAI Codex v0.169.0"),
    ] {
        let program = installed("script-plain", "turns", release);
        let home = folder("script-plain-home");
        let begun = output(&mut codex(&program, &home, "exec -m mine begin"));
        assert_eq!(String::from_utf8_lossy(&begun.stdout), "First.\n");
        let said = String::from_utf8(begun.stderr).unwrap();
        let session = said
            .lines()
            .find_map(|line| line.strip_prefix("session id: "))
            .unwrap();
        let workdir = said.lines().nth(2).unwrap();
        assert!(
            workdir.starts_with("workdir: /") && !workdir.ends_with('/'),
            "{said}"
        );
        let tokens = said.lines().last().unwrap();
        let expected = format!(
            "{first}\n--------\n{workdir}\nmodel: mine\nsession id: {session}\n--------\nuser\nbegin\n\
             codex\nFirst.\ntokens used\n{tokens}\n"
        );
        assert_eq!(said, expected);
        let next = format!("exec resume {session} go");
        let next = output(&mut codex(&program, &home, &next));
        assert_eq!(String::from_utf8_lossy(&next.stdout), "Second.\n");
    }
    // Before, all of it was the output.
    let program = installed("script-plain-old", "say", "0.44.0");
    let old = output(&mut codex(
        &program,
        &folder("script-plain-old-home"),
        "exec go",
    ));
    let text = String::from_utf8(old.stdout).unwrap();
    assert!(
        text.starts_with("OpenAI Codex v0.44.0 (research preview)\n"),
        "{text}"
    );
    assert!(
        text.contains("\nsession id: ") && text.contains("\ncodex\n"),
        "{text}"
    );
    // A turn that fails has no message.
    let program = installed("script-plain-fails", "fail", "0.169.0");
    let failed = output(&mut codex(
        &program,
        &folder("script-plain-fails-home"),
        "exec go",
    ));
    assert_eq!((failed.status.code(), failed.stdout.len()), (Some(1), 0));
    let said = String::from_utf8(failed.stderr).unwrap();
    assert!(
        said.lines().last().unwrap().starts_with("ERROR: "),
        "{said}"
    );
}

#[test]
fn a_run_has_the_last_message_the_status_and_the_folder() {
    let program = installed("script-run", "patch", "0.169.0");
    let home = folder("script-run-home");
    let file = home.join("last.txt");
    let args = format!("exec --json -C /my/project -o {} go", file.display());
    let played = output(&mut codex(&program, &home, &args));
    let lines = lines(&played.stdout);
    let message = lines
        .iter()
        .rfind(|line| line["item"]["type"] == "agent_message")
        .unwrap();
    assert_eq!(
        fs::read_to_string(file).unwrap(),
        message["item"]["text"].as_str().unwrap()
    );
    let change = lines
        .iter()
        .find(|line| line["item"]["type"] == "file_change")
        .unwrap();
    let path = change["item"]["changes"][0]["path"].as_str().unwrap();
    assert!(path.starts_with("/my/project/"), "{path}");
    // Without --json, the last message is all that is printed.
    let text = output(&mut codex(&program, &home, "exec go"));
    assert_eq!(
        String::from_utf8(text.stdout).unwrap().trim_end(),
        message["item"]["text"].as_str().unwrap()
    );
    // A failed turn has the status that it has in recordings.
    let failing = Path::new(&program).with_file_name("codex-replay.toml");
    let mut failed = codex(&program, &home, "exec --json go");
    failed.env(
        "CODEX_REPLAY_SCRIPT",
        workspace().join(format!("{SCRIPTS}/fail.toml")),
    );
    let failed = output(&mut failed);
    assert_eq!(failed.status.code(), Some(1), "{}", failing.display());
    assert!(
        String::from_utf8(failed.stdout)
            .unwrap()
            .contains("turn.failed")
    );
}

/// What a run under a fault leaves: an empty message of a turn that failed, none of a run that was cut off.
#[test]
fn the_last_message_is_written_at_the_end() {
    let program = installed("script-last", "say", "0.169.0");
    let home = folder("script-last-home");
    for (fault, left) in [
        ("turn-fails", Some("")),
        ("crash-mid-line", None),
        ("split-writes", Some("Hello there.")),
    ] {
        let file = home.join(fault);
        let args = format!("exec --json -o {} go", file.display());
        let mut run = codex(&program, &home, &args);
        output(run.env("CODEX_REPLAY_FAULTS", fault));
        let kept = fs::read_to_string(&file).ok();
        assert_eq!(kept.as_deref(), left, "{fault}");
    }
    // Text gets no faults.
    let mut run = codex(&program, &home, "exec go");
    let refused = output(run.env("CODEX_REPLAY_FAULTS", "turn-fails"));
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("turn-fails: without `--json`"), "{said}");
}

/// A run that hangs ends when it is interrupted, with the status of the release.
#[cfg(unix)]
#[test]
fn a_run_hangs_until_it_is_interrupted() {
    use std::io::{BufRead, BufReader};
    use std::process::Command;
    for (release, status) in [("0.98.0", 0), ("0.125.0", 1)] {
        let program = installed(&format!("script-hang-{release}"), "hang", release);
        let home = folder(&format!("script-hang-home-{release}"));
        let mut child = codex(&program, &home, "exec --json go").spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("item.completed") {
            line.clear();
            assert!(stdout.read_line(&mut line).unwrap() > 0);
        }
        assert!(child.try_wait().unwrap().is_none());
        let kill = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(status), "{release}");
    }
}

/// The messages of a run that hangs are printed as they come.
#[cfg(unix)]
#[test]
fn a_run_without_json_prints_before_it_hangs() {
    use std::io::{BufRead, BufReader};
    let folder = folder("script-plain-hang");
    let path = folder.join("hang.toml");
    fs::write(&path, "step = [{ say = 'Hello.' }, { hang = true }]").unwrap();
    let bin = folder.join("bin");
    let args = format!(
        "replay --script {} --install {}",
        path.display(),
        bin.display()
    );
    assert_eq!(run(&workspace(), &args).code, 0);
    let mut child = codex(&bin.join("codex"), &folder, "exec go")
        .spawn()
        .unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let mut lines = stderr.lines().map(Result::unwrap);
    assert!(lines.any(|line| line == "Hello."));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A client of an installed script, with a thread.
fn begin(program: &Path, home: &Path, record: &str) -> (Client, Value) {
    let mut command = codex(program, home, "app-server");
    command.env("CODEX_REPLAY_RECORD", home.join(record));
    command.env(
        "CODEX_REPLAY_REPORT",
        format!("json={}", home.join("report.json").display()),
    );
    let mut client = Client::start(&mut command);
    let info = json!({"name": "mine", "title": "Mine", "version": "3"});
    client.send(&json!({"id": "a", "method": "initialize", "params": {"clientInfo": info, "capabilities": {"experimentalApi": true}}}));
    client.until("id", &json!("a"));
    client.send(&json!({"method": "initialized"}));
    client.send(&json!({"id": "b", "method": "thread/start", "params": {"cwd": "/my/project"}}));
    let thread = client.until("id", &json!("b"))["result"]["thread"]["id"].clone();
    let text = json!([{"type": "text", "text": "Do it.", "text_elements": []}]);
    client.send(
        &json!({"id": "c", "method": "turn/start", "params": {"threadId": thread, "input": text}}),
    );
    (client, thread)
}

#[test]
fn a_client_decides_what_a_script_asks() {
    for release in RELEASES {
        let program = installed(&format!("script-approval-{release}"), "approval", release);
        for (decision, status) in [("accept", "completed"), ("decline", "declined")] {
            let home = folder(&format!("script-approval-{release}-{decision}"));
            let (mut client, thread) = begin(&program, &home, "run.jsonl");
            let ask = client.until("method", &json!("item/commandExecution/requestApproval"));
            assert_eq!(ask["params"]["threadId"], thread);
            // Nothing of the script: the answer is made.
            client.send(&json!({"id": "d", "method": "model/list", "params": {}}));
            let models = client.until("id", &json!("d"));
            assert!(models["result"]["data"].is_array(), "{models}");
            client.send(&json!({"id": ask["id"], "result": {"decision": decision}}));
            let end = client.until("method", &json!("turn/completed"));
            assert_eq!(end["params"]["turn"]["status"], "completed");
            let (code, stderr) = client.end();
            assert_eq!((code, stderr.as_str()), (0, ""), "{release}");
            conforms(&home, "run.jsonl", release);
            let record = fs::read_to_string(home.join("run.jsonl")).unwrap();
            assert!(record.contains(&format!("\\\"status\\\":\\\"{status}\\\"")));
            let report: Value =
                serde_json::from_slice(&fs::read(home.join("report.json")).unwrap()).unwrap();
            let findings = report["inputs"][0]["findings"].as_array().unwrap();
            let misses: Vec<_> = findings
                .iter()
                .filter(|finding| finding["rule"] == "replay/no-recording")
                .collect();
            assert_eq!(misses.len(), 1, "{findings:?}");
            assert_eq!(misses[0]["severity"], "note");
            assert_eq!(
                misses[0]["message"],
                "the script does not answer model/list"
            );
        }
    }
}

#[test]
fn a_turn_that_hangs_is_interrupted() {
    let program = installed("script-interrupt", "hang", "0.169.0");
    let home = folder("script-interrupt-home");
    let (mut client, thread) = begin(&program, &home, "run.jsonl");
    let turn = client.until("id", &json!("c"))["result"]["turn"]["id"].clone();
    client.until("method", &json!("item/completed"));
    client.send(&json!({"id": "d", "method": "turn/interrupt", "params": {"threadId": thread, "turnId": turn}}));
    let end = client.until("method", &json!("turn/completed"));
    assert_eq!(end["params"]["turn"]["status"], "interrupted");
    // What the release refuses is refused, and stands on standard error.
    client.send(&json!({"id": "e", "method": "no/such", "params": {}}));
    let refused = client.until("id", &json!("e"));
    assert_eq!(refused["error"]["code"], -32600);
    let (code, stderr) = client.end();
    assert_eq!(code, 0);
    assert!(
        stderr.contains("no/such is refused: Invalid request: unknown variant"),
        "{stderr}"
    );
    conforms(&home, "run.jsonl", "0.169.0");
}

#[test]
fn what_a_script_does_not_answer_can_be_an_error() {
    let program = installed("script-miss", "say", "0.169.0");
    for (on_miss, status) in [("error", 0), ("fail", 1)] {
        let home = folder(&format!("script-miss-{on_miss}"));
        let mut command = codex(&program, &home, "app-server");
        command.env("CODEX_REPLAY_ON_MISS", on_miss);
        let mut client = Client::start(&mut command);
        let info = json!({"name": "mine", "version": "3"});
        client.send(&json!({"id": 1, "method": "initialize", "params": {"clientInfo": info}}));
        client.until("id", &json!(1));
        client.send(&json!({"id": 2, "method": "model/list", "params": {}}));
        let refused = client.until("id", &json!(2));
        assert_eq!(
            refused["error"]["message"],
            "the script does not answer this model/list"
        );
        assert_eq!(client.end().0, status, "{on_miss}");
    }
}

/// A recording with an answer for what nobody recorded.
#[test]
fn a_recording_is_completed_with_answers_that_are_made() {
    let recording = "fixtures/app-server/0.169.0/03a_command_untrusted_accept.jsonl";
    let program = install(
        "replay-synthesize",
        &format!("--on-miss synthesize {recording}"),
    );
    let home = folder("replay-synthesize-home");
    let mut command = codex(&program, &home, "app-server");
    command.env("CODEX_REPLAY_RECORD", home.join("run.jsonl"));
    let mut client = Client::start(&mut command);
    client.send(&json!({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "mine", "title": "Mine", "version": "3"}, "capabilities": {"experimentalApi": true}}}));
    client.until("id", &json!(1));
    client.send(&json!({"method": "initialized"}));
    client.send(&json!({"id": 2, "method": "config/read", "params": {"includeLayers": true}}));
    assert!(client.until("id", &json!(2))["result"]["config"].is_object());
    client.send(&json!({"id": 3, "method": "config/read", "params": {"includeLayers": 7}}));
    assert_eq!(client.until("id", &json!(3))["error"]["code"], -32600);
    client.send(&json!({"id": 4, "method": "no/such"}));
    assert_eq!(client.until("id", &json!(4))["error"]["code"], -32600);
    let (code, stderr) = client.end();
    assert_eq!(code, 0);
    assert_eq!(stderr.lines().count(), 2, "{stderr}");
    conforms(&home, "run.jsonl", "0.169.0");
}

#[test]
fn a_client_of_proto_plays_a_turn() {
    let program = installed("script-proto", "approval", "0.42.0");
    let home = folder("script-proto-home");
    let mut command = codex(&program, &home, "proto");
    command.env("CODEX_REPLAY_RECORD", home.join("run.jsonl"));
    let mut client = Client::start(&mut command);
    client.until("id", &json!(""));
    let items = json!([{"type": "text", "text": "Go."}]);
    client.send(&json!({"id": "1", "op": {"type": "user_input", "items": items}}));
    let is_of = |kind: &'static str| move |message: &Value| message["msg"]["type"] == kind;
    while !is_of("exec_approval_request")(&client.until("id", &json!("1"))) {}
    client.send(
        &json!({"id": "2", "op": {"type": "exec_approval", "id": "1", "decision": "approved"}}),
    );
    while !is_of("task_complete")(&client.until("id", &json!("1"))) {}
    client.send(&json!({"id": "3", "op": {"type": "compact"}}));
    assert!(is_of("task_started")(&client.until("id", &json!("3"))));
    let refused = client.until("id", &json!("3"));
    assert_eq!(
        refused["msg"]["message"],
        "the script does not answer this compact"
    );
    client.send(&json!({"id": "4", "op": {"type": "shutdown"}}));
    assert!(is_of("shutdown_complete")(&client.until("id", &json!("4"))));
    assert_eq!(client.end().0, 0);
    conforms(&home, "run.jsonl", "0.42.0");
}
