//! `tap` between clients and an app-server on a socket: the stand-in, or one that sends what it likes.

use std::fs;
use std::io::{BufRead, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};
use tungstenite::Message;

use crate::exports::{ok, received};
use crate::listen::{Client, Server, TURN, connect, connect_unix, http};
use crate::support::{PATIENCE, folder, run, until, workspace};

/// The records of a transcript.
fn records(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Who wrote which line on a connection, without its times.
fn lines(records: &[Value], connection: u32) -> Vec<(&Value, &Value)> {
    let records = records.iter().filter(|r| r["kind"] == "line");
    let records = records.filter(|r| r["connection"] == connection);
    records.map(|r| (&r["from"], &r["line"])).collect()
}

/// The lines of one side, in their order.
fn of(lines: &[(&Value, &Value)], side: &str) -> Vec<Value> {
    let lines = lines.iter().filter(|(from, _)| **from == side);
    lines.map(|(_, line)| (*line).clone()).collect()
}

/// A tap before a server at this address.
fn tap(address: &str, flags: &str) -> (Server, String) {
    let args = format!("tap --listen ws://127.0.0.1:0 --connect {address} {flags}");
    let mut tap = Server::start(&args);
    let address = tap.address();
    (tap, address)
}

/// The ids and names of the spans of documents.
fn span_ids<'a>(documents: impl Iterator<Item = &'a Value>) -> Vec<String> {
    let resources = documents.flat_map(|one| one["resourceSpans"].as_array().unwrap());
    let spans = resources.flat_map(|one| one["scopeSpans"][0]["spans"].as_array().unwrap());
    let mut ids: Vec<String> = spans
        .map(|span| format!("{} {} {}", span["traceId"], span["spanId"], span["name"]))
        .collect();
    ids.sort();
    ids
}

/// Two clients at once: a collector gets the spans that the recording has, each once.
#[test]
fn traces_of_all_connections_are_sent() {
    let folder = folder("tap-otlp");
    let recording = folder.join("run.jsonl");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let collector = listener.local_addr().unwrap();
    let (sender, sent) = mpsc::channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().map(Result::unwrap) {
            let request = received(&stream);
            sender.send(request.body).unwrap();
            stream.write_all(ok("{}").as_bytes()).unwrap();
        }
    });
    let mut server = Server::start(&format!("replay --listen ws://127.0.0.1:0 {TURN}"));
    let record = recording.display();
    let flags = format!("--record {record} --otlp http://{collector}");
    let (tap, address) = tap(&format!("ws://{}", server.address()), &flags);
    let mut first = Client::new(connect(&address));
    first.initialize();
    let mut second = Client::new(connect(&address));
    second.initialize();
    second.turn("/second");
    // It still runs.
    let mut documents = vec![sent.recv_timeout(PATIENCE).unwrap()];
    first.turn("/first");
    second.0.close(None).unwrap();
    assert_eq!(tap.end(), Some(0));
    assert_eq!(server.end(), Some(0));
    documents.extend(sent.try_iter());
    let exported = run(&workspace(), &format!("convert --to otlp {record}"));
    let exported: Value = serde_json::from_str(&exported.stdout).unwrap();
    let mut ids = span_ids(documents.iter());
    assert!(ids.len() > 4, "{ids:?}");
    // Both clients were played one turn, under one id: the approval of the second comes after its end.
    let before = ids.len();
    ids.retain(|id| !id.ends_with("\"codex_wire.approval\""));
    assert_eq!(before - ids.len(), 1, "{ids:?}");
    assert_eq!(ids, span_ids([exported].iter()));
}

/// Two clients at once: what the tap records is what the stand-in wrote and read.
#[test]
fn clients_meet_the_server_through_it() {
    let folder = folder("tap-websocket");
    let (theirs, ours) = (folder.join("theirs.jsonl"), folder.join("ours.jsonl"));
    let mut server = Server::start(&format!(
        "replay --listen ws://127.0.0.1:0 --record {} {TURN}",
        theirs.display()
    ));
    let flags = format!("--record {} --verdict", ours.display());
    let (tap, address) = tap(&format!("ws://{}", server.address()), &flags);
    let mut first = Client::new(connect(&address));
    first.initialize();
    let mut second = Client::new(connect(&address));
    second.initialize();
    second.turn("/second");
    first.0.send(Message::binary(b"{}".to_vec())).unwrap();
    first.0.send(Message::Ping("hi".into())).unwrap();
    while first.0.read().unwrap() != Message::Pong("hi".into()) {}
    first.turn("/first");
    second.0.close(None).unwrap();
    while second.0.read().is_ok() {}
    drop(second);
    until("the close is recorded", || {
        fs::read_to_string(&ours).unwrap().contains("\"closed\"")
    });
    assert_eq!(tap.end(), Some(0));
    assert_eq!(server.end(), Some(0));

    let (theirs, recorded) = (records(&theirs), records(&ours));
    assert_eq!(recorded[0]["release"], "0.169.0");
    for connection in [0, 1] {
        let (theirs, ours) = (lines(&theirs, connection), lines(&recorded, connection));
        assert!(ours.len() > 10, "{}", ours.len());
        for side in ["client", "codex"] {
            assert_eq!(of(&ours, side), of(&theirs, side), "{connection} {side}");
        }
    }
    let closed: Vec<&Value> = recorded.iter().filter(|r| r["kind"] == "closed").collect();
    assert_eq!(closed.len(), 1, "{closed:?}");
    assert_eq!(
        (&closed[0]["connection"], &closed[0]["by"]),
        (&json!(1), &json!("client"))
    );
    let args = format!("check --profile exact {}", ours.display());
    let checked = run(&workspace(), &args);
    assert_eq!(checked.code, 0, "{}", checked.stdout);
}

#[test]
fn unix_sockets_are_connected() {
    let folder = folder("tap-unix");
    let (behind, before) = (folder.join("behind.sock"), folder.join("before.sock"));
    let record = folder.join("run.jsonl");
    let server = Server::start(&format!(
        "replay --listen unix://{} {TURN}",
        behind.display()
    ));
    drop(connect_unix(&behind));
    let mut tap = Server::start(&format!(
        "tap --listen unix://{} --connect unix://{} --record {} --scrub",
        before.display(),
        behind.display(),
        record.display()
    ));
    let mut line = String::new();
    tap.stderr.read_line(&mut line).unwrap();
    assert_eq!(
        line,
        format!("codex-wire: listening on: unix://{}\n", before.display())
    );
    let mut client = Client::new(connect_unix(&before));
    client.initialize();
    client.turn("/home/somebody/mine");
    drop(client);
    assert_eq!(tap.end(), Some(0));
    assert!(!before.exists());
    server.end();
    let text = fs::read_to_string(&record).unwrap();
    assert!(!text.contains("somebody"), "{text}");
    let checked = run(&workspace(), &format!("check {}", record.display()));
    assert_eq!(checked.code, 0, "{}", checked.stdout);
}

/// What is not a WebSocket passes too.
#[test]
fn other_requests_pass() {
    let mut server = Server::start(&format!("replay --listen ws://127.0.0.1:0 {TURN}"));
    let (tap, address) = tap(&format!("ws://{}", server.address()), "--verdict");
    assert_eq!(http(&address, "/readyz", ""), "HTTP/1.1 200 OK");
    assert_eq!(
        http(&address, "/", "Origin: http://a\r\n"),
        "HTTP/1.1 403 Forbidden"
    );
    // There was nothing to check.
    assert_eq!(tap.end(), Some(2));
    server.end();
}

/// Findings come while the client is connected, and name the record.
#[test]
fn findings_come_at_once() {
    let folder = folder("tap-findings");
    let log = folder.join("findings.jsonl");
    let mut server = Server::start(&format!("replay --listen ws://127.0.0.1:0 {TURN}"));
    let flags = format!("--verdict --format jsonl --log {}", log.display());
    let (tap, address) = tap(&format!("ws://{}", server.address()), &flags);
    let mut client = Client::new(connect(&address));
    client.initialize();
    client.send(&json!({"id": 9, "method": "thread/start", "params": {"cwd": 7}}));
    client.until("id", &json!(9));
    until("a finding comes", || {
        fs::read_to_string(&log).unwrap().contains("schema/")
    });
    assert_eq!(tap.end(), Some(1));
    server.end();
    let log = records(&log);
    let finding = log.iter().find(|line| line["kind"] == "finding").unwrap();
    assert_eq!(finding["writer"], "client", "{finding}");
    assert_eq!(log.last().unwrap()["kind"], "totals");
}

/// Whatever the two sides write: every byte passes, both ways and until each side has ended.
#[test]
fn bytes_pass_untouched() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let behind = format!("ws://{}", listener.local_addr().unwrap());
    let (mut tap, address) = tap(&behind, "");
    let request = b"GET /x?token=1 HTTP/1.1\r\nHost: other\r\nX-Odd:\t1\r\n\r\n";
    let answer = b"HTTP/1.1 101 Switching Protocols\r\nServer: odd\r\n\r\n";
    // Frames in pieces, of kinds that do not exist, and what is not a frame at all.
    let frames: Vec<u8> = (0..3 << 20).map(|at: u32| (at % 251) as u8).collect();
    let sent = [&request[..], &frames].concat();
    let answered = [&answer[..], &frames].concat();
    let server = {
        let answered = answered.clone();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let writer = {
                let mut stream = stream.try_clone().unwrap();
                thread::spawn(move || {
                    stream.write_all(&answered).unwrap();
                    stream.shutdown(Shutdown::Write).unwrap();
                })
            };
            let mut read = Vec::new();
            stream.read_to_end(&mut read).unwrap();
            writer.join().unwrap();
            read
        })
    };
    let mut client = connect(&address);
    let mut back = Vec::new();
    let reader = {
        let mut client = client.try_clone().unwrap();
        thread::spawn(move || {
            client.read_to_end(&mut back).unwrap();
            back
        })
    };
    client.write_all(&sent).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    assert!(server.join().unwrap() == sent);
    assert!(reader.join().unwrap() == answered);
    // The user is told that this was not checked.
    let mut line = String::new();
    tap.stderr.read_line(&mut line).unwrap();
    assert!(
        line.contains("is passed on, and neither recorded nor checked"),
        "{line}"
    );
    assert_eq!(tap.end(), Some(0));
}

/// Codex answers a message that is too long to be read. The answer is no violation, and the recording conforms.
#[test]
fn an_answer_to_what_is_not_read() {
    let folder = folder("tap-too-long");
    let recording = folder.join("run.jsonl");
    let mut server = Server::start(&format!("replay --listen ws://127.0.0.1:0 {TURN}"));
    let flags = format!(
        "--verdict --max-line-bytes 2000 --record {}",
        recording.display()
    );
    let (mut tap, address) = tap(&format!("ws://{}", server.address()), &flags);
    let mut client = Client::new(connect(&address));
    client.initialize();
    let padding = "x".repeat(2000);
    client.send(&json!({"id": 9, "method": "thread/start", "params": {"cwd": padding}}));
    client.until("id", &json!(9));
    let mut line = String::new();
    tap.stderr.read_line(&mut line).unwrap();
    assert!(line.contains("neither recorded nor checked"), "{line}");
    // Not everything was checked.
    assert_eq!(tap.end(), Some(2));
    server.end();
    let records = records(&recording);
    let lines = lines(&records, 0);
    let has_answer = |(_, line): &(&Value, &Value)| line.as_str().unwrap().contains(r#""id":9"#);
    assert!(
        lines.len() >= 3 && !lines.iter().any(has_answer),
        "{lines:?}"
    );
    let checked = run(&folder, "check run.jsonl");
    assert_eq!(checked.code, 0, "{}", checked.stdout);
}

/// The next client may have more luck.
#[test]
fn a_server_that_is_not_there() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let behind = free.local_addr().unwrap().to_string();
    drop(free);
    let (mut tap, address) = tap(&format!("ws://{behind}"), "");
    let mut client = TcpStream::connect(&address).unwrap();
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    assert!(matches!(client.read(&mut [0]), Ok(0) | Err(_)));
    let mut line = String::new();
    tap.stderr.read_line(&mut line).unwrap();
    assert!(
        line.starts_with(&format!("codex-wire: cannot connect to {behind}")),
        "{line}"
    );

    let mut server = Server::start(&format!("replay --listen ws://{behind} {TURN}"));
    assert_eq!(server.address(), behind);
    let mut client = Client::new(connect(&address));
    client.initialize();
    // The tap ends although a client is connected, and both sides see it.
    assert_eq!(tap.end(), Some(0));
    // A client that does not see the end would read until its patience ends.
    let begun = Instant::now();
    while client.0.read().is_ok() {}
    assert!(begun.elapsed() < PATIENCE);
    server.end();
}

/// A server that goes, and one that says nothing, end nothing but their connection.
#[test]
fn a_server_that_goes() {
    let folder = folder("tap-gone");
    let record = folder.join("run.jsonl");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let behind = format!("ws://{}", listener.local_addr().unwrap());
    let (tap, address) = tap(&behind, &format!("--record {}", record.display()));
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut socket = tungstenite::accept(stream).unwrap();
        socket.read().unwrap();
        // It goes in the middle of a message: a frame of 5 bytes that has 2.
        let stream = socket.get_mut();
        stream.write_all(b"\x81\x05{}").unwrap();
        stream.shutdown(Shutdown::Both).unwrap();
        let (silent, _) = listener.accept().unwrap();
        silent
    });
    let mut client = Client::new(connect(&address));
    client.send(&json!({"id": 0, "method": "initialize"}));
    while client.0.read().is_ok() {}
    drop(client);
    let mut waiting = connect(&address);
    waiting.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    let mut silent = server.join().unwrap();
    silent.read_exact(&mut [0; 16]).unwrap();
    assert_eq!(tap.end(), Some(0));
    // Both sides see the end.
    assert_eq!(waiting.read_to_end(&mut Vec::new()).unwrap_or(0), 0);
    assert_eq!(silent.read_to_end(&mut Vec::new()).unwrap_or(0), 0);
    let recorded = records(&record);
    let kinds: Vec<&Value> = recorded.iter().map(|record| &record["kind"]).collect();
    assert_eq!(kinds, ["start", "connected", "line", "closed"]);
    assert_eq!(recorded[3]["by"], "codex");
}

/// It would be its own client.
#[test]
fn it_is_not_connected_to_itself() {
    let folder = folder("tap-itself");
    std::os::unix::fs::symlink(&folder, folder.join("same")).unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = format!("ws://{}", free.local_addr().unwrap());
    drop(free);
    let unix = |path: &str| format!("unix://{}/{path}", folder.display());
    for (one, other) in [
        (port.clone(), port),
        (unix("a.sock"), unix("a.sock")),
        (unix("a.sock"), unix("./a.sock")),
        (unix("a.sock"), unix("same/a.sock")),
    ] {
        let args = format!("tap --listen {one} --connect {other}");
        let refused = run(&workspace(), &args);
        assert_eq!(refused.code, 2, "{other}: {}", refused.stderr);
        assert!(refused.stderr.contains("one address"), "{}", refused.stderr);
        assert!(!folder.join("a.sock").exists());
    }
}

#[test]
fn what_cannot_be_tapped() {
    for (args, text) in [
        (
            "tap --listen ws://192.0.2.1:0 --connect ws://127.0.0.1:1",
            "not on loopback",
        ),
        (
            "tap --listen ws://127.0.0.1:0 --connect ws://192.0.2.1:1",
            "not on loopback",
        ),
        (
            "tap --listen ws://127.0.0.1:0 --connect ws://0.0.0.0:1",
            "not on loopback",
        ),
        (
            "tap --listen stdio:// --connect ws://127.0.0.1:1",
            "ws://IP:PORT",
        ),
        ("tap --listen ws://127.0.0.1:0", "--connect"),
        (
            "tap --connect ws://127.0.0.1:1 -- codex",
            "cannot be used with",
        ),
        ("tap --connect ws://127.0.0.1:1", "--listen"),
        (
            "tap --listen ws://127.0.0.1:0 --connect ws://127.0.0.1:1 -- codex",
            "cannot be used with",
        ),
        (
            "tap --listen tcp://127.0.0.1:0 --connect ws://127.0.0.1:1",
            "tcp://",
        ),
        (
            "tap --listen ws://127.0.0.1:0 --connect ws://localhost:1",
            "ws://IP:PORT",
        ),
        ("tap", "COMMAND"),
        (
            "tap --record no/such/run.jsonl -- codex",
            "cannot write no/such/run.jsonl: there is no folder no/such",
        ),
        (
            "tap --log no/such/log.txt -- codex",
            "cannot write no/such/log.txt: there is no folder no/such",
        ),
    ] {
        let refused = run(&workspace(), args);
        assert_eq!(refused.code, 2, "{args}: {}", refused.stderr);
        assert!(refused.stderr.contains(text), "{args}: {}", refused.stderr);
    }
}
