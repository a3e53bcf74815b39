//! What one would write with serde's derive alone for the events of `codex proto`: their newest
//! form, without availabilities, places of errors, unknown kinds or unknown members.
//!
//! A derive for one form turns the others down: commands with the kind around the members (up
//! to 0.23.0), output as lists of numbers (up to 0.29.0), deletions as bare words (up to 0.27.0).
//! Token counts beside `token_count` (up to 0.30.0) are read, so that it has no less to do.

// The members are only there to be read into.
#![allow(missing_docs)]

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub struct Event {
    pub id: String,
    pub msg: EventMsg,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventMsg {
    SessionConfigured {
        session_id: String,
        model: String,
        reasoning_effort: Option<ReasoningEffort>,
        history_log_id: u64,
        history_entry_count: u64,
        initial_messages: Option<Vec<EventMsg>>,
        rollout_path: Option<String>,
    },
    TaskStarted {
        model_context_window: Option<u64>,
    },
    TaskComplete {
        last_agent_message: Option<String>,
    },
    TurnAborted {
        reason: TurnAbortReason,
    },
    Error(Message),
    StreamError(Message),
    BackgroundEvent(Message),
    TokenCount(Box<TokenCount>),
    AgentMessage(Message),
    AgentMessageDelta(Delta),
    AgentReasoning(Text),
    AgentReasoningDelta(Delta),
    AgentReasoningRawContent(Text),
    AgentReasoningRawContentDelta(Delta),
    AgentReasoningSectionBreak {},
    UserMessage {
        message: String,
        kind: Option<InputMessageKind>,
        images: Option<Vec<String>>,
    },
    ExecApprovalRequest {
        call_id: String,
        command: Vec<String>,
        cwd: String,
        reason: Option<String>,
    },
    ExecCommandBegin {
        call_id: String,
        command: Vec<String>,
        cwd: String,
        parsed_cmd: Vec<ParsedCommand>,
    },
    ExecCommandOutputDelta {
        call_id: String,
        stream: ExecOutputStream,
        chunk: String,
    },
    ExecCommandEnd {
        call_id: String,
        stdout: String,
        stderr: String,
        #[serde(default)]
        aggregated_output: String,
        exit_code: i32,
        duration: Duration,
        formatted_output: Option<String>,
    },
    ApplyPatchApprovalRequest {
        call_id: String,
        changes: BTreeMap<String, FileChange>,
        reason: Option<String>,
        grant_root: Option<String>,
    },
    PatchApplyBegin {
        call_id: String,
        auto_approved: bool,
        changes: BTreeMap<String, FileChange>,
    },
    PatchApplyEnd {
        call_id: String,
        stdout: String,
        stderr: String,
        success: bool,
    },
    TurnDiff {
        unified_diff: String,
    },
    McpToolCallBegin {
        call_id: String,
        invocation: McpInvocation,
    },
    McpToolCallEnd {
        call_id: String,
        invocation: McpInvocation,
        duration: Duration,
        result: Result<CallToolResult, String>,
    },
    WebSearchBegin {
        call_id: String,
        query: Option<String>,
    },
    WebSearchEnd {
        call_id: String,
        query: String,
    },
    PlanUpdate {
        explanation: Option<String>,
        plan: Vec<PlanItem>,
    },
    EnteredReviewMode {
        prompt: String,
        user_facing_hint: String,
    },
    ExitedReviewMode {
        review_output: Option<Value>,
    },
    GetHistoryEntryResponse {
        offset: u64,
        log_id: u64,
        entry: Option<HistoryEntry>,
    },
    ConversationHistory {
        conversation_id: String,
        entries: Vec<Value>,
    },
    ConversationPath {
        conversation_id: String,
        path: String,
    },
    McpListToolsResponse {
        tools: BTreeMap<String, Value>,
    },
    ListCustomPromptsResponse {
        custom_prompts: Vec<CustomPrompt>,
    },
    ShutdownComplete {},
}

#[derive(Debug, Deserialize)]
pub struct Message {
    pub message: String,
}

#[derive(Debug, Deserialize)]
pub struct Delta {
    pub delta: String,
}

#[derive(Debug, Deserialize)]
pub struct Text {
    pub text: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningEffort {
    Minimal,
    Low,
    Medium,
    High,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnAbortReason {
    Interrupted,
    Replaced,
    ReviewEnded,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputMessageKind {
    Plain,
    UserInstructions,
    EnvironmentContext,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExecOutputStream {
    Stdout,
    Stderr,
}

#[derive(Debug, Deserialize)]
pub struct TokenCount {
    pub info: Option<TokenUsageInfo>,
    pub rate_limits: Option<RateLimits>,
    pub input_tokens: Option<u64>,
    pub cached_input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub reasoning_output_tokens: Option<u64>,
    pub total_tokens: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub struct TokenUsageInfo {
    pub total_token_usage: TokenUsage,
    pub last_token_usage: TokenUsage,
    pub model_context_window: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub struct TokenUsage {
    pub input_tokens: u64,
    pub cached_input_tokens: u64,
    pub output_tokens: u64,
    pub reasoning_output_tokens: u64,
    pub total_tokens: u64,
}

#[derive(Debug, Deserialize)]
pub struct RateLimits {
    pub primary: Option<RateLimitWindow>,
    pub secondary: Option<RateLimitWindow>,
    pub primary_used_percent: Option<f64>,
    pub secondary_used_percent: Option<f64>,
    pub primary_to_secondary_ratio_percent: Option<f64>,
    pub primary_window_minutes: Option<u64>,
    pub secondary_window_minutes: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub struct RateLimitWindow {
    pub used_percent: f64,
    pub window_minutes: Option<u64>,
    pub resets_in_seconds: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ParsedCommand {
    Read {
        cmd: String,
        name: String,
    },
    ListFiles {
        cmd: String,
        path: Option<String>,
    },
    Search {
        cmd: String,
        query: Option<String>,
        path: Option<String>,
    },
    Format {
        cmd: String,
        tool: Option<String>,
        targets: Option<Vec<String>>,
    },
    Test {
        cmd: String,
    },
    Lint {
        cmd: String,
        tool: Option<String>,
        targets: Option<Vec<String>>,
    },
    Noop {
        cmd: String,
    },
    Unknown {
        cmd: String,
    },
}

#[derive(Debug, Deserialize)]
pub struct Duration {
    pub secs: u64,
    pub nanos: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    Add {
        content: String,
    },
    Delete {
        content: String,
    },
    Update {
        unified_diff: String,
        move_path: Option<String>,
    },
}

#[derive(Debug, Deserialize)]
pub struct McpInvocation {
    pub server: String,
    pub tool: String,
    pub arguments: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallToolResult {
    pub content: Vec<Value>,
    pub is_error: Option<bool>,
    pub structured_content: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub struct PlanItem {
    pub step: String,
    pub status: StepStatus,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    Pending,
    InProgress,
    Completed,
}

#[derive(Debug, Deserialize)]
pub struct HistoryEntry {
    #[serde(alias = "session_id")]
    pub conversation_id: String,
    pub ts: u64,
    pub text: String,
}

#[derive(Debug, Deserialize)]
pub struct CustomPrompt {
    pub name: String,
    pub path: String,
    pub content: String,
}
