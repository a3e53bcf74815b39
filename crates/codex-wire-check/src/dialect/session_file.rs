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
pub(super) fn has_envelope(message: View<'_>) -> bool {
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

/// A line of a session file, with the names in it that say what it is. They are looked up once, for all
/// stages that ask for them.
#[derive(Clone, Copy)]
pub(crate) struct SessionLine<'a> {
    /// Its `type`.
    pub(crate) tag: Option<&'a str>,
    pub(crate) payload: Option<View<'a>>,
    /// The type of the payload.
    pub(crate) inner: Option<&'a str>,
}

impl<'a> SessionLine<'a> {
    pub(crate) fn of(message: View<'a>) -> Self {
        let payload = message.get("payload");
        SessionLine {
            tag: message.get_str("type"),
            payload,
            inner: payload.and_then(|payload| payload.get_str("type")),
        }
    }

    /// A text member of the payload.
    #[inline(always)]
    pub(crate) fn of_payload(&self, key: &str) -> Option<&'a str> {
        self.payload?.get_str(key)
    }
}
