//! What the source of a session can tell.

use codex_wire_session::Session;

/// Whether each count of tokens is that of one response of the model. `codex exec` counts turns, and so did `codex proto`
/// up to 0.29.0.
pub(crate) fn counts_responses(protocol: Option<&str>) -> bool {
    matches!(protocol, Some("app-server" | "rollout"))
}

/// Whether what a response says stands before the count of its tokens, so that items can be told apart by it. In a
/// stream, a call of a tool may begin before or after it.
pub(crate) fn counts_after_items(session: &Session) -> bool {
    session.protocol.as_deref() == Some("rollout")
}
