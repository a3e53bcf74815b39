//! `tap` between a client and a real app-server on a socket, offline: the model is a script on
//! loopback. Where the binary was not fetched, the tests are ignored.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use codex_wire_base::Release;
use codex_wire_record::{Answer, Home, Model, binary};
use libtest_mimic::Trial;
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::Trials;
use crate::support::{ended, folder, output, program, records, rules, until};

/// Releases that listen on a WebSocket.
const WEBSOCKET: [&str; 3] = ["0.125.0", "0.150.1", "0.169.0"];

/// Releases that speak on a unix socket.
const UNIX: [&str; 2] = ["0.150.1", "0.169.0"];

/// Longer than a Codex takes on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(120);

/// What an ordinary command of 0.125.0 to 0.142.0 may break on a busy machine: it completes a moment after its turn.
const LATE: &str = "sequence/app-server-item-open";

pub(crate) fn trials() -> Trials {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let websocket = WEBSOCKET.map(|version| ("websocket", version, websocket as Test));
    let unix = UNIX.map(|version| ("unix", version, unix as Test));
    let trial = |(name, version, test): (&str, &'static str, Test)| {
        let binary = binary(&workspace, version);
        let is_missing = binary.is_none();
        let run = move || {
            test(&binary.ok_or("there is no binary")?, version);
            Ok(())
        };
        let name = format!("sockets::{name} codex {version}");
        Trial::test(name, run).with_ignored_flag(is_missing)
    };
    websocket.into_iter().chain(unix).map(trial).collect()
}

/// A test with the binary of a release.
type Test = fn(&Path, &str);

/// A program that is ended with the test.
struct Running(Child);

impl Running {
    fn interrupt(&mut self) -> Option<i32> {
        let id = self.0.id().to_string();
        Command::new("kill").arg(&id).status().unwrap();
        ended(&mut self.0).code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Where it says that it listens.
fn address(running: &mut Running) -> String {
    let stderr = BufReader::new(running.0.stderr.take().unwrap());
    let mut lines = stderr.lines();
    let address = loop {
        let line = lines.next().unwrap().unwrap();
        if let Some((_, address)) = line.split_once("listening on: ") {
            break address.trim().to_owned();
        }
    };
    // It may go on to write.
    std::thread::spawn(move || lines.for_each(drop));
    address
}

fn websocket(binary: &Path, version: &str) {
    let stage = folder(&format!("sockets-websocket-{version}"));
    let connect = |address: &str| {
        let stream = TcpStream::connect(address.trim_start_matches("ws://")).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    };
    turn(
        binary,
        version,
        &stage,
        "ws://127.0.0.1:0",
        "ws://127.0.0.1:0",
        connect,
    );
}

fn unix(binary: &Path, version: &str) {
    let stage = folder(&format!("sockets-unix-{version}"));
    // A path of a socket has to be short.
    let short = PathBuf::from(format!("/tmp/codex-wire-{}-{version}", std::process::id()));
    fs::create_dir_all(&short).unwrap();
    let behind = format!("unix://{}", short.join("a.sock").display());
    let before = format!("unix://{}", short.join("b.sock").display());
    let connect = |address: &str| {
        let stream = UnixStream::connect(address.trim_start_matches("unix://")).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    };
    turn(binary, version, &stage, &behind, &before, connect);
    fs::remove_dir_all(&short).unwrap();
}

/// A turn with a command that is approved, through `tap`.
fn turn<S: Read + Write>(
    binary: &Path,
    version: &str,
    stage: &Path,
    behind: &str,
    before: &str,
    connect: impl Fn(&str) -> S,
) {
    let model = Model::new([
        Answer::command("touch approved.txt && echo recorded"),
        Answer::message("Done: recorded."),
    ])
    .unwrap();
    let release: Release = version.parse().unwrap();
    let home = Home::new(&stage.join("stage"), release, model.port()).unwrap();
    let mut command = Command::new(binary);
    command.args(["app-server", "--listen", behind]);
    home.furnish(&mut command);
    command.stdin(Stdio::null()).stderr(Stdio::piped());
    let mut codex = Running(command.spawn().unwrap());
    let behind = match behind.strip_prefix("unix://") {
        // It does not say where.
        Some(path) => {
            until("the socket is there", || UnixStream::connect(path).is_ok());
            behind.to_owned()
        }
        None => address(&mut codex),
    };
    let record = stage.join("run.jsonl");
    let log = stage.join("log.jsonl");
    let mut command = program(&["tap", "--listen", before, "--connect", &behind]);
    command.args(["--verdict", "--format", "jsonl", "--log"]);
    command.arg(&log).arg("--record").arg(&record);
    let mut tap = Running(command.spawn().unwrap());
    let stream = connect(&address(&mut tap));
    let (mut client, _) = tungstenite::client("ws://localhost/", stream)
        .map_err(|error| error.to_string())
        .unwrap();

    let mut received = Vec::new();
    let info = json!({"name": "recorder", "title": "Recorder", "version": "1.0.0"});
    let params = json!({"clientInfo": info, "capabilities": {"experimentalApi": true}});
    send(
        &mut client,
        &json!({"id": 1, "method": "initialize", "params": params}),
    );
    wait(&mut client, &mut received, "id", &json!(1));
    send(&mut client, &json!({"method": "initialized"}));
    let params = json!({"cwd": home.project(), "approvalPolicy": "untrusted", "sandbox": "danger-full-access"});
    send(
        &mut client,
        &json!({"id": 2, "method": "thread/start", "params": params}),
    );
    let started = wait(&mut client, &mut received, "id", &json!(2));
    let input = json!([{"type": "text", "text": "Do the recorded thing.", "text_elements": []}]);
    let params = json!({"threadId": started["result"]["thread"]["id"], "input": input});
    send(
        &mut client,
        &json!({"id": 3, "method": "turn/start", "params": params}),
    );
    let ask = json!("item/commandExecution/requestApproval");
    let ask = wait(&mut client, &mut received, "method", &ask);
    send(
        &mut client,
        &json!({"id": ask["id"], "result": {"decision": "accept"}}),
    );
    let end = json!("turn/completed");
    let end = wait(&mut client, &mut received, "method", &end);
    assert_eq!(end["params"]["turn"]["status"], "completed", "{end}");
    assert!(home.project().join("approved.txt").exists());
    client.close(None).unwrap();
    // Codex may have more to say before it answers the close.
    while let Ok(message) = client.read() {
        keep(&message, &mut received);
    }
    drop(client);
    until("the close is recorded", || {
        records(&record).iter().any(|line| line["kind"] == "closed")
    });
    assert_eq!(tap.interrupt(), Some(0));
    codex.interrupt();
    assert_eq!(model.left(), 0);

    let lines = records(&record);
    let of = |side: &str| -> Vec<&str> {
        let lines = lines.iter().filter(|line| line["from"] == side);
        lines.map(|line| line["line"].as_str().unwrap()).collect()
    };
    assert_eq!(of("codex"), received);
    assert_eq!(of("client").len(), 5);
    let report = records(&log);
    let mut found = rules(&report);
    found.retain(|rule| *rule != LATE);
    assert_eq!(found, [""; 0], "{report:?}");
    let record = record.to_str().unwrap();
    let args = [
        "check",
        "--release",
        version,
        "--profile",
        "exact",
        "--deny",
        "*",
        "--allow",
        LATE,
        record,
    ];
    let checked = output(program(&args).spawn().unwrap());
    let text = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert_eq!(checked.status.code(), Some(0), "{text}");
}

fn send<S: Read + Write>(client: &mut WebSocket<S>, message: &Value) {
    client.send(Message::text(message.to_string())).unwrap();
}

/// Waits for a message with this member.
fn wait<S: Read + Write>(
    client: &mut WebSocket<S>,
    received: &mut Vec<String>,
    key: &str,
    value: &Value,
) -> Value {
    loop {
        let message = client.read().unwrap();
        let message = keep(&message, received);
        if message[key] == *value {
            return message;
        }
    }
}

/// Keeps what a frame of text holds.
fn keep(message: &Message, received: &mut Vec<String>) -> Value {
    let Message::Text(text) = message else {
        return Value::Null;
    };
    received.push(text.to_string());
    serde_json::from_str(text).unwrap()
}
