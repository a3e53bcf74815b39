//! The words for a part of messages that all formats share.

use codex_wire_base::MessageSet;
use codex_wire_schema::find::{Hit, PartKind};

/// Who writes the messages of a set.
pub(super) fn writer(message_set: MessageSet) -> &'static str {
    match message_set {
        MessageSet::AppServerErrors => "both sides",
        MessageSet::HooksOutput => "the hook",
        set if set.is_written() => "Codex",
        _ => "the client",
    }
}

/// What a part is called in a sentence.
pub(super) fn noun(hit: &Hit) -> &'static str {
    match (hit.part.kind, hit.places.first().map(|p| p.message_set)) {
        (
            PartKind::Message,
            Some(MessageSet::AppServerClientRequests | MessageSet::AppServerServerRequests),
        ) => "request",
        (
            PartKind::Message,
            Some(MessageSet::AppServerClientResponses | MessageSet::AppServerServerResponses),
        ) => "response",
        (
            PartKind::Message,
            Some(
                MessageSet::AppServerClientNotifications | MessageSet::AppServerServerNotifications,
            ),
        ) => "notification",
        (kind, _) => kind.as_str(),
    }
}
