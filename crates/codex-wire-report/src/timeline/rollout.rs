//! Renders the lines of session files as rows.
//!
//! A session file holds most things twice: as an event for people, and as the item that went to or came
//! from the model. Messages and reasoning are shown once, from the event; calls of tools from the items,
//! because most releases keep no event of them. The early form has items only.

use std::io;

use chrono::DateTime;
use codex_wire_base::Release;
use serde_json::{Value, json};

use super::open::{Location, StartedItem};
use super::phrasing::texts_of;
use super::rows::{Rows, Tone, joined};

/// Events without a row of their own here.
const SILENT: [&str; 3] = [
    "thread_settings_applied",
    "context_compacted",
    "item_completed",
];

impl Rows<'_> {
    /// A line of a session file.
    pub(super) fn rollout(&mut self, line: &Value) -> io::Result<()> {
        let place = Location::default();
        self.set_time(line);
        let Some(payload) = line.get("payload") else {
            return self.early_line(&place, line);
        };
        match line["type"].as_str().unwrap_or_default() {
            "session_meta" => self.session(payload),
            "turn_context" => self.settings(payload),
            "response_item" => self.response_item(&place, payload, false),
            "event_msg" => self.rollout_event(&place, payload, line),
            "compacted" => {
                let text = self.phrasing.of(payload.get("message"));
                self.row(Tone::Plain, "compaction", &text)
            }
            "inter_agent_communication" => {
                let text = self.phrasing.of(payload.get("content"));
                self.row(Tone::Plain, "agents", &text)
            }
            _ if !self.line.unknown => Ok(()),
            other => self.other_row(other, payload),
        }
    }

    /// The time of a line, counted from that of the first.
    fn set_time(&mut self, line: &Value) {
        let written = line["timestamp"].as_str();
        let time = written.and_then(|text| DateTime::parse_from_rfc3339(text).ok());
        let Some(now) = time.and_then(|time| u64::try_from(time.timestamp_millis()).ok()) else {
            return;
        };
        let begun = *self.begun.get_or_insert(now);
        self.line.ms = Some(now.saturating_sub(begun));
    }

    /// A line without an envelope: the header, an item, or a mark between items.
    fn early_line(&mut self, place: &Location, line: &Value) -> io::Result<()> {
        if line.get("record_type").is_some() {
            return Ok(());
        }
        match line.get("type") {
            Some(_) => self.response_item(place, line, true),
            None => self.row(Tone::TopLevel, "session", ""),
        }
    }

    fn session(&mut self, meta: &Value) -> io::Result<()> {
        let version = meta["cli_version"].as_str();
        let version = version.and_then(|text| text.parse::<Release>().ok());
        let by = version.map(|release| format!("created by {release}"));
        let source = match &meta["source"] {
            Value::Object(kinds) => kinds.keys().next().map(String::as_str),
            source => source.as_str(),
        };
        let source = source.map(|source| self.phrasing.kind(&crate::words::spaced(source)));
        let base = match (meta.get("history_base"), meta.get("forked_from_id")) {
            (Some(base), _) if base.is_object() => Some("continues another file".to_owned()),
            (_, Some(Value::String(_))) => Some("a fork".to_owned()),
            _ => None,
        };
        self.row(Tone::TopLevel, "session", &joined([by, source, base]))
    }

    fn settings(&mut self, context: &Value) -> io::Result<()> {
        let model = self.phrasing.of(context.get("model"));
        let model = (!model.is_empty()).then(|| format!("model {model}"));
        let effort = self.phrasing.value(context.get("effort"));
        let effort = (!effort.is_empty()).then(|| format!("effort {effort}"));
        let text = joined([model, effort]);
        if self.settings == text {
            return Ok(());
        }
        self.settings.clone_from(&text);
        self.row(Tone::TopLevel, "settings", &text)
    }

    fn rollout_event(&mut self, place: &Location, event: &Value, line: &Value) -> io::Result<()> {
        match event["type"].as_str().unwrap_or_default() {
            "user_message" => {
                let text = self.phrasing.of(event.get("message"));
                self.row(Tone::Plain, "user", &text)
            }
            "item_completed" => {
                let item = as_thread_item(&event["item"]);
                self.item_completed(place, &item)
            }
            kind if SILENT.contains(&kind) => Ok(()),
            _ => self.event(place, event, line),
        }
    }

    /// An item of the model. `is_alone` says that no event repeats it.
    fn response_item(&mut self, place: &Location, item: &Value, is_alone: bool) -> io::Result<()> {
        let id = item["call_id"].as_str().unwrap_or_default();
        match item["type"].as_str().unwrap_or_default() {
            "message" if is_alone => self.early_message(item),
            "reasoning" if is_alone => {
                let text = self.phrasing.text(&texts_of(&item["summary"]));
                self.row(Tone::Plain, "reasoning", &text)
            }
            kind if kind.ends_with("_call_output") || kind == "tool_search_output" => {
                let Some(begun) = self.open.take_item(place, id) else {
                    return Ok(());
                };
                let took = self.took(Some(&begun), None);
                let text = joined([Some(begun.text.clone()), took]);
                self.row(Tone::Plain, &begun.label, &text)
            }
            "web_search_call" => {
                let text = self.phrasing.of(item["action"].get("query"));
                self.row(Tone::Plain, "search", &text)
            }
            kind if kind.ends_with("_call") => {
                let begun = self.called(item);
                self.open.add_item(place, id, begun);
                Ok(())
            }
            _ if !self.line.unknown => Ok(()),
            kind => self.other_row(kind, item),
        }
    }

    fn early_message(&mut self, message: &Value) -> io::Result<()> {
        let label = match message["role"].as_str() {
            Some("assistant") => "message",
            _ => "user",
        };
        let text = self.phrasing.text(&texts_of(&message["content"]));
        self.row(Tone::Plain, label, &text)
    }

    /// A call of a tool, which its output completes.
    fn called(&self, call: &Value) -> StartedItem {
        let given = call.get("arguments").or_else(|| call.get("input"));
        let name = call["name"].as_str().unwrap_or_default();
        let (label, text) = match name {
            "shell" | "shell_command" | "exec_command" | "local_shell" => {
                ("command", self.phrasing.of(given))
            }
            "apply_patch" => ("patch", self.phrasing.of(given)),
            "" => ("command", self.phrasing.of(call["action"].get("command"))),
            name => ("tool", self.phrasing.text(name)),
        };
        self.started(label.to_owned(), text)
    }
}

/// An item of the core in the spelling of the app-server, as far as rows show it.
fn as_thread_item(item: &Value) -> Value {
    let Value::Object(members) = item else {
        return item.clone();
    };
    let mut members = members.clone();
    let kind = item["type"].as_str().unwrap_or_default();
    match kind {
        "AgentMessage" => {
            members.insert("text".into(), json!(texts_of(&item["content"])));
        }
        "Reasoning" => {
            members.insert("summary".into(), item["summary_text"].clone());
        }
        _ => {}
    }
    if let Some(took) = super::core::duration(&item["duration"]) {
        members.insert("durationMs".into(), json!(took));
    }
    let mut letters = kind.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    let kind: String = first.into_iter().chain(letters).collect();
    members.insert("type".into(), json!(kind));
    Value::Object(members)
}
