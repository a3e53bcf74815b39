//! Session files: the `rollout-….jsonl` that Codex keeps of every thread.
//!
//! [`RolloutLine`] and [`EarlyLine`] are the lines, which come back byte for byte when they are written.
//! The crate `codex-wire-session` makes turns, messages, commands and tokens of them, the same way for
//! all releases.
//!
//! ```
//! use codex_wire::rollout::{RolloutItem, RolloutLine};
//!
//! let text = concat!(
//!     r#"{"timestamp":"2026-11-22T15:10:53.291Z","type":"session_meta","payload":{"id":"01a2"#,
//!     r#"","timestamp":"2026-11-22T15:10:53.100Z","cwd":"/workspace","originator":"codex_cli_rs""#,
//!     r#","cli_version":"0.42.0","instructions":null}}"#,
//! );
//! let line: RolloutLine = codex_wire::from_str(text)?;
//! match &line.item {
//!     RolloutItem::SessionMeta(meta) => assert_eq!(meta.cli_version, "0.42.0"),
//!     other => panic!("a line of another kind: {}", other.tag()),
//! }
//! assert_eq!(codex_wire::to_string(&line), text);
//! # Ok::<(), codex_wire::Error>(())
//! ```
//!
//! # Files
//! A file stands in `$CODEX_HOME/sessions/YYYY/MM/DD`, or in `archived_sessions`, and has one JSON
//! object per line: [`RolloutLine`] from 0.34.0, [`EarlyLine`] from 0.20.0 to 0.29.0. Lines end
//! with `\n`; other line separators of Unicode occur inside them.
//!
//! | release | changes of the lines |
//! |---|---|
//! | 0.20.0 | a header, bare response items, `record_type` lines; no time, no release |
//! | 0.22.0 | reasoning may have no `content` |
//! | 0.34.0 | the envelope: `timestamp`, `type`, `payload`; `session_meta`, `response_item`, `event_msg`; items lose their ids |
//! | 0.36.0 | `turn_context`, one for each request to the model; `compacted` |
//! | 0.40.0 | `token_count.rate_limits`, `turn_aborted` |
//! | 0.44.0 | `session_meta.source` |
//! | 0.53.0 | `session_meta.model_provider`; outputs of tools may be parts |
//! | 0.58.0 | `ghost_snapshot`, up to 0.77.0 |
//! | 0.59.0 | `sandbox_policy` tagged by `type`, before by `mode` |
//! | 0.61.0 | `web_search_call` |
//! | 0.63.0 | a review has a file of its own |
//! | 0.80.0 | `turn_context` with instructions, schema of the answer, `truncation_policy`; `thread_rolled_back` |
//! | 0.89.0 | `base_instructions` for `instructions`, `forked_from_id`, `collaboration_mode` |
//! | 0.90.0 | `collaboration_mode` with settings of its own |
//! | 0.92.0 | sub-agents name their parent in `source` |
//! | 0.94.0 | `personality`, up to 0.161.0; since 0.156.0 only if it is set |
//! | 0.98.0 | `dynamic_tools`; `phase` of messages |
//! | 0.100.0 | `turn_id`; a turn has `task_started` and `task_complete` |
//! | 0.105.0 | `replacement_history`; names of agents |
//! | 0.107.0 | `turn_context` once for each turn, before the user's message; `current_date` and `timezone`, up to 0.160.1 |
//! | 0.110.0 | `realtime_active` |
//! | 0.120.0 | times and durations of turns; `thread_name_updated`, up to 0.128.0 |
//! | 0.121.0 | `namespace` of calls |
//! | 0.124.0 | the time to the first token; `file_system_sandbox_policy` |
//! | 0.125.0 | `permission_profile`, `agent_path`, `memory_mode` |
//! | 0.129.0 | `thread_source` |
//! | 0.131.0 | `thread_goal_updated` |
//! | 0.133.0 | `turn_context` without instructions, schema and `truncation_policy` |
//! | 0.136.0 | `workspace_roots`, up to 0.160.1 |
//! | 0.137.0 | `parent_thread_id`, `multi_agent_version` |
//! | 0.140.0 | context windows have a number; `sub_agent_activity`; `inter_agent_communication`, up to 0.142.5 |
//! | 0.142.0 | `session_id`; ids of the model's items; context windows have UUIDs |
//! | 0.143.0 | `history_mode`, `context_window`; `world_state`; `agent_message`, `inter_agent_communication_metadata` |
//! | 0.144.0 | `approvals_reviewer`, `comp_hash`; what Codex notes in items |
//! | 0.145.0 | `cache_write_input_tokens` |
//! | 0.146.0 | ids of all items |
//! | 0.147.0 | paginated threads: `ordinal`, `history_base`, `item_completed` |
//! | 0.148.0 | `base_instructions.provenance`; `create_time` of items |
//! | 0.150.0 | `content_item_kinds`; outputs that answer no call |
//! | 0.151.0 | segments; `forked_from_ordinal_exclusive` |
//! | 0.152.0 | `metadata` beside items |
//! | 0.153.0 | `token_usage_record`, `root_turn_id` |
//! | 0.154.0 | `retained_context` |
//! | 0.155.0 | `runtime_workspace_roots`, `disabled_plugin_ids` |
//! | 0.156.0 | `root_turn_id` of `task_started` |
//! | 0.157.0 | `resume_metadata`, `replacement_history_metadata`; `mcp_attribution` |
//! | 0.158.0 | `retained_source`, `compaction_output` |
//! | 0.162.0 | `turn_attribution` |
//! | 0.163.0 | `status` of messages and calls, `annotations` |
//! | 0.164.0 | `content_item_metadata` |
//! | 0.167.2 | `file_id` of sounds in messages |
//! | 0.168.0 | `account_scoped`; `history_sequence`; `requested_approvals_reviewer` |
//! | 0.169.0 | `file_id` of sounds in outputs; `sandbox_policy` is the last member of `turn_context` |
//! | 0.171.0 | `model_search_state`; `image_replay_sources`, `retain_across_windows`, `tool_audio_budget_applied` |
//!
//! # Who wrote a line
//! `session_meta.cli_version` names the release that created the file. It does not name the writer
//! of every line: a resume appends without a mark, a fork of a legacy thread copies its parent's
//! lines, and a migration rewrites a file in place. So one file may hold lines of several releases;
//! the types read them all, and what they do not know is kept.
//!
//! # Sources
//! Real session files of 35 releases, made offline with a scripted model, and the dates of changes
//! from more than 40 others. What they lack is said at each item: kinds of response items and their members are
//! known from the official schemas of the app-server, which sends the same items; other members
//! from the names that the released programs carry, and from upstream's types.
//!
//! Not recorded, because npm has no such release: 0.30.0 to 0.33.0, 0.35.0, 0.37.0, 0.38.0, 0.41.0,
//! 0.43.0, 0.46.0, 0.48.0, 0.51.0. What changed within a gap is placed at the first release that was
//! recorded with it, unless another source knows better. Also not recorded: sessions of a ChatGPT
//! account (rate limits, summaries that the provider makes), of Windows, with images of the user,
//! with questions of MCP servers, spoken ones, memories.
//!
//! # What is the same elsewhere
//! Events are those of the core protocol and of the app-server up to 0.114.0, response items those
//! of the core protocol and of the app-server. Types of [`core_protocol`](crate::core_protocol) are used here where
//! the wire did not change since 0.42.0. A test holds the other types that have the name of one in
//! [`core_protocol`](crate::core_protocol) equal to it on the wire, from 0.34.0 to 0.42.0, and lists those that are not
//! with the reason: [`EventMsg`], of whose kinds files keep a few, and the events that files keep
//! since 0.100.0 or later only.

mod communication;
mod compacted;
mod early;
mod event_msg;
mod events;
mod item;
mod items;
mod line;
mod metadata;
mod parts;
mod policy;
mod response_item;
mod retained;
mod sandbox;
mod session_meta;
mod turn_context;
mod usage_record;
mod world_state;

pub use communication::{InterAgentCommunication, InterAgentCommunicationMetadata};
pub use compacted::{
    CompactedItem, CompactionResumeMetadata, PreviousTurnSettings, ResumedDynamicTools, WindowId,
};
pub use early::{EarlyHeader, EarlyLine, EarlyRecord};
pub use event_msg::*;
pub use events::*;
pub use item::*;
pub use items::*;
pub use line::{RolloutItem, RolloutLine};
pub use metadata::{
    AgentsMdProvenance, CodexHarnessMetadata, ContentItemMetadata, ContentItemProvenance,
    DeveloperInstructionsProvenance, HarnessProvenance, InternalChatMessageMetadataPassthrough,
    McpAttribution, McpAttributionSource, McpAttributionStatus, RetainedSource, RetainedSourceId,
    SkillsProvenance, ToolProvenance, UnattributedProvenance, UserProvenance,
};
pub use parts::*;
pub use policy::*;
pub use response_item::{
    AdditionalToolsItem, AgentEncryptedContent, AgentInputTextContent, AgentMessageInputContent,
    AgentMessageItem, CompactionItem, CompactionSummaryItem, CompactionTriggerItem,
    ConfigurationReasoning, ConfigurationUpdateItem, ContentItem, ContextCompactionItem,
    CustomToolCallItem, CustomToolCallOutputItem, FunctionCallItem, FunctionCallOutputBody,
    FunctionCallOutputContentItem, FunctionCallOutputItem, GhostCommit, GhostSnapshotItem,
    ImageGenerationCallItem, InputAudioContent, InputImageContent, LocalShellCallItem, MessageItem,
    OtherResponseItem, OutputTextContent, ReasoningItem, ResponseItem, ResponseItemMetadata,
    ToolAudioContent, ToolEncryptedContent, ToolImageContent, ToolSearchCallItem,
    ToolSearchOutputItem, ToolTextContent, WebSearchCallItem,
};
pub use retained::{
    RetainedAnswer, RetainedContext, RetainedContextEvent, RetainedMessage, VerifiedAnswerEvent,
    VerifiedQuestionAnswer,
};
pub use sandbox::{
    DangerFullAccessSandbox, ExternalSandbox, FileSystemSandboxKind, FileSystemSandboxPolicy,
    ReadOnlySandbox, TurnSandboxPolicy, TypedSandboxPolicy, WorkspaceWriteSandbox,
};
pub use session_meta::{
    BaseInstructions, BaseInstructionsProvenance, CustomProvenance, DynamicFunctionTool,
    DynamicNamespaceTool, DynamicToolNamespaceTool, DynamicToolSpec, GitInfo, HistoryPosition,
    ModelProvenance, MultiAgentVersion, NamespacedFunctionTool, PlainDynamicTool,
    SessionContextWindow, SessionMeta, SessionSource, SubAgentSource, TaggedDynamicTool,
    ThreadHistoryMode, ThreadSpawnSource,
};
pub use turn_context::{
    EarlyCollaborationMode, MultiAgentMode, TruncationMode, TruncationPolicy,
    TurnCollaborationMode, TurnContextItem, TurnContextNetworkItem, TurnReasoningEffort,
};
pub use usage_record::TokenUsageRecord;
pub use world_state::WorldStateItem;

// What the lines share with the core protocol, unchanged.
pub use crate::core_protocol::{
    InputTextContent, LocalShellAction, LocalShellExecAction, LocalShellStatus, ReasoningContent,
    ReasoningPlainText, ReasoningSummary, ReasoningSummaryItem, ReasoningText, SummaryText,
};
