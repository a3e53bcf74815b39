//! Turns: their beginning and end, in all threads.
//!
//! Nothing marks a turn before 0.100.0. The parent of a review has a `task_started` with the id of
//! the reviewer's turn, and a `task_complete` with another.

use crate::json::Extra;
use crate::rollout::{CodexErrorInfo, ModeKind};
use crate::{Maybe, Wire};

/// A turn begins. Upstream's name is `TurnStarted`; the wire kept `task_started`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TaskStartedEvent {
    /// Where the turn comes from; left out in reviews.
    ///
    /// Since 0.162.0.
    #[wire(since = "0.162.0", optional)]
    pub turn_attribution: Maybe<TurnAttribution>,
    /// The turn, a UUID; `rollout-3` and the like where a migration made it up.
    pub turn_id: String,
    /// The turn of the user that all this belongs to; of sub-agents that of the first thread.
    ///
    /// Since 0.156.0.
    #[wire(since = "0.156.0")]
    pub root_turn_id: Maybe<String>,
    /// The trace of the turn in telemetry. Not recorded: from upstream's type; the schema of
    /// 0.114.0 does not have it.
    ///
    /// Since 0.115.0.
    #[wire(since = "0.115.0", optional)]
    pub trace_id: Maybe<String>,
    /// When, in seconds since 1970.
    ///
    /// Since 0.120.0.
    #[wire(since = "0.120.0")]
    pub started_at: Maybe<i64>,
    /// How many tokens the model takes; `null` if Codex does not know the model, and in turns that
    /// a migration made up.
    #[wire(nullable)]
    pub model_context_window: Maybe<u64>,
    /// How the agent works with the user.
    pub collaboration_mode_kind: ModeKind,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Where a turn comes from.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TurnAttribution {
    /// The turn.
    pub turn_id: String,
    /// What set it going.
    #[wire(nullable)]
    pub turn_trigger: Maybe<TurnTrigger>,
    /// The turn of the agent that started this one.
    #[wire(nullable)]
    pub parent_turn_id: Maybe<String>,
    /// The agent that started this one: `/root`.
    #[wire(nullable)]
    pub initiating_agent_path: Maybe<String>,
    /// The turn of the user that all this belongs to.
    pub root_turn_id: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What set a turn going. The values are those recorded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum TurnTrigger {
    /// `codex exec`.
    Exec,
    /// The goal of the thread.
    Goal,
    /// The user, through a client.
    User,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// A turn ends, be it in failure.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TaskCompleteEvent {
    /// The turn of the user that all this belongs to.
    ///
    /// Since 0.162.0.
    #[wire(since = "0.162.0")]
    pub root_turn_id: Maybe<String>,
    /// The turn.
    pub turn_id: String,
    /// The last thing the agent said; `null` if it said nothing or failed.
    #[wire(nullable)]
    pub last_agent_message: Maybe<String>,
    /// Why it failed. Before, a failed turn leaves no error in the file.
    ///
    /// Since 0.145.0.
    #[wire(since = "0.145.0", optional)]
    pub error: Maybe<TurnError>,
    /// When the turn began, in seconds since 1970.
    ///
    /// Since 0.145.0.
    #[wire(since = "0.145.0")]
    pub started_at: Maybe<i64>,
    /// When it ended, in seconds since 1970.
    ///
    /// Since 0.120.0.
    #[wire(since = "0.120.0")]
    pub completed_at: Maybe<i64>,
    /// How long it took, in milliseconds.
    ///
    /// Since 0.120.0.
    #[wire(since = "0.120.0")]
    pub duration_ms: Maybe<i64>,
    /// How long the model took to its first token, in milliseconds; left out if there was none.
    ///
    /// Since 0.124.0.
    #[wire(since = "0.124.0", optional)]
    pub time_to_first_token_ms: Maybe<i64>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Why a turn failed.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TurnError {
    /// For people.
    pub message: String,
    /// What kind of error it is; recorded: `other`.
    #[wire(nullable)]
    pub codex_error_info: Maybe<CodexErrorInfo>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A turn was stopped. From 0.150.0 the command that was running follows as a completed item.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct TurnAbortedEvent {
    /// The turn of the user that all this belongs to.
    ///
    /// Since 0.162.0.
    #[wire(since = "0.162.0")]
    pub root_turn_id: Maybe<String>,
    /// The turn. Recorded from 0.105.0; the schema of 0.100.0 has it.
    ///
    /// Since 0.100.0. May be left out until 0.104.0.
    #[wire(since = "0.100.0", optional(until = "0.104.0"), nullable)]
    pub turn_id: Maybe<String>,
    /// Why. Recorded: `interrupted`.
    pub reason: TurnAbortReason,
    /// When the turn began, in seconds since 1970.
    ///
    /// Since 0.145.0.
    #[wire(since = "0.145.0")]
    pub started_at: Maybe<i64>,
    /// When it was stopped, in seconds since 1970.
    ///
    /// Since 0.120.0.
    #[wire(since = "0.120.0", optional)]
    pub completed_at: Maybe<i64>,
    /// How long it took, in milliseconds.
    ///
    /// Since 0.120.0.
    #[wire(since = "0.120.0", optional)]
    pub duration_ms: Maybe<i64>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Why a turn was stopped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum TurnAbortReason {
    /// The user stopped it.
    Interrupted,
    /// Another took its place. Not recorded.
    Replaced,
    /// A review ended. Not recorded.
    ReviewEnded,
    /// The budget of the goal is used up. Not recorded: from upstream's type, dated by the first
    /// release with goals.
    ///
    /// Since 0.128.0.
    #[wire(since = "0.128.0")]
    BudgetLimited,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
