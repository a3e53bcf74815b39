//! Doubles without an installed program: this test plays by itself.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_testing::double::{Approved, Decision, Double, FakeCodex, StandIn};
use codex_wire_testing::stand_in;
use serde_json::{Value, json};

codex_wire_testing::stand_in_program!();

const EXEC: &str = "tests/recordings/0.169.0/command_ok.jsonl";
const SERVER: &str = "../../fixtures/app-server/0.169.0/02_reasoning.jsonl";

fn exec(codex: &Double, arguments: &[&str]) -> Output {
    let mut command = Command::new(codex.path());
    command.args(arguments).stdin(Stdio::null());
    command.output().unwrap()
}

/// What a run of `codex exec` shows: only lines of JSON, and nothing else.
fn lines(shown: &Output) -> Vec<Value> {
    assert_eq!(String::from_utf8_lossy(&shown.stderr), "");
    let lines = shown.stdout.lines();
    lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

fn server(path: &Path, stdout: Stdio) -> Child {
    let mut command = Command::new(path);
    command
        .arg("app-server")
        .stdin(Stdio::piped())
        .stdout(stdout);
    command.stderr(Stdio::null()).spawn().unwrap()
}

/// One turn with the app-server, in which everything is declined: the last message.
fn turn(child: &mut Child, from: impl Read, prompt: &str) -> String {
    let mut to = child.stdin.take().unwrap();
    let mut send = |message: Value| writeln!(to, "{message}").unwrap();
    let info = json!({"name": "a", "version": "1"});
    send(json!({"id": 1, "method": "initialize", "params": {"clientInfo": info}}));
    send(json!({"method": "initialized"}));
    send(json!({"id": 2, "method": "thread/start", "params": {}}));
    let mut said = String::new();
    for line in BufReader::new(from).lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let params = &message["params"];
        if message["id"] == 2 {
            let thread = &message["result"]["thread"]["id"];
            let input = json!([{"type": "text", "text": prompt}]);
            let params = json!({"threadId": thread, "input": input});
            send(json!({"id": 3, "method": "turn/start", "params": params}));
        }
        match message["method"].as_str() {
            Some("item/commandExecution/requestApproval") => {
                send(json!({"id": message["id"], "result": {"decision": "decline"}}));
            }
            Some("item/completed") if params["item"]["type"] == "agentMessage" => {
                params["item"]["text"]
                    .as_str()
                    .unwrap()
                    .clone_into(&mut said);
            }
            Some("turn/completed") => break,
            _ => {}
        }
    }
    drop(to);
    assert!(child.wait().unwrap().success());
    said
}

fn turn_on_a_pipe(path: &Path, prompt: &str) -> String {
    let mut child = server(path, Stdio::piped());
    let from: ChildStdout = child.stdout.take().unwrap();
    turn(&mut child, from, prompt)
}

#[test]
fn a_recording_of_exec_is_played() {
    let codex = stand_in(EXEC).start().unwrap();
    let prompt = "It's \"two\"\nlines, $HOME `pwd` \\ and a *.";
    let shown = exec(&codex, &["exec", "--json", "-c", "a = ''", prompt]);
    let recorded = fs::read_to_string(EXEC).unwrap();
    let kinds =
        |lines: &[Value]| -> Vec<Value> { lines.iter().map(|line| line["type"].clone()).collect() };
    let recorded: Vec<Value> = recorded
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(kinds(&lines(&shown)), kinds(&recorded));
    assert_eq!(shown.status.code(), Some(0));
    assert_eq!(codex.prompts().unwrap(), [prompt]);
    let runs = codex.runs().unwrap();
    assert_eq!(
        runs[0].arguments,
        ["exec", "--json", "-c", "a = ''", prompt]
    );
    assert_eq!((&*runs[0].protocol, runs[0].status), ("exec", Some(0)));
}

#[test]
fn a_recording_of_the_app_server_is_played() {
    let codex = stand_in(SERVER).start().unwrap();
    assert_eq!(turn_on_a_pipe(codex.path(), "Do it."), "The answer is 42.");
    let sent = codex.sent().unwrap();
    let methods: Vec<&str> = sent
        .iter()
        .filter_map(|sent| sent.message.as_ref()?["method"].as_str())
        .collect();
    assert_eq!(
        methods,
        ["initialize", "initialized", "thread/start", "turn/start"]
    );
    assert_eq!(codex.prompts().unwrap(), ["Do it."]);
    let requests = |method: &str| codex.requests::<Value>(method).unwrap().len();
    // A notification is not a request.
    assert_eq!((requests("turn/start"), requests("initialized")), (1, 0));
}

#[test]
fn a_script_is_played() {
    let codex = FakeCodex::release("0.169.0")
        .say("Looking.")
        .run("rm -rf build")
        .approval(Decision::Decline)
        .say("Left it.")
        .start()
        .unwrap();
    assert_eq!(turn_on_a_pipe(codex.path(), "Clean up."), "Left it.");
    let approved = Approved::command("rm -rf build", Decision::Decline);
    assert_eq!(codex.approvals().unwrap(), [approved]);
    let version = exec(&codex, &["--version"]).stdout;
    assert_eq!(String::from_utf8_lossy(&version), "codex-cli 0.169.0\n");
}

/// Some clients, such as those in Node, give their Codex sockets.
#[test]
fn the_output_may_be_a_socket() {
    let codex = FakeCodex::new().say("Hello.").start().unwrap();
    let (from, to) = UnixStream::pair().unwrap();
    let mut child = server(codex.path(), OwnedFd::from(to).into());
    assert_eq!(turn(&mut child, from, "Hi."), "Hello.");
}

#[test]
fn another_release_is_played() {
    let codex = stand_in(EXEC).as_release("0.44.0").start().unwrap();
    let shown = exec(&codex, &["exec", "--json", "Hi."]);
    assert_eq!(lines(&shown)[0]["type"], "thread.started");
    let version = exec(&codex, &["--version"]).stdout;
    assert_eq!(String::from_utf8_lossy(&version), "codex-cli 0.44.0\n");
}

#[test]
fn faults_are_injected() {
    let whole = stand_in(EXEC).start().unwrap();
    let codex = whole.with_faults(["turn-fails"]).unwrap();
    let shown = exec(&codex, &["exec", "--json", "Hi."]);
    let last = lines(&shown).pop().unwrap();
    assert_eq!(last["type"], "turn.failed");
    assert_eq!(codex.injected().unwrap(), ["fault/turn-fails"]);
}

#[test]
fn processes_end_with_the_double() {
    let codex = FakeCodex::new().hang().start().unwrap();
    let mut child = server(codex.path(), Stdio::null());
    let mut to = child.stdin.take().unwrap();
    writeln!(to, "{{}}").unwrap();
    thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none());
    codex.end().unwrap();
    let begun = Instant::now();
    child.wait().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn doubles_in_parallel_do_not_meet() {
    thread::scope(|scope| {
        for number in 0..8 {
            scope.spawn(move || {
                let codex = FakeCodex::new().say("Hello.").start().unwrap();
                let prompt = format!("Prompt {number}.");
                assert_eq!(turn_on_a_pipe(codex.path(), &prompt), "Hello.");
                assert_eq!(codex.prompts().unwrap(), [prompt]);
            });
        }
    });
}

#[test]
fn what_cannot_be_played_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.jsonl");
    let whole = fs::read_to_string(SERVER).unwrap();
    let mut lines: Vec<&str> = whole.lines().collect();
    lines[2] = "{\"from\":";
    fs::write(&cut, lines.join("\n")).unwrap();
    let refused = |codex: StandIn| codex.start().unwrap_err().to_string();
    let why = refused(stand_in(&cut));
    let start = format!("cannot play {}: line 3: ", cut.display());
    assert!(why.starts_with(&start), "{why}");
    let why = refused(stand_in("tests/recordings/none.jsonl"));
    assert!(why.contains("tests/recordings/none.jsonl"), "{why}");
    let why = refused(stand_in(EXEC).fault("turn-fail"));
    assert!(why.contains("turn-fails"), "{why}");
    let why = refused(stand_in(EXEC).as_release("0.1.0"));
    assert!(why.contains("0.1.0"), "{why}");
    let why = FakeCodex::release("0.44.0").patch("Rename it.").start();
    let why = why.unwrap_err().to_string();
    assert!(why.starts_with("script:1:"), "{why}");
}
