//! Compactions: what the model receives afterwards, and what a resume needs to know.

use crate::json::{Extra, Raw};
use crate::rollout::{
    CodexHarnessMetadata, DynamicToolSpec, MultiAgentVersion, ResponseItem, RetainedContext,
    TokenUsageRecord, TurnAttribution,
};
use crate::{Maybe, Wire};

/// A conversation was compacted: from here on the model receives other entries. The lines before
/// stay in the file.
///
/// Since 0.36.0; written by the user's command and when the context window is full.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CompactedItem {
    /// The summary.
    pub message: String,
    /// What the model receives from here on. Always written from 0.105.0; before that only where
    /// the provider made the summary, which is not recorded: the program of 0.61.0 has two members.
    ///
    /// Since 0.59.0.
    #[wire(since = "0.59.0", optional(until = "0.104.0"))]
    pub replacement_history: Maybe<Vec<ResponseItem>>,
    /// What Codex notes about each of these, in their order.
    ///
    /// Since 0.157.0.
    #[wire(since = "0.157.0")]
    pub replacement_history_metadata: Maybe<Vec<CodexHarnessMetadata>>,
    /// What an automatic reviewer knows of the conversation; any JSON.
    ///
    /// From 0.153.0 to 0.156.1.
    #[wire(since = "0.153.0", until = "0.156.1", optional)]
    pub guardian_history: Maybe<Raw>,
    /// What the user and the agent said, kept in their own words.
    ///
    /// Since 0.154.0.
    #[wire(since = "0.154.0")]
    pub retained_context: Maybe<RetainedContext>,
    /// Where resources of MCP servers come from; any JSON, because it is not recorded. First named
    /// by the program of 0.152.0.
    ///
    /// Since 0.147.0.
    #[wire(since = "0.147.0", optional)]
    pub mcp_resource_origins: Maybe<Raw>,
    /// How many windows there were before.
    ///
    /// Since 0.141.0.
    #[wire(since = "0.141.0", optional(until = "0.141.0"))]
    pub window_number: Maybe<u64>,
    /// The first context window of the thread.
    ///
    /// Since 0.141.0.
    #[wire(since = "0.141.0", optional(until = "0.141.0"))]
    pub first_window_id: Maybe<String>,
    /// The window that ends.
    ///
    /// Since 0.141.0.
    #[wire(since = "0.141.0", optional(until = "0.141.0"))]
    pub previous_window_id: Maybe<String>,
    /// The window that begins.
    ///
    /// Since 0.140.0.
    #[wire(since = "0.140.0")]
    pub window_id: Maybe<WindowId>,
    /// The response that is the summary, as the provider names it.
    ///
    /// Since 0.153.0.
    #[wire(since = "0.153.0", optional)]
    pub compaction_response_id: Maybe<String>,
    /// The tokens used up to here; `null` where they are not known.
    ///
    /// Since 0.153.0.
    #[wire(since = "0.153.0", nullable)]
    pub latest_token_usage_record: Maybe<TokenUsageRecord>,
    /// What a resume needs to know.
    ///
    /// Since 0.157.0.
    #[wire(since = "0.157.0", optional)]
    pub resume_metadata: Maybe<CompactionResumeMetadata>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The context window that begins with a compaction: a number in 0.140.0, a UUID from 0.142.0.
/// 0.141.0 is not recorded.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(untagged)]
#[non_exhaustive]
pub enum WindowId {
    /// A UUID.
    ///
    /// Since 0.141.0.
    #[wire(since = "0.141.0")]
    Uuid(String),
    /// A number.
    ///
    /// Until 0.141.0.
    #[wire(until = "0.141.0")]
    Number(u64),
    /// A value of another type.
    #[wire(unknown)]
    Unknown(Raw),
}

/// What a resume needs to know of the turns before a compaction.
///
/// Since 0.157.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CompactionResumeMetadata {
    /// The tools of the client.
    ///
    /// Since 0.163.0.
    #[wire(since = "0.163.0", optional(until = "0.165.0"), nullable)]
    pub dynamic_tools: Maybe<ResumedDynamicTools>,
    /// How agents work together; `null` where that is not settled.
    #[wire(nullable)]
    pub multi_agent_version: Maybe<MultiAgentVersion>,
    /// The last turn that began; `null` where there was none.
    #[wire(nullable)]
    pub last_started_turn_id: Maybe<String>,
    /// Why that turn began.
    ///
    /// Since 0.162.0.
    #[wire(since = "0.162.0", nullable)]
    pub turn_attribution: Maybe<TurnAttribution>,
    /// What that turn ran with; `null` where there was none.
    #[wire(nullable)]
    pub previous_turn_settings: Maybe<PreviousTurnSettings>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The tools of the client, as a thread had them.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ResumedDynamicTools {
    /// The thread.
    pub thread_id: String,
    /// The tools.
    pub tools: Vec<DynamicToolSpec>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What the turn before ran with.
///
/// Since 0.157.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct PreviousTurnSettings {
    /// The model.
    pub model: String,
    /// The provider's programme for security research. Not recorded; named by the program of
    /// 0.165.0.
    #[wire(optional, nullable)]
    pub cyber_access_program: Maybe<String>,
    /// Which ways of compacting the model shares with others, as a hash.
    #[wire(nullable)]
    pub comp_hash: Maybe<String>,
    /// Whether the user and the model spoke to each other.
    #[wire(nullable)]
    pub realtime_active: Maybe<bool>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
