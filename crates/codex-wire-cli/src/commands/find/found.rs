//! What the words name, for every format.

use codex_wire_base::MessageSet;
use codex_wire_check::Rule;
use codex_wire_schema::find::{Hit, PartKind};

use crate::resolve_release::Releases;

/// What the words name.
pub(super) struct Found<'a> {
    /// The words, without a release that stood among them.
    pub(super) words: Vec<&'a str>,
    pub(super) hits: Vec<Hit>,
    pub(super) rules: Vec<&'static Rule>,
    /// The release or the releases to say it for.
    pub(super) asked: Option<Releases>,
}

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
