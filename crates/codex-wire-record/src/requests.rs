//! Requests of a client of `codex app-server`, as each release accepts them.

use std::path::Path;

use codex_wire_base::Release;
use serde_json::{Value, json};

fn since(release: Release, minor: u32) -> bool {
    release >= Release::new(0, minor, 0)
}

/// The params of `initialize`.
pub(crate) fn initialize(release: Release) -> Value {
    let info = json!({"name": "recorder", "title": "Recorder", "version": "1.0.0"});
    let mut params = json!({"clientInfo": info});
    if since(release, 95) {
        params["capabilities"] = json!({"experimentalApi": true});
    }
    params
}

/// The params of `thread/start`.
pub(crate) fn thread_start(release: Release, cwd: &Path, approval: &str, sandbox: &str) -> Value {
    // Up to 0.66.0 they were spelled another way.
    let (approval, sandbox) = match (since(release, 67), approval) {
        (true, _) => (approval, sandbox),
        (false, "untrusted") => ("unlessTrusted", "dangerFullAccess"),
        (false, _) => (approval, "dangerFullAccess"),
    };
    json!({"cwd": cwd, "approvalPolicy": approval, "sandbox": sandbox})
}

/// What a user says, for `turn/start`.
pub(crate) fn input(release: Release, text: &str) -> Value {
    let mut input = json!({"type": "text", "text": text});
    if since(release, 80) {
        input["text_elements"] = json!([]);
    }
    json!([input])
}

/// The methods by which Codex says that a turn has ended. 0.58.0 says so in the events of its core
/// alone.
pub(crate) fn turn_ends(release: Release) -> &'static [&'static str] {
    match since(release, 59) {
        true => &["turn/completed"],
        false => &["codex/event/task_complete", "codex/event/turn_aborted"],
    }
}
