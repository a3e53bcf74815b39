//! Recorded streams of all protocols, line by line, each with its kind.

use std::collections::BTreeMap;
use std::path::Path;

use codex_wire::{Protocol, Release};
use serde_json::{Value, json};

use crate::support::{name, recordings, release_of};

/// A recorded stream.
pub(crate) struct Stream {
    /// Its path below the folder of recordings.
    pub(crate) name: String,
    pub(crate) protocol: Protocol,
    pub(crate) release: Release,
    pub(crate) lines: Vec<Line>,
    /// How Codex exited, where that is known.
    status: Option<i64>,
}

/// A line of it, or another record, as it stands.
#[derive(Clone, PartialEq)]
pub(crate) struct Line {
    /// What it is, in words that other streams share; empty for other records.
    pub(crate) kind: String,
    pub(crate) client: bool,
    pub(crate) connection: Option<u64>,
    pub(crate) text: String,
    pub(crate) value: Value,
}

impl Stream {
    /// The stream with other lines, as a recording.
    pub(crate) fn recording<'a>(&self, lines: impl IntoIterator<Item = &'a Line>) -> String {
        let (protocol, release) = (self.protocol.as_str(), self.release.to_string());
        let start =
            json!({"kind": "start", "transcript": 1, "protocol": protocol, "release": release});
        let mut out = format!("{start}\n");
        for line in lines {
            if line.kind.is_empty() {
                out += &format!("{}\n", line.text);
                continue;
            }
            out += &format!("{}\n", line.record());
        }
        if let Some(status) = self.status {
            out += &format!("{}\n", json!({"kind": "exit", "status": status}));
        }
        out
    }
}

impl Line {
    /// It as a record that says who wrote it.
    pub(crate) fn record(&self) -> String {
        let from = if self.client { "client" } else { "codex" };
        let mut record = json!({"kind": "line", "from": from, "line": self.text});
        if let Some(connection) = self.connection {
            record["connection"] = json!(connection);
        }
        record.to_string()
    }
}

/// All streams that are recorded, of all protocols.
pub(crate) fn recorded() -> Vec<Stream> {
    // How Codex exited is not known for recordings from elsewhere.
    let manifest = crate::support::recordings_root().join("exec/manifest.json");
    let manifest: Value = match std::fs::read(manifest) {
        Ok(manifest) => serde_json::from_slice(&manifest).unwrap(),
        Err(_) if crate::support::unseen().is_some() => Value::Null,
        Err(error) => panic!("{error}"),
    };
    let entries = manifest["transcripts"].as_array();
    let statuses: BTreeMap<&str, i64> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| Some((entry["file"].as_str()?, entry["exit_code"].as_i64()?)))
        .filter(|(_, status)| *status >= 0)
        .collect();
    let mut out = Vec::new();
    for (folder, protocol) in [
        ("exec", Protocol::Exec),
        ("exec-legacy", Protocol::Exec),
        ("core", Protocol::Core),
        ("app-server", Protocol::AppServer),
    ] {
        for path in recordings(folder) {
            let lines = lines(&path, protocol);
            let file = format!("{}.jsonl", name(&path).trim_start_matches("exec/"));
            if !lines.is_empty() {
                out.push(Stream {
                    name: name(&path),
                    protocol,
                    release: release_of(&path).unwrap(),
                    lines,
                    status: statuses.get(file.as_str()).copied(),
                });
            }
        }
    }
    assert!(!out.is_empty(), "there are no recordings");
    out
}

fn lines(path: &Path, protocol: Protocol) -> Vec<Line> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut out: Vec<Line> = Vec::new();
    for record in text.split_terminator('\n') {
        let value: Value = serde_json::from_str(record).unwrap_or_default();
        let line = match (value["kind"].as_str(), value["line"].as_str()) {
            (Some("line"), Some(text)) => Line {
                kind: String::new(),
                client: value["from"] == "client",
                connection: value["connection"].as_u64(),
                text: text.to_owned(),
                value: serde_json::from_str(text).unwrap_or_default(),
            },
            (Some("start" | "exit"), _) => continue,
            (Some(_), _) => Line {
                kind: String::new(),
                client: false,
                connection: None,
                text: record.to_owned(),
                value: Value::Null,
            },
            (None, _) => Line {
                kind: String::new(),
                client: false,
                connection: None,
                text: record.to_owned(),
                value,
            },
        };
        out.push(line);
    }
    let mut asked = BTreeMap::new();
    for line in &mut out {
        if line.value.is_object() {
            line.kind = match protocol {
                Protocol::Exec => of_exec(&line.value),
                Protocol::Core => of_core(&line.value),
                _ => of_app_server(line, &mut asked),
            };
        }
    }
    out
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str()
}

fn of_exec(value: &Value) -> String {
    if value.get("msg").is_some() {
        return of_core(value);
    }
    let item = text(value, "/item/type").or(text(value, "/item/item_type"));
    match (text(value, "/type"), item) {
        (Some(tag), Some(item)) => format!("{tag} {item}"),
        (Some(tag), None) => tag.to_owned(),
        (None, _) => "head".to_owned(),
    }
}

fn of_core(value: &Value) -> String {
    match (text(value, "/msg/type"), text(value, "/op/type")) {
        (Some(tag), _) => tag.to_owned(),
        (None, Some(op)) => format!("op {op}"),
        (None, None) => "other".to_owned(),
    }
}

type Asked = BTreeMap<(bool, Option<u64>, String), String>;

fn of_app_server(line: &Line, asked: &mut Asked) -> String {
    let value = &line.value;
    let id = value.get("id").map(Value::to_string);
    let Some(method) = text(value, "/method") else {
        let key = (!line.client, line.connection, id.unwrap_or_default());
        let method = asked.get(&key).map_or("nothing", String::as_str);
        let answer = if value.get("error").is_some() {
            "error"
        } else {
            "answer"
        };
        return format!("{answer} to {method}");
    };
    if let Some(id) = id {
        asked.insert((line.client, line.connection, id), method.to_owned());
        return format!("request {method}");
    }
    let item = text(value, "/params/item/type");
    let status = text(value, "/params/status/type").filter(|_| method.starts_with("thread/"));
    let flags = value.pointer("/params/status/activeFlags/0");
    match (item, status, flags.and_then(Value::as_str)) {
        (Some(detail), ..) | (None, Some(_), Some(detail)) | (None, Some(detail), None) => {
            format!("{method} {detail}")
        }
        (None, None, _) => method.to_owned(),
    }
}
