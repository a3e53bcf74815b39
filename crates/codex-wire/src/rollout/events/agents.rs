//! Other agents: what a thread had them do.
//!
//! The events named after `collab` are those of the first form of working with agents. They were kept
//! with the extended history only (0.104.0 to 0.128.0) and are not recorded: upstream's list of kept
//! events names them, the official schemas of the app-server have them up to 0.114.0, so what changed
//! from 0.115.0 to 0.128.0 is missing.

use crate::json::Extra;
use crate::rollout::parts::{AgentStatus, SubAgentActivityKind};
use crate::{Map, Maybe, Wire};

/// Something happened to a sub-agent; legacy threads.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SubAgentActivityEvent {
    /// The model's call.
    pub event_id: String,
    /// When, in milliseconds since 1970.
    pub occurred_at_ms: i64,
    /// The thread of the sub-agent.
    pub agent_thread_id: String,
    /// Its place among the agents, such as `/root/kid_one`.
    pub agent_path: String,
    /// What happened.
    pub kind: SubAgentActivityKind,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An agent was started, or was not.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CollabAgentSpawnEndEvent {
    /// The model's call.
    pub call_id: String,
    /// The thread that starts it.
    pub sender_thread_id: String,
    /// The thread of the agent.
    #[wire(nullable)]
    pub new_thread_id: Maybe<String>,
    /// Its name for people.
    ///
    /// Since 0.105.0.
    #[wire(since = "0.105.0", optional, nullable)]
    pub new_agent_nickname: Maybe<String>,
    /// Its role.
    ///
    /// Since 0.105.0.
    #[wire(since = "0.105.0", optional, nullable)]
    pub new_agent_role: Maybe<String>,
    /// What it was told.
    pub prompt: String,
    /// How it is.
    pub status: AgentStatus,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An agent was told something.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CollabAgentInteractionEndEvent {
    /// The model's call.
    pub call_id: String,
    /// The thread that tells.
    pub sender_thread_id: String,
    /// The thread that is told.
    pub receiver_thread_id: String,
    /// The agent's name for people.
    ///
    /// Since 0.105.0.
    #[wire(since = "0.105.0", optional, nullable)]
    pub receiver_agent_nickname: Maybe<String>,
    /// Its role.
    ///
    /// Since 0.105.0.
    #[wire(since = "0.105.0", optional, nullable)]
    pub receiver_agent_role: Maybe<String>,
    /// What it was told.
    pub prompt: String,
    /// How it is.
    pub status: AgentStatus,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The wait for agents is over.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CollabWaitingEndEvent {
    /// The thread that waited.
    pub sender_thread_id: String,
    /// The model's call.
    pub call_id: String,
    /// How the agents are, with their names.
    ///
    /// Since 0.105.0.
    #[wire(since = "0.105.0", optional)]
    pub agent_statuses: Maybe<Vec<CollabAgentStatusEntry>>,
    /// How they are, by thread.
    pub statuses: Map<AgentStatus>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How an agent is, with its names.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CollabAgentStatusEntry {
    /// Its thread.
    pub thread_id: String,
    /// Its name for people.
    #[wire(optional, nullable)]
    pub agent_nickname: Maybe<String>,
    /// Its role.
    #[wire(optional, nullable)]
    pub agent_role: Maybe<String>,
    /// How it is.
    pub status: AgentStatus,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An agent was ended.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CollabCloseEndEvent {
    /// The model's call.
    pub call_id: String,
    /// The thread that ended it.
    pub sender_thread_id: String,
    /// The thread that was ended.
    pub receiver_thread_id: String,
    /// The agent's name for people.
    ///
    /// Since 0.105.0.
    #[wire(since = "0.105.0", optional, nullable)]
    pub receiver_agent_nickname: Maybe<String>,
    /// Its role.
    ///
    /// Since 0.105.0.
    #[wire(since = "0.105.0", optional, nullable)]
    pub receiver_agent_role: Maybe<String>,
    /// How it was.
    pub status: AgentStatus,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An agent goes on.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CollabResumeEndEvent {
    /// The model's call.
    pub call_id: String,
    /// The thread that asked for it.
    pub sender_thread_id: String,
    /// The thread that goes on.
    pub receiver_thread_id: String,
    /// The agent's name for people.
    ///
    /// Since 0.105.0.
    #[wire(since = "0.105.0", optional, nullable)]
    pub receiver_agent_nickname: Maybe<String>,
    /// Its role.
    ///
    /// Since 0.105.0.
    #[wire(since = "0.105.0", optional, nullable)]
    pub receiver_agent_role: Maybe<String>,
    /// How it is.
    pub status: AgentStatus,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
