//! What a client showed.

use std::collections::BTreeSet;

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
        for record in bytes.split(|byte| *byte == b'\n') {
            let Ok(record) = serde_json::from_slice::<Value>(record) else {
                continue;
            };
            let Some(line) = record["line"].as_str() else {
                continue;
            };
            let message: Value = serde_json::from_str(line).unwrap_or_default();
            let id = message.get("id").map(ToString::to_string);
            let method = message["method"].as_str();
            if record["from"] == "client" {
                self.sent.push(line.to_owned());
                if method.is_none() {
                    open.retain(|(own, _)| Some(own) != id.as_ref());
                }
                continue;
            }
            match (method, id) {
                (Some(method), Some(id)) => open.push((id, method.to_owned())),
                (Some("serverRequest/resolved"), None) => {
                    let id = message["params"]["requestId"].to_string();
                    open.retain(|(own, _)| *own != id);
                }
                _ => {}
            }
        }
        self.open.extend(
            open.into_iter()
                .map(|(id, method)| format!("{method} (id {id})")),
        );
        self.exchange.extend_from_slice(bytes);
    }
}
