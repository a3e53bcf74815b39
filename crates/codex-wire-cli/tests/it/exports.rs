//! `convert --to`: sessions for other tools.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::Value;

use crate::support::{Finished, folder, run, workspace};

/// What a collector was sent.
pub(crate) struct Request {
    line: String,
    headers: Vec<String>,
    pub(crate) body: Value,
}

/// Runs the program against a collector that answers once.
fn collected(answer: &str, args: impl Fn(&str) -> String) -> (Finished, Request) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let answer = answer.to_owned();
    let collector = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let request = received(&stream);
        stream.write_all(answer.as_bytes()).unwrap();
        request
    });
    let finished = run(&workspace(), &args(&address));
    (finished, collector.join().unwrap())
}

/// What a client sends.
pub(crate) fn received(stream: &TcpStream) -> Request {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let length = lines.iter().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.parse().unwrap())
    });
    let mut body = vec![0; length.unwrap()];
    reader.read_exact(&mut body).unwrap();
    Request {
        line: lines.remove(0),
        headers: lines,
        body: serde_json::from_slice(&body).unwrap(),
    }
}

const COMMAND: &str = "fixtures/exec/0.169.0/command_ok.jsonl";

pub(crate) fn ok(body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

#[test]
fn traces_are_sent_to_a_collector() {
    for slash in ["", "/"] {
        let (finished, request) = collected(&ok("{\"partialSuccess\":{}}"), |address| {
            format!("convert --to otlp --endpoint http://{address}{slash} {COMMAND}")
        });
        assert_eq!((finished.code, &*finished.stderr), (0, ""));
        assert_eq!(finished.stdout, "");
        assert_eq!(request.line, "POST /v1/traces HTTP/1.1");
        let is_json =
            |header: &String| header.eq_ignore_ascii_case("content-type: application/json");
        assert!(request.headers.iter().any(is_json), "{:?}", request.headers);
        // The same as is written.
        let written = run(&workspace(), &format!("convert --to otlp {COMMAND}"));
        let written: Value = serde_json::from_str(&written.stdout).unwrap();
        assert_eq!(request.body, written);
    }
}

#[test]
fn what_a_collector_does_not_take_is_an_error() {
    let long =
        "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbusy";
    let redirect = "HTTP/1.1 307 Temporary Redirect\r\nLocation: https://example.com/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let rejected = ok(r#"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}"#);
    for (answer, message) in [
        (long, "503 Service Unavailable: busy"),
        (redirect, "307 Temporary Redirect"),
        (&rejected, "rejects 2 spans: too old"),
    ] {
        let (finished, _) = collected(answer, |address| {
            format!("convert --to openinference --endpoint http://{address} {COMMAND}")
        });
        assert_eq!(finished.code, 2, "{}", finished.stderr);
        assert!(finished.stderr.contains(message), "{}", finished.stderr);
    }
    // A port that nobody listens on.
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let args = format!("convert --to otlp --endpoint http://{free} {COMMAND}");
    let finished = run(&workspace(), &args);
    assert_eq!(finished.code, 2);
    let message = format!("cannot send traces to http://{free}/v1/traces");
    assert!(finished.stderr.contains(&message), "{}", finished.stderr);
}

#[test]
fn flags_that_say_nothing_are_refused() {
    for (flags, message) in [
        (
            "--to otlp --endpoint https://127.0.0.1:4318",
            "traces are sent with plain http, not https",
        ),
        (
            "--to otlp --endpoint 127.0.0.1:4318",
            "not an address such as http://127.0.0.1:4318",
        ),
        (
            "--to otlp --endpoint http://127.0.0.1:4318?a=b",
            "neither `?` nor `#`",
        ),
        (
            "--to acp --endpoint http://127.0.0.1:4318",
            "`--endpoint` takes traces",
        ),
        ("--to atif --content", "`--content` is for traces"),
        ("--content", "`--content` is for traces"),
        (
            "--out -",
            "cannot write -: for a file of this name, write ./-",
        ),
        (
            "--to what",
            "possible values: transcript, otlp, openinference, atif, acp",
        ),
    ] {
        let finished = run(&workspace(), &format!("convert {flags} {COMMAND}"));
        assert_eq!(finished.code, 2, "{flags}: {}", finished.stdout);
        assert!(
            finished.stderr.contains(message),
            "{flags}: {}",
            finished.stderr
        );
    }
}

/// Sessions stand one after the other, or each in a file. What holds none is an error if it is named.
#[test]
fn each_session_is_written() {
    let both = format!("{COMMAND} fixtures/exec/0.169.0/message.jsonl");
    let joined = run(&workspace(), &format!("convert --to atif {both}"));
    assert_eq!((joined.code, &*joined.stderr), (0, ""));
    assert_eq!(joined.stdout.lines().count(), 2);

    let out = folder("exports");
    let args = format!("convert --to atif -o {} {both}", out.display());
    let finished = run(&workspace(), &args);
    assert_eq!(
        (finished.code, &*finished.stdout),
        (0, ""),
        "{}",
        finished.stderr
    );
    let text = |name| fs::read_to_string(out.join(name)).unwrap();
    assert_eq!(
        text("command_ok.jsonl") + &text("message.jsonl"),
        joined.stdout
    );

    let none = "fixtures/notify/0.169.0.jsonl";
    let finished = run(&workspace(), &format!("convert --to acp {none}"));
    assert_eq!((finished.code, &*finished.stdout), (2, ""));
    assert!(
        finished.stderr.contains("it holds no session of Codex"),
        "{}",
        finished.stderr
    );
}

#[test]
fn a_thread_without_steps_is_named() {
    let folder = folder("exports-empty");
    let line = r#"{"type":"thread.started","thread_id":"t"}"#;
    fs::write(folder.join("run.jsonl"), format!("{line}\n")).unwrap();
    let finished = run(&folder, "convert --to atif run.jsonl");
    assert_eq!((finished.code, &*finished.stdout), (0, ""));
    assert!(
        finished
            .stderr
            .contains("run.jsonl: left out thread t: nothing happened in it"),
        "{}",
        finished.stderr
    );
}
