//! The message history, and the conversation itself.

use crate::core_protocol::ResponseItem;
use crate::json::Extra;
use crate::{Maybe, Wire};

/// A text of the history of messages. Answers `get_history_entry_request`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct GetHistoryEntryResponseEvent {
    /// Which text was asked for.
    pub offset: u64,
    /// Of which history.
    pub log_id: u64,
    /// The text; left out if there is none there.
    #[wire(optional)]
    pub entry: Maybe<HistoryEntry>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A text some user said in some session.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct HistoryEntry {
    /// The session.
    ///
    /// Until 0.30.0.
    #[wire(until = "0.30.0")]
    pub session_id: Maybe<String>,
    /// The session, by its later name.
    ///
    /// Since 0.31.0.
    #[wire(since = "0.31.0")]
    pub conversation_id: Maybe<String>,
    /// When, in seconds since 1970.
    pub ts: u64,
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

impl HistoryEntry {
    /// The session, by either name.
    pub fn conversation(&self) -> Option<&str> {
        let id = self.conversation_id.value().or(self.session_id.value());
        id.map(String::as_str)
    }
}

/// The conversation so far. Answers `get_history`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ConversationHistoryEvent {
    /// The conversation, a UUID.
    pub conversation_id: String,
    /// What was said and done, as the model is told it.
    pub entries: Vec<ResponseItem>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Where the conversation is stored. Answers `get_path`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ConversationPathEvent {
    /// The conversation, a UUID.
    pub conversation_id: String,
    /// The file.
    pub path: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
