//! What the checker does not say of the order of runs: of missing messages that may have been lost, of ids it
//! has forgotten, of the side that is not checked; and that any order comes to an end.

use std::collections::BTreeMap;
use std::sync::Arc;

use codex_wire::{Protocol, Release};
use codex_wire_check::{Checker, Options, Outcome, Severity};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::support::chance::Chance;
use crate::support::{fixtures, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("sequence_exec::any_order_is_survived", any_order),
        trial(
            "sequence_exec::severity_waits_for_the_release",
            severity_waits,
        ),
        trial("sequence_exec::lost_lines_are_not_missing", lost_lines),
        trial("sequence_exec::evicted_ids_are_not_missing", forgotten),
        trial("sequence_exec::the_other_side_is_not_blamed", one_side_only),
    ]
}

/// A recorded run.
struct Recorded {
    name: String,
    release: Release,
    lines: Vec<String>,
    status: Option<i64>,
}

fn recorded() -> Vec<Recorded> {
    let manifest = std::fs::read(fixtures().join("exec/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let transcripts = manifest["transcripts"].as_array().unwrap();
    let of = |entry: &Value| {
        let file = entry["file"].as_str().unwrap();
        let text = std::fs::read_to_string(fixtures().join("exec").join(file)).unwrap();
        Recorded {
            name: file.to_owned(),
            release: entry["release"].as_str().unwrap().parse().unwrap(),
            lines: text.split_terminator('\n').map(str::to_owned).collect(),
            status: entry["exit_code"].as_i64().filter(|status| *status >= 0),
        }
    };
    let runs: Vec<_> = transcripts.iter().map(of).collect();
    runs.into_iter()
        .filter(|run| !run.lines.is_empty())
        .collect()
}

/// The run as a recording, with its exit.
fn recording(run: &Recorded, lines: &[String]) -> String {
    let release = run.release.to_string();
    let mut out = json!({"kind": "start", "transcript": 1, "protocol": "exec", "release": release})
        .to_string();
    for line in lines {
        out += &format!(
            "\n{}",
            json!({"kind": "line", "from": "codex", "line": line})
        );
    }
    if let Some(status) = run.status {
        out += &format!("\n{}", json!({"kind": "exit", "status": status}));
    }
    out + "\n"
}

#[derive(Default)]
struct Checkers(BTreeMap<Release, Arc<Checker>>);

impl Checkers {
    fn check(&mut self, run: &Recorded, lines: &[String]) -> Outcome {
        let make = || {
            let options = Options::exact(Protocol::Exec, run.release);
            Arc::new(Checker::new(options).unwrap())
        };
        let checker = self.0.entry(run.release).or_insert_with(make);
        checker.check(&run.name, recording(run, lines).as_bytes())
    }
}

fn denies(outcome: &Outcome) -> bool {
    outcome.counts.error > 0
}

/// Whatever the order, the checker comes to an end and says something.
fn any_order() {
    let mut checkers = Checkers::default();
    let mut chance = Chance(7);
    for run in recorded() {
        let mut lines = run.lines.clone();
        for at in (1..lines.len()).rev() {
            lines.swap(at, chance.below(at + 1));
        }
        let outcome = checkers.check(&run, &lines);
        assert_eq!(outcome.messages, lines.len() as u64, "{}", run.name);
    }
}

const HEAD: &str = r#"{"type":"thread.started","thread_id":"0199a213-81c0-7800-8aa1-bbab2a035a53"}
{"type":"turn.started"}
"#;
const TURN: &str = "{\"type\":\"turn.started\"}\n";

fn identified(text: &str) -> Outcome {
    Checker::new(Options::new())
        .unwrap()
        .check("-", text.as_bytes())
}

fn rules_of(outcome: &Outcome) -> Vec<(&'static str, Severity, u64)> {
    let of = |f: &codex_wire_check::Finding| (f.rule.id, f.severity, f.place.line);
    outcome.findings.iter().map(of).collect()
}

/// A violation that some releases do not forbid is held until the stream shows which release it is.
fn severity_waits() {
    let open = format!("{HEAD}{TURN}");
    let end = |more: &str| {
        format!(
            r#"{open}{{"type":"turn.completed","usage":{{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1{more}}}}}"#
        )
    };
    // 0.44.0 to 0.124.0: some of them write several turns.
    assert_eq!(rules_of(&identified(&end(""))), []);
    let late = identified(&end(r#","reasoning_output_tokens":0"#));
    let again = ("sequence/exec-turn-started-again", Severity::Error, 3);
    assert_eq!(rules_of(&late), [again]);
    assert_eq!(late.counts.error, 1);
}

/// After an unreadable line, no message that it may have held is reported as missing.
fn lost_lines() {
    let text = format!(
        "{HEAD}{{\"type\":\"item.started\",\"item\":{{\"id\":\"item_0\",\"type\":\"comm\n{}\n",
        r#"{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"ls","aggregated_output":"","exit_code":0,"status":"completed"}}"#
    );
    let outcome = identified(&text);
    assert_eq!(
        rules_of(&outcome),
        [("framing/malformed-json", Severity::Error, 3)]
    );
    let whole = text.lines().filter(|line| !line.ends_with("comm"));
    let whole: String = whole.map(|line| format!("{line}\n")).collect();
    let found = rules_of(&identified(&whole));
    assert_eq!(
        found[0],
        ("sequence/exec-item-never-started", Severity::Error, 3)
    );
}

/// Ids beyond the limit are forgotten, and nothing is said of them; the rest is still checked.
fn forgotten() {
    let mut options = Options::new();
    options.limits.sequence_ids = 10;
    let checker = Checker::new(options).unwrap();
    let item = |event: &str, id: usize, status: &str, code: &str| {
        format!(
            r#"{{"type":"item.{event}","item":{{"id":"item_{id}","type":"command_execution","command":"ls","aggregated_output":"","exit_code":{code},"status":"{status}"}}}}"#
        ) + "\n"
    };
    let started = |id| item("started", id, "in_progress", "null");
    let completed = |id| item("completed", id, "completed", "0");
    let mut text = HEAD.to_owned();
    (0..100).for_each(|id| text += &started(id));
    (0..100).for_each(|id| text += &completed(id));
    let found = |more: &str| rules_of(&checker.check("-", format!("{text}{more}").as_bytes()));
    let unfinished = ("sequence/exec-unfinished", Severity::Warning, 202);
    assert_eq!(found(""), [unfinished]);
    let twice = ("sequence/exec-item-after-completion", Severity::Error, 203);
    assert_eq!(found(&completed(99))[0], twice);
    assert_eq!(found(&completed(3)).len(), 1, "long forgotten");
    let gap = ("sequence/exec-item-id", Severity::Error, 203);
    assert_eq!(found(&started(101))[0], gap);
}

/// If only the client is checked, what Codex does is not reported.
fn one_side_only() {
    let mut options = Options::new();
    options.side = Some(codex_wire_check::Writer::Client);
    let checker = Checker::new(options).unwrap();
    let outcome = checker.check("-", format!("{TURN}{TURN}").as_bytes());
    assert_eq!(rules_of(&outcome), []);
    assert!(denies(&identified(TURN)));
}
