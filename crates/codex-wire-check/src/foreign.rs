//! What an input that is no transcript looks like, so that the user is told and not left with
//! a thousand findings.

use serde_json::Value;

/// What a line that is a JSON array looks like.
pub(crate) const ARRAY: &str = "a JSON array, where a transcript has one object per line";

/// What a line that is not JSON looks like, if that can be told.
pub(crate) fn text(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    if line.starts_with("data:") || line.starts_with("event:") {
        return Some("a server-sent event stream, perhaps of the model's provider");
    }
    if line.starts_with('<') {
        return Some("HTML or XML");
    }
    if line.starts_with(['{', '[', '"']) {
        return None;
    }
    Some("plain text, perhaps the output without `--json` or a stderr log")
}

/// What a JSON object that is no message looks like, if that can be told.
pub(crate) fn message(message: &Value) -> Option<&'static str> {
    let has = |key: &str| message.get(key).is_some();
    if has("msg") && has("id") {
        return Some("core events: `codex proto`, or `codex exec --json` up to 0.42.0");
    }
    if has("op") && has("id") {
        return Some("core submissions: the input of `codex proto`");
    }
    if has("workdir") && has("model") || has("prompt") {
        return Some("the legacy form of `codex exec --json`, up to 0.42.0");
    }
    if has("timestamp") && has("payload") {
        return Some("a rollout: a session file of Codex");
    }
    if has("method") || has("id") && (has("result") || has("error")) {
        return Some("JSON-RPC, perhaps `codex app-server`");
    }
    None
}
