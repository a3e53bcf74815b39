//! Tasks delegated to other agents.

use crate::json::Extra;
use crate::{Map, Maybe, Wire};

/// A call of the tools by which an agent starts others, talks to them and waits for them.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CollabToolCallItem {
    /// Which tool. Resuming an agent is reported as `wait`.
    pub tool: CollabTool,
    /// The thread that calls.
    pub sender_thread_id: String,
    /// The threads that are called; empty while one is being started.
    pub receiver_thread_ids: Vec<String>,
    /// What they are told; `null` where nothing is said.
    #[wire(nullable)]
    pub prompt: Maybe<String>,
    /// How the called threads are, by thread id; empty until the call completes.
    pub agents_states: Map<CollabAgentState>,
    /// How far the call is.
    pub status: CollabToolCallStatus,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A tool for working with other agents.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum CollabTool {
    /// Starts an agent.
    SpawnAgent,
    /// Tells an agent something.
    SendInput,
    /// Waits for agents.
    Wait,
    /// Ends an agent.
    CloseAgent,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// How far a call is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum CollabToolCallStatus {
    /// It runs.
    InProgress,
    /// It succeeded.
    Completed,
    /// It failed.
    Failed,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// How a called agent is.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CollabAgentState {
    /// How far it is.
    pub status: CollabAgentStatus,
    /// What it said last, or why it failed.
    #[wire(nullable)]
    pub message: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How far an agent is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum CollabAgentStatus {
    /// It is being started.
    PendingInit,
    /// It works.
    Running,
    /// It was interrupted. The app-server's schema has the value from 0.115.0.
    ///
    /// Since 0.115.0.
    #[wire(since = "0.115.0")]
    Interrupted,
    /// It is done.
    Completed,
    /// It failed.
    Errored,
    /// It was ended.
    Shutdown,
    /// There is no such agent.
    NotFound,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
