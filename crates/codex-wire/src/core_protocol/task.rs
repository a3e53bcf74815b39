//! Tasks: a piece of work from a submission to its end.

use crate::json::Extra;
use crate::{Maybe, Wire};

/// The agent begins to work on a submission.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TaskStartedEvent {
    /// How many tokens the model takes; `null` if Codex does not know the model.
    ///
    /// Since 0.25.0.
    #[wire(since = "0.25.0", nullable)]
    pub model_context_window: Maybe<u64>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The agent is done.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TaskCompleteEvent {
    /// The last thing it said; `null` if it said nothing or failed.
    #[wire(nullable)]
    pub last_agent_message: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The task was stopped.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TurnAbortedEvent {
    /// Why.
    pub reason: TurnAbortReason,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Why a task was stopped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum TurnAbortReason {
    /// The user stopped it.
    Interrupted,
    /// Another task took its place.
    Replaced,
    /// A review ended. In the types from 0.39.0, never seen on the wire.
    ///
    /// Since 0.39.0.
    #[wire(since = "0.39.0")]
    ReviewEnded,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
