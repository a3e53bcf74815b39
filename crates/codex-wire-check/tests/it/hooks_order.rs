//! Recorded runs of hooks whose order is disturbed, or of which one names something else: how many the
//! checker denies, and of how many it reports something.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use codex_wire::Protocol;
use codex_wire_check::{Checker, Options, Writer};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::support::{name, release_of, transcripts, trial};

/// How many mutants of a kind are made at most, each of another place, spread over all files.
const OF_A_KIND: usize = 100;

const HEAD: &str = "\
# Recorded runs of hooks that are disturbed in such a way: how many the checker denies, and of how many it reports
# something. `crates/codex-wire-check/tests/it/hooks_order.rs` makes them.
";

const OTHER: &str = "01a203ff-ffff-7fff-bfff-ffffffffffff";

/// A way to disturb the runs of a file at one of them. It returns whether that can be done.
type Change = fn(&mut Vec<Run>, usize) -> bool;

const CHANGES: [(&str, Change); 9] = [
    ("`PostToolUse` in front of its `PreToolUse`", |runs, at| {
        let before = runs[..at].iter().rposition(|run| {
            run.is("PreToolUse") && run.input["tool_use_id"] == runs[at].input["tool_use_id"]
        });
        let Some(before) = before.filter(|_| runs[at].is("PostToolUse")) else {
            return false;
        };
        runs.swap(before, at);
        true
    }),
    ("`PreToolUse` left out", |runs, at| {
        let id = runs[at].input["tool_use_id"].clone();
        let is_pair = runs[at].is("PreToolUse")
            && runs
                .iter()
                .any(|run| run.is("PostToolUse") && run.input["tool_use_id"] == id);
        if is_pair {
            runs.retain(|run| !run.is("PreToolUse") || run.input["tool_use_id"] != id);
        }
        is_pair
    }),
    ("another tool in `PostToolUse`", |runs, at| {
        runs[at].is("PostToolUse") && runs[at].set("tool_name", "other_tool")
    }),
    ("another session in a run of a tool", |runs, at| {
        runs[at].input.get("tool_name").is_some() && runs[at].set("session_id", OTHER)
    }),
    ("another session in `Stop`", |runs, at| {
        runs[at].is("Stop") && runs[at].set("session_id", OTHER)
    }),
    ("another turn in a run of a tool", |runs, at| {
        runs[at].input.get("tool_name").is_some() && runs[at].set("turn_id", OTHER)
    }),
    ("another turn in `Stop`", |runs, at| {
        runs[at].is("Stop") && runs[at].set("turn_id", OTHER)
    }),
    (
        "`SessionStart` behind the run that follows it",
        |runs, at| {
            let is_start = runs[at].is("SessionStart") && runs[at].input["source"] == "startup";
            let session = &runs[at].input["session_id"];
            let next = runs[at + 1..]
                .iter()
                .position(|run| run.input["session_id"] == *session);
            let Some(next) = next.filter(|_| is_start) else {
                return false;
            };
            let run = runs.remove(at);
            runs.insert(at + 1 + next, run);
            true
        },
    ),
    (
        "a prompt again behind the run that follows it",
        |runs, at| {
            if !runs[at].is("UserPromptSubmit") || at + 1 >= runs.len() {
                return false;
            }
            let run = runs[at].clone();
            runs.insert(at + 2, run);
            true
        },
    ),
];

/// A recorded run of a hook.
#[derive(Clone)]
struct Run {
    record: Value,
    input: Value,
}

impl Run {
    fn of(line: &str) -> Self {
        let record: Value = serde_json::from_str(line).unwrap();
        let input = serde_json::from_str(record["stdin"].as_str().unwrap()).unwrap();
        Run { record, input }
    }

    fn is(&self, event: &str) -> bool {
        self.input["hook_event_name"] == event
    }

    /// Sets a text that is there.
    fn set(&mut self, member: &str, to: &str) -> bool {
        match self.input.get_mut(member) {
            Some(value) if value.is_string() => *value = json!(to),
            _ => return false,
        }
        self.record["stdin"] = json!(self.input.to_string());
        true
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("hooks::order::is_denied", is_denied)]
}

fn is_denied() {
    let paths = transcripts("hooks");
    let mut listed = String::from(HEAD);
    let mut checkers = BTreeMap::new();
    for (what, change) in &CHANGES {
        let mut mutants = Vec::new();
        for path in &paths {
            let text = std::fs::read_to_string(path).unwrap();
            let runs: Vec<Run> = text.lines().map(Run::of).collect();
            for at in 0..runs.len() {
                let mut runs = runs.clone();
                if change(&mut runs, at) {
                    mutants.push((path, runs));
                }
            }
        }
        let count = mutants.len().min(OF_A_KIND);
        let (mut denied, mut reported) = (0, 0);
        for (path, runs) in (0..count).map(|n| &mutants[n * mutants.len() / count]) {
            let release = release_of(path).unwrap();
            let checker = checkers.entry(release).or_insert_with(|| {
                let mut options = Options::exact(Protocol::Hooks, release);
                options.side = Some(Writer::Codex);
                Checker::new(options).unwrap()
            });
            let text: String = runs.iter().map(|run| format!("{}\n", run.record)).collect();
            let outcome = checker.check(&name(path), text.as_bytes());
            denied += usize::from(outcome.counts.error > 0);
            reported += usize::from(outcome.counts.total() > 0);
        }
        let _ = writeln!(
            listed,
            "{what}: {denied} of {count} denied, {reported} reported"
        );
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/hooks_order.txt");
    golden_files::assert_file(&file, &listed);
}
