//! The items of turns, by subject.

mod calls;
mod review;
mod text;

pub use calls::{
    CollabAgent, CollabAgentToolCallTurnItem, CollabCallStatus, CollabTool,
    CommandExecutionTurnItem, DynamicToolCallTurnItem, FileChangeTurnItem, ImageGenerationTurnItem,
    ImageViewTurnItem, McpCallError, McpCallStatus, McpToolCallTurnItem, SubAgentActivityTurnItem,
    WebSearchTurnItem,
};
pub use review::{EnteredReviewModeTurnItem, ExitedReviewModeTurnItem};
pub use text::{
    AgentMessagePart, AgentMessageText, AgentMessageTurnItem, AudioInputPart,
    ContextCompactionTurnItem, HookPromptFragment, HookPromptTurnItem, ImageInputPart,
    LocalAudioInputPart, LocalImageInputPart, MentionInputPart, PlanTurnItem, ReasoningTurnItem,
    SkillInputPart, SleepTurnItem, TextInputPart, UserInputPart, UserMessageTurnItem,
};
