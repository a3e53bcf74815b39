//! `codex exec --json`: one event per line, written by Codex.
//!
//! The types cover the dialects from 0.42.0 on:
//!
//! | dialect | releases | first line | item tag |
//! |---|---|---|---|
//! | current | 0.44.0 → | `thread.started` | `type` |
//! | early | 0.42.0 with `--experimental-json` | `session.created` | `item_type` |
//! | early, with turn events | 0.43.0-alpha.1 to alpha.4 (llmx) | `session.created` | `item_type` |
//! | early, threads | 0.43.0 | `thread.started` | `item_type` |
//!
//! Up to 0.42.0 the flag `--json` meant another stream, made of the core protocol's events: the
//! module `legacy`, there with the feature `core`.
//!
//! A thread is a conversation that can be resumed, a turn is one prompt and all that follows
//! from it, an item is one piece of work within a turn. A new item is announced with
//! `item.started` and ends with `item.completed`; many kinds appear only completed.
//!
//! Things that look like rules and are not: `error` is not terminal (retries report
//! themselves so), a stream need not end with a terminal event, an item that was started need
//! not be completed. Sources: release tags 0.42.0 to 0.111.0, and recordings of releases from 0.42.0 to
//! 0.169.0, of which `fixtures/exec` has 26.

mod collab;
mod command;
mod event;
mod file_change;
mod item;
#[cfg(feature = "core")]
pub mod legacy;
mod mcp;
mod message;
mod todo;
mod usage;
mod web_search;

pub use collab::{
    CollabAgentState, CollabAgentStatus, CollabTool, CollabToolCallItem, CollabToolCallStatus,
};
pub use command::{CommandExecutionItem, CommandExecutionStatus};
pub use event::{
    ErrorEvent, Event, EventKind, ItemCompletedEvent, ItemStartedEvent, ItemUpdatedEvent,
    SessionCreatedEvent, ThreadStartedEvent, TurnCompletedEvent, TurnError, TurnFailedEvent,
    TurnStartedEvent,
};
pub use file_change::{FileChangeItem, FileUpdateChange, PatchApplyStatus, PatchChangeKind};
pub use item::{ItemKind, ItemTag, ThreadItem, ThreadItemDetails};
pub use mcp::{
    McpContent, McpToolCallError, McpToolCallItem, McpToolCallResult, McpToolCallStatus,
};
pub use message::{AgentMessageItem, AssistantMessageItem, ErrorItem, ReasoningItem};
pub use todo::{TodoItem, TodoListItem};
pub use usage::Usage;
pub use web_search::{
    FindInPageAction, OpenPageAction, OtherAction, SearchAction, WebSearchAction, WebSearchItem,
};
