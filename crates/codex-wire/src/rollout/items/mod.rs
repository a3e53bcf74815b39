//! The items of turns, and what they have in common with events.

mod calls;
mod parts;
mod review;
mod text;

pub use calls::{
    CollabAgent, CollabAgentToolCallTurnItem, CollabCallStatus, CollabTool,
    CommandExecutionTurnItem, DynamicToolCallTurnItem, FileChangeTurnItem, ImageGenerationTurnItem,
    ImageViewTurnItem, McpCallError, McpCallStatus, McpToolCallTurnItem, SubAgentActivityTurnItem,
    WebSearchTurnItem,
};
pub use parts::{
    AddedFile, AgentStatus, CommandSource, CommandStatus, DeletedFile, DynamicToolAudio,
    DynamicToolContent, DynamicToolImage, DynamicToolText, FoundInPage, LastAgentMessage,
    McpToolOutcome, McpToolResult, ModeKind, OpenedPage, OtherWebAction, ParsedCommand,
    ParsedListFiles, ParsedOther, ParsedRead, ParsedSearch, PatchChange, PatchStatus, SearchedWeb,
    SubAgentActivityKind, UpdatedFile, WebSearchAction,
};
pub use review::{EnteredReviewModeTurnItem, ExitedReviewModeTurnItem};
pub use text::{
    AgentMessagePart, AgentMessageText, AgentMessageTurnItem, AudioInputPart,
    ContextCompactionTurnItem, HookPromptFragment, HookPromptTurnItem, ImageInputPart,
    LocalAudioInputPart, LocalImageInputPart, MentionInputPart, PlanTurnItem, ReasoningTurnItem,
    SkillInputPart, SleepTurnItem, TextInputPart, UserInputPart, UserMessageTurnItem,
};
