//! The events that session files keep, by subject.

mod agents;
mod calls;
mod error;
mod message;
mod review;
mod settings;
mod thread;
mod turn;
mod usage;

pub use agents::{
    CollabAgentInteractionEndEvent, CollabAgentSpawnEndEvent, CollabAgentStatusEntry,
    CollabCloseEndEvent, CollabResumeEndEvent, CollabWaitingEndEvent, SubAgentActivityEvent,
};
pub use calls::{
    DynamicToolCallRequestEvent, DynamicToolCallResponseEvent, ExecCommandEndEvent,
    ImageGenerationEndEvent, McpToolCallEndEvent, PatchApplyEndEvent, ViewImageToolCallEvent,
    WebSearchEndEvent,
};
pub use error::{
    ActiveTurnNotSteerable, CodexErrorInfo, ErrorEvent, ErrorStatus, NonSteerableTurnKind,
};
pub use message::{
    AgentMessageEvent, AgentReasoningEvent, AgentReasoningRawContentEvent, ImageDetailHint,
    UserMessageEvent,
};
pub use review::{EnteredReviewModeEvent, ExitedReviewModeEvent};
pub use settings::{ActivePermissionProfile, ThreadSettings, ThreadSettingsAppliedEvent};
pub use thread::{
    ContextCompactedEvent, ThreadGoal, ThreadGoalStatus, ThreadGoalUpdatedEvent,
    ThreadNameUpdatedEvent, ThreadRolledBackEvent, UndoCompletedEvent,
};
pub use turn::{
    TaskCompleteEvent, TaskStartedEvent, TurnAbortReason, TurnAbortedEvent, TurnAttribution,
    TurnError, TurnTrigger,
};
pub use usage::{
    CreditsSnapshot, PlanType, RateLimitReachedType, RateLimitSnapshot, RateLimitWindow,
    SpendControlLimitSnapshot, TokenCountEvent, TokenUsage, TokenUsageInfo,
};
