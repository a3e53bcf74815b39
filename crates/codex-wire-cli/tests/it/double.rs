//! A stand-in as a test double: what the client did is in a log, and nothing of the double stays behind.

use std::fs;
use std::path::{Path, PathBuf};

use codex_wire_replay::client_log::{ClientAction, ClientEvent};
use codex_wire_schema::own::{CLIENT_LOG, FAULTS};
use serde_json::{Value, json};

use crate::replay::{Client, codex, output};
use crate::support::{folder, golden, run, workspace};

const SCRIPT: &str = r#"{"step":[{"say":"Looking."},{"run":"rm -rf build","approval":"decline"},{"say":"Left it."}]}"#;

/// Installs a script, with a log of the client.
fn double(folder: &Path, script: &str, more: &str) -> PathBuf {
    fs::write(folder.join("script.json"), script).unwrap();
    let args = format!(
        "replay --install bin --script script.json --client-log log.jsonl --release 0.169.0 {more}"
    );
    let installed = run(folder, &args);
    assert_eq!(installed.code, 0, "{}", installed.stderr);
    folder
        .join("bin")
        .join(if cfg!(windows) { "codex.exe" } else { "codex" })
}

/// The log so far. Each line is what its schema says.
fn events(folder: &Path) -> Vec<ClientAction> {
    let schema: Value = serde_json::from_str(CLIENT_LOG).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let text = fs::read_to_string(folder.join("log.jsonl")).unwrap();
    let events = text.lines().map(|line| {
        let value: Value = serde_json::from_str(line).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert_eq!(errors, [""; 0], "{line}");
        let event: ClientEvent = serde_json::from_value(value).unwrap();
        event.action
    });
    events.collect()
}

/// Everything but what was sent, without ids.
fn told(folder: &Path) -> Vec<Value> {
    let events = events(folder).into_iter();
    let told = events.filter(|event| !matches!(event, ClientAction::Sent(_)));
    let told = told.map(|event| {
        let mut event = json!(event);
        for id in ["thread_id", "turn_id", "directory"] {
            if let Some(text) = event.get_mut(id).filter(|id| id.is_string()) {
                *text = "…".into();
            }
        }
        event
    });
    told.collect()
}

/// Begins a turn of the app-server, and waits for the request for approval.
fn asked(program: &Path, home: &Path) -> Client {
    let mut client = Client::start(&mut codex(program, home, "app-server"));
    let info = json!({"name": "a", "version": "1"});
    client.send(&json!({"id": 1, "method": "initialize", "params": {"clientInfo": info}}));
    client.send(&json!({"method": "initialized"}));
    client.send(&json!({"id": 2, "method": "thread/start", "params": {}}));
    let started = client.until("id", &json!(2));
    let thread = &started["result"]["thread"]["id"];
    let input = json!([{"type": "text", "text": "Clean up."}]);
    client.send(
        &json!({"id": 3, "method": "turn/start", "params": {"threadId": thread, "input": input}}),
    );
    client.until("method", &json!("item/commandExecution/requestApproval"));
    client
}

fn answer(client: &mut Client, decision: &str) {
    client.send(&json!({"id": 0, "result": {"decision": decision}}));
}

#[test]
fn the_log_has_what_a_client_did() {
    let folder = folder("double-log");
    let program = double(&folder, SCRIPT, "");
    let mut client = asked(&program, &folder);
    answer(&mut client, "decline");
    client.until("method", &json!("turn/completed"));
    // Before the client was answered, it was written.
    let approval = json!({"event": "approval", "kind": "command", "command": "rm -rf build", "decision": "decline"});
    assert_eq!(told(&folder).last(), Some(&approval));
    assert_eq!(client.end().0, 0);
    let run = output(&mut codex(&program, &folder, "exec --json Again."));
    assert!(String::from_utf8(run.stdout).unwrap().contains("declined"));
    let started = |protocol: &str, arguments: &[&str]| {
        json!({
            "event": "started", "protocol": protocol, "release": "0.169.0",
            "arguments": arguments, "directory": "…",
        })
    };
    let prompt = |text: &str| json!({"event": "prompt", "thread_id": "…", "text": text});
    let ended = json!({"event": "ended", "status": 0});
    assert_eq!(
        told(&folder),
        [
            started("app-server", &["app-server"]),
            prompt("Clean up."),
            approval,
            ended.clone(),
            started("exec", &["exec", "--json", "Again."]),
            prompt("Again."),
            ended,
        ]
    );
    let events = events(&folder);
    let sent = events.iter().filter_map(|event| match event {
        ClientAction::Sent(sent) => sent.message.clone(),
        _ => None,
    });
    let methods: Vec<Value> = sent.map(|message| message["method"].clone()).collect();
    let expected = json!([
        "initialize",
        "initialized",
        "thread/start",
        "turn/start",
        null
    ]);
    assert_eq!(json!(methods), expected);
}

#[test]
fn an_answer_that_the_script_has_not_ends_the_session() {
    let folder = folder("double-unexpected");
    let program = double(&folder, SCRIPT, "");
    let mut client = asked(&program, &folder);
    answer(&mut client, "accept");
    let status = client.child.wait().unwrap().code();
    let (_, stderr) = client.end();
    let message = "the script does not go on after the answer `accept` to \
        item/commandExecution/requestApproval: it has `decline` only";
    assert_eq!(
        (status, stderr.contains(message)),
        (Some(1), true),
        "{stderr}"
    );
    let told = told(&folder);
    assert_eq!(
        told[told.len() - 2..],
        [
            json!({"event": "unexpected", "message": message}),
            json!({"event": "ended", "status": 1}),
        ]
    );
}

#[test]
fn what_is_not_played_is_in_the_log() {
    let folder = folder("double-not-played");
    let program = double(&folder, SCRIPT, "");
    let refused = output(&mut codex(&program, &folder, "cloud list"));
    assert_eq!(refused.status.code(), Some(1));
    let message = "`codex cloud` is not played";
    assert_eq!(
        told(&folder),
        [
            json!({"event": "unexpected", "message": message}),
            json!({"event": "ended", "status": 1}),
        ]
    );
}

#[test]
fn a_recording_has_a_log_too() {
    let folder = folder("double-recording");
    let log = folder.join("log.jsonl");
    let path = "fixtures/exec/0.125.0/command_ok.jsonl";
    let played = run(
        &workspace(),
        &format!("replay --client-log {} {path}", log.display()),
    );
    assert_eq!(played.code, 0);
    let told = told(&folder);
    assert_eq!(
        (&told[0]["event"], &told[1]["event"]),
        (&"started".into(), &"ended".into())
    );
}

/// Ends of a stand-in that nobody waits for, and that no signal but SIGKILL ends.
#[cfg(unix)]
mod ends {
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use super::{SCRIPT, codex, double, folder, fs, told};
    use crate::support::until;

    /// The ways in which a stand-in does not end by itself.
    const STAYS: [(&str, &str, &str); 4] = [
        ("app-server", SCRIPT, ""),
        ("app-server", SCRIPT, "--fault ignores-sigterm"),
        ("exec --json Go.", r#"{"step":[{"hang":true}]}"#, ""),
        (
            "exec --json Go.",
            r#"{"step":[{"say":"a"}]}"#,
            "--fault turn-never-ends --fault ignores-sigterm",
        ),
    ];

    /// Starts a stand-in that stays: its input stays open, and it has got a SIGTERM if it ignores that.
    fn staying(program: &Path, folder: &Path, args: &str, more: &str) -> Child {
        let mut child = codex(program, folder, args)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let log = folder.join("log.jsonl");
        until("it starts", || {
            fs::metadata(&log).is_ok_and(|log| log.len() > 0)
        });
        std::thread::sleep(Duration::from_millis(300));
        if more.contains("ignores-sigterm") {
            let number = child.id().to_string();
            assert!(Command::new("kill").arg(number).status().unwrap().success());
            std::thread::sleep(Duration::from_millis(200));
        }
        assert_eq!(child.try_wait().unwrap(), None, "{args} {more}");
        child
    }

    /// SIGINT ends a run that hangs as it ends Codex, and SIGTERM kills it; both interrupt the turn.
    #[test]
    fn a_signal_interrupts_a_run() {
        for (signal, status) in [("INT", Some(1)), ("TERM", None)] {
            let folder = folder(&format!("double-signal-{signal}"));
            let program = double(&folder, r#"{"step":[{"hang":true}]}"#, "");
            let mut child = staying(&program, &folder, "exec --json Go.", "");
            let number = child.id().to_string();
            let sent = Command::new("kill").args(["-s", signal, &number]).status();
            assert!(sent.unwrap().success());
            assert_eq!(child.wait().unwrap().code(), status, "{signal}");
            let events: Vec<String> = told(&folder)
                .iter()
                .map(|event| event["event"].as_str().unwrap().to_owned())
                .collect();
            let expected = ["started", "prompt", "interrupted", "ended"];
            let count = 3 + usize::from(status.is_some());
            assert_eq!(events, expected[..count], "{signal}");
        }
    }

    #[test]
    fn with_the_folder() {
        for (number, (args, script, more)) in STAYS.into_iter().enumerate() {
            let folder = folder(&format!("double-folder-{number}"));
            let program = double(&folder, script, more);
            let mut child = staying(&program, &folder, args, more);
            fs::remove_dir_all(folder.join("bin")).unwrap();
            let begun = Instant::now();
            until("it ends with its folder", || {
                child.try_wait().unwrap().is_some()
            });
            assert!(
                begun.elapsed() < Duration::from_secs(20),
                "{:?}",
                begun.elapsed()
            );
        }
    }

    #[test]
    fn with_its_owner() {
        for (number, (args, script, more)) in STAYS.into_iter().enumerate() {
            let folder = folder(&format!("double-owner-{number}"));
            let mut owner = Command::new("sleep").arg("600").spawn().unwrap();
            let owned = format!("{more} --owner {}", owner.id());
            let program = double(&folder, script, &owned);
            let mut child = staying(&program, &folder, args, more);
            owner.kill().unwrap();
            // Nobody has taken note yet that it is gone.
            if cfg!(target_os = "linux") {
                until("it ends with its owner", || {
                    child.try_wait().unwrap().is_some()
                });
            }
            owner.wait().unwrap();
            until("it ends with its owner", || {
                child.try_wait().unwrap().is_some()
            });
        }
    }
}

#[test]
fn faults_are_listed() {
    let root = workspace();
    golden("faults.txt", &root, "faults");
    golden("faults-exec.txt", &root, "faults --protocol exec");
    let schema: Value = serde_json::from_str(FAULTS).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (args, company) in [
        ("", json!(["ignores-sigterm"])),
        (" -p exec", json!(["ignores-sigterm", "turn-never-ends"])),
    ] {
        let listed = run(&root, &format!("faults --format json{args}"));
        let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&listed)
            .map(|error| error.to_string())
            .collect();
        assert_eq!(errors, [""; 0]);
        let faults = listed["faults"].as_array().unwrap();
        let mut stubborn = faults
            .iter()
            .filter(|fault| fault["id"] == "ignores-sigterm");
        assert_eq!(stubborn.next().unwrap()["inject"], company);
    }
}
