//! Every recording, played to a client that does what the recorded one did, is written as its release
//! writes it, and completely.

use std::collections::BTreeMap;
use std::fs;

use codex_wire_base::Protocol;
use codex_wire_check::{Checker, Options, Severity};
use codex_wire_replay::{ExecPlay, Recording, Writer, manifest};

use crate::client::{Client, Double, FOLDER, checker, fixtures, parse, recording};

/// The recordings of a protocol, by their path.
pub(crate) fn recordings(protocol: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for release in fs::read_dir(fixtures().join(protocol)).unwrap() {
        let release = release.unwrap().path();
        if !release.is_dir() {
            continue;
        }
        for file in fs::read_dir(&release).unwrap() {
            let path = file.unwrap().path();
            let path = path
                .strip_prefix(fixtures())
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            paths.push(path.replace('\\', "/"));
        }
    }
    paths.sort();
    assert!(paths.len() > 50, "{} recordings of {protocol}", paths.len());
    paths
}

/// How often each kind of line occurs.
fn kinds(lines: &[String]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in lines {
        let value = parse(line);
        let text = |pointer: &str| {
            value
                .pointer(pointer)
                .and_then(|v| v.as_str())
                .unwrap_or("")
        };
        let kind = match text("/method") {
            "" if value.get("error").is_some() => "error".to_owned(),
            "" => format!("response {}", text("/msg/type")),
            method => format!("{method} {}", text("/params/item/type")),
        };
        *counts.entry(kind).or_default() += 1;
    }
    counts
}

/// Plays a recording; returns what is wrong with it.
fn problems(path: &str, recording: &Recording, connection: u32) -> Vec<String> {
    let mut problems = Vec::new();
    let checker = checker(recording);
    let mut client = Client::new(std::slice::from_ref(recording), &checker);
    let double = Double::new(recording, connection);
    double.run(&mut client);
    let (heard, recorded) = (kinds(&client.heard), kinds(&double.lines(Writer::Codex)));
    for kind in heard.keys().chain(recorded.keys()) {
        let (a, b) = (
            heard.get(kind).unwrap_or(&0),
            recorded.get(kind).unwrap_or(&0),
        );
        if a != b {
            problems.push(format!("{path}: {kind}: {a} times instead of {b}"));
        }
    }
    let bound = client
        .log
        .iter()
        .any(|line| line.starts_with("client") && line.contains(FOLDER));
    let left = client
        .heard
        .iter()
        .filter(|line| line.contains("\"cwd\":\"/workspace/app-project\""));
    if bound && left.count() > 0 {
        problems.push(format!("{path}: the recorded folder is still there"));
    }
    problems.extend(
        client
            .missed
            .iter()
            .map(|missed| format!("{path}: {missed}")),
    );
    for finding in client.finish() {
        problems.push(format!(
            "{path}: {} {} at {}: {}",
            finding.place.line, finding.rule.id, finding.place.pointer, finding.message
        ));
    }
    problems.dedup();
    problems
}

#[track_caller]
fn all_play(protocol: &str) {
    let mut problems = Vec::new();
    let only = std::env::var("ONLY").unwrap_or_default();
    for path in recordings(protocol) {
        if !path.contains(&only) {
            continue;
        }
        let recording = recording(&path);
        let mut connections: Vec<u32> = recording.lines().iter().map(|l| l.connection).collect();
        connections.sort_unstable();
        connections.dedup();
        if let [connection] = connections[..] {
            problems.extend(self::problems(&path, &recording, connection));
        }
    }
    assert!(
        problems.is_empty(),
        "{} problems\n{}",
        problems.len(),
        problems.join("\n")
    );
}

#[test]
fn every_app_server_recording_plays() {
    all_play("app-server");
}

#[test]
fn every_recording_of_proto_plays() {
    all_play("core");
}

/// A run under another thread id differs in that alone, and is what its release writes.
#[track_caller]
fn all_runs_play(folder: &str) {
    let folder = fixtures().join(folder);
    let mut problems = Vec::new();
    let entries = manifest(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    assert!(entries.len() > 100, "{}", entries.len());
    let live = "01ffffff-0000-7000-8000-00000000beef";
    for (file, about) in entries {
        let bytes = fs::read(folder.join(&file)).unwrap();
        let recording = Recording::read(&file, bytes.clone(), about.clone()).unwrap();
        let mut play = ExecPlay::new(&recording);
        let same: Vec<u8> = play.lines().flat_map(|(_, line)| line.to_vec()).collect();
        assert_eq!(same, bytes, "{file}");
        let recorded = play.thread().map(str::to_owned);
        play.rename_thread(live);
        if let Some(recorded) = recorded {
            let text = String::from_utf8_lossy(&play.bytes()).into_owned();
            assert!(text.contains(live) && !text.contains(&recorded), "{file}");
        }
        let release = about.release.unwrap();
        let checker = Checker::new(Options::exact(Protocol::Exec, release)).unwrap();
        let mut stream = checker.stream(&file);
        stream.feed(&play.bytes());
        let (outcome, _) = stream.finish();
        let errors = outcome
            .findings
            .iter()
            .filter(|f| f.severity == Severity::Error);
        problems.extend(errors.map(|f| format!("{file}: {} {}", f.rule.id, f.message)));
    }
    assert!(
        problems.is_empty(),
        "{} problems\n{}",
        problems.len(),
        problems.join("\n")
    );
}

#[test]
fn every_run_plays() {
    all_runs_play("exec");
}

#[test]
fn every_run_of_the_older_format_plays() {
    all_runs_play("exec-legacy");
}
