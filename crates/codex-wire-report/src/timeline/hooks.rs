//! Renders what hooks read and print, and what the `notify` program gets, as rows.

use std::io;

use serde_json::Value;

use super::rows::{Rows, Tone, joined};

/// Names that an input says of its event: the first that is there.
const NAMES: [&str; 5] = ["source", "tool_name", "trigger", "agent_type", "reason"];

/// Texts in an input: the first that is there.
const TEXTS: [&str; 2] = ["prompt", "last_assistant_message"];

impl Rows<'_> {
    /// What a hook reads, or what it prints.
    pub(super) fn hook(&mut self, message: &Value) -> io::Result<()> {
        let Some(event) = message["hook_event_name"].as_str() else {
            return self.hook_output(message);
        };
        if let (Some(output), None) = (message.get("output"), message.get("session_id")) {
            return self.hook_output(output);
        }
        let event = self.phrasing.kind(event);
        let name = NAMES.iter().find_map(|name| message[name].as_str());
        let name = name.map(|name| self.phrasing.kind(name));
        let text = TEXTS.iter().find_map(|name| message.get(name));
        let text = text.map(|text| self.phrasing.of(Some(text)));
        let input = &message["tool_input"]["command"];
        let command = input.is_string().then(|| self.phrasing.of(Some(input)));
        self.row(
            Tone::Plain,
            "hook",
            &joined([Some(event), name, text, command]),
        )
    }

    /// What a hook prints: its decision, and its reason.
    fn hook_output(&mut self, output: &Value) -> io::Result<()> {
        if let Some(text) = output.as_str() {
            return match text.is_empty() && !self.line.has_findings {
                true => Ok(()),
                false => {
                    let text = self.phrasing.of(Some(output));
                    self.row(Tone::Plain, "answer", &text)
                }
            };
        }
        let specific = &output["hookSpecificOutput"];
        let decisions = [
            &output["decision"],
            &specific["permissionDecision"],
            &specific["decision"]["behavior"],
        ];
        let decision = decisions.into_iter().find_map(Value::as_str);
        let stops = output["continue"] == false;
        let tone = match decision {
            Some("block" | "deny") => Tone::Bad,
            Some("allow") => Tone::Good,
            _ if stops => Tone::Bad,
            _ => Tone::Plain,
        };
        let what = match decision {
            Some(decision) => Some(self.phrasing.kind(decision)),
            None => stops.then(|| "stop".to_owned()),
        };
        let texts = [
            &output["reason"],
            &specific["permissionDecisionReason"],
            &specific["decision"]["message"],
            &output["stopReason"],
            &specific["additionalContext"],
            &output["systemMessage"],
        ];
        let text = texts.into_iter().find(|text| text.is_string());
        let text = text.map(|text| self.phrasing.of(Some(text)));
        self.row(tone, "answer", &joined([what, text]))
    }

    /// What the `notify` program gets.
    pub(super) fn notify(&mut self, message: &Value) -> io::Result<()> {
        let kind = self
            .phrasing
            .kind(message["type"].as_str().unwrap_or_default());
        let text = self.phrasing.of(message.get("last-assistant-message"));
        self.row(Tone::Plain, "notify", &joined([Some(kind), Some(text)]))
    }
}
