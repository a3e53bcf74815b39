//! `check --follow`: files that grow, are cut, replaced, or not there yet.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::{BAD, GOOD, PATIENCE, ended, folder, program, run};
use crate::{Trials, trials};

pub(crate) fn trials() -> Trials {
    trials![
        findings_come_as_the_file_grows,
        half_a_line_is_not_checked,
        idle_is_the_end,
        an_interruption_is_not_the_end_of_the_stream,
        a_transcript_says_when_it_is_over,
        a_missing_file_is_waited_for,
        a_cut_file_is_another_input,
        a_replaced_file_is_another_input,
        a_compressed_file_is_complete,
        a_removed_file_is_complete,
        a_file_that_is_removed_and_made_again_is_another_input,
        what_is_no_transcript_is_left,
        other_reports_come_at_the_end,
        what_cannot_be_followed,
    ]
}

/// A program that follows a file, and its output.
struct Follower {
    child: Child,
    lines: Receiver<Value>,
}

impl Follower {
    fn new(path: &Path, flags: &[&str]) -> Self {
        let args = [
            "check",
            "--follow",
            "--format",
            "jsonl",
            path.to_str().unwrap(),
        ];
        let mut child = program(&[&args[..], flags].concat()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in stdout.lines() {
                let _ = sender.send(serde_json::from_str(&line.unwrap()).unwrap());
            }
        });
        let this = Follower { child, lines };
        assert_eq!(this.next()["kind"], "start");
        this
    }

    fn next(&self) -> Value {
        self.lines.recv_timeout(PATIENCE).unwrap()
    }

    /// The next finding: its rule and its line.
    fn finding(&self) -> (String, u64) {
        let line = self.next();
        assert_eq!(line["kind"], "finding", "{line}");
        (
            line["rule"].as_str().unwrap().to_owned(),
            line["line"].as_u64().unwrap(),
        )
    }

    /// Asserts that nothing is printed for a while.
    fn is_quiet(&self) {
        let text = self.lines.recv_timeout(Duration::from_millis(400));
        assert!(text.is_err(), "{text:?}");
    }

    fn interrupt(&self, signal: &str) {
        let id = self.child.id().to_string();
        Command::new("kill").args([signal, &id]).status().unwrap();
    }

    /// Everything up to the end, and the exit code.
    fn end(mut self) -> (Vec<Value>, i32) {
        let code = ended(&mut self.child).code().unwrap();
        (self.lines.iter().collect(), code)
    }
}

fn write(path: &Path, text: &str) {
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.unwrap().write_all(text.as_bytes()).unwrap();
}

fn file(name: &str) -> PathBuf {
    folder(&format!("follow-{name}")).join("run.jsonl")
}

const UNKNOWN: &str = "schema/unknown-kind";

fn findings_come_as_the_file_grows() {
    let path = file("grows");
    write(&path, GOOD);
    let follower = Follower::new(&path, &["--allow", "sequence/*"]);
    follower.is_quiet();
    for line in [5, 6, 7] {
        write(&path, BAD);
        assert_eq!(follower.finding(), (UNKNOWN.to_owned(), line));
    }
    follower.interrupt("-INT");
    let (rest, code) = follower.end();
    assert_eq!(rest.len(), 2);
    assert_eq!(
        (&rest[0]["kind"], &rest[0]["verdict"]),
        (&"input".into(), &"findings".into())
    );
    assert_eq!((&rest[1]["kind"], code), (&"totals".into(), 1));
}

fn half_a_line_is_not_checked() {
    let path = file("half");
    write(&path, GOOD);
    let follower = Follower::new(&path, &["--allow", "sequence/*"]);
    let (one, two) = BAD.split_at(8);
    write(&path, one);
    follower.is_quiet();
    write(&path, two);
    assert_eq!(follower.finding(), (UNKNOWN.to_owned(), 5));
    // Nor is it when the checker stops waiting.
    write(&path, one);
    follower.is_quiet();
    follower.interrupt("-TERM");
    let (rest, _) = follower.end();
    assert_eq!(rest.len(), 2, "{rest:?}");
}

fn idle_is_the_end() {
    let path = file("idle");
    write(&path, GOOD);
    write(&path, "{\"type\":\"turn.sta");
    let follower = Follower::new(&path, &["--until-idle", "0.5", "--allow", "sequence/*"]);
    let (rest, code) = follower.end();
    // The last line is checked as it stands.
    assert_eq!(rest[0]["kind"], "finding", "{rest:?}");
    assert_eq!(rest[0]["line"], 5);
    assert_eq!(code, 1);
    fs::write(&path, GOOD).unwrap();
    let (rest, code) = Follower::new(&path, &["--until-idle", "0.3"]).end();
    assert_eq!((rest.len(), code), (2, 0));
}

fn an_interruption_is_not_the_end_of_the_stream() {
    let path = file("interrupted");
    let begin: String = GOOD
        .lines()
        .take(2)
        .map(|line| format!("{line}\n"))
        .collect();
    write(&path, &begin);
    let follower = Follower::new(&path, &[]);
    follower.is_quiet();
    follower.interrupt("-INT");
    let (rest, code) = follower.end();
    assert_eq!((rest.len(), code), (2, 0), "{rest:?}");
    // At the end of a file, the missing end of the turn is reported.
    let (rest, _) = Follower::new(&path, &["--until-idle", "0.3"]).end();
    assert_eq!(rest[0]["kind"], "finding", "{rest:?}");
}

fn a_transcript_says_when_it_is_over() {
    let path = file("over");
    write(
        &path,
        "{\"kind\":\"start\",\"transcript\":1,\"protocol\":\"exec\"}\n",
    );
    let follower = Follower::new(&path, &[]);
    for line in GOOD.lines() {
        let record = serde_json::json!({"kind": "line", "from": "codex", "line": line});
        write(&path, &format!("{record}\n"));
    }
    follower.is_quiet();
    write(&path, "{\"kind\":\"exit\",\"status\":0}\n");
    let (rest, code) = follower.end();
    assert_eq!((rest.len(), code), (2, 0), "{rest:?}");
}

fn a_missing_file_is_waited_for() {
    let path = file("missing");
    let follower = Follower::new(&path, &["--until-idle", "20", "--allow", "sequence/*"]);
    follower.is_quiet();
    write(&path, &[GOOD, BAD].concat());
    assert_eq!(follower.finding(), (UNKNOWN.to_owned(), 5));
    follower.interrupt("-INT");
    assert_eq!(follower.end().1, 1);
    fs::remove_file(&path).unwrap();
    let (rest, code) = Follower::new(&path, &["--until-idle", "0.3"]).end();
    assert_eq!((&rest[0]["verdict"], code), (&"unreadable".into(), 2));
}

fn a_cut_file_is_another_input() {
    let path = file("cut");
    write(&path, &[GOOD, BAD].concat());
    let follower = Follower::new(&path, &["--allow", "sequence/*"]);
    assert_eq!(follower.finding(), (UNKNOWN.to_owned(), 5));
    File::create(&path).unwrap();
    let input = follower.next();
    assert_eq!(
        (&input["kind"], &input["messages"]),
        (&"input".into(), &5.into())
    );
    write(&path, &GOOD.replace("turn.started", "turn.stalled"));
    assert_eq!(follower.finding(), (UNKNOWN.to_owned(), 2));
    follower.interrupt("-INT");
    let (rest, code) = follower.end();
    assert_eq!((rest[0]["messages"].clone(), code), (4.into(), 1));
}

fn a_replaced_file_is_another_input() {
    let path = file("replaced");
    write(&path, GOOD);
    let follower = Follower::new(&path, &["--allow", "sequence/*"]);
    follower.is_quiet();
    fs::rename(&path, path.with_extension("old")).unwrap();
    follower.is_quiet();
    // As long as there is no other, the old one is still written to.
    write(&path.with_extension("old"), BAD);
    assert_eq!(follower.finding(), (UNKNOWN.to_owned(), 5));
    write(&path, &[GOOD, BAD, BAD].concat());
    assert_eq!(follower.next()["kind"], "input");
    assert_eq!(follower.finding(), (UNKNOWN.to_owned(), 5));
    assert_eq!(follower.finding(), (UNKNOWN.to_owned(), 6));
    follower.interrupt("-INT");
    let (rest, _) = follower.end();
    assert_eq!(rest[1]["inputs"], 2, "{rest:?}");
}

/// Codex writes the compressed file and removes the plain one, after everything was written to it.
fn a_compressed_file_is_complete() {
    let path = file("compressed");
    let packed = path.with_extension("jsonl.zst");
    write(&path, GOOD);
    let follower = Follower::new(&path, &["--allow", "sequence/*"]);
    follower.is_quiet();
    write(&path, BAD);
    // A compressed file beside the plain one says nothing yet.
    fs::write(&packed, b"").unwrap();
    assert_eq!(follower.finding(), (UNKNOWN.to_owned(), 5));
    follower.is_quiet();
    write(&path, BAD);
    fs::remove_file(&path).unwrap();
    // What was written last is read all the same.
    assert_eq!(follower.finding(), (UNKNOWN.to_owned(), 6));
    let (rest, code) = follower.end();
    assert_eq!(
        (rest[0]["messages"].clone(), code),
        (6.into(), 1),
        "{rest:?}"
    );
    assert_eq!(rest[1]["inputs"], 1, "{rest:?}");
    // Now there is nothing but the compressed one.
    let args = [
        "check",
        "--follow",
        "--until-idle",
        "0.2",
        path.to_str().unwrap(),
    ];
    let output = run(program(&args), b"");
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("run.jsonl.zst is there, and is not followed"),
        "{text}"
    );
    assert_eq!(output.status.code(), Some(2));
}

fn a_removed_file_is_complete() {
    let path = file("removed");
    let begin: String = GOOD
        .lines()
        .take(2)
        .map(|line| format!("{line}\n"))
        .collect();
    write(&path, &begin);
    let follower = Follower::new(&path, &[]);
    follower.is_quiet();
    fs::remove_file(&path).unwrap();
    let (rest, _) = follower.end();
    // As at the end of any file, the missing end of the turn is reported.
    assert_eq!(rest[0]["kind"], "finding", "{rest:?}");
    assert_eq!(rest[rest.len() - 2]["messages"], 2, "{rest:?}");
}

fn a_file_that_is_removed_and_made_again_is_another_input() {
    let path = file("made-again");
    write(&path, GOOD);
    let follower = Follower::new(&path, &["--allow", "sequence/*"]);
    follower.is_quiet();
    fs::remove_file(&path).unwrap();
    // The next one may still come.
    follower.is_quiet();
    write(&path, &[GOOD, BAD].concat());
    assert_eq!(follower.next()["kind"], "input");
    assert_eq!(follower.finding(), (UNKNOWN.to_owned(), 5));
    follower.interrupt("-INT");
    let (rest, _) = follower.end();
    assert_eq!(rest[1]["inputs"], 2, "{rest:?}");
}

fn what_is_no_transcript_is_left() {
    let path = file("other");
    write(&path, &"some log\n".repeat(2000));
    let (rest, code) = Follower::new(&path, &[]).end();
    assert_eq!((&rest[0]["verdict"], code), (&"unreadable".into(), 2));
}

fn other_reports_come_at_the_end() {
    let path = file("reports");
    write(&path, &[GOOD, BAD].concat());
    let junit = path.with_extension("xml");
    let report = format!("junit={}", junit.display());
    let args = [
        "check",
        "--follow",
        "--until-idle",
        "0.3",
        "--report",
        &report,
    ];
    let output = run(
        program(&[&args[..], &[path.to_str().unwrap()]].concat()),
        b"",
    );
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.matches(UNKNOWN).count(), 1, "{text}");
    assert!(text.contains("5 messages: does not conform"), "{text}");
    assert!(fs::read_to_string(junit).unwrap().contains(UNKNOWN));
    let args = [
        "check",
        "--follow",
        "--until-idle",
        "0.3",
        "--format",
        "json",
    ];
    let output = run(
        program(&[&args[..], &[path.to_str().unwrap()]].concat()),
        b"",
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        !report["inputs"][0]["findings"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

fn what_cannot_be_followed() {
    let folder = folder("follow-cannot");
    let name = folder.to_str().unwrap();
    for args in [
        &["check", "--follow"][..],
        &["check", "--follow", "-"],
        &["check", "--follow", name],
        &["check", "--follow", "a.jsonl", "b.jsonl"],
        &["check", "--follow", "a.jsonl.gz"],
        &["check", "--until-idle", "1", "a.jsonl"],
        &["check", "--follow", "--baseline", "b.toml", "a.jsonl"],
        &["check", "--follow", "--since", "2026-11-01", "a.jsonl"],
    ] {
        assert_eq!(run(program(args), b"").status.code(), Some(2), "{args:?}");
    }
}
