//! Open schemas accept what later releases write, and refuse what is wrong in a part they know.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::rc::Rc;

use codex_wire::{MessageSet, Release};
use codex_wire_schema::{Draft, Profile, Stability, is_small, project, release_ranges};
use jsonschema::Validator;
use libtest_mimic::Trial;
use serde_json::json;

use crate::app_server::oracle::{Compiled, Oracle};
use crate::app_server::said::Said;
use crate::sequence::stream::recorded;
use crate::shapes::messages;
use crate::support::{transcripts, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("open::what_later_releases_write", what_later_releases_write),
        trial("open::what_is_unknown_passes", what_is_unknown_passes),
        trial("open::known_parts_are_checked", known_parts_are_checked),
    ]
}

/// Recorded messages, each once, with the newest release that wrote it.
fn lines() -> BTreeMap<MessageSet, BTreeMap<String, Release>> {
    let mut out: BTreeMap<MessageSet, BTreeMap<String, Release>> = BTreeMap::new();
    let mut add = |said: Said, release: Release| {
        let lines = out.entry(said.message_set).or_default();
        let newest = lines.entry(said.message.to_string()).or_insert(release);
        *newest = release.max(*newest);
    };
    for stream in recorded() {
        let said = messages(&stream).into_iter().flatten();
        said.for_each(|said| add(said, stream.release));
    }
    for path in transcripts("rollout") {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut folders = path
            .components()
            .map(|part| part.as_os_str().to_string_lossy());
        let release = folders.find_map(|folder| folder.parse::<Release>().ok());
        let Some(release) = release.filter(|_| name.starts_with("rollout-")) else {
            continue;
        };
        let text = std::fs::read_to_string(&path).unwrap();
        for line in text.lines().filter(|line| line.len() < 4000) {
            let message_set = match line.starts_with("{\"timestamp\":") {
                true => MessageSet::Rollout,
                false => MessageSet::RolloutEarly,
            };
            let message = serde_json::from_str(line).unwrap();
            let said = Said {
                message_set,
                message,
            };
            add(said, release);
        }
    }
    out
}

/// Every recorded line against the open schemas of all releases before its own, or of some where
/// there are many. The lines that a schema refuses are listed with the reasons: a member that it
/// requires is gone, or has another type.
fn what_later_releases_write() {
    let mut page = String::from(
        "# What later releases write, by the open schemas of earlier ones\n\
         # message set, release: lines of later releases accepted, of all; then why the others are not\n",
    );
    for (message_set, lines) in lines() {
        // What is wrong by the schema of its own release is wrong on purpose.
        let mut own = BTreeMap::new();
        let compiled = Compiled::default();
        let oracle =
            |release, profile| Oracle::with(compiled.clone(), message_set, release, profile);
        let lines: Vec<(Said, Release)> = lines
            .into_iter()
            .map(|(text, release)| {
                let message = serde_json::from_str(&text).unwrap();
                (
                    Said {
                        message_set,
                        message,
                    },
                    release,
                )
            })
            .filter(|(said, release)| {
                let own = own.entry(*release);
                own.or_insert_with(|| oracle(*release, Profile::Exact))
                    .accepts(said)
            })
            .collect();
        let step = if is_small(message_set) { 1 } else { 10 };
        // By schema and line, why it is refused, if it is: most schemas are those of the release before.
        let mut refused = HashMap::<(*const Validator, usize), Option<String>>::new();
        for range in release_ranges(message_set).iter().step_by(step) {
            let oracle = oracle(range.since, Profile::Open);
            let (mut all, mut accepted) = (0, 0);
            let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
            let later = |(_, (_, release)): &(_, &(_, Release))| *release > range.until;
            for (index, (said, release)) in lines.iter().enumerate().filter(later) {
                all += 1;
                let refused = oracle.kind(&said.message).and_then(|schema| {
                    let of_line = refused.entry((Rc::as_ptr(&schema), index));
                    let ask = || (!oracle.accepts(said)).then(|| reason(&oracle, said));
                    of_line.or_insert_with(ask).as_ref()
                });
                let Some(reason) = refused else {
                    accepted += 1;
                    continue;
                };
                *reasons
                    .entry(format!("{reason} (as of {release})"))
                    .or_default() += 1;
            }
            if all == 0 {
                continue;
            }
            page += &format!("{message_set} {}: {accepted} of {all}\n", range.since);
            for (reason, times) in reasons {
                page += &format!("  {times} × {reason}\n");
            }
        }
    }
    golden_files::assert_file(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden/open.txt"),
        &page,
    );
}

/// What the innermost complaints are, without values.
fn reason(oracle: &Oracle, said: &Said) -> String {
    let complaints = oracle.places(said);
    let unique: BTreeSet<String> = complaints.into_iter().collect();
    unique.into_iter().collect::<Vec<_>>().join("; ")
}

fn open(message_set: MessageSet, release: &str) -> Validator {
    let release = release.parse().unwrap();
    let (draft, stability) = (Draft::Draft202012, Stability::Experimental);
    let schema = project(message_set, release, Profile::Open, draft, stability);
    jsonschema::options().build(&schema).unwrap()
}

fn what_is_unknown_passes() {
    let exec = open(MessageSet::Exec, "0.44.0");
    for line in [
        json!({"type": "turn.paused", "why": 1}),
        json!({"type": "item.completed", "item": {"id": "item_0", "type": "picture"}}),
        json!({"type": "turn.started", "at": 1}),
        json!({"type": "item.completed", "item": {"id": "item_0", "type": "command_execution",
            "command": "ls", "aggregated_output": "", "status": "lost"}}),
    ] {
        assert!(exec.is_valid(&line), "{line}");
    }
}

fn known_parts_are_checked() {
    let exec = open(MessageSet::Exec, "0.44.0");
    for line in [
        json!({"item": {}}),
        json!({"type": 1}),
        json!({"type": "item.completed"}),
        json!({"type": "item.completed", "item": {"id": "item_0"}}),
        json!({"type": "item.completed", "item": {"id": 1, "type": "agent_message", "text": ""}}),
        json!({"type": "item.completed", "item": {"id": "item_0", "type": "agent_message"}}),
        json!({"type": "item.completed", "item": {"id": "item_0", "type": "command_execution",
            "command": "ls", "aggregated_output": "", "status": 7}}),
        json!([]),
    ] {
        assert!(!exec.is_valid(&line), "{line}");
    }
}
