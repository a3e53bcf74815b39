//! Items: what happens in a turn.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Time;
use super::absent::is_false;

/// Something that happened in a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Item {
    /// Its id: that of the model's call if there is one, else that of the source's item.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<String>,
    /// The lines of the input: where it began and where it ended.
    pub lines: Lines,
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub started: Option<Time>,
    /// When it ended. Absent if it did not, or if the source has no times.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub completed: Option<Time>,
    /// How long it took in milliseconds, as Codex says.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duration_ms: Option<u64>,
    /// What it is.
    #[serde(flatten)]
    pub body: Body,
}

impl Item {
    /// An item that begins and ends on a line.
    pub(crate) fn new(line: u64, body: Body) -> Self {
        Item {
            id: None,
            lines: Lines::at(line),
            started: None,
            completed: None,
            duration_ms: None,
            body,
        }
    }

    /// How long it took in milliseconds: as Codex says, else from its beginning to its end. A list of steps takes no
    /// time: its end is the last call that changed it.
    pub fn took_ms(&self) -> Option<u64> {
        let is_list = matches!(self.body, Body::TodoList(_));
        let completed = self.completed.filter(|_| !is_list);
        self.duration_ms
            .or_else(|| Some(completed?.since(self.started?)))
    }
}

/// Lines of the input, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Lines {
    /// The first.
    pub from: u64,
    /// The last.
    pub to: u64,
}

impl Lines {
    /// One line.
    pub fn at(line: u64) -> Self {
        Lines {
            from: line,
            to: line,
        }
    }

    /// As far as this line, too.
    pub(crate) fn extend(&mut self, line: u64) {
        self.to = self.to.max(line);
    }
}

/// What an item is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Body {
    /// Somebody said something.
    Message(Message),
    /// The model thought.
    Reasoning(Reasoning),
    /// A command ran.
    Command(Command),
    /// Files were patched.
    Patch(Patch),
    /// A tool of an MCP server was called.
    McpCall(McpCall),
    /// Another tool was called.
    ToolCall(ToolCall),
    /// The web was searched, or a page was read.
    WebSearch(WebSearch),
    /// The agent proposed a plan, in plan mode. Since 0.98.0.
    Plan(Plan),
    /// The agent wrote or changed its list of steps.
    TodoList(TodoList),
    /// The model looked at an image, or made one.
    Image(Image),
    /// The history was summed up to make room.
    Compaction(Compaction),
    /// A review began or ended.
    Review(Review),
    /// Somebody was asked for permission, or for an answer.
    Approval(Approval),
    /// Something was done with sub-agents.
    SubAgent(SubAgent),
    /// An error that did not end the turn, such as one that Codex tries again.
    Error(ErrorReport),
    /// A warning of Codex.
    Warning(Warning),
    /// A hook ran.
    HookRun(HookRun),
    /// Something that this model does not name, as the source has it.
    Other(Other),
}

impl Body {
    /// The name and the status of a call of a tool, if it is one: that of the tool, or of the kind of item where the
    /// session does not keep which tool it was. `command` and `patch` are called so in all releases.
    pub fn tool(&self) -> Option<(Cow<'_, str>, Option<Status>)> {
        Some(match self {
            Body::Command(command) if !command.is_by_user => ("command".into(), command.status),
            Body::Patch(patch) => ("patch".into(), patch.status),
            Body::McpCall(call) => (format!("{}/{}", call.server, call.tool).into(), call.status),
            Body::ToolCall(call) => (call.name.as_str().into(), call.status),
            Body::WebSearch(_) => ("web_search".into(), None),
            Body::SubAgent(agent) => (agent.action.as_str().into(), agent.status),
            Body::TodoList(_) => ("update_plan".into(), None),
            _ => return None,
        })
    }
}

/// How far something came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// It runs, or nothing says that it ended.
    InProgress,
    /// It ended well.
    Completed,
    /// It failed.
    Failed,
    /// Somebody, or a policy, kept it from running.
    Declined,
}

/// Something somebody said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The path of the other agent, if one speaks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub author: Option<String>,
    /// The text, without images.
    pub text: String,
    /// Whether the agent says it on the way (`commentary`) or as its answer (`final_answer`), if the model
    /// says so. Since 0.98.0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phase: Option<String>,
    /// How many images come with it.
    #[serde(skip_serializing_if = "is_none_at_all", default)]
    pub images: u32,
}

impl Message {
    /// A text.
    pub(crate) fn new(role: Role, text: impl Into<String>) -> Self {
        Message {
            role,
            author: None,
            text: text.into(),
            phase: None,
            images: 0,
        }
    }
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// The user, or whoever started a sub-agent.
    User,
    /// The agent.
    Assistant,
    /// Codex: where it runs, what the project's instructions are, what a hook says. Only session files hold
    /// it.
    Context,
    /// Another agent.
    Agent,
}

/// What the model thought.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Reasoning {
    /// The summary. Its sections are separated by an empty line.
    pub summary: String,
    /// The reasoning itself, where the model shows it.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub content: String,
}

/// A command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Command {
    /// What runs: the text that the agent gave a shell, without the call of the shell around it.
    pub command: String,
    /// The program and its arguments, where the source has them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub argv: Option<Vec<String>>,
    /// The folder it ran in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cwd: Option<String>,
    /// How far it came.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<Status>,
    /// Its exit code.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exit_code: Option<i64>,
    /// What it wrote, as far as the source keeps it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output: Option<String>,
    /// Whether the user ran it, and not the agent.
    #[serde(skip_serializing_if = "is_false", default)]
    pub is_by_user: bool,
}

/// Changes of files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Patch {
    /// How far it came.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<Status>,
    /// The changed files.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub changes: Vec<FileChange>,
    /// The patch as the model wrote it, where the source has it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub text: Option<String>,
    /// What the tool answered.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output: Option<String>,
}

/// The change of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FileChange {
    /// The file.
    pub path: String,
    /// What became of it.
    pub kind: ChangeKind,
    /// Where it was moved to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub moved_to: Option<String>,
    /// The unified diff of an update, where the source has it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub diff: Option<String>,
    /// The content of a file that was added or deleted, where the source has it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub content: Option<String>,
}

impl FileChange {
    /// A change of which nothing else is known.
    pub(crate) fn new(path: impl Into<String>, kind: ChangeKind) -> Self {
        FileChange {
            path: path.into(),
            kind,
            moved_to: None,
            diff: None,
            content: None,
        }
    }
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// It is new.
    Add,
    /// It is gone.
    Delete,
    /// It changed, or moved.
    Update,
    /// The source says something else.
    Other,
}

/// A call of a tool of an MCP server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct McpCall {
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// How far it came.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<Status>,
    /// What it was called with.
    #[serde(skip_serializing_if = "Value::is_null", default)]
    pub arguments: Value,
    /// What the server answered, as MCP has it: `content`, `structuredContent`. Session files of older
    /// releases keep only the text that the model reads: a string.
    #[serde(skip_serializing_if = "Value::is_null", default)]
    pub result: Value,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

/// A call of another tool: of agents, of the client, of plans.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ToolCall {
    /// The group of tools.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub namespace: Option<String>,
    /// The tool.
    pub name: String,
    /// How far it came.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<Status>,
    /// What it was called with. A string where the tool takes plain text.
    #[serde(skip_serializing_if = "Value::is_null", default)]
    pub arguments: Value,
    /// What it answered, as the model reads it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output: Option<String>,
}

/// A search of the web, or a visit to a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct WebSearch {
    /// What was searched for, or the address of the page.
    pub query: String,
    /// `search`, `open_page`, `find_in_page` or `other`. Since 0.89.0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub action: Option<String>,
}

/// The plan of plan mode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Plan {
    /// The plan, in Markdown.
    pub text: String,
}

/// The steps that the agent means to take.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TodoList {
    /// Why it changed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub explanation: Option<String>,
    /// The steps as they were last.
    pub steps: Vec<TodoStep>,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TodoStep {
    /// What is to be done.
    pub text: String,
    /// Whether it is done.
    pub is_done: bool,
}

impl TodoStep {
    /// A step.
    pub(crate) fn new(text: impl Into<String>, is_done: bool) -> Self {
        TodoStep {
            text: text.into(),
            is_done,
        }
    }
}

/// An image that the model looked at, or made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Image {
    /// The file it was read from, or saved to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// Whether the model made it.
    #[serde(skip_serializing_if = "is_false", default)]
    pub is_generated: bool,
}

/// The history was summed up to make room.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Compaction {
    /// What the model gets instead of the history. Only session files hold it; absent where the
    /// provider keeps it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub summary: Option<String>,
}

/// A review begins or ends. Its work is in a thread of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Review {
    /// Whether it ends.
    pub is_end: bool,
    /// What is reviewed, in words for people; at the end, what was found.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub text: Option<String>,
}

/// Somebody was asked for permission, or for an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Approval {
    /// What it is about: `command`, `patch`, `permissions`, `question`, `elicitation` or another word.
    pub about: String,
    /// The id of the item that waits for it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub item: Option<String>,
    /// The command, for one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub command: Option<String>,
    /// Why it is asked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// The answer. Absent if there was none, or another client gave it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answer: Option<Decision>,
}

/// An answer to a request for approval.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Decision {
    /// The decision in the words of the source, such as `accept`, `decline`, `approved`, `denied`. Absent
    /// for answers that decide nothing.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub decision: Option<String>,
    /// Who answered: the name that the client gave itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by: Option<String>,
}

impl Decision {
    /// Whether it is a refusal, in the words of any source. A rule for the network has its action behind its name.
    pub fn is_refusal(&self) -> bool {
        let decision = self.decision.as_deref().unwrap_or_default();
        matches!(decision, "decline" | "denied" | "cancel" | "abort") || decision.ends_with(" deny")
    }
}

/// Something was done with sub-agents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SubAgent {
    /// What: `spawn_agent`, `send_input`, `wait`, `close_agent` or another word.
    pub action: String,
    /// How far it came.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<Status>,
    /// The threads of the agents.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub threads: Vec<String>,
    /// The prompt that they received.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub prompt: Option<String>,
}

/// An error that did not end the turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ErrorReport {
    /// For people.
    pub message: String,
    /// The kind of error as the protocol names it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<String>,
    /// Whether Codex tries again.
    #[serde(skip_serializing_if = "is_false", default)]
    pub will_retry: bool,
}

/// A warning of Codex.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Warning {
    /// For people.
    pub message: String,
}

/// A hook ran. Only the app-server says so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct HookRun {
    /// The event, such as `preToolUse`.
    pub event: String,
    /// How it ended, in the words of the source, such as `completed` or `blocked`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<String>,
}

/// Something that this model does not name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Other {
    /// Its kind in the words of the source: the type of an item, a method, the type of an event.
    pub kind: String,
    /// What the source says.
    pub value: Value,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_none_at_all(number: &u32) -> bool {
    *number == 0
}
