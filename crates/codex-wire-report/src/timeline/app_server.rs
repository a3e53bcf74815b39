//! Renders the JSON-RPC of `codex app-server` as rows.

use std::io;

use codex_wire_check::{Answered, Writer};
use serde_json::Value;

use super::items::changes;
use super::open::{Location, PendingRequest, State};
use super::phrasing::Phrasing;
use super::rows::{Rows, Tone, joined};
use crate::numbers::duration_text;

/// Notifications without a row, because they repeat others or say nothing to a reader.
const SILENT: [&str; 13] = [
    "initialized",
    "account/rateLimits/updated",
    "thread/status/changed",
    "thread/readState/changed",
    "remoteControl/status/changed",
    "turn/diff/updated",
    "item/reasoning/summaryPartAdded",
    "rawResponseItem/completed",
    "rawResponse/completed",
    "thread/goal/cleared",
    "hook/started",
    "item/commandExecution/terminalInteraction",
    "mcpServer/startupStatus/updated",
];

impl Rows<'_> {
    pub(super) fn app_server(
        &mut self,
        message: &Value,
        answers: Option<&Answered>,
    ) -> io::Result<()> {
        let method = message["method"].as_str();
        match (method, message.get("id")) {
            (Some(method), Some(id)) => self.request(method, id, &message["params"]),
            (Some(method), None) => self.notification(method, &message["params"]),
            (None, _) => self.response(message, answers),
        }
    }

    fn request(&mut self, method: &str, id: &Value, params: &Value) -> io::Result<()> {
        let by_codex = self.line.writer != Some(Writer::Client);
        let key = (self.line.connection, by_codex, id.to_string());
        let mut what = self.phrasing.kind(method);
        if by_codex {
            if let Some(about) = subject(self.phrasing, method, params) {
                what = about;
            }
            let text = joined([
                Some(what.clone()),
                Some(self.phrasing.of(params.get("reason"))),
            ]);
            self.announce_location(&self.location_of(params))?;
            let label = match method.to_ascii_lowercase().ends_with("approval") {
                true => self.label("approval"),
                false => self.label("asks"),
            };
            self.row(Tone::Plain, label, &text)?;
        } else if self.line.unknown {
            self.row(Tone::Plain, "unknown", &what)?;
        }
        let asked = PendingRequest {
            line: self.line.number,
            ms: self.line.ms,
            label: if by_codex { "asks" } else { "request" },
            what,
        };
        self.open.add_request(key, asked);
        Ok(())
    }

    fn response(&mut self, message: &Value, answers: Option<&Answered>) -> io::Result<()> {
        let id = message.get("id").map(Value::to_string).unwrap_or_default();
        let by_codex = self.line.writer != Some(Writer::Client);
        let key = (self.line.connection, !by_codex, id);
        let error = message.get("error");
        if !by_codex && error.is_none() {
            self.announce_connection()?;
            return self.answer(&key, message["result"].get("decision"));
        }
        self.announce_connection()?;
        let asked = self.open.take_request(&key);
        let method = answers.and_then(|answers| answers.method.as_deref());
        let what = match (&asked, method) {
            (Some(asked), _) => asked.what.clone(),
            (None, Some(method)) => self.phrasing.kind(method),
            (None, None) => "a response whose request is unknown".to_owned(),
        };
        let took = asked.as_ref().and_then(|asked| {
            let ms = self.line.ms?.saturating_sub(asked.ms?);
            (ms > 0).then(|| duration_text(ms))
        });
        let failed = error.map(|error| {
            let code = error["code"].as_i64();
            let code = code.map(|code| format!("error {code}"));
            let text = self.phrasing.of(error.get("message"));
            joined([Some(code.unwrap_or_else(|| "error".to_owned())), Some(text)])
        });
        let tone = if failed.is_some() {
            Tone::Bad
        } else {
            Tone::Plain
        };
        self.row(tone, "request", &joined([Some(what), failed, took]))
    }

    fn location_of(&self, params: &Value) -> Location {
        let thread = ["threadId", "conversationId"]
            .iter()
            .find_map(|name| params.get(name))
            .or_else(|| params["thread"].get("id"));
        Location {
            connection: self.line.connection,
            thread: thread.and_then(Value::as_str).map(str::to_owned),
        }
    }

    fn notification(&mut self, method: &str, params: &Value) -> io::Result<()> {
        let phrasing = self.phrasing;
        let place = self.location_of(params);
        let item = &params["item"];
        let member = |name: &str| phrasing.of(params.get(name));
        match method {
            "thread/started" => {
                let id = params["thread"]["id"].as_str().unwrap_or_default();
                if self.several {
                    self.announce_connection()?;
                }
                let number = self.open.number(id);
                self.shown = Some(place);
                let id = phrasing.show.then(|| id.to_owned());
                let text = format!("{number} started");
                self.row(Tone::TopLevel, "thread", &joined([Some(text), id]))
            }
            "turn/started" => {
                self.open
                    .number(place.thread.as_deref().unwrap_or_default());
                self.turn_started(&place, "")
            }
            "turn/completed" if self.open.turn(&place).state == State::EndedByEvent => {
                self.open.turn(&place).state = State::Ended;
                Ok(())
            }
            "turn/completed" => {
                let turn = &params["turn"];
                let how = phrasing.value(turn.get("status"));
                let why = turn["error"]
                    .get("message")
                    .map(|text| phrasing.of(Some(text)));
                let stated = turn["durationMs"].as_u64();
                self.turn_ended(&place, &how, why, None, stated)
            }
            "item/started" => self.item_started(&place, item),
            "item/completed" => self.item_completed(&place, item),
            "turn/plan/updated" => self.plan(&place, params, &member("explanation")),
            "thread/tokenUsage/updated" => {
                let usage = params["tokenUsage"].get("total");
                self.open.turn(&place).usage = usage.cloned();
                Ok(())
            }
            "error" => {
                let text = phrasing.of(params["error"].get("message"));
                let retry = params["willRetry"] == true;
                let retry = retry.then(|| "will be tried again".to_owned());
                let info = &params["error"]["codexErrorInfo"];
                let first = || info.as_object()?.keys().next().map(String::as_str);
                let info = info.as_str().or_else(first).map(|kind| phrasing.kind(kind));
                self.announce_location(&place)?;
                self.row(Tone::Bad, "error", &joined([Some(text), info, retry]))
            }
            "configWarning" | "warning" | "deprecationNotice" | "guardianWarning" => {
                let text = params.get("summary").or_else(|| params.get("message"));
                let text = phrasing.of(text);
                self.row(Tone::Plain, "warning", &text)
            }
            "hook/completed" => {
                let run = &params["run"];
                let parts = [
                    Some(phrasing.value(run.get("eventName"))),
                    Some(phrasing.value(run.get("status"))),
                    run["durationMs"]
                        .as_u64()
                        .filter(|ms| *ms > 0)
                        .map(duration_text),
                ];
                let tone = match run["status"] == "completed" {
                    true => Tone::Plain,
                    false => Tone::Bad,
                };
                self.announce_location(&place)?;
                self.row(tone, "hook", &joined(parts))
            }
            "serverRequest/resolved" => {
                let id = params["requestId"].to_string();
                // Another client may have answered it, or no answer is needed any more.
                match self.open.take_request(&(place.connection, true, id)) {
                    Some(asked) => {
                        let text = format!("no longer needed, requested on line {}", asked.line);
                        self.announce_location(&place)?;
                        self.row(Tone::Plain, "answer", &text)
                    }
                    None => Ok(()),
                }
            }
            _ if SILENT.contains(&method) => Ok(()),
            _ if method.starts_with("codex/event/") => self.legacy_event(&place, params),
            _ if method.to_ascii_lowercase().ends_with("delta") => {
                let id = params["itemId"].as_str().unwrap_or_default();
                if let Some(item) = self.open.item(&place, id) {
                    item.deltas += 1;
                }
                Ok(())
            }
            _ => {
                self.announce_location(&place)?;
                let text = phrasing.kind(method);
                self.row(Tone::Plain, self.label("notice"), &text)
            }
        }
    }

    /// Old releases also write core events. In threads they repeat what notifications say, except for
    /// the end of a turn, which the oldest releases report only here.
    fn legacy_event(&mut self, place: &Location, params: &Value) -> io::Result<()> {
        if self.open.threads() == 0 {
            return self.core(params, place.thread.as_deref());
        }
        let kind = params["msg"]["type"].as_str().unwrap_or_default();
        let runs = self.open.turn(place).state == State::Runs;
        if runs && ["task_complete", "turn_aborted"].contains(&kind) {
            self.core(params, place.thread.as_deref())?;
            self.open.turn(place).state = State::EndedByEvent;
        }
        Ok(())
    }
}

/// What Codex requests from its client, for the usual requests.
fn subject(phrasing: Phrasing, method: &str, params: &Value) -> Option<String> {
    let parts = match method {
        "item/commandExecution/requestApproval" | "execCommandApproval" => {
            ["command".to_owned(), phrasing.of(params.get("command"))]
        }
        "item/fileChange/requestApproval" => ["patch".to_owned(), String::new()],
        "applyPatchApproval" => {
            let files = changes(phrasing, &params["fileChanges"]);
            ["patch".to_owned(), files]
        }
        "item/tool/call" => ["tool".to_owned(), phrasing.of(params.get("tool"))],
        "item/tool/requestUserInput" => {
            let questions = params["questions"].as_array().map_or(0, Vec::len) as u64;
            let questions = crate::numbers::counted(questions, "question", "questions");
            ["the user".to_owned(), questions]
        }
        _ => return None,
    };
    Some(joined(parts.map(Some)))
}
