//! Changes session files in one place each: the comparison with the stream has to notice.

use std::fs;
use std::path::{Path, PathBuf};

use codex_wire_check::{Limits, RolloutFacts, Severity};
use libtest_mimic::Failed;
use serde_json::Value;

use super::{CHECKER, compared};

/// Scenarios whose file has the turns of one stream, and no others.
const SCENARIOS: [&str; 6] = [
    "commands",
    "i_turns",
    "message",
    "patch",
    "reasoning",
    "web_search",
];

/// What has to be noticed: the place in the record, and what is changed there.
const PLACES: [(&str, &str); 9] = [
    ("agent_message", "/payload/message"),
    ("agent_reasoning", "/payload/text"),
    ("AgentMessage", "/payload/item/content/0/text"),
    ("Reasoning", "/payload/item/summary_text/0"),
    ("UserMessage", "/payload/item/content/0/text"),
    ("CommandExecution", "/payload/item/command/2"),
    ("CommandExecution", "/payload/item/aggregated_output"),
    ("CommandExecution", "/payload/item/exit_code"),
    ("WebSearch", "/payload/item/query"),
];

/// Makes all mutants of the session file of a run. Returns how many there are, and those that are not
/// noticed.
pub(super) fn survivors(
    run: &Path,
    stream: &Path,
    file: &Path,
) -> Result<(usize, Vec<String>), Failed> {
    let scenario = run.file_name().unwrap().to_str().unwrap();
    let stream = fs::read(stream)?;
    let (_, facts) = CHECKER.check_for_rollout("stream.jsonl", &*stream);
    // Streams before 0.44.0 do not say that their turn ended.
    let is_whole = [
        "\"turn.completed\"",
        "\\\"method\\\":\\\"turn/completed\\\"",
    ]
    .iter()
    .any(|end| String::from_utf8_lossy(&stream).contains(end));
    if !SCENARIOS.contains(&scenario) || facts.thread_ids().count() != 1 || !is_whole {
        return Ok((0, Vec::new()));
    }
    let text = fs::read_to_string(file)?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut made, mut survivors) = (0, Vec::new());
    for (index, line) in lines.iter().enumerate() {
        for mutant in mutants(serde_json::from_str(line)?, scenario) {
            let mutant = mutant.map_or(String::new(), |record| format!("{record}\n"));
            let mut changed = lines.clone();
            changed[index] = &mutant;
            let changed = changed.concat();
            let file = RolloutFacts::read("rollout.jsonl", changed.as_bytes(), Limits::default())?;
            let outcome = compared(&stream, &file)?;
            made += 1;
            let mut findings = outcome.findings.iter();
            if !findings.any(|finding| finding.severity == Severity::Error) {
                survivors.push(format!("{}:{} {mutant}", run.display(), index + 1));
            }
        }
    }
    Ok((made, survivors))
}

/// The mutants of a record; `None`: without it.
fn mutants(record: Value, scenario: &str) -> Vec<Option<Value>> {
    let payload = &record["payload"];
    let kind = payload["item"]["type"].as_str();
    let Some(kind) = kind.or_else(|| payload["type"].as_str()) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    // `codex exec` does not write prompts.
    let is_written = kind != "UserMessage" || scenario == "i_turns";
    for (_, place) in PLACES.iter().filter(|(of, _)| *of == kind && is_written) {
        let mut changed = record.clone();
        let Some(value) = changed.pointer_mut(place) else {
            continue;
        };
        *value = match &*value {
            Value::String(text) => Value::String(format!("{text} indeed")),
            Value::Number(number) => Value::from(number.as_i64().unwrap_or_default() + 1),
            _ => continue,
        };
        out.push(Some(changed));
    }
    let is_kept = [
        "agent_message",
        "agent_reasoning",
        "AgentMessage",
        "CommandExecution",
        "FileChange",
        "Reasoning",
        "WebSearch",
    ];
    if is_kept.contains(&kind) && record["type"] == "event_msg" {
        out.push(None);
    }
    if record["type"] != "event_msg" {
        out.clear();
    }
    out
}

/// The session file of a run that has one.
pub(super) fn only_file(files: &[&Vec<PathBuf>]) -> Option<PathBuf> {
    match files {
        [paths] if paths.len() == 1 => Some(paths[0].clone()),
        _ => None,
    }
}
