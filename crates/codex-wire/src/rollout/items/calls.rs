//! Items that are calls of tools.

use crate::core_protocol::Duration;
use crate::json::{Extra, Raw};
use crate::rollout::parts::{
    AgentStatus, CommandSource, CommandStatus, DynamicToolContent, McpToolResult, ParsedCommand,
    PatchChange, PatchStatus, SubAgentActivityKind, WebSearchAction,
};
use crate::{Map, Maybe, Wire};

/// A command has ended.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CommandExecutionTurnItem {
    /// The model's call.
    pub id: String,
    /// The process, where it goes on after the call.
    #[wire(optional)]
    pub process_id: Maybe<String>,
    /// The command and its arguments.
    pub command: Vec<String>,
    /// The folder it ran in, as a `file:` URL.
    pub cwd: String,
    /// What Codex takes it to do.
    pub parsed_cmd: Vec<ParsedCommand>,
    /// Who ran it.
    pub source: CommandSource,
    /// What was written to a command that was already running. Not recorded: from upstream's type.
    #[wire(optional)]
    pub interaction_input: Maybe<String>,
    /// How it ended.
    pub status: CommandStatus,
    /// What it wrote to its standard output. Recorded up to 0.157.0, and not in 0.162.0.
    ///
    /// Until 0.160.1.
    #[wire(until = "0.160.1", optional)]
    pub stdout: Maybe<String>,
    /// What it wrote to its standard error.
    ///
    /// Until 0.160.1.
    #[wire(until = "0.160.1", optional)]
    pub stderr: Maybe<String>,
    /// Both, in the order they were written.
    #[wire(optional)]
    pub aggregated_output: Maybe<String>,
    /// Its exit code.
    #[wire(optional)]
    pub exit_code: Maybe<i32>,
    /// How long it ran.
    #[wire(optional)]
    pub duration: Maybe<Duration>,
    /// Its output as the model sees it.
    ///
    /// Until 0.160.1.
    #[wire(until = "0.160.1", optional)]
    pub formatted_output: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A patch has been applied, or has not.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct FileChangeTurnItem {
    /// The model's call.
    pub id: String,
    /// What changes, by file. The order of the files is arbitrary.
    pub changes: Map<PatchChange>,
    /// How it ended.
    #[wire(optional)]
    pub status: Maybe<PatchStatus>,
    /// Whether it was approved without asking the user. Not recorded: from upstream's type.
    #[wire(optional)]
    pub auto_approved: Maybe<bool>,
    /// What the patch program printed: a list of the files.
    #[wire(optional)]
    pub stdout: Maybe<String>,
    /// What it complained about.
    #[wire(optional)]
    pub stderr: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A call of a tool on an MCP server has ended.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct McpToolCallTurnItem {
    /// The model's call.
    pub id: String,
    /// The server, by its name in the configuration.
    pub server: String,
    /// The tool, by its name on the server.
    pub tool: String,
    /// What it was called with; any JSON.
    pub arguments: Raw,
    /// The app behind the tool. Not recorded, as all members about apps: from upstream's type.
    #[wire(optional)]
    pub connector_id: Maybe<String>,
    /// Where the app has its page. Not recorded.
    #[wire(optional)]
    pub mcp_app_resource_uri: Maybe<String>,
    /// The user's link to the app. Not recorded.
    #[wire(optional)]
    pub link_id: Maybe<String>,
    /// The app's name. Not recorded.
    #[wire(optional)]
    pub app_name: Maybe<String>,
    /// The app's template. Not recorded.
    #[wire(optional)]
    pub template_id: Maybe<String>,
    /// What the app does. Not recorded.
    #[wire(optional)]
    pub action_name: Maybe<String>,
    /// The plugin that brought the server. Not recorded.
    #[wire(optional)]
    pub plugin_id: Maybe<String>,
    /// Whether the tool says that it changes nothing.
    #[wire(rename = "readOnlyHint", optional)]
    pub read_only_hint: Maybe<bool>,
    /// How it ended.
    pub status: McpCallStatus,
    /// What the tool answered.
    #[wire(optional)]
    pub result: Maybe<McpToolResult>,
    /// Why there is no answer.
    #[wire(optional)]
    pub error: Maybe<McpCallError>,
    /// How long it took.
    #[wire(optional)]
    pub duration: Maybe<Duration>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How a call of a tool ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum McpCallStatus {
    /// It has not. Not recorded.
    InProgress,
    /// The tool answered.
    Completed,
    /// It failed, or says that it did.
    Failed,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// Why a call has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct McpCallError {
    /// For people.
    pub message: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A web search has ended.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct WebSearchTurnItem {
    /// The call.
    pub id: String,
    /// What was searched for; the address where a page was opened.
    pub query: String,
    /// What was done.
    pub action: WebSearchAction,
    /// What was found; any JSON. Not recorded: from the app-server's item.
    #[wire(optional)]
    pub results: Maybe<Vec<Raw>>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A call of a tool of the client has ended.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct DynamicToolCallTurnItem {
    /// The model's call.
    pub id: String,
    /// The group of tools.
    #[wire(optional)]
    pub namespace: Maybe<String>,
    /// The tool.
    pub tool: String,
    /// What it was called with; any JSON.
    pub arguments: Raw,
    /// How it ended.
    pub status: McpCallStatus,
    /// What it answered.
    #[wire(optional)]
    pub content_items: Maybe<Vec<DynamicToolContent>>,
    /// Whether it succeeded.
    #[wire(optional)]
    pub success: Maybe<bool>,
    /// Why there is no answer. Not recorded: from upstream's type.
    #[wire(optional)]
    pub error: Maybe<String>,
    /// How long it took.
    #[wire(optional)]
    pub duration: Maybe<Duration>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A call of a tool for working with other agents has ended.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CollabAgentToolCallTurnItem {
    /// The model's call.
    pub id: String,
    /// Which tool.
    pub tool: CollabTool,
    /// How it ended.
    pub status: CollabCallStatus,
    /// The thread that calls.
    pub sender_thread_id: String,
    /// The threads that are called.
    pub receiver_thread_ids: Vec<String>,
    /// The agents that are called, with their names.
    pub receiver_agents: Vec<CollabAgent>,
    /// What they are told, where something is said.
    #[wire(optional)]
    pub prompt: Maybe<String>,
    /// The model of an agent that is started.
    #[wire(optional)]
    pub model: Maybe<String>,
    /// How hard it thinks.
    #[wire(optional)]
    pub reasoning_effort: Maybe<String>,
    /// How the called agents are, by thread.
    pub agents_states: Map<AgentStatus>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A tool for working with other agents. Recorded: `spawn_agent`, `send_input`, `wait` and
/// `close_agent`; the rest is from the official schemas of the app-server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum CollabTool {
    /// Starts an agent.
    SpawnAgent,
    /// Tells an agent something.
    SendInput,
    /// Lets an agent go on.
    ResumeAgent,
    /// Waits for agents.
    Wait,
    /// Ends an agent.
    CloseAgent,
    /// Gives an agent another task.
    ///
    /// Since 0.150.0.
    #[wire(since = "0.150.0")]
    FollowupTask,
    /// Interrupts an agent.
    ///
    /// Since 0.150.0.
    #[wire(since = "0.150.0")]
    InterruptAgent,
    /// Lists the agents.
    ///
    /// Since 0.150.0.
    #[wire(since = "0.150.0")]
    ListAgents,
    /// Sends a message to an agent.
    ///
    /// Since 0.150.0.
    #[wire(since = "0.150.0")]
    SendMessage,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// How such a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum CollabCallStatus {
    /// It has not. Not recorded.
    InProgress,
    /// It succeeded.
    Completed,
    /// It failed.
    Failed,
    /// It was interrupted. Not recorded: from the official schemas of the app-server.
    ///
    /// Since 0.150.0.
    #[wire(since = "0.150.0")]
    Interrupted,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// An agent that is called.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CollabAgent {
    /// Its thread.
    pub thread_id: String,
    /// Its name for people.
    #[wire(optional)]
    pub agent_nickname: Maybe<String>,
    /// Its role. Not recorded: from the official schemas of the app-server.
    #[wire(optional)]
    pub agent_role: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Something happened to a sub-agent.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SubAgentActivityTurnItem {
    /// The model of the sub-agent; `null` but where it is started. Recorded from 0.162.0, and not
    /// in 0.157.0.
    ///
    /// Since 0.158.0. May be left out until 0.161.0.
    #[wire(since = "0.158.0", optional(until = "0.161.0"), nullable)]
    pub model: Maybe<String>,
    /// How hard it thinks.
    ///
    /// Since 0.158.0. May be left out until 0.161.0.
    #[wire(since = "0.158.0", optional(until = "0.161.0"), nullable)]
    pub reasoning_effort: Maybe<String>,
    /// The model's call.
    pub id: String,
    /// What happened.
    pub kind: SubAgentActivityKind,
    /// The thread of the sub-agent.
    pub agent_thread_id: String,
    /// Its place among the agents, such as `/root/kid_one`.
    pub agent_path: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The model made an image. Not recorded: from upstream's type and the app-server's item.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ImageGenerationTurnItem {
    /// The call.
    pub id: String,
    /// How it ended; an unchecked string.
    pub status: String,
    /// What was asked of the image model.
    #[wire(optional)]
    pub revised_prompt: Maybe<String>,
    /// The image, base64.
    ///
    /// May be left out since 0.164.0.
    #[wire(optional(since = "0.164.0"))]
    pub result: Maybe<String>,
    /// Where Codex saved it.
    #[wire(optional)]
    pub saved_path: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The model looked at an image. Not recorded: from upstream's type.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ImageViewTurnItem {
    /// The call.
    pub id: String,
    /// The file, as a `file:` URL.
    pub path: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
