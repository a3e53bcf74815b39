//! What one would write with serde's derive alone: the current form of the stream, 0.44.0 on,
//! without availabilities, places of errors, unknown kinds or unknown members.
//!
//! There are two ways to write an item, and both are measured. [`tagged::Event`] repeats `id`
//! in every kind. serde's derive turns a duplicate key down, so it leaves out the `id` that
//! `web_search` carries twice, and reads every line. [`flat::Event`] has `id` once and embeds
//! the kinds with `#[serde(flatten)]`, as Codex's own type does; like Codex's own type it cannot
//! read a `web_search` of 0.92.0 or later.

// The members are only there to be read into.
#![allow(missing_docs)]

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// An event, and the kinds of item with or without an `id` of their own.
macro_rules! protocol {
    ($($id:ident)?) => {
        #[derive(Debug, Deserialize)]
        #[serde(tag = "type")]
        pub enum Event {
            #[serde(rename = "thread.started")]
            ThreadStarted { thread_id: String },
            #[serde(rename = "turn.started")]
            TurnStarted {},
            #[serde(rename = "turn.completed")]
            TurnCompleted { usage: Usage },
            #[serde(rename = "turn.failed")]
            TurnFailed { error: Message },
            #[serde(rename = "item.started")]
            ItemStarted { item: ThreadItem },
            #[serde(rename = "item.updated")]
            ItemUpdated { item: ThreadItem },
            #[serde(rename = "item.completed")]
            ItemCompleted { item: ThreadItem },
            #[serde(rename = "error")]
            Error { message: String },
        }

        #[derive(Debug, Deserialize)]
        #[serde(tag = "type", rename_all = "snake_case")]
        pub enum Details {
            AgentMessage {
                $($id: String,)?
                text: String,
            },
            Reasoning {
                $($id: String,)?
                text: String,
            },
            CommandExecution {
                $($id: String,)?
                command: String,
                aggregated_output: String,
                #[serde(default)]
                exit_code: Option<i32>,
                status: Status,
            },
            FileChange {
                $($id: String,)?
                changes: Vec<FileUpdateChange>,
                status: Status,
            },
            McpToolCall {
                $($id: String,)?
                server: String,
                tool: String,
                #[serde(default)]
                arguments: Value,
                #[serde(default)]
                result: Option<McpToolCallResult>,
                #[serde(default)]
                error: Option<Message>,
                status: Status,
            },
            CollabToolCall {
                $($id: String,)?
                tool: CollabTool,
                sender_thread_id: String,
                receiver_thread_ids: Vec<String>,
                prompt: Option<String>,
                agents_states: BTreeMap<String, CollabAgentState>,
                status: Status,
            },
            WebSearch {
                query: String,
                #[serde(default)]
                action: Option<WebSearchAction>,
            },
            TodoList {
                $($id: String,)?
                items: Vec<TodoItem>,
            },
            Error {
                $($id: String,)?
                message: String,
            },
        }
    };
}

/// Every kind of item with its own `id`.
pub mod tagged {
    use super::*;

    protocol!(id);

    pub type ThreadItem = Details;
}

/// The kinds of item beside one `id`.
pub mod flat {
    use super::*;

    protocol!();

    #[derive(Debug, Deserialize)]
    pub struct ThreadItem {
        pub id: String,
        #[serde(flatten)]
        pub details: Details,
    }
}

#[derive(Debug, Deserialize)]
pub struct Usage {
    pub input_tokens: i64,
    pub cached_input_tokens: i64,
    #[serde(default)]
    pub cache_write_input_tokens: Option<i64>,
    pub output_tokens: i64,
    #[serde(default)]
    pub reasoning_output_tokens: Option<i64>,
}

#[derive(Debug, Deserialize)]
pub struct Message {
    pub message: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    InProgress,
    Completed,
    Failed,
    Declined,
}

#[derive(Debug, Deserialize)]
pub struct FileUpdateChange {
    pub path: String,
    pub kind: PatchChangeKind,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatchChangeKind {
    Add,
    Delete,
    Update,
}

#[derive(Debug, Deserialize)]
pub struct McpToolCallResult {
    pub content: Vec<Value>,
    #[serde(default, rename = "_meta")]
    pub meta: Option<Value>,
    pub structured_content: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CollabTool {
    SpawnAgent,
    SendInput,
    Wait,
    CloseAgent,
}

#[derive(Debug, Deserialize)]
pub struct CollabAgentState {
    pub status: CollabAgentStatus,
    pub message: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CollabAgentStatus {
    PendingInit,
    Running,
    Interrupted,
    Completed,
    Errored,
    Shutdown,
    NotFound,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum WebSearchAction {
    Search {
        #[serde(default)]
        query: Option<String>,
        #[serde(default)]
        queries: Option<Vec<String>>,
    },
    OpenPage {
        #[serde(default)]
        url: Option<String>,
    },
    FindInPage {
        #[serde(default)]
        url: Option<String>,
        #[serde(default)]
        pattern: Option<String>,
    },
    Other {},
}

#[derive(Debug, Deserialize)]
pub struct TodoItem {
    pub text: String,
    pub completed: bool,
}
