//! `--otlp`: collectors of all manners, which disturb nobody.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{BAD, GOOD, PATIENCE, folder, output, program, run, stderr_of, tap_sh};
use crate::{Trials, trials};

pub(crate) fn trials() -> Trials {
    trials![
        turns_are_sent_when_they_end,
        a_slow_collector_gets_everything,
        a_collector_that_refuses_costs_only_traces,
        a_collector_that_goes_away_costs_only_traces,
        a_collector_that_never_answers_is_not_waited_for,
        a_command_that_dies_is_told,
        a_followed_file_is_told,
        an_interruption_is_told,
        flags_of_collectors,
    ]
}

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
const BROKEN: &str =
    "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 4\r\nConnection: close\r\n\r\nfull";

/// A collector, which answers each document so after a while, at most that many. Returns its address and what it was
/// sent, with the time.
fn collector(
    answer: &'static str,
    delay: Duration,
    most: usize,
) -> (String, Receiver<(Instant, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, received) = mpsc::channel();
    thread::spawn(move || {
        for _ in 0..most {
            let (stream, _) = listener.accept().unwrap();
            let body = body(&stream);
            let _ = sender.send((Instant::now(), body));
            thread::sleep(delay);
            let _ = (&stream).write_all(answer.as_bytes());
        }
        // It is gone: nobody listens any more.
    });
    (address, received)
}

/// The document that a connection sends.
fn body(stream: &TcpStream) -> Value {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some((name, value)) = line.trim_end().split_once(": ")
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.parse().unwrap();
        }
        if line.trim_end().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    serde_json::from_slice(&body).unwrap()
}

/// The names of the spans of a document.
fn names(document: &Value) -> Vec<String> {
    let spans = &document["resourceSpans"][0]["scopeSpans"][0]["spans"];
    let names = spans.as_array().unwrap().iter();
    names
        .map(|span| span["name"].as_str().unwrap().to_owned())
        .collect()
}

/// A stream of that many turns.
fn turns(count: usize) -> String {
    let begin =
        "{\"type\":\"thread.started\",\"thread_id\":\"01a1f985-5a61-7cf1-a49c-3848a4230ae1\"}\n";
    let turn =
        "{\"type\":\"turn.started\"}\n{\"type\":\"turn.failed\",\"error\":{\"message\":\"no\"}}\n";
    format!("{begin}{}", turn.repeat(count))
}

fn turns_are_sent_when_they_end() {
    let (address, received) = collector(OK, Duration::ZERO, 2);
    let script = format!("cat <<'E'\n{}E\nread wait; exit 3", GOOD.trim_start());
    let mut child = tap_sh(&["--otlp", &address], &script).spawn().unwrap();
    // The command still runs.
    let (_, turn) = received.recv_timeout(PATIENCE).unwrap();
    assert!(child.try_wait().unwrap().is_none());
    assert_eq!(names(&turn)[0], "turn");
    let span = &turn["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
    assert!(span["endTimeUnixNano"].is_string(), "{span}");
    drop(child.stdin.take());
    let output = output(child);
    assert_eq!(output.status.code(), Some(3), "{}", stderr_of(&output));
    assert!(!stderr_of(&output).contains("not sent"));
    let (_, thread) = received.recv_timeout(PATIENCE).unwrap();
    assert_eq!(names(&thread), ["invoke_agent codex"]);
}

fn a_slow_collector_gets_everything() {
    let (address, received) = collector(OK, Duration::from_millis(300), 5);
    let begun = Instant::now();
    let output = run(tap_sh(&["--otlp", &address], "cat"), turns(4).as_bytes());
    assert_eq!(String::from_utf8_lossy(&output.stdout), turns(4));
    assert!(output.status.success());
    assert!(begun.elapsed() > Duration::from_millis(1200));
    assert!(!stderr_of(&output).contains("not sent"));
    assert_eq!(received.iter().take(5).count(), 5);
}

fn a_collector_that_refuses_costs_only_traces() {
    let (address, received) = collector(BROKEN, Duration::ZERO, 5);
    let output = run(tap_sh(&["--otlp", &address], "cat"), turns(4).as_bytes());
    assert_eq!(String::from_utf8_lossy(&output.stdout), turns(4));
    assert!(output.status.success());
    let told = "5 of 5 documents were not sent: ";
    let stderr = stderr_of(&output);
    assert!(stderr.contains(told), "{stderr}");
    assert!(
        stderr.contains("500 Internal Server Error: full"),
        "{stderr}"
    );
    assert_eq!(stderr.matches("not sent").count(), 1, "{stderr}");
    assert_eq!(received.iter().count(), 5);
}

fn a_collector_that_goes_away_costs_only_traces() {
    let (address, received) = collector(OK, Duration::ZERO, 2);
    let output = run(tap_sh(&["--otlp", &address], "cat"), turns(4).as_bytes());
    assert_eq!(String::from_utf8_lossy(&output.stdout), turns(4));
    assert!(output.status.success());
    let stderr = stderr_of(&output);
    assert!(
        stderr.contains("3 of 5 documents were not sent: "),
        "{stderr}"
    );
    assert_eq!(received.iter().count(), 2);
}

fn a_collector_that_never_answers_is_not_waited_for() {
    // The system takes connections, and nobody accepts them.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let begun = Instant::now();
    let output = run(tap_sh(&["--otlp", &address], "cat"), turns(4).as_bytes());
    assert_eq!(String::from_utf8_lossy(&output.stdout), turns(4));
    assert!(output.status.success());
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
    let stderr = stderr_of(&output);
    let told = "5 of 5 documents were not sent: the collector took longer than 5 s at the end";
    assert!(stderr.contains(told), "{stderr}");
}

fn a_command_that_dies_is_told() {
    let (address, received) = collector(OK, Duration::ZERO, 2);
    let begin = "{\"type\":\"thread.started\",\"thread_id\":\"01a1f985-5a61-7cf1-a49c-3848a4230ae1\"}\n{\"type\":\"turn.started\"}\n";
    let script = format!("cat <<'E'\n{begin}{BAD}E\nkill -9 $$");
    let output = run(tap_sh(&["--otlp", &address], &script), b"");
    assert_eq!(output.status.code(), Some(128 + 9));
    let (_, turn) = received.recv_timeout(PATIENCE).unwrap();
    let span = &turn["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
    assert_eq!(span["events"][0]["name"], "codex_wire.finding", "{span}");
    let (_, thread) = received.recv_timeout(PATIENCE).unwrap();
    assert_eq!(names(&thread), ["invoke_agent codex"]);
}

fn a_followed_file_is_told() {
    let folder = folder("otlp-follow");
    let path = folder.join("run.jsonl");
    fs::write(&path, turns(1)).unwrap();
    let (address, received) = collector(OK, Duration::ZERO, 3);
    let path = path.to_str().unwrap();
    let args = [
        "check",
        "--follow",
        "--until-idle",
        "5",
        "--otlp",
        &address,
        path,
    ];
    let child = program(&args).spawn().unwrap();
    let (_, first) = received.recv_timeout(PATIENCE).unwrap();
    let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
    let turn = turns(1);
    let (_, turn) = turn.split_once('\n').unwrap();
    file.write_all(turn.as_bytes()).unwrap();
    let (_, second) = received.recv_timeout(PATIENCE).unwrap();
    let output = output(child);
    assert!(!stderr_of(&output).contains("not sent"));
    let (_, last) = received.recv_timeout(PATIENCE).unwrap();
    assert_eq!(names(&first), ["turn"]);
    assert_eq!(names(&second), ["turn"]);
    assert_eq!(names(&last), ["invoke_agent codex"]);
    let span = &first["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
    // The file does not say when.
    assert!(span.get("endTimeUnixNano").is_none(), "{span}");
}

fn an_interruption_is_told() {
    let folder = folder("otlp-interrupt");
    let path = folder.join("run.jsonl");
    fs::write(&path, turns(1)).unwrap();
    let (address, received) = collector(OK, Duration::ZERO, 2);
    let args = ["check", "--follow", "--otlp", &address];
    let mut command = program(&args);
    let child = command.arg(&path).spawn().unwrap();
    let (_, turn) = received.recv_timeout(PATIENCE).unwrap();
    assert_eq!(names(&turn), ["turn"]);
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(sent.success());
    let output = output(child);
    assert!(!stderr_of(&output).contains("not sent"));
    let (_, thread) = received.recv_timeout(PATIENCE).unwrap();
    assert_eq!(names(&thread), ["invoke_agent codex"]);
}

fn flags_of_collectors() {
    for (args, message) in [
        (
            vec!["tap", "--otlp", "https://127.0.0.1:1", "--", "true"],
            "plain http, not https",
        ),
        (vec!["tap", "--content", "--", "true"], "--otlp <URL>"),
        (
            vec!["check", "--otlp", "http://127.0.0.1:1", "run.jsonl"],
            "use it with `--follow`",
        ),
    ] {
        let output = run(program(&args), b"");
        assert_eq!(output.status.code(), Some(2));
        let stderr = stderr_of(&output);
        assert!(stderr.contains(message), "{stderr}");
    }
}
