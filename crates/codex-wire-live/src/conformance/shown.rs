//! What a client showed.

use std::collections::BTreeSet;

use codex_wire_replay::is_turn;
use serde_json::Value;

/// What a client showed in one run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Shown {
    /// The exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    /// Whether it was ended because it took too long.
    pub timed_out: bool,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// The lines that it sent, in the order in which the stand-in read them.
    pub sent: Vec<String>,
    /// Whether the stand-in was killed before it could write down its end: it may not have read what the client sent
    /// last.
    pub is_cut: bool,
    /// Whether it started a turn.
    pub(crate) starts_turn: bool,
    /// How the last turn ended: whether it completed; nothing if none ended.
    pub(crate) turn_completed: Option<bool>,
    /// Requests of Codex that it did not answer: method and id.
    pub open: Vec<String>,
    /// The exchanges, as transcripts.
    pub exchange: Vec<u8>,
    /// What no recording answers.
    pub misses: Vec<String>,
    /// The ids of the faults that were injected.
    pub injected: BTreeSet<String>,
}

impl Shown {
    /// Adds an exchange, as a transcript: what the client sent, and which requests of Codex it left open.
    pub(crate) fn add_exchange(&mut self, bytes: &[u8]) {
        let mut open: Vec<(String, String)> = Vec::new();
        let mut has_exit = false;
        for record in bytes.split(|byte| *byte == b'\n') {
            let Ok(record) = serde_json::from_slice::<Value>(record) else {
                continue;
            };
            has_exit |= record["kind"] == "exit";
            let Some(line) = record["line"].as_str() else {
                continue;
            };
            let message: Value = serde_json::from_str(line).unwrap_or_default();
            let id = message.get("id").map(ToString::to_string);
            let method = message["method"].as_str();
            if record["from"] == "client" {
                self.sent.push(line.to_owned());
                self.starts_turn |= starts_turn(&message);
                if method.is_none() {
                    open.retain(|(own, _)| Some(own) != id.as_ref());
                }
                continue;
            }
            self.turn_completed = turn_end(&message).or(self.turn_completed);
            match (method, id) {
                (Some(method), Some(id)) => open.push((id, method.to_owned())),
                (Some("serverRequest/resolved"), None) => {
                    let id = message["params"]["requestId"].to_string();
                    open.retain(|(own, _)| *own != id);
                }
                _ => {}
            }
        }
        self.is_cut |= !has_exit;
        self.open.extend(
            open.into_iter()
                .map(|(id, method)| format!("{method} (id {id})")),
        );
        self.exchange.extend_from_slice(bytes);
    }
}

/// Whether a message of a client starts a turn.
pub(crate) fn starts_turn(message: &Value) -> bool {
    let method = message["method"].as_str();
    let op = message["op"]["type"].as_str();
    let begun = method.or(op);
    begun.is_some_and(|name| is_turn(name) || name == "review/start")
}

/// Whether a turn completed, if a message of Codex ends one.
fn turn_end(message: &Value) -> Option<bool> {
    if message["method"] == "turn/completed" {
        return Some(message["params"]["turn"]["status"] == "completed");
    }
    let own = message["type"].as_str();
    let event = message["msg"]["type"].as_str();
    let event = event.or(message["params"]["msg"]["type"].as_str());
    match own.or(event)? {
        "turn.completed" | "task_complete" => Some(true),
        "turn.failed" | "turn_aborted" | "error" => Some(false),
        _ => None,
    }
}
