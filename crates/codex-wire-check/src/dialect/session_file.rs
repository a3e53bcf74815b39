//! Recognizes the lines of session files.

use codex_wire_prefilter::View;

/// The kinds of item that lines without an envelope have. Such a line is the item itself.
const EARLY_ITEMS: [&str; 6] = [
    "message",
    "reasoning",
    "local_shell_call",
    "function_call",
    "function_call_output",
    "custom_tool_call",
];

/// Whether a message is a line with an envelope: `{"timestamp", "type", "payload"}`.
pub(super) fn is_record(message: View<'_>) -> bool {
    let has = |key: &str| message.get(key).is_some();
    has("payload") && has("timestamp") && has("type")
}

/// Whether a message is a line of the early form: the header, a bare item, or a mark between items.
pub(super) fn is_early(message: View<'_>) -> bool {
    let has = |key: &str| message.get(key).is_some();
    if has("record_type") {
        return true;
    }
    match message.get("type") {
        Some(tag) => tag.as_str().is_some_and(|tag| EARLY_ITEMS.contains(&tag)),
        None => has("instructions") && has("timestamp") && has("id"),
    }
}
