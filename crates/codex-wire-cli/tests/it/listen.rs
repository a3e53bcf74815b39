//! The stand-in on sockets, as `codex app-server --listen` is.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::support::{PATIENCE, folder, run, until, workspace};

pub(crate) const TURN: &str = "fixtures/app-server/0.169.0/03a_command_untrusted_accept.jsonl";

/// A stand-in that listens.
pub(crate) struct Server {
    child: Child,
    pub(crate) stderr: BufReader<std::process::ChildStderr>,
}

impl Server {
    pub(crate) fn start(args: &str) -> Self {
        let mut child = crate::support::command(&workspace(), args)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Server { child, stderr }
    }

    /// The address that it prints.
    pub(crate) fn address(&mut self) -> String {
        let mut said = String::new();
        loop {
            let mut line = String::new();
            assert!(self.stderr.read_line(&mut line).unwrap() > 0, "{said}");
            if let Some((_, address)) = line.split_once("listening on: ws://") {
                return address.trim().to_owned();
            }
            said += &line;
        }
    }

    /// Asks it to end. Returns its exit status.
    #[cfg(unix)]
    pub(crate) fn end(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        Command::new("kill").arg(&id).status().unwrap();
        self.child.wait().unwrap().code()
    }

    #[cfg(not(unix))]
    pub(crate) fn end(mut self) -> Option<i32> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        Some(0)
    }
}

/// A test that fails must leave no program behind.
impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client on a WebSocket.
pub(crate) struct Client<S: Read + Write>(pub(crate) WebSocket<S>);

impl<S: Read + Write> Client<S> {
    pub(crate) fn new(stream: S) -> Self {
        let (socket, _) = tungstenite::client("ws://localhost/", stream)
            .map_err(|error| error.to_string())
            .unwrap();
        Client(socket)
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.0.send(Message::text(message.to_string())).unwrap();
    }

    pub(crate) fn until(&mut self, key: &str, value: &Value) -> Value {
        loop {
            if let Message::Text(text) = self.0.read().unwrap() {
                let message: Value = serde_json::from_str(&text).unwrap();
                if message[key] == *value {
                    return message;
                }
            }
        }
    }

    pub(crate) fn initialize(&mut self) {
        self.send(&json!({"id": 0, "method": "initialize", "params": {"clientInfo": {"name": "mine", "title": "Mine", "version": "3"}, "capabilities": {"experimentalApi": true}}}));
        self.until("id", &json!(0));
        self.send(&json!({"method": "initialized"}));
    }

    /// A turn with an approval.
    pub(crate) fn turn(&mut self, cwd: &str) {
        self.send(&json!({"id": 1, "method": "thread/start", "params": {"cwd": cwd, "approvalPolicy": "untrusted", "sandbox": "workspace-write"}}));
        let thread = self.until("id", &json!(1))["result"]["thread"]["id"].clone();
        let text = json!([{"type": "text", "text": "Do it.", "text_elements": []}]);
        self.send(&json!({"id": 2, "method": "turn/start", "params": {"threadId": thread, "input": text}}));
        let ask = self.until("method", &json!("item/commandExecution/requestApproval"));
        assert_eq!(ask["params"]["cwd"], cwd);
        self.send(&json!({"id": ask["id"], "result": {"decision": "accept"}}));
        let end = self.until("method", &json!("turn/completed"));
        assert_eq!(end["params"]["turn"]["status"], "completed");
    }
}

pub(crate) fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Two clients at once, frames that Codex ignores, and a recording that conforms.
#[test]
fn clients_connect_by_websocket() {
    let record = folder("listen-websocket").join("run.jsonl");
    let args = format!(
        "replay --listen ws://127.0.0.1:0 --record {} {TURN}",
        record.display()
    );
    let mut server = Server::start(&args);
    let address = server.address();
    let mut first = Client::new(connect(&address));
    let mut second = Client::new(connect(&address));
    first.initialize();
    second.initialize();
    second.turn("/second");
    first.0.send(Message::binary(b"{}".to_vec())).unwrap();
    first.0.send(Message::Ping("hi".into())).unwrap();
    while first.0.read().unwrap() != Message::Pong("hi".into()) {}
    first.turn("/first");
    second.0.close(None).unwrap();
    // The answer to the close is the last thing.
    while second.0.read().is_ok() {}
    assert_eq!(server.end(), Some(0));

    if cfg!(unix) {
        let transcript = fs::read_to_string(&record).unwrap();
        for kind in ["\"connected\"", "\"closed\"", "\"exit\""] {
            assert!(transcript.contains(kind), "{kind}");
        }
        let args = format!(
            "check --release 0.169.0 --profile exact {}",
            record.display()
        );
        let checked = run(&workspace(), &args);
        assert_eq!(checked.code, 0, "{}", checked.stdout);
    }
}

#[test]
fn a_script_is_played_to_those_who_connect() {
    let mut server = Server::start(
        "replay --listen ws://127.0.0.1:0 --protocol app-server \
         --script crates/codex-wire-replay/tests/scripts/approval.toml",
    );
    let address = server.address();
    for cwd in ["/first", "/second"] {
        let mut client = Client::new(connect(&address));
        client.initialize();
        client.turn(cwd);
    }
    server.end();
}

/// What the client does wrong is reported, also if it is one of several.
#[cfg(unix)]
#[test]
fn findings_say_which_connection() {
    let report = folder("listen-report").join("report.json");
    let args = format!(
        "replay --listen ws://127.0.0.1:0 --report json={} {TURN}",
        report.display()
    );
    let mut server = Server::start(&args);
    let mut client = Client::new(connect(&server.address()));
    client.initialize();
    client.send(&json!({"id": 9, "method": "thread/start", "params": {"cwd": 7}}));
    client.until("id", &json!(9));
    server.end();
    let report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    let findings = report["inputs"][0]["findings"].to_string();
    assert!(findings.contains("schema/"), "{report}");
}

/// The answer to a request over HTTP.
pub(crate) fn http(address: &str, path: &str, header: &str) -> String {
    let mut stream = connect(address);
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\n{header}\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn other_requests_are_answered_as_the_release_does() {
    let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: http://a\r\n";
    let mut server = Server::start(&format!("replay --listen ws://127.0.0.1:0 {TURN}"));
    let address = server.address();
    assert_eq!(http(&address, "/readyz", ""), "HTTP/1.1 200 OK");
    assert_eq!(http(&address, "/healthz", ""), "HTTP/1.1 200 OK");
    assert_eq!(http(&address, "/", ""), "HTTP/1.1 400 Bad Request");
    assert_eq!(http(&address, "/", upgrade), "HTTP/1.1 403 Forbidden");
    server.end();

    let old = format!("replay --listen ws://127.0.0.1:0 --release 0.111.0 {TURN}");
    let mut server = Server::start(&old);
    let address = server.address();
    assert_eq!(http(&address, "/readyz", ""), "");
    server.end();
}

/// Connects as soon as somebody listens there.
#[cfg(unix)]
pub(crate) fn connect_unix(path: &std::path::Path) -> std::os::unix::net::UnixStream {
    let mut stream = None;
    until("somebody listens", || {
        stream = std::os::unix::net::UnixStream::connect(path).ok();
        stream.is_some()
    });
    let stream = stream.unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

#[cfg(unix)]
#[test]
fn clients_connect_by_a_unix_socket() {
    let folder = folder("listen-unix");
    let path = folder.join("codex.sock");
    let args = format!("replay --listen unix://{} {TURN}", path.display());
    let server = Server::start(&args);
    let stream = connect_unix(&path);
    let mut client = Client::new(stream);
    client.initialize();
    client.turn("/mine");
    // A second one does not take the socket away.
    let refused = run(&workspace(), &args);
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("already in use"),
        "{}",
        refused.stderr
    );
    assert_eq!(server.end(), Some(0));
    assert!(!path.exists());
}

#[test]
fn what_is_not_on_loopback_is_refused() {
    for address in ["ws://192.0.2.1:0", "ws://localhost:0", "tcp://127.0.0.1:0"] {
        let refused = run(&workspace(), &format!("replay --listen {address} {TURN}"));
        assert_eq!(refused.code, 2, "{address}: {}", refused.stderr);
    }
}

/// Clients that say nothing, or ask without end, do not fill the memory, and do not stay.
#[test]
fn clients_are_bounded() {
    let mut server = Server::start(&format!("replay --listen ws://127.0.0.1:0 {TURN}"));
    let address = server.address();
    let mut silent: Vec<TcpStream> = (0..200).map(|_| connect(&address)).collect();
    let answer = |stream: &mut TcpStream| {
        let mut text = String::new();
        // A connection that is reset has no answer.
        let _ = stream.read_to_string(&mut text);
        text
    };
    assert!(answer(&mut silent[199]).starts_with("HTTP/1.1 503 "));
    let mut said = String::new();
    server.stderr.read_line(&mut said).unwrap();
    while !said.contains("128 clients are connected; further ones are refused") {
        assert!(server.stderr.read_line(&mut said).unwrap() > 0, "{said}");
    }
    // After ten seconds there is room again.
    assert_eq!(answer(&mut silent[0]), "");
    until("there is room", || {
        let mut stream = connect(&address);
        write!(stream, "GET /readyz HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
        answer(&mut stream).starts_with("HTTP/1.1 200 OK")
    });
    Client::new(connect(&address)).initialize();
    assert_eq!(server.end(), Some(0));
}
