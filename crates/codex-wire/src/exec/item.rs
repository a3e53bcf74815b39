//! Items: the parts of the work within a turn.

use crate::exec::{
    AgentMessageItem, AssistantMessageItem, CollabToolCallItem, CommandExecutionItem, ErrorItem,
    FileChangeItem, McpToolCallItem, ReasoningItem, TodoListItem, WebSearchItem,
};
use crate::private::TagKeys;
use crate::shape::ReleaseBounds;
use crate::{Release, Unknown, Wire};

/// A piece of work within a turn: a message, a command, a patch …
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ThreadItem {
    /// `item_0`, `item_1` …: unique within one run of `codex exec`, counted again on resume.
    pub id: String,
    /// Whether the kind is written as `type` or, up to 0.43.0, as `item_type`.
    #[wire(tag_key)]
    pub tag_key: ItemTag,
    /// What kind of item it is, with its members.
    #[wire(variant)]
    pub details: ThreadItemDetails,
}

impl ThreadItem {
    /// An item as current releases write it.
    pub fn new(id: impl Into<String>, details: impl Into<ThreadItemDetails>) -> Self {
        ThreadItem {
            id: id.into(),
            tag_key: ItemTag::Type,
            details: details.into(),
        }
    }

    /// What kind of item it is.
    pub fn kind(&self) -> ItemKind {
        self.details.kind()
    }

    /// The text of a message, of reasoning or of a notice.
    pub fn text(&self) -> Option<&str> {
        match &self.details {
            ThreadItemDetails::AgentMessage(item) => Some(&item.text),
            ThreadItemDetails::AssistantMessage(item) => Some(&item.text),
            ThreadItemDetails::Reasoning(item) => Some(&item.text),
            ThreadItemDetails::Error(item) => Some(&item.message),
            _ => None,
        }
    }

    /// How far the item is, as the wire says it, for the kinds that say it.
    pub fn status(&self) -> Option<&str> {
        match &self.details {
            ThreadItemDetails::CommandExecution(item) => Some(item.status.as_str()),
            ThreadItemDetails::FileChange(item) => Some(item.status.as_str()),
            ThreadItemDetails::McpToolCall(item) => Some(item.status.as_str()),
            ThreadItemDetails::CollabToolCall(item) => Some(item.status.as_str()),
            _ => None,
        }
    }
}

/// How an item names its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ItemTag {
    /// `type`, from 0.44.0.
    #[default]
    Type,
    /// `item_type`, 0.42.0 and 0.43.0.
    ItemType,
}

impl TagKeys for ItemTag {
    const KEYS: &'static [(&'static str, ReleaseBounds)] = &[
        (
            "type",
            ReleaseBounds {
                since: Some(Release::new(0, 44, 0)),
                until: None,
            },
        ),
        (
            "item_type",
            ReleaseBounds {
                since: None,
                until: Some(Release::new(0, 43, 0)),
            },
        ),
    ];

    fn at(index: usize) -> Self {
        if index == 0 {
            ItemTag::Type
        } else {
            ItemTag::ItemType
        }
    }

    fn index(self) -> usize {
        self as usize
    }
}

/// The kinds of item, each with its members.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub enum ThreadItemDetails {
    /// What the agent says to the user.
    ///
    /// Since 0.44.0.
    #[wire(since = "0.44.0")]
    AgentMessage(AgentMessageItem),
    /// What the agent says to the user, by its earlier name.
    ///
    /// Until 0.43.0.
    #[wire(until = "0.43.0")]
    AssistantMessage(AssistantMessageItem),
    /// A summary of the model's reasoning.
    Reasoning(ReasoningItem),
    /// A command the agent runs.
    CommandExecution(CommandExecutionItem),
    /// A patch the agent applies.
    FileChange(FileChangeItem),
    /// A call of a tool on an MCP server. In the type since 0.42.0, sent since 0.43.0.
    McpToolCall(McpToolCallItem),
    /// A call of a tool for working with other agents.
    ///
    /// Since 0.92.0.
    #[wire(since = "0.92.0")]
    CollabToolCall(CollabToolCallItem),
    /// A web search. In the type since 0.42.0, sent since 0.43.0.
    WebSearch(WebSearchItem),
    /// The agent's to-do list.
    TodoList(TodoListItem),
    /// A notice that does not end the turn.
    Error(ErrorItem),
    /// A kind this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// The kinds of item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ItemKind {
    /// `agent_message`, and `assistant_message` up to 0.43.0.
    AgentMessage,
    /// `reasoning`
    Reasoning,
    /// `command_execution`
    CommandExecution,
    /// `file_change`
    FileChange,
    /// `mcp_tool_call`
    McpToolCall,
    /// `collab_tool_call`
    CollabToolCall,
    /// `web_search`
    WebSearch,
    /// `todo_list`
    TodoList,
    /// `error`
    Error,
    /// A kind this crate does not know.
    Unknown,
}

impl ThreadItemDetails {
    /// What kind of item it is.
    pub fn kind(&self) -> ItemKind {
        match self {
            ThreadItemDetails::AgentMessage(_) | ThreadItemDetails::AssistantMessage(_) => {
                ItemKind::AgentMessage
            }
            ThreadItemDetails::Reasoning(_) => ItemKind::Reasoning,
            ThreadItemDetails::CommandExecution(_) => ItemKind::CommandExecution,
            ThreadItemDetails::FileChange(_) => ItemKind::FileChange,
            ThreadItemDetails::McpToolCall(_) => ItemKind::McpToolCall,
            ThreadItemDetails::CollabToolCall(_) => ItemKind::CollabToolCall,
            ThreadItemDetails::WebSearch(_) => ItemKind::WebSearch,
            ThreadItemDetails::TodoList(_) => ItemKind::TodoList,
            ThreadItemDetails::Error(_) => ItemKind::Error,
            ThreadItemDetails::Unknown(_) => ItemKind::Unknown,
        }
    }
}
