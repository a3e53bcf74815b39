//! What Codex notes about the entries of a conversation, beside them and in them.

use crate::json::{Extra, Number, Raw};
use crate::{Maybe, Unknown, Wire};

/// What Codex notes about a response item, for itself: the model never receives it.
///
/// Since 0.152.0: on the outputs of tools only up to 0.153.0, on most response items from 0.157.0, on
/// every one from 0.168.0. Members that are not recorded are those that the programs of 0.169.0 and 0.171.0 name;
/// most of them are any JSON here.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CodexHarnessMetadata {
    /// The place of the item in the history of the thread, counted from 1.
    ///
    /// Since 0.168.0.
    #[wire(since = "0.168.0")]
    pub history_sequence: Maybe<u64>,
    /// The last place that the model had received when it made the item.
    ///
    /// Since 0.168.0.
    #[wire(since = "0.168.0")]
    pub sampled_through_sequence: Maybe<u64>,
    /// Not recorded.
    ///
    /// Since 0.171.0.
    #[wire(since = "0.171.0", optional)]
    pub image_replay_sources: Maybe<Raw>,
    /// Not recorded.
    #[wire(optional)]
    pub guardian_review_ids: Maybe<Raw>,
    /// Not recorded.
    #[wire(optional)]
    pub guardian_sources: Maybe<Vec<RetainedSource>>,
    /// Not recorded.
    #[wire(optional)]
    pub guardian_source_order_guidance: Maybe<Raw>,
    /// Not recorded.
    #[wire(optional)]
    pub guardian_retained_omissions: Maybe<Raw>,
    /// The message of the user or the agent that the item holds, as it is retained over
    /// compactions.
    ///
    /// Since 0.158.0.
    #[wire(since = "0.158.0", optional)]
    pub retained_source: Maybe<RetainedSource>,
    /// Whether Codex itself wrote the output, without a call of the model; left out otherwise.
    ///
    /// Since 0.168.0.
    #[wire(since = "0.168.0", optional)]
    pub additional_context_tool_output: Maybe<bool>,
    /// Whether a client of the app-server wrote a `developer` message.
    pub client_authored: bool,
    /// Not recorded.
    ///
    /// Since 0.171.0.
    #[wire(since = "0.171.0", optional)]
    pub retain_across_windows: Maybe<Raw>,
    /// In which order user messages were accepted, and answers delivered, counted from 0.
    ///
    /// Since 0.157.0.
    #[wire(since = "0.157.0", optional)]
    pub user_input_order: Maybe<u64>,
    /// To how many tokens the output of a tool was cut.
    #[wire(optional)]
    pub fallback_token_limit_override: Maybe<u64>,
    /// Not recorded.
    ///
    /// Since 0.171.0.
    #[wire(since = "0.171.0", optional)]
    pub tool_audio_budget_applied: Maybe<Raw>,
    /// Not recorded.
    #[wire(optional)]
    pub delivered_assistant_message: Maybe<Raw>,
    /// Not recorded.
    #[wire(optional)]
    pub harness_authored_configuration: Maybe<bool>,
    /// Not recorded.
    ///
    /// Since 0.166.0.
    #[wire(since = "0.166.0", optional)]
    pub compaction_without_file_error_sources: Maybe<Raw>,
    /// Not recorded.
    #[wire(optional)]
    pub compaction_model_hash: Maybe<String>,
    /// Whether the model wrote the message as the summary of a compaction; left out otherwise.
    ///
    /// Since 0.158.0.
    #[wire(since = "0.158.0", optional)]
    pub compaction_output: Maybe<bool>,
    /// Whether the message was copied from the parent of a sub-agent; left out otherwise.
    #[wire(optional)]
    pub inherited_user_message: Maybe<bool>,
    /// Which tools of MCP servers had a part in the history so far.
    ///
    /// Since 0.157.0.
    #[wire(since = "0.157.0", optional)]
    pub mcp_attribution: Maybe<McpAttribution>,
    /// Whether the model has searched so far; `unused` in every recording.
    ///
    /// Since 0.171.0.
    #[wire(since = "0.171.0", optional)]
    pub model_search_state: Maybe<String>,
    /// Not recorded.
    ///
    /// Since 0.166.0.
    #[wire(since = "0.166.0", optional)]
    pub native_search_fallback_used: Maybe<Raw>,
    /// Not recorded.
    #[wire(optional)]
    pub sender_user_messages: Maybe<Raw>,
    /// Not recorded.
    ///
    /// Since 0.166.0.
    #[wire(since = "0.166.0", optional)]
    pub heartbeat: Maybe<Raw>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Which tools of MCP servers had a part in a history.
///
/// Since 0.157.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct McpAttribution {
    /// Whether the list is complete.
    pub status: McpAttributionStatus,
    /// Why it is not: `history_missing_checkpoint` in a history that an earlier release wrote.
    #[wire(optional)]
    pub error_reason: Maybe<String>,
    /// The tools; left out where there are none.
    #[wire(optional)]
    pub sources: Maybe<Vec<McpAttributionSource>>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Whether a list of tools is complete.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum McpAttributionStatus {
    /// No tool had a part.
    None,
    /// It is complete.
    Complete,
    /// It may not be.
    AttributionError,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// A tool of an MCP server that had a part in a history.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct McpAttributionSource {
    /// The app it belongs to. Not recorded; upstream's type has it.
    #[wire(optional)]
    pub connector_id: Maybe<String>,
    /// The plugin it belongs to. Not recorded; upstream's type has it.
    #[wire(optional)]
    pub plugin_id: Maybe<String>,
    /// The server.
    pub server_name: String,
    /// The tool.
    pub tool_name: String,
    /// The first turn that called it.
    pub first_turn_id: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A message as it is retained over compactions.
///
/// Since 0.158.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct RetainedSource {
    /// The message.
    pub id: RetainedSourceId,
    /// Which version of it: `retained_` and a UUID.
    pub revision: String,
    /// Whether the item holds all of it.
    pub complete: bool,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A message that is retained.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct RetainedSourceId {
    /// The id of the response item.
    pub message_id: String,
    /// Its turn.
    pub turn_id: String,
    /// Who wrote it: `user`, `assistant`.
    pub role: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What Codex notes in a response item, for itself and the provider.
///
/// Since 0.142.0 in the official schema of the app-server; recorded from 0.144.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct InternalChatMessageMetadataPassthrough {
    /// The turn; left out for a message outside of one.
    #[wire(optional)]
    pub turn_id: Maybe<String>,
    /// When the item was made, in seconds since 1970; for items that Codex made.
    ///
    /// Since 0.148.0.
    #[wire(since = "0.148.0", optional)]
    pub create_time: Maybe<Number>,
    /// What each part of the content is, in the order of the parts: `user.text`, `unknown` …
    ///
    /// Since 0.150.0.
    #[wire(since = "0.150.0", optional)]
    pub content_item_kinds: Maybe<Vec<String>>,
    /// Who supplied each part of the content, in the order of the parts.
    ///
    /// Since 0.164.0.
    #[wire(since = "0.164.0", optional)]
    pub content_item_metadata: Maybe<Vec<ContentItemMetadata>>,
    /// Not recorded; first named by the program of 0.152.0.
    ///
    /// Since 0.147.0.
    #[wire(since = "0.147.0", optional)]
    pub executed_tool_calls: Maybe<Raw>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Who supplied a part of the content of an item.
///
/// Since 0.164.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ContentItemMetadata {
    /// Who. Upstream reads items without it too, as an earlier form; that form is not recorded.
    #[wire(optional(until = "0.165.0"))]
    pub provenance: Maybe<ContentItemProvenance>,
    /// Whether Codex supplied it, in the earlier form. Not recorded; upstream reads it.
    ///
    /// Until 0.165.0.
    #[wire(until = "0.165.0", optional)]
    pub harness_injected: Maybe<bool>,
    /// The namespace of the tool that supplied it, in the earlier form. Not recorded; upstream
    /// reads it.
    ///
    /// Until 0.165.0.
    #[wire(until = "0.165.0", optional)]
    pub source_tool_namespace: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Who supplied a part of the content of an item. Recorded are the user, Codex, tools and
/// `AGENTS.md`; the others are upstream's.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ContentItemProvenance {
    /// The user.
    User(UserProvenance),
    /// Codex, or a hook.
    Harness(HarnessProvenance),
    /// A tool, or Codex for it.
    Tool(ToolProvenance),
    /// `AGENTS.md`.
    AgentsMd(AgentsMdProvenance),
    /// Skills.
    Skills(SkillsProvenance),
    /// The instructions of the developer.
    DeveloperInstructions(DeveloperInstructionsProvenance),
    /// Nobody that is known.
    #[wire(rename = "unknown")]
    Unattributed(UnattributedProvenance),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// The user supplied it.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct UserProvenance {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Codex supplied it, or a hook.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct HarnessProvenance {
    /// Whether it was a hook.
    pub hook: bool,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A tool supplied it, or Codex for a tool.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ToolProvenance {
    /// The namespace of the tool; left out where it has none that is known.
    #[wire(optional)]
    pub namespace: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// It comes from `AGENTS.md`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AgentsMdProvenance {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// It comes from skills.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SkillsProvenance {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// It comes from the instructions of the developer.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct DeveloperInstructionsProvenance {
    /// Whether requirements of the organisation added it.
    pub from_additional_requirements: bool,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Who supplied it is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct UnattributedProvenance {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
