//! Events: what Codex writes.

use crate::core_protocol::{
    AgentMessageDeltaEvent, AgentMessageEvent, AgentReasoningDeltaEvent, AgentReasoningEvent,
    AgentReasoningRawContentDeltaEvent, AgentReasoningRawContentEvent,
    AgentReasoningSectionBreakEvent, ApplyPatchApprovalRequestEvent, BackgroundEventEvent,
    ConversationHistoryEvent, ConversationPathEvent, EnteredReviewModeEvent, ErrorEvent, EventKind,
    ExecApprovalRequestEvent, ExecCommandBeginEvent, ExecCommandEndEvent,
    ExecCommandOutputDeltaEvent, ExitedReviewModeEvent, GetHistoryEntryResponseEvent,
    ListCustomPromptsResponseEvent, McpListToolsResponseEvent, McpToolCallBeginEvent,
    McpToolCallEndEvent, PatchApplyBeginEvent, PatchApplyEndEvent, ReasoningEffort,
    ShutdownCompleteEvent, StreamErrorEvent, TaskCompleteEvent, TaskStartedEvent, TokenCountEvent,
    TurnAbortedEvent, TurnDiffEvent, UpdatePlanArgs, UserMessageEvent, WebSearchBeginEvent,
    WebSearchEndEvent,
};
use crate::json::Extra;
use crate::{Maybe, Unknown, Wire};

/// One line Codex writes.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct Event {
    /// The id of the submission it follows from; empty if it follows from none.
    pub id: String,
    /// What happens.
    pub msg: EventMsg,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

impl Event {
    /// What kind of event it is.
    pub fn kind(&self) -> EventKind {
        self.msg.kind()
    }
}

/// What happens.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum EventMsg {
    /// The session is set up. First event of `codex proto`.
    SessionConfigured(SessionConfiguredEvent),
    /// The agent begins to work on a submission.
    TaskStarted(TaskStartedEvent),
    /// The agent is done, or failed for good. Not printed by `codex exec --json`.
    TaskComplete(TaskCompleteEvent),
    /// The task was stopped.
    ///
    /// Since 0.23.0.
    #[wire(since = "0.23.0")]
    TurnAborted(TurnAbortedEvent),
    /// A submission failed. Up to 0.22.0 also the answer to `interrupt`.
    Error(ErrorEvent),
    /// The connection to the model broke and is opened again.
    ///
    /// Since 0.24.0.
    #[wire(since = "0.24.0")]
    StreamError(StreamErrorEvent),
    /// A notice.
    BackgroundEvent(BackgroundEventEvent),
    /// Tokens used so far, after each request to the model.
    TokenCount(TokenCountEvent),
    /// What the agent says.
    AgentMessage(AgentMessageEvent),
    /// A delta of the message of the agent. Not printed by `codex exec --json`.
    AgentMessageDelta(AgentMessageDeltaEvent),
    /// A section of the summary of the model's reasoning.
    AgentReasoning(AgentReasoningEvent),
    /// A delta of that summary. Not printed by `codex exec --json`.
    AgentReasoningDelta(AgentReasoningDeltaEvent),
    /// The model's reasoning itself, where it is shown.
    AgentReasoningRawContent(AgentReasoningRawContentEvent),
    /// A delta of the reasoning itself.
    AgentReasoningRawContentDelta(AgentReasoningRawContentDeltaEvent),
    /// A new section of the reasoning summary begins.
    ///
    /// Since 0.22.0-alpha.1.
    #[wire(since = "0.22.0-alpha.1")]
    AgentReasoningSectionBreak(AgentReasoningSectionBreakEvent),
    /// What the model was told.
    ///
    /// Since 0.30.0.
    #[wire(since = "0.30.0")]
    UserMessage(UserMessageEvent),
    /// May a command run? Answer with `exec_approval`.
    ExecApprovalRequest(ExecApprovalRequestEvent),
    /// A command begins to run.
    ExecCommandBegin(ExecCommandBeginEvent),
    /// A running command writes.
    ExecCommandOutputDelta(ExecCommandOutputDeltaEvent),
    /// A command has ended.
    ExecCommandEnd(ExecCommandEndEvent),
    /// May a patch be applied? Answer with `patch_approval`.
    ApplyPatchApprovalRequest(ApplyPatchApprovalRequestEvent),
    /// A patch is being applied.
    PatchApplyBegin(PatchApplyBeginEvent),
    /// A patch has been applied, or has not.
    PatchApplyEnd(PatchApplyEndEvent),
    /// All changes of the turn so far.
    TurnDiff(TurnDiffEvent),
    /// A call of a tool on an MCP server begins.
    McpToolCallBegin(McpToolCallBeginEvent),
    /// A call of a tool on an MCP server ends.
    McpToolCallEnd(McpToolCallEndEvent),
    /// A web search, or a visit to a page, begins.
    ///
    /// Since 0.24.0.
    #[wire(since = "0.24.0")]
    WebSearchBegin(WebSearchBeginEvent),
    /// A web search ends.
    ///
    /// Since 0.26.0.
    #[wire(since = "0.26.0")]
    WebSearchEnd(WebSearchEndEvent),
    /// The agent's plan.
    PlanUpdate(UpdatePlanArgs),
    /// A review begins.
    ///
    /// Since 0.35.0.
    #[wire(since = "0.35.0")]
    EnteredReviewMode(EnteredReviewModeEvent),
    /// A review ends.
    ///
    /// Since 0.35.0.
    #[wire(since = "0.35.0")]
    ExitedReviewMode(ExitedReviewModeEvent),
    /// Answers `get_history_entry_request`.
    GetHistoryEntryResponse(GetHistoryEntryResponseEvent),
    /// Answers `get_history`.
    ///
    /// From 0.24.0 to 0.34.0.
    #[wire(since = "0.24.0", until = "0.34.0")]
    ConversationHistory(ConversationHistoryEvent),
    /// Answers `get_path`.
    ///
    /// Since 0.35.0.
    #[wire(since = "0.35.0")]
    ConversationPath(ConversationPathEvent),
    /// Answers `list_mcp_tools`.
    ///
    /// Since 0.23.0.
    #[wire(since = "0.23.0")]
    McpListToolsResponse(McpListToolsResponseEvent),
    /// Answers `list_custom_prompts`.
    ///
    /// Since 0.26.0.
    #[wire(since = "0.26.0")]
    ListCustomPromptsResponse(ListCustomPromptsResponseEvent),
    /// Codex ends; other events may still follow. Not printed by `codex exec --json`.
    ShutdownComplete(ShutdownCompleteEvent),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

impl EventMsg {
    /// What kind of event it is.
    pub fn kind(&self) -> EventKind {
        match self {
            EventMsg::SessionConfigured(_) => EventKind::SessionConfigured,
            EventMsg::TaskStarted(_) => EventKind::TaskStarted,
            EventMsg::TaskComplete(_) => EventKind::TaskComplete,
            EventMsg::TurnAborted(_) => EventKind::TurnAborted,
            EventMsg::Error(_) => EventKind::Error,
            EventMsg::StreamError(_) => EventKind::StreamError,
            EventMsg::BackgroundEvent(_) => EventKind::BackgroundEvent,
            EventMsg::TokenCount(_) => EventKind::TokenCount,
            EventMsg::AgentMessage(_) => EventKind::AgentMessage,
            EventMsg::AgentMessageDelta(_) => EventKind::AgentMessageDelta,
            EventMsg::AgentReasoning(_) => EventKind::AgentReasoning,
            EventMsg::AgentReasoningDelta(_) => EventKind::AgentReasoningDelta,
            EventMsg::AgentReasoningRawContent(_) => EventKind::AgentReasoningRawContent,
            EventMsg::AgentReasoningRawContentDelta(_) => EventKind::AgentReasoningRawContentDelta,
            EventMsg::AgentReasoningSectionBreak(_) => EventKind::AgentReasoningSectionBreak,
            EventMsg::UserMessage(_) => EventKind::UserMessage,
            EventMsg::ExecApprovalRequest(_) => EventKind::ExecApprovalRequest,
            EventMsg::ExecCommandBegin(_) => EventKind::ExecCommandBegin,
            EventMsg::ExecCommandOutputDelta(_) => EventKind::ExecCommandOutputDelta,
            EventMsg::ExecCommandEnd(_) => EventKind::ExecCommandEnd,
            EventMsg::ApplyPatchApprovalRequest(_) => EventKind::ApplyPatchApprovalRequest,
            EventMsg::PatchApplyBegin(_) => EventKind::PatchApplyBegin,
            EventMsg::PatchApplyEnd(_) => EventKind::PatchApplyEnd,
            EventMsg::TurnDiff(_) => EventKind::TurnDiff,
            EventMsg::McpToolCallBegin(_) => EventKind::McpToolCallBegin,
            EventMsg::McpToolCallEnd(_) => EventKind::McpToolCallEnd,
            EventMsg::WebSearchBegin(_) => EventKind::WebSearchBegin,
            EventMsg::WebSearchEnd(_) => EventKind::WebSearchEnd,
            EventMsg::PlanUpdate(_) => EventKind::PlanUpdate,
            EventMsg::EnteredReviewMode(_) => EventKind::EnteredReviewMode,
            EventMsg::ExitedReviewMode(_) => EventKind::ExitedReviewMode,
            EventMsg::GetHistoryEntryResponse(_) => EventKind::GetHistoryEntryResponse,
            EventMsg::ConversationHistory(_) => EventKind::ConversationHistory,
            EventMsg::ConversationPath(_) => EventKind::ConversationPath,
            EventMsg::McpListToolsResponse(_) => EventKind::McpListToolsResponse,
            EventMsg::ListCustomPromptsResponse(_) => EventKind::ListCustomPromptsResponse,
            EventMsg::ShutdownComplete(_) => EventKind::ShutdownComplete,
            EventMsg::Unknown(_) => EventKind::Unknown,
        }
    }

    /// The model's call the event belongs to. Beginning, output and end of a command, a patch,
    /// a tool call or a web search carry the same, and so does the request for approval.
    pub fn call_id(&self) -> Option<&str> {
        let id = match self {
            EventMsg::ExecApprovalRequest(event) => &event.call_id,
            EventMsg::ExecCommandBegin(event) => &event.call_id,
            EventMsg::ExecCommandOutputDelta(event) => &event.call_id,
            EventMsg::ExecCommandEnd(event) => &event.call_id,
            EventMsg::ApplyPatchApprovalRequest(event) => &event.call_id,
            EventMsg::PatchApplyBegin(event) => &event.call_id,
            EventMsg::PatchApplyEnd(event) => &event.call_id,
            EventMsg::McpToolCallBegin(event) => &event.call_id,
            EventMsg::McpToolCallEnd(event) => &event.call_id,
            EventMsg::WebSearchBegin(event) => &event.call_id,
            EventMsg::WebSearchEnd(event) => &event.call_id,
            _ => return None,
        };
        Some(id)
    }

    /// Whether the event is a delta of something that comes complete later: of a message, of
    /// reasoning, of a command's output.
    pub fn is_delta(&self) -> bool {
        matches!(
            self,
            EventMsg::AgentMessageDelta(_)
                | EventMsg::AgentReasoningDelta(_)
                | EventMsg::AgentReasoningRawContentDelta(_)
                | EventMsg::ExecCommandOutputDelta(_)
        )
    }

    /// Whether Codex waits for an answer: `exec_approval` or `patch_approval`.
    pub fn is_approval_request(&self) -> bool {
        matches!(
            self,
            EventMsg::ExecApprovalRequest(_) | EventMsg::ApplyPatchApprovalRequest(_)
        )
    }

    /// Whether the task is over: `task_complete` or `turn_aborted`.
    pub fn ends_task(&self) -> bool {
        matches!(self, EventMsg::TaskComplete(_) | EventMsg::TurnAborted(_))
    }

    /// The text of a message, of reasoning or of a notice, or its delta.
    pub fn text(&self) -> Option<&str> {
        let text = match self {
            EventMsg::AgentMessage(event) => &event.message,
            EventMsg::AgentMessageDelta(event) => &event.delta,
            EventMsg::AgentReasoning(event) => &event.text,
            EventMsg::AgentReasoningDelta(event) => &event.delta,
            EventMsg::AgentReasoningRawContent(event) => &event.text,
            EventMsg::AgentReasoningRawContentDelta(event) => &event.delta,
            EventMsg::UserMessage(event) => &event.message,
            EventMsg::Error(event) => &event.message,
            EventMsg::StreamError(event) => &event.message,
            EventMsg::BackgroundEvent(event) => &event.message,
            _ => return None,
        };
        Some(text)
    }
}

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
