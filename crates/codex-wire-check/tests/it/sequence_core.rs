//! What the checker does not say of the order of queues and legacy streams: of the side that a log lacks, of
//! lines that were lost, of a second session; and that any order comes to an end.

use std::collections::BTreeMap;

use codex_wire::transcript::{Record, Side};
use codex_wire::{Protocol, Release};
use codex_wire_check::{Checker, Options, Outcome, Severity};
use codex_wire_testing::describe;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::support::chance::Chance;
use crate::support::{name, release_of, transcripts, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("sequence_core::any_order_is_survived", any_order),
        trial(
            "sequence_core::one_side_is_not_asked_for_the_other",
            one_side,
        ),
        trial("sequence_core::lost_lines_are_not_missing", lost_lines),
        trial(
            "sequence_core::a_log_may_hold_several_sessions",
            several_sessions,
        ),
    ]
}

/// A line of either side.
#[derive(Clone, PartialEq)]
struct Line {
    client: bool,
    value: Value,
}

/// A recorded stream.
struct Recorded {
    name: String,
    release: Release,
    legacy: bool,
    lines: Vec<Line>,
}

/// All recordings but those in which the client errs on purpose.
fn recorded() -> Vec<Recorded> {
    let mut out = Vec::new();
    for (folder, legacy) in [("core", false), ("exec-legacy", true)] {
        for path in transcripts(folder) {
            let text = std::fs::read_to_string(&path).unwrap();
            let line = |text: &str, client| Line {
                client,
                value: serde_json::from_str(text).unwrap(),
            };
            let of = |text: &str| match (legacy, codex_wire::from_str(text)) {
                (true, _) => Some(line(text, false)),
                (false, Ok(Record::Line(record))) => {
                    let client = matches!(record.from, Side::Client);
                    Some(line(record.line.value()?, client))
                }
                _ => None,
            };
            let name = name(&path);
            if !name.contains("bad_submissions") && !text.is_empty() {
                out.push(Recorded {
                    name,
                    release: release_of(&path).unwrap(),
                    legacy,
                    lines: text.split_terminator('\n').filter_map(of).collect(),
                });
            }
        }
    }
    out
}

fn recording(run: &Recorded, lines: &[Line]) -> String {
    let protocol = if run.legacy { "exec" } else { "core" };
    let release = run.release.to_string();
    let start = json!({"kind": "start", "transcript": 1, "protocol": protocol, "release": release});
    let mut out = format!("{start}\n");
    for line in lines {
        let from = if line.client { "client" } else { "codex" };
        let text = line.value.to_string();
        out += &format!("{}\n", json!({"kind": "line", "from": from, "line": text}));
    }
    out
}

struct Checkers(BTreeMap<(bool, Release), Checker>);

impl Checkers {
    fn check(&mut self, run: &Recorded, lines: &[Line]) -> Outcome {
        let protocol = if run.legacy {
            Protocol::Exec
        } else {
            Protocol::Core
        };
        let make = || Checker::new(Options::exact(protocol, run.release)).unwrap();
        let checker = self.0.entry((run.legacy, run.release)).or_insert_with(make);
        checker.check(&run.name, recording(run, lines).as_bytes())
    }
}

/// Whether order or pairing is denied. Some recordings hold lines that Codex refused.
fn denies(outcome: &Outcome) -> bool {
    let order = |f: &codex_wire_check::Finding| f.rule.group() == "sequence";
    outcome
        .findings
        .iter()
        .any(|f| order(f) && f.severity == Severity::Error)
}

/// Whatever the order, the checker comes to an end and says something.
fn any_order() {
    let mut checkers = Checkers(BTreeMap::new());
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

/// What Codex wrote, alone, breaks nothing: missing messages of the client are not reported.
fn one_side() {
    let mut checkers = Checkers(BTreeMap::new());
    for run in recorded() {
        let codex: Vec<Line> = run.lines.iter().filter(|l| !l.client).cloned().collect();
        let outcome = checkers.check(&run, &codex);
        assert!(!denies(&outcome), "{}", describe(&outcome));
    }
}

/// After an unreadable line, no message that it may have held is reported as missing.
fn lost_lines() {
    let checker = Checker::new(Options::new()).unwrap();
    let mut chance = Chance(11);
    for run in recorded() {
        let text = recording(&run, &run.lines);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let at = 1 + chance.below(run.lines.len());
        let mut record: Value = serde_json::from_str(&lines[at]).unwrap();
        record["line"] = json!("{\"id\":");
        lines[at] = record.to_string();
        let outcome = checker.check(&run.name, format!("{}\n", lines.join("\n")).as_bytes());
        assert!(!denies(&outcome), "{}", describe(&outcome));
    }
}

/// A log of several sessions, one after another, is as good as each.
fn several_sessions() {
    let mut checkers = Checkers(BTreeMap::new());
    for run in recorded() {
        let over = |line: &Line| line.value["msg"]["type"] == "shutdown_complete";
        let last = run.lines.last().is_some_and(over);
        if last || run.legacy && run.lines.len() > 2 {
            let twice = [&run.lines[..], &run.lines[..]].concat();
            let outcome = checkers.check(&run, &twice);
            assert!(!denies(&outcome), "{}", describe(&outcome));
        }
    }
}
