//! Recordings of connections, line by line.

use std::collections::BTreeMap;
use std::path::Path;

use codex_wire::Release;
use serde_json::{Value, json};

/// A line of either side, or what a recording says between lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    pub(super) client: bool,
    pub(super) connection: Option<u64>,
    pub(super) value: Value,
    /// Another record, as it stands; then there is no value.
    pub(super) other: Option<String>,
    /// Of an answer: the method that it was recorded as an answer to.
    pub(super) answers: Option<String>,
}

/// What a message is, by the members it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Request,
    Notification,
    Result,
    Error,
    Other,
}

impl Line {
    pub(super) fn kind(&self) -> Kind {
        let has = |key: &str| self.value.get(key).is_some();
        match (has("method"), has("id")) {
            (true, true) => Kind::Request,
            (true, false) => Kind::Notification,
            _ if has("result") => Kind::Result,
            _ if has("error") => Kind::Error,
            _ => Kind::Other,
        }
    }

    pub(super) fn text(&self, pointer: &str) -> Option<&str> {
        self.value.pointer(pointer)?.as_str()
    }
}

/// A recorded run of one Codex.
pub(super) struct Recorded {
    pub(super) name: String,
    pub(super) release: Release,
    pub(super) lines: Vec<Line>,
}

/// Reads a recording, also one that is not converted into the project's own format yet.
pub(super) fn read(name: String, release: Release, path: &Path) -> Option<Recorded> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut names: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    for record in text.split_terminator('\n') {
        let record: Value = serde_json::from_str(record).unwrap();
        let raw = record["line"].as_str().or(record["raw"].as_str());
        let from = record["from"].as_str().or(record["dir"].as_str());
        let Some(raw) = raw else {
            match record["kind"].as_str() {
                Some("connected" | "closed") => lines.push(Line {
                    other: Some(record.to_string()),
                    ..Line::default()
                }),
                Some("start" | "exit") => {}
                _ => return None,
            }
            continue;
        };
        let named = record["client"].as_str().map(|name| {
            let known = names.iter().position(|known| known == name);
            known.unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            }) as u64
        });
        lines.push(Line {
            client: from == Some("client"),
            connection: record["connection"].as_u64().or(named),
            value: serde_json::from_str(raw).ok().filter(Value::is_object)?,
            other: None,
            answers: None,
        });
    }
    note_answers(&mut lines);
    Some(Recorded {
        name,
        release,
        lines,
    })
}

fn note_answers(lines: &mut [Line]) {
    let mut asked = BTreeMap::<(bool, Option<u64>, String), String>::new();
    for line in lines {
        let id = line.value["id"].to_string();
        match line.kind() {
            Kind::Request => {
                let method = line.text("/method").unwrap_or_default().to_owned();
                asked.insert((line.client, line.connection, id), method);
            }
            Kind::Result | Kind::Error => {
                line.answers = asked.get(&(!line.client, line.connection, id)).cloned();
            }
            _ => {}
        }
    }
}

/// The lines as a recording of that release.
pub(super) fn recording(release: Release, lines: &[Line]) -> String {
    let release = release.to_string();
    let start =
        json!({"kind": "start", "transcript": 1, "protocol": "app-server", "release": release});
    let mut out = format!("{start}\n");
    for line in lines {
        if let Some(other) = &line.other {
            out += &format!("{other}\n");
            continue;
        }
        let from = if line.client { "client" } else { "codex" };
        let text = line.value.to_string();
        let mut record = json!({"kind": "line", "from": from, "line": text});
        if let Some(connection) = line.connection {
            record["connection"] = json!(connection);
        }
        out += &format!("{record}\n");
    }
    out
}
