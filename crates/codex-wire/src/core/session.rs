//! Start and end of the session.

use crate::core::{EventMsg, ReasoningEffort};
use crate::json::Extra;
use crate::{Maybe, Wire};

/// The session is set up. The first event of `codex proto`, with an empty id from 0.22.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SessionConfiguredEvent {
    /// The session, a UUID. The same as `conversation_id` elsewhere.
    pub session_id: String,
    /// The model.
    pub model: String,
    /// How hard it thinks, where that is set.
    ///
    /// Since 0.35.0.
    #[wire(since = "0.35.0", optional)]
    pub reasoning_effort: Maybe<ReasoningEffort>,
    /// Which history of messages it is: an inode number on Unix, 0 where there is none.
    pub history_log_id: u64,
    /// How many messages that history has.
    pub history_entry_count: u64,
    /// The events of the conversation so far, where one is resumed.
    ///
    /// Since 0.30.0.
    #[wire(since = "0.30.0", optional, recursive)]
    pub initial_messages: Maybe<Vec<EventMsg>>,
    /// Where the conversation is stored.
    ///
    /// Since 0.31.0.
    #[wire(since = "0.31.0")]
    pub rollout_path: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Codex ends. Other events may still follow.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ShutdownCompleteEvent {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
