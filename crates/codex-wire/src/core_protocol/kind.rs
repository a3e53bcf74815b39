//! The kinds of event.

/// The kinds of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// `session_configured`
    SessionConfigured,
    /// `task_started`
    TaskStarted,
    /// `task_complete`
    TaskComplete,
    /// `turn_aborted`
    TurnAborted,
    /// `error`
    Error,
    /// `stream_error`
    StreamError,
    /// `background_event`
    BackgroundEvent,
    /// `token_count`
    TokenCount,
    /// `agent_message`
    AgentMessage,
    /// `agent_message_delta`
    AgentMessageDelta,
    /// `agent_reasoning`
    AgentReasoning,
    /// `agent_reasoning_delta`
    AgentReasoningDelta,
    /// `agent_reasoning_raw_content`
    AgentReasoningRawContent,
    /// `agent_reasoning_raw_content_delta`
    AgentReasoningRawContentDelta,
    /// `agent_reasoning_section_break`
    AgentReasoningSectionBreak,
    /// `user_message`
    UserMessage,
    /// `exec_approval_request`
    ExecApprovalRequest,
    /// `exec_command_begin`
    ExecCommandBegin,
    /// `exec_command_output_delta`
    ExecCommandOutputDelta,
    /// `exec_command_end`
    ExecCommandEnd,
    /// `apply_patch_approval_request`
    ApplyPatchApprovalRequest,
    /// `patch_apply_begin`
    PatchApplyBegin,
    /// `patch_apply_end`
    PatchApplyEnd,
    /// `turn_diff`
    TurnDiff,
    /// `mcp_tool_call_begin`
    McpToolCallBegin,
    /// `mcp_tool_call_end`
    McpToolCallEnd,
    /// `web_search_begin`
    WebSearchBegin,
    /// `web_search_end`
    WebSearchEnd,
    /// `plan_update`
    PlanUpdate,
    /// `entered_review_mode`
    EnteredReviewMode,
    /// `exited_review_mode`
    ExitedReviewMode,
    /// `get_history_entry_response`
    GetHistoryEntryResponse,
    /// `conversation_history`
    ConversationHistory,
    /// `conversation_path`
    ConversationPath,
    /// `mcp_list_tools_response`
    McpListToolsResponse,
    /// `list_custom_prompts_response`
    ListCustomPromptsResponse,
    /// `shutdown_complete`
    ShutdownComplete,
    /// A kind this crate does not know.
    Unknown,
}
