//! Reads the facts of a live stream, line by line: one file for each protocol.

mod app_server;
mod core;
mod exec;
mod threads;

use serde_json::Value;

pub(super) use threads::Stream;

/// Reads a message of Codex. `answers` is the method of the request it answers.
pub(super) fn read(stream: &mut Stream, message: &Value, answers: Option<&str>, line: u64) {
    if message.get("method").is_some() {
        app_server::notification(stream, message, line);
    } else if let Some(method) = answers {
        app_server::response(stream, method, message);
    } else if message.get("msg").is_some() {
        core::event(stream, &message["msg"], line);
    } else {
        exec::event(stream, message, line);
    }
}

/// Reads a message of the client.
pub(super) fn read_client(stream: &mut Stream, message: &Value) {
    if message["method"] == "initialize" {
        app_server::initialize(stream, message);
    }
}
