//! Turns and what happens in them.

use std::sync::Arc;

use crate::Map;
use crate::rollout::session::Tokens;
use crate::rollout::{MessagePhase, PatchChange};

/// A piece of work: from what the user says to the end of the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Turn {
    /// Its id; files name it from 0.100.0.
    pub id: Option<String>,
    /// The turn of the user it belongs to, for turns of sub-agents; from 0.157.0.
    pub root_id: Option<String>,
    /// When its first line was written; see [`Session`](super::Session) for the form of times.
    pub started: Option<String>,
    /// When its last line was written.
    pub ended: Option<String>,
    /// How it ended.
    pub status: TurnStatus,
    /// Why it failed, for people.
    pub error: Option<String>,
    /// The settings in force.
    pub settings: Settings,
    /// What happened, in order.
    pub entries: Vec<Entry>,
    /// What the model's responses used, in order.
    pub responses: Vec<Response>,
    /// Whether the turn is history of another thread, which a fork copied into this file.
    pub is_copied: bool,
    /// Whether the user took it back, or one before it: it is no longer part of the conversation. From
    /// 0.80.0 to 0.150.1; later releases leave out such turns by going on in another file.
    pub is_rolled_back: bool,
}

impl Turn {
    /// The tokens it used.
    pub fn tokens(&self) -> Tokens {
        self.responses.iter().map(|response| response.tokens).sum()
    }

    /// The messages of the user, the agent and Codex.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Message(message) => Some(message),
            _ => None,
        })
    }

    /// The first thing the user said.
    pub fn prompt(&self) -> Option<&str> {
        let mut messages = self.messages();
        let prompt = messages.find(|message| message.kind == MessageKind::Prompt)?;
        Some(&prompt.text)
    }

    /// The commands the agent or the user ran.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Command(command) => Some(command),
            _ => None,
        })
    }
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TurnStatus {
    /// It came to its end. Up to 0.144.6 this may hide a failure: a failed turn leaves no error in
    /// the file.
    Completed,
    /// It failed.
    Failed,
    /// It was stopped.
    Aborted,
    /// It began and did not end: Codex was killed, or is still at work.
    Unfinished,
    /// The release that wrote it marks no ends; before 0.100.0.
    #[default]
    Unmarked,
}

/// The settings in force in a turn, as far as the file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// The model; files name it from 0.36.0.
    pub model: Option<Arc<str>>,
    /// How hard it thinks; nothing for as usual.
    pub effort: Option<Arc<str>>,
    /// The working folder.
    pub cwd: Option<Arc<str>>,
    /// When somebody is asked before a command runs, as on the wire; an object where it is one.
    pub approval_policy: Option<Arc<str>>,
    /// What commands may touch: the name of the sandbox policy, such as `workspace-write`.
    pub sandbox_policy: Option<Arc<str>>,
    /// How the agent works with the user: `default`, `plan`.
    pub mode: Option<Arc<str>>,
}

/// A response of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Response {
    /// When its tokens were written down: the time of the line.
    pub at: String,
    /// The model that was in force.
    pub model: Option<Arc<str>>,
    /// What it used. More than one response where the file has only their sum.
    pub tokens: Tokens,
}

impl Response {
    /// The day in UTC, `2026-11-22`.
    pub fn day(&self) -> &str {
        self.at.get(..10).unwrap_or(&self.at)
    }
}

/// Something that happened in a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Entry {
    /// Somebody said something.
    Message(Message),
    /// The model thought.
    Reasoning(Reasoning),
    /// A command ran.
    Command(Command),
    /// Files were patched.
    Patch(Patch),
    /// A tool on an MCP server was called.
    McpCall(McpCall),
    /// Another tool was called.
    ToolCall(ToolCall),
    /// The web was searched; from 0.61.0.
    WebSearch(WebSearch),
    /// The agent made a plan, in plan mode; from 0.98.0.
    Plan(Plan),
    /// The history was summed up to make room; from 0.36.0.
    Compaction(Compaction),
    /// A review began; its work is in a file of its own. From 0.63.0.
    ReviewStarted(ReviewStarted),
    /// A review ended.
    ReviewEnded,
}

impl Entry {
    /// The id of the model's call, for those that are one and have it.
    pub fn call_id(&self) -> Option<&str> {
        match self {
            Entry::Command(command) => command.call_id.as_deref(),
            Entry::Patch(patch) => patch.call_id.as_deref(),
            Entry::McpCall(call) => Some(&call.call_id),
            Entry::ToolCall(call) => call.call_id.as_deref(),
            Entry::WebSearch(search) => search.call_id.as_deref(),
            _ => None,
        }
    }
}

/// Something somebody said.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// When.
    pub at: Option<String>,
    /// Who speaks, and whether a person would call it part of the conversation.
    pub kind: MessageKind,
    /// The text, without images.
    pub text: String,
    /// Whether it is said on the way or is the answer, where the model says it.
    pub phase: Option<MessagePhase>,
}

/// Who speaks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MessageKind {
    /// The user, or who started a sub-agent.
    Prompt,
    /// The agent.
    Answer,
    /// Codex tells the model something: where it is, what the project's instructions are, what a
    /// hook says. Stands in the conversation under the roles `user` and `developer`.
    Context,
    /// Another agent, by its path.
    Agent(String),
}

/// What the model thought.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reasoning {
    /// The sections of the summary.
    pub summary: Vec<String>,
    /// The reasoning itself, where the model shows it.
    pub content: Vec<String>,
}

/// A command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Command {
    /// The model's call; commands of the user may have none.
    pub call_id: Option<String>,
    /// The command and its arguments; one line where the tool takes a line.
    pub command: Vec<String>,
    /// The folder it ran in, as far as it is known.
    pub cwd: Option<String>,
    /// What it wrote, as far as the file keeps it; nothing if it has not ended.
    pub output: Option<String>,
    /// Its exit code, where the file says it.
    pub exit_code: Option<i32>,
    /// How long it ran, in milliseconds.
    pub duration_ms: Option<u64>,
    /// Whether it was kept from running.
    pub is_declined: bool,
    /// Whether the user ran it.
    pub is_by_user: bool,
}

/// A patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Patch {
    /// The model's call.
    pub call_id: Option<String>,
    /// The patch as the model wrote it, where it did.
    pub text: Option<String>,
    /// The changed files with what changed; from 0.104.0, where the event or item is kept.
    pub changes: Map<PatchChange>,
    /// What the tool answered.
    pub output: Option<String>,
    /// Whether it was applied; nothing if the file does not say.
    pub is_applied: Option<bool>,
}

/// A call of a tool on an MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct McpCall {
    /// The model's call.
    pub call_id: String,
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// What it was called with; JSON.
    pub arguments: String,
    /// What it answered, as the model reads it.
    pub output: Option<String>,
    /// Whether it failed; nothing if the file does not say, as most do not before 0.129.0.
    pub is_error: Option<bool>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<u64>,
}

/// A call of a tool that is neither of those above: plans, images, agents, tools of the client.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall {
    /// The model's call; nothing for answers to no call.
    pub call_id: Option<String>,
    /// The group of tools.
    pub namespace: Option<String>,
    /// The tool.
    pub name: String,
    /// What it was called with: JSON, or plain text for custom tools.
    pub arguments: String,
    /// What it answered, as the model reads it.
    pub output: Option<String>,
}

/// A web search, or a visit to a page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WebSearch {
    /// The call, where the file names it.
    pub call_id: Option<String>,
    /// What was searched for, or the address.
    pub query: String,
}

/// The plan of plan mode.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// The plan, in Markdown.
    pub text: String,
}

/// The history was summed up to make room.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compaction {
    /// What the model receives in the place of the history; empty where the provider keeps it.
    pub summary: String,
}

/// A review begins.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReviewStarted {
    /// What is reviewed, in words for people.
    pub hint: Option<String>,
}
