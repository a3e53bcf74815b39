//! Items: the parts of a turn, as `item_completed` keeps them.
//!
//! This is the `TurnItem` of the core: its tags are PascalCase and its members snake_case, where the
//! items of the app-server and of `codex exec` are camelCase and snake_case. There is never an
//! `item_started`.
//!
//! Threads with `history_mode: "paginated"` keep items instead of most events; see
//! [`EventMsg`](super::EventMsg). Legacy threads keep plans only.

use crate::json::Extra;
use crate::rollout::{
    AgentMessagePart, AgentMessageTurnItem, CollabAgentToolCallTurnItem, CommandExecutionTurnItem,
    ContextCompactionTurnItem, DynamicToolCallTurnItem, EnteredReviewModeTurnItem,
    ExitedReviewModeTurnItem, FileChangeTurnItem, HookPromptTurnItem, ImageGenerationTurnItem,
    ImageViewTurnItem, McpToolCallTurnItem, PlanTurnItem, ReasoningTurnItem, SleepTurnItem,
    SubAgentActivityTurnItem, UserInputPart, UserMessageTurnItem, WebSearchTurnItem,
};
use crate::{Maybe, Unknown, Wire};

/// A part of a turn is done.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ItemCompletedEvent {
    /// The thread.
    pub thread_id: String,
    /// The turn; of a command of an aborted turn that turn, though it has ended.
    pub turn_id: String,
    /// The part.
    pub item: Box<TurnItem>,
    /// When it began, in milliseconds since 1970.
    ///
    /// Since 0.146.0.
    #[wire(since = "0.146.0")]
    pub started_at_ms: Maybe<i64>,
    /// When it was done, in milliseconds since 1970.
    ///
    /// Since 0.129.0.
    #[wire(since = "0.129.0")]
    pub completed_at_ms: Maybe<i64>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A part of a turn.
///
/// The kinds other than `Plan` date from the first release with paginated threads, if nothing else
/// is said. Calls of the to-do list, `request_user_input` and unknown tools leave no item, only
/// response items.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum TurnItem {
    /// What the user said.
    ///
    /// Since 0.147.0.
    #[wire(rename = "UserMessage", since = "0.147.0")]
    UserMessage(UserMessageTurnItem),
    /// What a hook had to say to the model.
    ///
    /// Since 0.147.0.
    #[wire(rename = "HookPrompt", since = "0.147.0")]
    HookPrompt(HookPromptTurnItem),
    /// What the agent said.
    ///
    /// Since 0.147.0.
    #[wire(rename = "AgentMessage", since = "0.147.0")]
    AgentMessage(AgentMessageTurnItem),
    /// The plan the agent made in plan mode. In all threads.
    #[wire(rename = "Plan")]
    Plan(PlanTurnItem),
    /// The model's reasoning.
    ///
    /// Since 0.147.0.
    #[wire(rename = "Reasoning", since = "0.147.0")]
    Reasoning(ReasoningTurnItem),
    /// A command.
    ///
    /// Since 0.147.0.
    #[wire(rename = "CommandExecution", since = "0.147.0")]
    CommandExecution(CommandExecutionTurnItem),
    /// A patch.
    ///
    /// Since 0.147.0.
    #[wire(rename = "FileChange", since = "0.147.0")]
    FileChange(FileChangeTurnItem),
    /// A call of a tool on an MCP server.
    ///
    /// Since 0.147.0.
    #[wire(rename = "McpToolCall", since = "0.147.0")]
    McpToolCall(McpToolCallTurnItem),
    /// A call of a tool of the client. Recorded from 0.151.0.
    ///
    /// Since 0.147.0.
    #[wire(rename = "DynamicToolCall", since = "0.147.0")]
    DynamicToolCall(DynamicToolCallTurnItem),
    /// A call of a tool for working with other agents. Recorded from 0.148.0.
    ///
    /// Since 0.147.0.
    #[wire(rename = "CollabAgentToolCall", since = "0.147.0")]
    CollabAgentToolCall(CollabAgentToolCallTurnItem),
    /// What a sub-agent does.
    ///
    /// Since 0.147.0.
    #[wire(rename = "SubAgentActivity", since = "0.147.0")]
    SubAgentActivity(SubAgentActivityTurnItem),
    /// A web search.
    ///
    /// Since 0.147.0.
    #[wire(rename = "WebSearch", since = "0.147.0")]
    WebSearch(WebSearchTurnItem),
    /// An image the model looked at. Not recorded: the tool for it left no item.
    ///
    /// Since 0.147.0.
    #[wire(rename = "ImageView", since = "0.147.0")]
    ImageView(ImageViewTurnItem),
    /// An image the model made. Not recorded.
    ///
    /// Since 0.147.0.
    #[wire(rename = "ImageGeneration", since = "0.147.0")]
    ImageGeneration(ImageGenerationTurnItem),
    /// The agent waited. Not recorded: upstream kept it in all threads.
    ///
    /// Since 0.141.0.
    #[wire(rename = "Sleep", since = "0.141.0")]
    Sleep(SleepTurnItem),
    /// The history was summed up to make room.
    ///
    /// Since 0.147.0.
    #[wire(rename = "ContextCompaction", since = "0.147.0")]
    ContextCompaction(ContextCompactionTurnItem),
    /// A review begins.
    ///
    /// Since 0.147.0.
    #[wire(rename = "EnteredReviewMode", since = "0.147.0")]
    EnteredReviewMode(EnteredReviewModeTurnItem),
    /// A review ends.
    ///
    /// Since 0.147.0.
    #[wire(rename = "ExitedReviewMode", since = "0.147.0")]
    ExitedReviewMode(ExitedReviewModeTurnItem),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

impl TurnItem {
    /// The item's id; nothing for an unknown kind.
    pub fn id(&self) -> Option<&str> {
        Some(match self {
            TurnItem::UserMessage(item) => &item.id,
            TurnItem::HookPrompt(item) => &item.id,
            TurnItem::AgentMessage(item) => &item.id,
            TurnItem::Plan(item) => &item.id,
            TurnItem::Reasoning(item) => &item.id,
            TurnItem::CommandExecution(item) => &item.id,
            TurnItem::FileChange(item) => &item.id,
            TurnItem::McpToolCall(item) => &item.id,
            TurnItem::DynamicToolCall(item) => &item.id,
            TurnItem::CollabAgentToolCall(item) => &item.id,
            TurnItem::SubAgentActivity(item) => &item.id,
            TurnItem::WebSearch(item) => &item.id,
            TurnItem::ImageView(item) => &item.id,
            TurnItem::ImageGeneration(item) => &item.id,
            TurnItem::Sleep(item) => &item.id,
            TurnItem::ContextCompaction(item) => &item.id,
            TurnItem::EnteredReviewMode(item) => &item.id,
            TurnItem::ExitedReviewMode(item) => &item.id,
            TurnItem::Unknown(_) => return None,
        })
    }
}

impl UserMessageTurnItem {
    /// The text of the message, without images and other parts.
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|part| match part {
            UserInputPart::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        texts.collect()
    }
}

impl AgentMessageTurnItem {
    /// The text of the message.
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|part| match part {
            AgentMessagePart::Text(text) => Some(text.text.as_str()),
            AgentMessagePart::Unknown(_) => None,
        });
        texts.collect()
    }
}
