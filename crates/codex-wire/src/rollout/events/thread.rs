//! What happens to a thread as a whole.

use crate::json::Extra;
use crate::{Maybe, Wire};

/// The history was summed up to make room. Follows the `compacted` line.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ContextCompactedEvent {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The last turns no longer count. They stay in the file.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ThreadRolledBackEvent {
    /// How many turns of the user.
    pub num_turns: u32,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The thread has a new name.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ThreadNameUpdatedEvent {
    /// The thread.
    pub thread_id: String,
    /// The name.
    #[wire(optional)]
    pub thread_name: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The files were set back to a commit that Codex had made before a turn. Not recorded: upstream
/// kept the event in session files, the official schemas of the app-server have it up to 0.114.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct UndoCompletedEvent {
    /// Whether that worked.
    pub success: bool,
    /// For people.
    #[wire(optional)]
    pub message: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The goal of the thread is new or has come nearer; camelCase inside.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ThreadGoalUpdatedEvent {
    /// The thread.
    pub thread_id: String,
    /// The turn in which it changed.
    ///
    /// Until 0.137.0.
    #[wire(until = "0.137.0", optional, nullable)]
    pub turn_id: Maybe<String>,
    /// The goal.
    pub goal: ThreadGoal,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What the agent works towards, turn after turn.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ThreadGoal {
    /// The thread.
    pub thread_id: String,
    /// What is to be reached.
    pub objective: String,
    /// How far it is.
    pub status: ThreadGoalStatus,
    /// How many tokens it may take.
    #[wire(nullable)]
    pub token_budget: Maybe<i64>,
    /// How many it took.
    pub tokens_used: i64,
    /// How long it took, in seconds.
    pub time_used_seconds: i64,
    /// Since when, in seconds since 1970.
    pub created_at: i64,
    /// When this was last true, in seconds since 1970.
    pub updated_at: i64,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How far a goal is. Recorded: `active` and `complete`; the rest is from the official schemas of
/// the app-server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ThreadGoalStatus {
    /// Being worked on.
    Active,
    /// Set aside.
    Paused,
    /// Something is in the way.
    Blocked,
    /// The limits of the account are reached.
    UsageLimited,
    /// The budget is used up.
    BudgetLimited,
    /// Reached.
    Complete,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
