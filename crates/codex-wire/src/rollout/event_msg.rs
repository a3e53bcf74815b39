//! Events: the payload of `event_msg` lines.

use crate::rollout::{
    AgentMessageEvent, AgentReasoningEvent, AgentReasoningRawContentEvent,
    CollabAgentInteractionEndEvent, CollabAgentSpawnEndEvent, CollabCloseEndEvent,
    CollabResumeEndEvent, CollabWaitingEndEvent, ContextCompactedEvent,
    DynamicToolCallRequestEvent, DynamicToolCallResponseEvent, EnteredReviewModeEvent, ErrorEvent,
    ExecCommandEndEvent, ExitedReviewModeEvent, ImageGenerationEndEvent, ItemCompletedEvent,
    McpToolCallEndEvent, PatchApplyEndEvent, SubAgentActivityEvent, TaskCompleteEvent,
    TaskStartedEvent, ThreadGoalUpdatedEvent, ThreadNameUpdatedEvent, ThreadRolledBackEvent,
    ThreadSettingsAppliedEvent, TokenCountEvent, TurnAbortedEvent, UndoCompletedEvent,
    UserMessageEvent, ViewImageToolCallEvent, WebSearchEndEvent,
};
use crate::{Unknown, Wire};

/// What happened: the events of the core that a session file keeps.
///
/// A file keeps few of them. Never kept are deltas, beginnings, requests for approval, plans,
/// diffs, warnings, and from 0.129.0 errors. What is kept depends on the release and on the history
/// mode of the thread, which `session_meta` names:
///
/// - legacy threads keep what the variants below say;
/// - paginated threads (0.147.0 or later) keep `item_completed` in the place of messages,
///   reasoning, calls, reviews and compactions; beside it turns, token counts, settings and goals.
///
/// A thread that began as legacy stays so in later releases, if it is not migrated, so no kind of
/// event ends with the first paginated thread.
///
/// These are the events of `codex proto`, whose types end at 0.42.0, and those the app-server
/// relayed up to 0.114.0. What recordings do not show is taken from there; after 0.114.0 only
/// recordings tell, and upstream's types where a comment says so. Without a recording are: errors
/// other than `other`, limits of accounts with content, images, memories, apps, guardian
/// assessments (`guardian_assessment`, kept with the extended history only, has no type here).
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum EventMsg {
    /// What the user said. Legacy threads.
    UserMessage(UserMessageEvent),
    /// What the agent said. Legacy threads.
    AgentMessage(AgentMessageEvent),
    /// A section of the summary of the model's reasoning. Legacy threads.
    AgentReasoning(AgentReasoningEvent),
    /// The model's reasoning itself. Legacy threads.
    AgentReasoningRawContent(AgentReasoningRawContentEvent),
    /// Tokens used so far.
    TokenCount(TokenCountEvent),
    /// A turn begins.
    ///
    /// Since 0.100.0.
    #[wire(since = "0.100.0")]
    TaskStarted(TaskStartedEvent),
    /// A turn ends.
    ///
    /// Since 0.100.0.
    #[wire(since = "0.100.0")]
    TaskComplete(TaskCompleteEvent),
    /// A turn was stopped.
    ///
    /// Since 0.36.0.
    #[wire(since = "0.36.0")]
    TurnAborted(TurnAbortedEvent),
    /// A part of a turn is done. In legacy threads plans only.
    ///
    /// Since 0.98.0.
    #[wire(since = "0.98.0")]
    ItemCompleted(ItemCompletedEvent),
    /// A review begins. Legacy threads.
    ///
    /// Since 0.63.0.
    #[wire(since = "0.63.0")]
    EnteredReviewMode(EnteredReviewModeEvent),
    /// A review ends. Legacy threads.
    ///
    /// Since 0.63.0.
    #[wire(since = "0.63.0")]
    ExitedReviewMode(ExitedReviewModeEvent),
    /// The history was summed up. Legacy threads; recorded up to 0.150.1.
    ///
    /// Since 0.66.0.
    #[wire(since = "0.66.0")]
    ContextCompacted(ContextCompactedEvent),
    /// The last turns no longer count. Legacy threads; recorded up to 0.150.1, and the request for
    /// it ends with 0.155.1.
    ///
    /// From 0.80.0 to 0.155.1.
    #[wire(since = "0.80.0", until = "0.155.1")]
    ThreadRolledBack(ThreadRolledBackEvent),
    /// The thread has a new name.
    ///
    /// From 0.120.0 to 0.128.0.
    #[wire(since = "0.120.0", until = "0.128.0")]
    ThreadNameUpdated(ThreadNameUpdatedEvent),
    /// The goal of the thread is new or has come nearer.
    ///
    /// Since 0.131.0.
    #[wire(since = "0.131.0")]
    ThreadGoalUpdated(ThreadGoalUpdatedEvent),
    /// The settings in force, where they are new or a thread is resumed.
    ///
    /// Since 0.144.0.
    #[wire(since = "0.144.0")]
    ThreadSettingsApplied(ThreadSettingsAppliedEvent),
    /// What a sub-agent does. Legacy threads; recorded up to 0.147.0.
    ///
    /// Since 0.140.0.
    #[wire(since = "0.140.0")]
    SubAgentActivity(SubAgentActivityEvent),
    /// A call of a tool on an MCP server has ended. Legacy threads; up to 0.128.0 with the extended
    /// history only.
    ///
    /// Since 0.104.0.
    #[wire(since = "0.104.0")]
    McpToolCallEnd(McpToolCallEndEvent),
    /// A patch has been applied, or has not. Stored as MCP calls are.
    ///
    /// Since 0.104.0.
    #[wire(since = "0.104.0")]
    PatchApplyEnd(PatchApplyEndEvent),
    /// A web search has ended. Stored as MCP calls are.
    ///
    /// Since 0.104.0.
    #[wire(since = "0.104.0")]
    WebSearchEnd(WebSearchEndEvent),
    /// A command has ended. With the extended history.
    ///
    /// From 0.104.0 to 0.128.0.
    #[wire(since = "0.104.0", until = "0.128.0")]
    ExecCommandEnd(ExecCommandEndEvent),
    /// The model calls a tool of the client. With the extended history.
    ///
    /// From 0.106.0 to 0.128.0.
    #[wire(since = "0.106.0", until = "0.128.0")]
    DynamicToolCallRequest(DynamicToolCallRequestEvent),
    /// A tool of the client answered. With the extended history.
    ///
    /// From 0.106.0 to 0.128.0.
    #[wire(since = "0.106.0", until = "0.128.0")]
    DynamicToolCallResponse(DynamicToolCallResponseEvent),
    /// Something failed. With the extended history.
    ///
    /// From 0.104.0 to 0.128.0.
    #[wire(since = "0.104.0", until = "0.128.0")]
    Error(ErrorEvent),
    /// The model made an image. Legacy threads. Not recorded.
    ///
    /// Since 0.111.0.
    #[wire(since = "0.111.0")]
    ImageGenerationEnd(ImageGenerationEndEvent),
    /// The model looked at an image. With the extended history. Not recorded.
    ///
    /// From 0.104.0 to 0.128.0.
    #[wire(since = "0.104.0", until = "0.128.0")]
    ViewImageToolCall(ViewImageToolCallEvent),
    /// An agent was started. With the extended history. Not recorded.
    ///
    /// From 0.104.0 to 0.128.0.
    #[wire(since = "0.104.0", until = "0.128.0")]
    CollabAgentSpawnEnd(CollabAgentSpawnEndEvent),
    /// An agent was told something. With the extended history. Not recorded.
    ///
    /// From 0.104.0 to 0.128.0.
    #[wire(since = "0.104.0", until = "0.128.0")]
    CollabAgentInteractionEnd(CollabAgentInteractionEndEvent),
    /// The wait for agents is over. With the extended history. Not recorded.
    ///
    /// From 0.104.0 to 0.128.0.
    #[wire(since = "0.104.0", until = "0.128.0")]
    CollabWaitingEnd(CollabWaitingEndEvent),
    /// An agent was ended. With the extended history. Not recorded.
    ///
    /// From 0.104.0 to 0.128.0.
    #[wire(since = "0.104.0", until = "0.128.0")]
    CollabCloseEnd(CollabCloseEndEvent),
    /// An agent goes on. With the extended history. Not recorded.
    ///
    /// From 0.104.0 to 0.128.0.
    #[wire(since = "0.104.0", until = "0.128.0")]
    CollabResumeEnd(CollabResumeEndEvent),
    /// The files were set back. Not recorded; the end is not known exactly, only that it lies after
    /// 0.114.0.
    ///
    /// From 0.58.0 to 0.128.0.
    #[wire(since = "0.58.0", until = "0.128.0")]
    UndoCompleted(UndoCompletedEvent),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}
