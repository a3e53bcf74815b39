//! Commands, patches, searches and other calls, when they have ended.
//!
//! What is kept depends on the release: with the extended history that a client of the app-server
//! may ask for (0.104.0 to 0.128.0), all of these; without it up to 0.128.0, only images; from
//! 0.129.0 always patches, MCP calls, searches and images, until paginated threads keep items
//! instead.

use crate::core_protocol::{Duration, McpInvocation};
use crate::json::{Extra, Raw};
use crate::rollout::parts::{
    CommandSource, CommandStatus, DynamicToolContent, McpToolOutcome, ParsedCommand, PatchChange,
    PatchStatus, WebSearchAction,
};
use crate::{Map, Maybe, Wire};

/// A command has ended. Its output is shortened, unlike that of the live event.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ExecCommandEndEvent {
    /// The model's call.
    pub call_id: String,
    /// The process, where it goes on after the call.
    #[wire(optional)]
    pub process_id: Maybe<String>,
    /// The turn.
    pub turn_id: String,
    /// The command and its arguments.
    pub command: Vec<String>,
    /// The folder it ran in.
    pub cwd: String,
    /// What Codex takes it to do.
    pub parsed_cmd: Vec<ParsedCommand>,
    /// Who ran it.
    pub source: CommandSource,
    /// What was written to a command that was already running.
    #[wire(optional)]
    pub interaction_input: Maybe<String>,
    /// What it wrote to its standard output.
    pub stdout: String,
    /// What it wrote to its standard error.
    pub stderr: String,
    /// Both, in the order they were written.
    pub aggregated_output: String,
    /// Its exit code.
    pub exit_code: i32,
    /// How long it ran.
    pub duration: Duration,
    /// Its output as the model sees it.
    pub formatted_output: String,
    /// How it ended.
    pub status: CommandStatus,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A patch has been applied, or has not.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct PatchApplyEndEvent {
    /// The model's call.
    pub call_id: String,
    /// The turn.
    pub turn_id: String,
    /// What the patch program printed: a list of the files.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// Whether the patch was applied.
    pub success: bool,
    /// What changes, by file. The order of the files is arbitrary.
    pub changes: Map<PatchChange>,
    /// How it ended.
    pub status: PatchStatus,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A call of a tool on an MCP server has ended.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct McpToolCallEndEvent {
    /// The model's call.
    pub call_id: String,
    /// What was called. The same as in `codex proto`.
    pub invocation: McpInvocation,
    /// The app behind the tool. Not recorded, as all members about apps: from upstream's type,
    /// dated by the app-server's item.
    ///
    /// Since 0.142.0.
    #[wire(since = "0.142.0", optional)]
    pub connector_id: Maybe<String>,
    /// Where the app has its page. Not recorded.
    ///
    /// Since 0.122.0.
    #[wire(since = "0.122.0", optional)]
    pub mcp_app_resource_uri: Maybe<String>,
    /// The user's link to the app. Not recorded.
    ///
    /// Since 0.142.0.
    #[wire(since = "0.142.0", optional)]
    pub link_id: Maybe<String>,
    /// The app's name. Not recorded.
    ///
    /// Since 0.143.0.
    #[wire(since = "0.143.0", optional)]
    pub app_name: Maybe<String>,
    /// The app's template. Not recorded.
    ///
    /// Since 0.143.0.
    #[wire(since = "0.143.0", optional)]
    pub template_id: Maybe<String>,
    /// What the app does. Not recorded.
    ///
    /// Since 0.143.0.
    #[wire(since = "0.143.0", optional)]
    pub action_name: Maybe<String>,
    /// The plugin that brought the server. Not recorded.
    ///
    /// Since 0.133.0.
    #[wire(since = "0.133.0", optional)]
    pub plugin_id: Maybe<String>,
    /// Whether the tool says that it changes nothing.
    ///
    /// Since 0.147.0.
    #[wire(since = "0.147.0", optional)]
    pub read_only_hint: Maybe<bool>,
    /// How long it took.
    pub duration: Duration,
    /// What came of it.
    pub result: McpToolOutcome,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A web search has ended.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct WebSearchEndEvent {
    /// The call.
    pub call_id: String,
    /// What was searched for; the address where a page was opened.
    pub query: String,
    /// What was done.
    pub action: WebSearchAction,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The model looked at an image. Not recorded: kept with the extended history, as upstream's list
/// of kept events says; the official schemas of the app-server have it up to 0.114.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ViewImageToolCallEvent {
    /// The model's call.
    pub call_id: String,
    /// The file.
    pub path: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The model made an image. Not recorded: upstream kept the event in every legacy thread; the
/// official schemas of the app-server have it up to 0.114.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ImageGenerationEndEvent {
    /// The call.
    pub call_id: String,
    /// How it ended; an unchecked string.
    pub status: String,
    /// What was asked of the image model.
    #[wire(optional)]
    pub revised_prompt: Maybe<String>,
    /// The image, base64.
    pub result: String,
    /// Where Codex saved it.
    ///
    /// Since 0.113.0.
    #[wire(since = "0.113.0", optional)]
    pub saved_path: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The model calls a tool of the client. Two of its names are camelCase; its response has the same
/// in snake_case.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct DynamicToolCallRequestEvent {
    /// The model's call.
    #[wire(rename = "callId")]
    pub call_id: String,
    /// The turn.
    #[wire(rename = "turnId")]
    pub turn_id: String,
    /// When, in milliseconds since 1970. Not recorded: from upstream's type.
    ///
    /// Since 0.126.0.
    #[wire(since = "0.126.0", optional)]
    pub started_at_ms: Maybe<i64>,
    /// The group of tools; `null` for none.
    ///
    /// Since 0.123.0.
    #[wire(since = "0.123.0", nullable)]
    pub namespace: Maybe<String>,
    /// The tool.
    pub tool: String,
    /// What it is called with; any JSON.
    pub arguments: Raw,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A tool of the client answered.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct DynamicToolCallResponseEvent {
    /// The model's call.
    pub call_id: String,
    /// The turn.
    pub turn_id: String,
    /// When, in milliseconds since 1970. Not recorded: from upstream's type.
    ///
    /// Since 0.126.0.
    #[wire(since = "0.126.0", optional)]
    pub completed_at_ms: Maybe<i64>,
    /// The group of tools; `null` for none.
    ///
    /// Since 0.123.0.
    #[wire(since = "0.123.0", nullable)]
    pub namespace: Maybe<String>,
    /// The tool.
    pub tool: String,
    /// What it was called with; any JSON.
    pub arguments: Raw,
    /// What it answered.
    pub content_items: Vec<DynamicToolContent>,
    /// Whether it succeeded.
    pub success: bool,
    /// Why there is no answer.
    #[wire(nullable)]
    pub error: Maybe<String>,
    /// How long it took.
    pub duration: Duration,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
