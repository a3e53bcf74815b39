//! Renders the messages of `codex proto` as rows, and the legacy dialect of `codex exec`, which has the
//! same events.

use std::io;

use serde_json::Value;

use super::items::changes;
use super::open::{Location, PendingRequest};
use super::phrasing::texts_of;
use super::rows::{Rows, Tone, joined};

/// Events without a row, because they repeat others or say nothing to a reader.
const SILENT: [&str; 7] = [
    "agent_reasoning_section_break",
    "agent_reasoning_raw_content",
    "turn_diff",
    "raw_response_item",
    "item_started",
    "item_completed",
    "user_message",
];

impl Rows<'_> {
    /// An event or a submission; `thread` if a stream has several.
    pub(super) fn core(&mut self, message: &Value, thread: Option<&str>) -> io::Result<()> {
        let place = Location {
            connection: self.line.connection,
            thread: thread.map(str::to_owned),
        };
        if let Some(op) = message.get("op") {
            return self.op(&place, op);
        }
        if let Some(event) = message.get("msg") {
            return self.event(&place, event, message);
        }
        if let Some(prompt) = message.get("prompt") {
            let text = self.phrasing.of(Some(prompt));
            return self.row(Tone::Plain, "user", &text);
        }
        let text = self.phrasing.of(message.get("model"));
        let model = (!text.is_empty()).then(|| format!("model {text}"));
        let sandbox = self.phrasing.value(message.get("sandbox"));
        self.row(Tone::TopLevel, "settings", &joined([model, Some(sandbox)]))
    }

    fn op(&mut self, place: &Location, op: &Value) -> io::Result<()> {
        let kind = op["type"].as_str().unwrap_or_default();
        match kind {
            "user_input" | "user_turn" => {
                let text = self.phrasing.text(&texts_of(&op["items"]));
                self.row(Tone::Plain, "user", &text)
            }
            "exec_approval" | "patch_approval" => {
                let key = (place.connection, true, approval_key(op.get("id")));
                self.answer(&key, op.get("decision"))
            }
            _ => {
                let kind = self.phrasing.kind(kind);
                self.row(Tone::Plain, self.label("request"), &kind)
            }
        }
    }

    /// The decision on an approval, and how long it took.
    pub(super) fn answer(
        &mut self,
        key: &(Option<u32>, bool, String),
        decision: Option<&Value>,
    ) -> io::Result<()> {
        let asked = self.open.take_request(key);
        let decided = match decision {
            Some(Value::Object(kinds)) => {
                let kind = kinds.keys().next().map(String::as_str).unwrap_or_default();
                crate::words::spaced(&self.phrasing.kind(kind))
            }
            decision => self.phrasing.value(decision),
        };
        let took = asked.as_ref().and_then(|asked| {
            let ms = self.line.ms?.saturating_sub(asked.ms?);
            (ms > 0).then(|| format!("after {}", crate::numbers::duration_text(ms)))
        });
        let to = asked.map(|asked| format!("requested on line {}", asked.line));
        let is_yes = ["accept", "approved"]
            .iter()
            .any(|yes| decided.starts_with(yes));
        let tone = match decided.as_str() {
            _ if is_yes => Tone::Good,
            "" => Tone::Plain,
            _ => Tone::Bad,
        };
        let decided = match decided.is_empty() {
            true => "answered".to_owned(),
            false => decided,
        };
        self.row(tone, "answer", &joined([Some(decided), took, to]))
    }

    pub(super) fn event(
        &mut self,
        place: &Location,
        event: &Value,
        message: &Value,
    ) -> io::Result<()> {
        let phrasing = self.phrasing;
        let kind = event["type"].as_str().unwrap_or_default();
        let member = |name: &str| phrasing.of(event.get(name));
        let id = event["call_id"].as_str().unwrap_or_default();
        let stated = duration(&event["duration"]);
        match kind {
            "session_configured" => {
                let model = format!("model {}", member("model"));
                self.row(Tone::TopLevel, "session", &model)
            }
            "task_started" => self.turn_started(place, ""),
            "task_complete" => self.turn_ended(place, "completed", None, None, None),
            "turn_aborted" => {
                let why = phrasing.value(event.get("reason"));
                self.turn_ended(place, "aborted", Some(why), None, None)
            }
            "agent_message" => self.text_row(place, "message", &member("message")),
            "agent_reasoning" => self.text_row(place, "reasoning", &member("text")),
            "token_count" => {
                let info = &event["info"];
                let usage = match info.get("total_token_usage") {
                    Some(total) => Some(total),
                    None if event.get("input_tokens").is_some() => Some(event),
                    None => None,
                };
                if let Some(usage) = usage {
                    self.open.turn(place).usage = Some(usage.clone());
                }
                Ok(())
            }
            "exec_command_begin" => {
                self.begins(place, id, "command", member("command"));
                Ok(())
            }
            "exec_command_end" => {
                let code = event["exit_code"].as_i64();
                let exit = code.map(|code| format!("exit {code}"));
                self.ends(place, (id, "command"), exit, code == Some(0), stated)
            }
            "patch_apply_begin" => {
                let text = changes(phrasing, &event["changes"]);
                self.begins(place, id, "patch", text);
                Ok(())
            }
            "patch_apply_end" => {
                let good = event["success"] == true;
                let how = (!good).then(|| "failed".to_owned());
                self.ends(place, (id, "patch"), how, good, stated)
            }
            "mcp_tool_call_begin" => {
                let call = &event["invocation"];
                let both = [call["server"].as_str(), call["tool"].as_str()];
                let both: Vec<&str> = both.into_iter().flatten().collect();
                self.begins(place, id, "tool", phrasing.text(&both.join(".")));
                Ok(())
            }
            "mcp_tool_call_end" => {
                let good = event["result"].get("Ok").is_some();
                let how = (!good).then(|| "failed".to_owned());
                self.ends(place, (id, "tool"), how, good, stated)
            }
            "web_search_begin" => {
                self.begins(place, id, "search", String::new());
                Ok(())
            }
            "web_search_end" => self.ends(place, (id, "search"), Some(member("query")), true, None),
            "plan_update" => self.plan(place, event, &member("explanation")),
            "exec_approval_request" | "apply_patch_approval_request" => {
                let what = match event.get("changes") {
                    Some(files) => format!("patch, {}", changes(phrasing, files)),
                    None => format!("command, {}", member("command")),
                };
                let key = (place.connection, true, approval_key(message.get("id")));
                let asked = PendingRequest {
                    line: self.line.number,
                    ms: self.line.ms,
                    label: "approval",
                    what: what.clone(),
                };
                self.open.add_request(key, asked);
                self.announce_location(place)?;
                self.row(
                    Tone::Plain,
                    "approval",
                    &joined([Some(what), Some(member("reason"))]),
                )
            }
            "error" => self.error_row(place, "error", &member("message")),
            "stream_error" => self.error_row(place, "retry", &member("message")),
            "background_event" | "warning" => self.text_row(place, "note", &member("message")),
            "shutdown_complete" => self.row(Tone::TopLevel, "shutdown", ""),
            _ if kind.ends_with("_delta") => {
                if let Some(item) = self.open.item(place, id) {
                    item.deltas += 1;
                }
                Ok(())
            }
            _ if SILENT.contains(&kind) => Ok(()),
            _ => {
                self.announce_location(place)?;
                self.other_row(kind, event)
            }
        }
    }

    fn text_row(&mut self, place: &Location, label: &str, text: &str) -> io::Result<()> {
        self.announce_location(place)?;
        self.row(Tone::Plain, label, text)
    }

    fn error_row(&mut self, place: &Location, label: &str, text: &str) -> io::Result<()> {
        self.announce_location(place)?;
        self.row(Tone::Bad, label, text)
    }

    fn begins(&mut self, place: &Location, id: &str, label: &str, text: String) {
        let begun = self.started(label.to_owned(), text);
        self.open.add_item(place, id, begun);
    }

    fn ends(
        &mut self,
        place: &Location,
        (id, label): (&str, &str),
        how: Option<String>,
        good: bool,
        stated: Option<u64>,
    ) -> io::Result<()> {
        self.announce_location(place)?;
        let begun = self.open.take_item(place, id);
        let took = self.took(begun.as_ref(), stated);
        let text = begun.map(|begun| begun.text);
        let tone = if good { Tone::Plain } else { Tone::Bad };
        self.row(tone, label, &joined([text, how, took]))
    }
}

/// The key of an approval: the submission it belongs to.
fn approval_key(id: Option<&Value>) -> String {
    let id = id.and_then(Value::as_str).unwrap_or_default();
    format!("approval {id}")
}

/// `{"secs", "nanos"}` in milliseconds.
pub(super) fn duration(duration: &Value) -> Option<u64> {
    let seconds = duration["secs"].as_u64()?;
    let rest = duration["nanos"].as_u64().unwrap_or(0) / 1_000_000;
    seconds.checked_mul(1000)?.checked_add(rest)
}
