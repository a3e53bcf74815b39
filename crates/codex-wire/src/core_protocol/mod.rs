//! The core protocol: submissions go in, events come out.
//!
//! `codex proto` takes one [`Submission`] per line on its standard input and writes one
//! [`Event`] per line, up to 0.42.0. `codex exec --json` writes the same events up to 0.42.0,
//! behind two lines of its own; see `exec::legacy`.
//!
//! A submission has an id of the client's choosing; the events that follow from it carry the
//! same id. Events that follow from nothing, such as the first `session_configured` from
//! 0.22.0 and notices about MCP servers, carry an empty id.
//!
//! | release | changes |
//! |---|---|
//! | 0.20.0 | 9 kinds of submission, 25 of events |
//! | 0.21.0 | `exec_command_begin.parsed_cmd` |
//! | 0.22.0-alpha.1 | stands for the core of 2025-08-13 (llmx): `agent_reasoning_section_break` |
//! | 0.22.0 | `user_turn` for `configure_session`; `parsed_cmd[].cmd` is one string |
//! | 0.23.0 | agcodex-protocol 0.1.0; `override_turn_context`, `list_mcp_tools`, `turn_aborted`; efforts with `minimal` and without `none` |
//! | 0.24.0 | `get_history`, `web_search_begin`, `stream_error`, aggregated and formatted output; `parsed_cmd` tagged by `type` |
//! | 0.25.0 | `task_started.model_context_window` |
//! | 0.26.0 | `list_custom_prompts`, `web_search_end` |
//! | 0.28.0 | a deleted file has its content; four kinds of parsed command go |
//! | 0.30.0 | output chunks in base64; `user_message`, `session_configured.initial_messages` |
//! | 0.31.0 | `token_count` as `{info}`; `rollout_path`; `conversation_id` in the message history |
//! | 0.35.0 | `get_path` for `get_history`; `review`; efforts may be absent or `null` |
//! | 0.39.0 | the abort reason `review_ended` |
//! | 0.40.0 | `token_count.rate_limits` |
//! | 0.41.0 | rate limits by window; `user_turn.final_output_json_schema` |
//!
//! Sources: upstream's types at the releases' tags; recordings of 0.20.0 to 0.42.0 in both
//! directions; the error messages of the same programs, which list the kinds and values they
//! know. Not recorded because npm has no such release: 0.24.0, 0.26.0, 0.30.0 to 0.33.0,
//! 0.35.0 and 0.41.0. What changed within those gaps is placed by upstream's tags.
//!
//! Codex reads a submission more freely than a client would write it: a member that may be
//! absent may be `null` too, unknown members are ignored, and a line it cannot read gets no
//! answer. Only `override_turn_context.effort` tells `null` from absent.
//!
//! ```
//! use codex_wire::core_protocol::{Event, EventMsg, InputItem, Submission, UserInputOp};
//!
//! let submission = Submission::new("1", UserInputOp::new([InputItem::text("Hello")]));
//! assert_eq!(
//!     codex_wire::to_string(&submission),
//!     r#"{"id":"1","op":{"type":"user_input","items":[{"type":"text","text":"Hello"}]}}"#,
//! );
//!
//! let line = r#"{"id":"1","msg":{"type":"agent_message","message":"Hello yourself."}}"#;
//! let event: Event = codex_wire::from_str(line)?;
//! assert_eq!(event.id, submission.id);
//! match &event.msg {
//!     EventMsg::AgentMessage(message) => assert_eq!(message.message, "Hello yourself."),
//!     other => panic!("an event of another kind: {}", other.tag()),
//! }
//! # Ok::<(), codex_wire::Error>(())
//! ```

mod event;
mod exec;
mod history;
mod input;
mod kind;
mod mcp;
mod message;
mod op;
mod output;
mod parsed_command;
mod patch;
mod path;
mod plan;
mod policy;
mod prompts;
mod provider;
mod response_item;
mod review;
mod session;
mod settings;
mod task;
mod usage;
mod web_search;

pub use event::{Event, EventMsg, SessionConfiguredEvent};
pub use exec::{
    Duration, ExecApprovalRequestEvent, ExecCommandBeginEvent, ExecCommandEndEvent,
    ExecCommandOutputDeltaEvent,
};
pub use history::{
    ConversationHistoryEvent, ConversationPathEvent, GetHistoryEntryResponseEvent, HistoryEntry,
};
pub use input::{ImageInput, InputItem, LocalImageInput, TextInput};
pub use kind::EventKind;
pub use mcp::{
    McpInvocation, McpListToolsResponseEvent, McpToolCallBeginEvent, McpToolCallEndEvent,
    McpToolCallOutcome,
};
pub use message::{
    AgentMessageDeltaEvent, AgentMessageEvent, AgentReasoningDeltaEvent, AgentReasoningEvent,
    AgentReasoningRawContentDeltaEvent, AgentReasoningRawContentEvent,
    AgentReasoningSectionBreakEvent, BackgroundEventEvent, ErrorEvent, InputMessageKind,
    StreamErrorEvent, UserMessageEvent,
};
pub use op::{
    AddToHistoryOp, CompactOp, ConfigureSessionOp, ExecApprovalOp, GetHistoryEntryRequestOp,
    GetHistoryOp, GetPathOp, InterruptOp, ListCustomPromptsOp, ListMcpToolsOp, Op,
    OverrideTurnContextOp, PatchApprovalOp, ReviewDecision, ReviewOp, ShutdownOp, Submission,
    UserInputOp, UserTurnOp,
};
pub use output::{Base64, Base64Error, ExecOutputChunk, ExecOutputStream};
pub use parsed_command::{
    CommandText, EarlyFormatCommand, EarlyLintCommand, EarlyListFilesCommand, EarlyNoopCommand,
    EarlyParsedCommand, EarlyReadCommand, EarlySearchCommand, EarlyTestCommand,
    EarlyUnknownCommand, FormatCommand, LintCommand, ListFilesCommand, NoopCommand, ParsedCommand,
    ParsedCommandKind, ReadCommand, SearchCommand, TaggedParsedCommand, TestCommand,
    UnknownCommand,
};
pub use patch::{
    AddChange, ApplyPatchApprovalRequestEvent, DeleteChange, FileChange, PatchApplyBeginEvent,
    PatchApplyEndEvent, TurnDiffEvent, UpdateChange,
};
pub use plan::{PlanItemArg, StepStatus, UpdatePlanArgs};
pub use policy::{
    AskForApproval, DangerFullAccessPolicy, ParseApprovalError, ReadOnlyPolicy, SandboxPolicy,
    WorkspaceWritePolicy, WritableRoot,
};
pub use prompts::{CustomPrompt, ListCustomPromptsResponseEvent};
pub use provider::{ModelProviderInfo, WireApi};
pub use response_item::{
    ContentItem, CustomToolCallItem, CustomToolCallOutputItem, FunctionCallItem,
    FunctionCallOutputItem, InputImageContent, InputTextContent, LocalShellAction,
    LocalShellCallItem, LocalShellExecAction, LocalShellStatus, MessageItem, OutputTextContent,
    ReasoningContent, ReasoningItem, ReasoningPlainText, ReasoningSummaryItem, ReasoningText,
    ResponseItem, SummaryText,
};
pub use review::{
    EnteredReviewModeEvent, ExitedReviewModeEvent, ReviewCodeLocation, ReviewFinding,
    ReviewLineRange, ReviewOutputEvent, ReviewRequest,
};
pub use session::ShutdownCompleteEvent;
pub use settings::{ReasoningEffort, ReasoningSummary};
pub use task::{TaskCompleteEvent, TaskStartedEvent, TurnAbortReason, TurnAbortedEvent};
pub use usage::{
    FinalOutput, RateLimitSnapshot, RateLimitWindow, TokenCountEvent, TokenUsage, TokenUsageInfo,
};
pub use web_search::{WebSearchBeginEvent, WebSearchEndEvent};
