//! Recorded session files, line by line.

use std::path::{Path, PathBuf};

use codex_wire::Release;
use codex_wire_check::{Checker, Options, Outcome, Severity};
use serde_json::Value;

use crate::support::{fixtures, unseen};

/// A recorded session file.
pub(super) struct File {
    /// Its path below `fixtures/`.
    pub(super) name: String,
    /// The release whose folder it lies in.
    pub(super) release: Release,
    /// Whether several releases wrote it.
    pub(super) is_cross: bool,
    /// Whether lines may be missing: it is one of those, or a sub-agent copied a part of its parent's
    /// file into it.
    pub(super) is_partial: bool,
    pub(super) lines: Vec<Line>,
}

/// A line of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) value: Value,
}

impl Line {
    fn of(text: &str) -> Self {
        Line {
            text: text.to_owned(),
            value: serde_json::from_str(text).unwrap(),
        }
    }

    /// The payload, or the whole line of an early file.
    pub(super) fn payload(&self) -> &Value {
        self.value.get("payload").unwrap_or(&self.value)
    }

    /// What it is: the type of the line, of its payload, and of what that holds.
    pub(super) fn kind(&self) -> String {
        let payload = self.payload();
        let inner = payload["type"].as_str();
        let role = payload["role"].as_str();
        let item = payload["item"]["type"].as_str();
        let tag = match (self.value["type"].as_str(), self.value.get("payload")) {
            (Some("response_item"), Some(_)) => "item",
            (Some("event_msg"), _) => "event",
            (Some(tag), Some(_)) => return tag.to_owned(),
            (Some(_), None) => "item",
            (None, _) if self.value.get("record_type").is_some() => "state",
            (None, _) => "header",
        };
        let parts = [
            Some(tag),
            inner,
            role.filter(|_| inner == Some("message")),
            item,
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    pub(super) fn is_early(&self) -> bool {
        self.value.get("payload").is_none()
    }
}

impl File {
    pub(super) fn is_early(&self) -> bool {
        self.lines.first().is_some_and(Line::is_early)
    }
}

/// All recorded session files that are not compressed: those of one release, then those that another
/// one has gone on with.
pub(super) fn recorded() -> Vec<File> {
    let mut out = Vec::new();
    let root = unseen().unwrap_or_else(fixtures);
    for folder in ["rollout", "rollout-cross"] {
        let folder = root.join(folder);
        if unseen().is_some() && !folder.is_dir() {
            continue;
        }
        for path in session_files(&folder) {
            let bytes = std::fs::read(&path).unwrap();
            let text = String::from_utf8(bytes).unwrap();
            let below = path.strip_prefix(&root).unwrap();
            let release = below.iter().nth(1).unwrap().to_str().unwrap();
            let name = below.to_str().unwrap().to_owned();
            let lines: Vec<Line> = text.split_terminator('\n').map(Line::of).collect();
            out.push(File {
                release: release.parse().unwrap(),
                is_cross: name.starts_with("rollout-cross"),
                is_partial: name.starts_with("rollout-cross") || is_copied_in_part(&lines),
                name,
                lines,
            });
        }
    }
    out.retain(|file| !file.lines.is_empty());
    assert!(!out.is_empty(), "there are no session files");
    out
}

/// Whether the first turn of a sub-agent is older than its thread.
fn is_copied_in_part(lines: &[Line]) -> bool {
    let Some(header) = lines.first().filter(|line| !line.is_early()) else {
        return false;
    };
    let is_agent = header.payload()["source"]["subagent"]["thread_spawn"].is_object();
    let second = lines.get(1).map(Line::kind);
    is_agent
        && second.is_some_and(|kind| kind != "event task_started" && !kind.ends_with("developer"))
}

fn session_files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            out.extend(session_files(&path));
        } else if name.starts_with("rollout-") && name.ends_with(".jsonl") {
            out.push(path);
        }
    }
    out.sort();
    out
}

/// A checker that infers the releases of each run of lines.
pub(super) fn checker() -> Checker {
    Checker::new(Options::new()).unwrap()
}

/// The lines as a file.
pub(super) fn joined(lines: &[Line]) -> String {
    lines
        .iter()
        .map(|line| format!("{}\n", line.text))
        .collect()
}

/// The errors about order that an outcome has, by rule and line.
pub(super) fn order(outcome: &Outcome) -> Vec<String> {
    let findings = outcome.findings.iter();
    let of_order = findings.filter(|f| f.rule.group() == "sequence");
    let errors = of_order.filter(|f| f.severity == Severity::Error);
    errors
        .map(|f| format!("{}:{} {}", f.rule.id, f.place.line, f.message))
        .collect()
}
