//! What one would write with serde's derive alone for the most frequent notifications of
//! `codex app-server` and for its answer to `thread/read`: the form of 0.169.0, without
//! availabilities, places of errors, unknown methods or unknown members.
//!
//! It turns down the methods and items it does not list, and what earlier releases write in
//! another form.

// The members are only there to be read into.
#![allow(missing_docs)]

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
#[serde(tag = "method", content = "params")]
pub enum Notification {
    #[serde(rename = "item/agentMessage/delta")]
    AgentMessageDelta(Delta),
    #[serde(rename = "item/commandExecution/outputDelta")]
    CommandOutputDelta(Delta),
    #[serde(rename = "item/reasoning/summaryTextDelta")]
    ReasoningSummaryDelta(SummaryDelta),
    #[serde(rename = "item/started")]
    ItemStarted(Box<ItemNotification>),
    #[serde(rename = "item/completed")]
    ItemCompleted(Box<ItemNotification>),
    #[serde(rename = "turn/started")]
    TurnStarted(Box<TurnNotification>),
    #[serde(rename = "turn/completed")]
    TurnCompleted(Box<TurnNotification>),
    #[serde(rename = "thread/status/changed")]
    ThreadStatus(StatusNotification),
    #[serde(rename = "thread/tokenUsage/updated")]
    TokenUsage(Box<UsageNotification>),
    #[serde(rename = "account/rateLimits/updated")]
    RateLimits(Box<RateLimitsNotification>),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delta {
    pub thread_id: String,
    pub turn_id: String,
    pub item_id: String,
    pub delta: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryDelta {
    pub thread_id: String,
    pub turn_id: String,
    pub item_id: String,
    pub delta: String,
    pub summary_index: i64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemNotification {
    pub item: Item,
    pub thread_id: String,
    pub turn_id: String,
    pub content_token_count: Option<i64>,
    pub started_at_ms: Option<i64>,
    pub completed_at_ms: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnNotification {
    pub thread_id: String,
    pub turn: Turn,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusNotification {
    pub thread_id: String,
    pub status: ThreadStatus,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ThreadStatus {
    NotLoaded,
    Idle,
    SystemError,
    #[serde(rename_all = "camelCase")]
    Active {
        active_flags: Vec<String>,
    },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageNotification {
    pub thread_id: String,
    pub turn_id: String,
    pub token_usage: ThreadUsage,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadUsage {
    pub total: Usage,
    pub last: Usage,
    pub model_context_window: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    pub total_tokens: i64,
    pub input_tokens: i64,
    pub cached_input_tokens: i64,
    pub cache_write_input_tokens: Option<i64>,
    pub output_tokens: i64,
    pub reasoning_output_tokens: i64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitsNotification {
    pub rate_limits: RateLimits,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimits {
    pub limit_id: Option<String>,
    pub limit_name: Option<String>,
    pub normal_model_slug: Option<String>,
    pub primary: Option<RateLimitWindow>,
    pub secondary: Option<RateLimitWindow>,
    pub credits: Option<Value>,
    pub individual_limit: Option<Value>,
    pub spend_control_reached: Option<bool>,
    pub plan_type: Option<String>,
    pub rate_limit_reached_type: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitWindow {
    pub used_percent: i64,
    pub window_duration_mins: Option<i64>,
    pub resets_at: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    pub id: String,
    pub root_turn_id: Option<String>,
    pub items: Vec<Item>,
    pub items_view: Option<String>,
    pub status: TurnStatus,
    pub error: Option<Value>,
    pub started_at: Option<i64>,
    pub completed_at: Option<i64>,
    pub duration_ms: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TurnStatus {
    InProgress,
    Completed,
    Interrupted,
    Failed,
}

#[derive(Debug, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum Item {
    UserMessage {
        id: String,
        client_id: Option<String>,
        content: Vec<UserInput>,
        started_at_ms: Option<i64>,
        completed_at_ms: Option<i64>,
    },
    AgentMessage {
        id: String,
        text: String,
        moderation: Option<Value>,
        phase: Option<String>,
        memory_citation: Option<Value>,
        delivery: Option<String>,
        questions: Option<Vec<Value>>,
        started_at_ms: Option<i64>,
        completed_at_ms: Option<i64>,
    },
    Reasoning {
        id: String,
        summary: Vec<String>,
        content: Vec<String>,
        started_at_ms: Option<i64>,
        completed_at_ms: Option<i64>,
    },
    CommandExecution {
        id: String,
        plugin_id: Option<String>,
        script_path: Option<String>,
        command: String,
        cwd: String,
        process_id: Option<String>,
        source: Option<String>,
        status: String,
        command_actions: Vec<CommandAction>,
        aggregated_output: Option<String>,
        exit_code: Option<i32>,
        duration_ms: Option<i64>,
        started_at_ms: Option<i64>,
        completed_at_ms: Option<i64>,
    },
    FileChange {
        id: String,
        changes: Vec<FileChange>,
        status: String,
        started_at_ms: Option<i64>,
        completed_at_ms: Option<i64>,
    },
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum UserInput {
    Text {
        text: String,
        text_elements: Option<Vec<Value>>,
    },
    Image {
        url: String,
    },
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum CommandAction {
    Read {
        command: String,
        name: String,
        path: String,
    },
    ListFiles {
        command: String,
        path: Option<String>,
    },
    Search {
        command: String,
        query: Option<String>,
        path: Option<String>,
    },
    Unknown {
        command: String,
    },
}

#[derive(Debug, Deserialize)]
pub struct FileChange {
    pub path: String,
    pub kind: FileChangeKind,
    pub diff: String,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum FileChangeKind {
    Add,
    Delete,
    Update { move_path: Option<String> },
}

/// The answer to `thread/read`.
#[derive(Debug, Deserialize)]
pub struct ThreadReadAnswer {
    pub id: i64,
    pub result: ThreadReadResult,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadReadResult {
    pub thread: Thread,
    pub read_state: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    pub id: String,
    pub environments: Option<Vec<Value>>,
    pub session_id: String,
    pub forked_from_id: Option<String>,
    pub parent_thread_id: Option<String>,
    pub preview: String,
    pub ephemeral: bool,
    pub history_mode: Option<String>,
    pub model_provider: String,
    pub model: Option<String>,
    pub created_at: i64,
    pub updated_at: i64,
    pub recency_at: Option<i64>,
    pub status: ThreadStatus,
    pub path: Option<String>,
    pub cwd: String,
    pub cli_version: String,
    pub originator: Option<String>,
    pub source: Value,
    pub git_info: Option<Value>,
    pub name: Option<String>,
    pub turns: Vec<Turn>,
}
