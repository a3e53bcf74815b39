//! What the properties need to know of each message_set: its checker and its recordings.

use codex_wire::transcript::{Record, Side};
use codex_wire::{MessageSet, Protocol, Release};
use codex_wire_check::{Checker, Options, Outcome, Profile};
use codex_wire_schema::{ReleaseRange, is_small, release_ranges};
use serde_json::{Value, json};

use super::transcripts;

/// The message sets whose messages are tried in every release: not those of the app-server, which
/// `app_server` has.
pub(crate) fn tried() -> impl Iterator<Item = MessageSet> {
    let message_sets = MessageSet::ALL.iter().copied();
    message_sets.filter(|message_set| message_set.protocol() != Protocol::AppServer)
}

/// The ranges in which messages of a message set are tried: all of them, or of session files, which
/// change with nearly every release, every eighth and the newest.
pub(crate) fn ranges(message_set: MessageSet) -> impl Iterator<Item = &'static ReleaseRange> {
    let step = if is_small(message_set) { 1 } else { 8 };
    release_ranges(message_set).iter().rev().step_by(step)
}

/// What the types write of a message they have read.
pub(crate) fn through_types(message_set: MessageSet, message: &Value) -> Result<Value, String> {
    let written = test_support::again(message_set, &message.to_string());
    written
        .map(|text| test_support::tree(&text))
        .map_err(|error| error.to_string())
}

/// A checker for what a release of the message set speaks.
pub(crate) fn checker(message_set: MessageSet, release: Release, profile: Profile) -> Checker {
    let mut options = super::without_order(Options::exact(message_set.protocol(), release));
    options.profile = profile;
    Checker::new(options).unwrap()
}

/// Checks a message as one of the message set, whatever it looks like itself.
pub(crate) fn check(checker: &Checker, message_set: MessageSet, message: &Value) -> Outcome {
    let record = |from: &str| {
        let record = json!({"kind": "line", "from": from, "line": message.to_string()});
        record.to_string()
    };
    let input = match message_set {
        // The first lines show the dialect of a stream.
        MessageSet::ExecLegacy => format!("{{\"prompt\":\"\"}}\n{message}\n"),
        MessageSet::CoreEvents | MessageSet::HooksInput => record("codex"),
        MessageSet::CoreSubmissions | MessageSet::HooksOutput => record("client"),
        _ => message.to_string(),
    };
    checker.check("-", input.as_bytes())
}

/// Recorded messages, without the long ones: length is nothing to a schema.
pub(crate) fn recordings(message_set: MessageSet) -> Vec<Value> {
    let folder = match message_set {
        MessageSet::ExecLegacy => "exec-legacy",
        MessageSet::CoreEvents | MessageSet::CoreSubmissions => "core",
        MessageSet::HooksInput | MessageSet::HooksOutput => "hooks",
        MessageSet::Notify => "notify",
        MessageSet::Rollout | MessageSet::RolloutEarly => "rollout",
        _ => "exec",
    };
    let mut out = Vec::new();
    for path in transcripts(folder) {
        let is_session = path.file_name().is_some_and(|name| {
            let name = name.to_string_lossy();
            name.starts_with("rollout-")
        });
        if folder == "rollout" && !is_session {
            continue;
        }
        let text = std::fs::read_to_string(path).unwrap();
        let lines = text.split('\n').filter(|l| !l.is_empty() && l.len() < 4000);
        if folder == "core" {
            let of_message_set = lines.filter_map(|line| line_of(message_set, line));
            // What a client wrote to see it refused need not be JSON.
            out.extend(of_message_set.filter_map(|line| serde_json::from_str::<Value>(&line).ok()));
        } else if folder == "hooks" {
            out.extend(lines.filter_map(|line| of_hook(message_set, line)));
        } else if folder == "rollout" {
            let is_early = message_set == MessageSet::RolloutEarly;
            // Lines of both forms may stand in one file.
            let own = lines.filter(|line| is_early != line.starts_with("{\"timestamp\":"));
            out.extend(own.map(|line| serde_json::from_str::<Value>(line).unwrap()));
        } else {
            out.extend(lines.map(|line| serde_json::from_str::<Value>(line).unwrap()));
        }
    }
    assert!(out.len() > 100, "{message_set}: {} messages", out.len());
    out
}

/// What the hook of a recorded run read, or what it printed with its event beside it.
fn of_hook(message_set: MessageSet, run: &str) -> Option<Value> {
    let run: Value = serde_json::from_str(run).unwrap();
    if message_set == MessageSet::HooksInput {
        return serde_json::from_str(run["stdin"].as_str()?).ok();
    }
    let output: Value = serde_json::from_str(run["stdout"].as_str()?).ok()?;
    output
        .is_object()
        .then(|| json!({"hook_event_name": run["event"], "output": output}))
}

/// The line in a record, if the writer of the message set wrote it.
fn line_of(message_set: MessageSet, record: &str) -> Option<String> {
    let Record::Line(line) = codex_wire::from_str(record).unwrap() else {
        return None;
    };
    let of_codex = matches!(line.from, Side::Codex);
    (of_codex == message_set.is_written())
        .then(|| line.line.value().cloned())
        .flatten()
}
