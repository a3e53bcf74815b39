//! The double of `codex-wire-testing`, with clients in Rust.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_testing::double::{
    Approved, ClientAction, Decision, Double, Error, FakeCodex, FaultFailure, FaultTests,
    test_faults,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::calls::{folder, until};

fn fake() -> FakeCodex {
    FakeCodex::release("0.169.0").program(env!("CARGO_BIN_EXE_codex-wire"))
}

/// The double of the README.
fn cleaning() -> Double {
    let codex = fake()
        .say("Looking.")
        .run("rm -rf build")
        .approval(Decision::Decline)
        .say("Left it.");
    codex.start().unwrap()
}

fn started(path: &Path, args: &[&str]) -> Child {
    let mut command = Command::new(path);
    command.args(args).stderr(Stdio::null());
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    piped.spawn().unwrap()
}

/// A client of the app-server that gives one prompt, and declines.
fn declining(path: &Path, prompt: &str) -> String {
    let mut child = started(path, &["app-server"]);
    let mut to = child.stdin.take().unwrap();
    let mut send = |message: Value| writeln!(to, "{message}").unwrap();
    let info = json!({"name": "a", "version": "1"});
    send(json!({"id": 1, "method": "initialize", "params": {"clientInfo": info}}));
    send(json!({"method": "initialized"}));
    send(json!({"id": 2, "method": "thread/start", "params": {}}));
    let mut said = String::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
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
    child.wait().unwrap();
    said
}

/// What a test reads of the params of `turn/start`.
#[derive(Debug, Deserialize)]
struct TurnStart {
    input: Vec<Input>,
}

#[derive(Debug, Deserialize)]
struct Input {
    text: String,
}

pub(crate) fn a_double_knows_what_its_client_did() {
    let codex = cleaning();
    assert!(codex.events().unwrap().is_empty());
    assert_eq!(declining(codex.path(), "Clean up."), "Left it.");
    let approved = Approved::command("rm -rf build", Decision::Decline);
    assert_eq!(codex.approvals().unwrap(), [approved]);
    assert_eq!(codex.prompts().unwrap(), ["Clean up."]);
    let turns: Vec<TurnStart> = codex.requests("turn/start").unwrap();
    assert_eq!(turns[0].input[0].text, "Clean up.");
    assert!(codex.requests::<u8>("turn/start").is_err());
    let ended = |action: &ClientAction| matches!(action, ClientAction::Ended(_));
    assert!(codex.wait_for(Duration::from_secs(20), ended).unwrap());
    let runs = codex.runs().unwrap();
    assert_eq!(
        (runs.len(), &*runs[0].protocol, runs[0].status),
        (1, "app-server", Some(0))
    );
    assert_eq!(runs[0].arguments, ["app-server"]);
    assert!(codex.unexpected().unwrap().is_empty());
    let folder = codex.folder().to_owned();
    codex.end().unwrap();
    assert!(!folder.exists());
}

pub(crate) fn doubles_in_parallel_do_not_meet() {
    let codexes: Vec<Double> = (0..4).map(|_| cleaning()).collect();
    thread::scope(|scope| {
        for (number, codex) in codexes.iter().enumerate() {
            scope.spawn(move || {
                let prompt = format!("Prompt {number}.");
                declining(codex.path(), &prompt);
                assert_eq!(codex.prompts().unwrap(), [prompt]);
                assert_eq!(codex.approvals().unwrap().len(), 1);
            });
        }
    });
}

/// A client that ignores SIGTERM and outlives the test, and a stand-in that ignores it, too.
pub(crate) fn nothing_of_a_double_is_alive_after_it() {
    let codex = fake()
        .say("Hello.")
        .fault("ignores-sigterm")
        .start()
        .unwrap();
    let pipe = folder("double-outlived").join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    // Its input stays open, and it does not end with its parent.
    let script = "trap '' TERM; exec 3<>\"$1\"; \"$0\" app-server <&3 & wait; exec sleep 600";
    let mut client = Command::new("sh")
        .args(["-c", script])
        .arg(codex.path())
        .arg(&pipe)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let begun = |action: &ClientAction| matches!(action, ClientAction::Started(_));
    assert!(codex.wait_for(Duration::from_secs(20), begun).unwrap());
    let pid = codex.events().unwrap()[0].pid;
    let is_there = || {
        let asked = Command::new("kill")
            .args(["-0", &pid.to_string()])
            .stderr(Stdio::null())
            .status();
        asked.unwrap().success()
    };
    assert!(is_there());
    let place = codex.folder().to_owned();
    let dropped = Instant::now();
    drop(codex);
    until("it ends", || !is_there());
    assert!(
        dropped.elapsed() < Duration::from_secs(20),
        "{:?}",
        dropped.elapsed()
    );
    assert!(!place.exists() && client.try_wait().unwrap().is_none());
    // It is this test's.
    client.kill().unwrap();
    client.wait().unwrap();
}

pub(crate) fn what_cannot_be_made_says_why() {
    let refused = FakeCodex::release("0.80.0").program(env!("CARGO_BIN_EXE_codex-wire"));
    let refused = refused.spawn("Look.").start().unwrap_err().to_string();
    assert!(refused.starts_with("script:1:"), "{refused}");
    assert!(
        refused.ends_with("`spawn` needs 0.92.0 or later, not 0.80.0"),
        "{refused}"
    );
    let missing = FakeCodex::new()
        .program("/nowhere/codex-wire")
        .say("a")
        .start();
    let missing = missing.unwrap_err();
    assert!(matches!(missing, Error::Program { .. }));
    assert!(
        missing.to_string().contains("cargo install codex-wire-cli"),
        "{missing}"
    );
}

/// A client of `codex exec`: the last message, if the turn completed. A careless one takes any end for a success.
fn exec(path: &Path, is_careless: bool) -> Result<String, String> {
    let mut child = started(path, &["exec", "--json", "Go."]);
    let stdout = child.stdout.take().unwrap();
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    let (mut last, mut completed, mut failed) = (String::new(), false, None);
    while let Ok(line) = lines.recv_timeout(Duration::from_secs(4)) {
        let Ok(event) = serde_json::from_slice::<Value>(&line) else {
            continue;
        };
        match event["type"].as_str() {
            Some("item.completed") if event["item"]["type"] == "agent_message" => {
                event["item"]["text"]
                    .as_str()
                    .unwrap_or_default()
                    .clone_into(&mut last);
            }
            Some("turn.completed") => completed = true,
            Some("turn.failed") => failed = Some(event["error"]["message"].to_string()),
            _ => {}
        }
    }
    child.kill().ok();
    child.wait().unwrap();
    match (failed, completed || is_careless) {
        (Some(failed), _) if !is_careless => Err(failed),
        (_, true) => Ok(last),
        _ => Err("the turn did not complete".to_owned()),
    }
}

pub(crate) fn faults_are_tried_one_after_another() {
    let codex = fake()
        .say("Looking.")
        .run("ls")
        .output("a\n")
        .say("There is a file.");
    let codex = codex.start().unwrap();
    let tests = FaultTests::new();
    test_faults(&codex, &tests, |path| exec(path, false)).unwrap();
    let careless = test_faults(&codex, &tests, |path| exec(path, true)).unwrap_err();
    let FaultFailure::Faults { failures, .. } = &careless else {
        panic!("{careless}");
    };
    let ids: Vec<&str> = failures.iter().map(|(id, _)| *id).collect();
    assert_eq!(
        ids,
        [
            "turn-fails",
            "turn-interrupted",
            "turn-never-ends",
            "crash-mid-line",
            "exit-without-end",
            "ignores-sigterm",
        ]
    );
    // Of a release that gets no faults of messages the others are tried.
    let old = FakeCodex::release("0.30.0").program(env!("CARGO_BIN_EXE_codex-wire"));
    let old = old.say("Hello.").start().unwrap();
    let said = |path: &Path| {
        let ran = Command::new(path).args(["exec", "--json", "Hi."]).output();
        let ran = ran.map_err(|error| error.to_string())?;
        match ran.status.success() {
            true => Ok(ran.stdout),
            false => Err(ran.status.to_string()),
        }
    };
    let of_old = test_faults(&old, &FaultTests::new(), said);
    let refused = matches!(of_old, Err(FaultFailure::Double(_)));
    assert!(!refused, "{of_old:?}");
    let text = careless.to_string();
    assert!(
        text.contains("the client shows what it shows without it: \"There is a file.\""),
        "{text}"
    );
}

pub(crate) fn a_client_that_fails_without_a_fault_is_told_just_that() {
    let codex = cleaning();
    let tests = FaultTests::new().timeout(Duration::from_secs(5));
    let told = |client: fn(&Path) -> Result<String, String>| {
        test_faults(&codex, &tests, client).unwrap_err().to_string()
    };
    let fails = told(|_| Err("no network".to_owned()));
    assert_eq!(fails, "without any fault, the client fails: no network");
    let idle = told(|_| Ok(String::new()));
    assert_eq!(
        idle,
        "without any fault, the client does not start the program that it is given"
    );
    let hangs = told(|path| {
        let mut child = started(path, &["app-server"]);
        // Its input stays open.
        let _input = child.stdin.take();
        child
            .wait()
            .map(|_| String::new())
            .map_err(|error| error.to_string())
    });
    assert_eq!(
        hangs,
        "without any fault, the client does not end within 5s"
    );
    let wrong = told(|path| exec(path, false).map(|text| format!("{text}{:?}", Instant::now())));
    assert!(wrong.contains("something else each time"), "{wrong}");
}
