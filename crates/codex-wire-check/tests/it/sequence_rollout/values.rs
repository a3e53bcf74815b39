//! Recorded session files with one value changed to one that no Codex writes, although its type fits, or with
//! one event dropped: how many of each kind are denied, and how many are reported at all.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::Checkers;
use super::file::{File, Line, recorded};
use crate::support::unseen;

/// How many mutants of a kind are made at most, each of another place, spread over all files.
const OF_A_KIND: usize = 100;

const HEAD: &str = "\
# Recorded session files in which one line is changed in such a way, or dropped: how many the checker denies, and of
# how many it reports something. `crates/codex-wire-check/tests/it/sequence_rollout/values.rs` makes them.
";

/// A way to change a line. It returns whether that can be done.
type Change = fn(&mut Value) -> bool;

const CHANGES: [(&str, Change); 8] = [
    ("a time that is none", |line| {
        set(line, "/timestamp", &json!("yesterday"))
    }),
    ("`cli_version` that is not a version", |line| {
        set(line, "/payload/cli_version", &json!("banana"))
    }),
    ("a relative `cwd` in the header", |line| {
        line["type"] == "session_meta" && set(line, "/payload/cwd", &json!("src"))
    }),
    ("a relative `cwd` in a context", |line| {
        line["type"] == "turn_context" && set(line, "/payload/cwd", &json!("src"))
    }),
    ("arguments of a call that are not JSON", |line| {
        line["payload"]["type"] == "function_call"
            && set(line, "/payload/arguments", &json!("{\"cmd\":"))
    }),
    ("a role that the model does not know", |line| {
        line["payload"]["type"] == "message" && set(line, "/payload/role", &json!("critic"))
    }),
    ("a total of tokens that is not the sum", |line| {
        line["payload"]["type"] == "token_count"
            && add(line, "/payload/info/total_token_usage/output_tokens")
    }),
    ("a sum of a record that is not the sum", |line| {
        line["type"] == "token_usage_record"
            && add(line, "/payload/thread_token_usage/output_tokens")
    }),
];

/// Sets a value that is there.
fn set(line: &mut Value, pointer: &str, to: &Value) -> bool {
    match line.pointer_mut(pointer) {
        Some(value) if value.is_string() => *value = to.clone(),
        _ => return false,
    }
    true
}

/// Makes a count greater.
fn add(line: &mut Value, pointer: &str) -> bool {
    let Some(value) = line.pointer_mut(pointer) else {
        return false;
    };
    let Some(count) = value.as_u64() else {
        return false;
    };
    *value = json!(count + 7);
    true
}

/// A change of the file: of a line, or without it.
struct Mutant<'a> {
    file: &'a File,
    line: usize,
    /// The line as it is then; `None` if it is dropped.
    then: Option<String>,
}

fn mutants<'a>(files: &'a [File], change: &Change) -> Vec<Mutant<'a>> {
    let mut out = Vec::new();
    for file in files {
        for (line, before) in file.lines.iter().enumerate() {
            let mut value = before.value.clone();
            if change(&mut value) {
                let then = Some(value.to_string());
                out.push(Mutant { file, line, then });
            }
        }
    }
    out
}

fn dropped<'a>(files: &'a [File], kind: &str) -> Vec<Mutant<'a>> {
    let of_file = |file: &'a File| {
        let lines = 0..file.lines.len().saturating_sub(1);
        let of_kind = lines.filter(|line| file.lines[*line].kind() == kind);
        let drop = move |line| Mutant {
            file,
            line,
            then: None,
        };
        of_kind.map(drop).collect::<Vec<_>>()
    };
    files.iter().flat_map(of_file).collect()
}

pub(super) fn are_denied() {
    let files = recorded();
    let files: Vec<File> = files.into_iter().filter(|file| !file.is_partial).collect();
    let mut checkers = Checkers::default();
    let mut listed = String::from(HEAD);
    let mut all: Vec<(String, Vec<Mutant<'_>>)> = Vec::new();
    for (name, change) in &CHANGES {
        all.push(((*name).to_owned(), mutants(&files, change)));
    }
    for kind in ["event agent_message", "event item_completed AgentMessage"] {
        all.push((format!("without `{kind}`"), dropped(&files, kind)));
    }
    for (name, mutants) in &all {
        let count = mutants.len().min(OF_A_KIND);
        let (mut denied, mut reported) = (0, 0);
        let mut missed = Vec::new();
        for mutant in (0..count).map(|n| &mutants[n * mutants.len() / count]) {
            let mut lines: Vec<Line> = mutant.file.lines.clone();
            match &mutant.then {
                Some(text) => text.clone_into(&mut lines[mutant.line].text),
                None => drop(lines.remove(mutant.line)),
            }
            let outcome = checkers.check(mutant.file, &lines);
            denied += usize::from(outcome.counts.error > 0);
            reported += usize::from(outcome.counts.total() > 0);
            if outcome.counts.error == 0 {
                missed.push(format!("{}:{}", mutant.file.name, mutant.line + 1));
            }
        }
        let _ = writeln!(
            listed,
            "{name}: {denied} of {count} denied, {reported} reported"
        );
        #[allow(clippy::print_stdout, reason = "the places are for the reader")]
        {
            println!("{name}: missed {missed:#?}");
        }
    }
    if unseen().is_none() {
        let file =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/sequence_rollout/values.txt");
        golden_files::assert_file(&file, &listed);
    }
}
