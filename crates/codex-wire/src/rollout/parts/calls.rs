//! Parts of commands and other calls of tools, and the states of agents.

use crate::json::{Extra, Raw};
use crate::mcp::McpContent;
use crate::{Maybe, Null, Unknown, UnknownExternal, Wire};

/// What Codex takes a command, or a part of it, to do. Unlike in `codex proto`, `read` has a path.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ParsedCommand {
    /// A file is read.
    Read(ParsedRead),
    /// Files are listed.
    ListFiles(ParsedListFiles),
    /// Text or files are searched for.
    Search(ParsedSearch),
    /// Anything else.
    #[wire(rename = "unknown")]
    Other(ParsedOther),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// A file is read.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ParsedRead {
    /// The command.
    pub cmd: String,
    /// The file's name, without its folder.
    pub name: String,
    /// The file.
    pub path: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Files are listed.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ParsedListFiles {
    /// The command.
    pub cmd: String,
    /// Where; `null` for the current folder.
    #[wire(nullable)]
    pub path: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Text or files are searched for.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ParsedSearch {
    /// The command.
    pub cmd: String,
    /// What for.
    #[wire(nullable)]
    pub query: Maybe<String>,
    /// Where.
    #[wire(nullable)]
    pub path: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Anything else.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ParsedOther {
    /// The command.
    pub cmd: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Who ran a command. Recorded: `unified_exec_startup` and `user_shell`; the rest is from the
/// official schemas of the app-server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum CommandSource {
    /// The agent, with a tool that waits for the end.
    Agent,
    /// The user, through a client.
    UserShell,
    /// The agent, with a tool that does not wait.
    UnifiedExecStartup,
    /// The agent wrote to a command that was running.
    UnifiedExecInteraction,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum CommandStatus {
    /// It has not. Not recorded.
    InProgress,
    /// With exit code zero.
    Completed,
    /// With another, or not at all.
    Failed,
    /// It was not allowed to run.
    Declined,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// What a patch does to a file. Written as `{"type": "add", …}`, unlike in `codex proto`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum PatchChange {
    /// It makes the file.
    Add(AddedFile),
    /// It deletes the file.
    Delete(DeletedFile),
    /// It changes the file, and may move it.
    Update(UpdatedFile),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// A new file.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct AddedFile {
    /// What it holds.
    pub content: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A deleted file.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct DeletedFile {
    /// What it held.
    pub content: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A changed file.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct UpdatedFile {
    /// The diff, without file names.
    pub unified_diff: String,
    /// Where the file moves.
    #[wire(nullable)]
    pub move_path: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How a patch ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum PatchStatus {
    /// It has not. Not recorded.
    InProgress,
    /// It was applied.
    Completed,
    /// It could not be applied.
    Failed,
    /// It was not allowed.
    Declined,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// What came of a call: `{"Ok": …}` or `{"Err": …}`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(externally_tagged)]
#[non_exhaustive]
pub enum McpToolOutcome {
    /// The tool answered, be it with an error of its own.
    #[wire(rename = "Ok")]
    Answered(McpToolResult),
    /// The call did not go through; why, for people.
    #[wire(rename = "Err")]
    Failed(String),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(UnknownExternal),
}

/// What a tool answered, under the names of the Model Context Protocol.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpToolResult {
    /// The answer's blocks.
    pub content: Vec<McpContent>,
    /// The answer as data, where the tool has an output schema; any JSON.
    #[wire(optional)]
    pub structured_content: Maybe<Raw>,
    /// Whether the tool says that it failed; left out where it does not say.
    #[wire(optional)]
    pub is_error: Maybe<bool>,
    /// Metadata of the server; any JSON.
    #[wire(rename = "_meta", optional)]
    pub meta: Maybe<Raw>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a web search did.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum WebSearchAction {
    /// It searched.
    Search(SearchedWeb),
    /// It opened a page.
    OpenPage(OpenedPage),
    /// It searched a page.
    FindInPage(FoundInPage),
    /// Anything else. Not recorded.
    Other(OtherWebAction),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// A search.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct SearchedWeb {
    /// What for.
    #[wire(optional)]
    pub query: Maybe<String>,
    /// What for, where there are several.
    #[wire(optional)]
    pub queries: Maybe<Vec<String>>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A page was opened.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct OpenedPage {
    /// Its address.
    #[wire(optional)]
    pub url: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A page was searched.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct FoundInPage {
    /// Its address.
    #[wire(optional)]
    pub url: Maybe<String>,
    /// What for.
    #[wire(optional)]
    pub pattern: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Anything else.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct OtherWebAction {
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A part of what a tool of the client answered; camelCase, as the client wrote it. Recorded:
/// `inputText`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "type", rename_all = "camelCase")]
#[non_exhaustive]
pub enum DynamicToolContent {
    /// Text.
    InputText(DynamicToolText),
    /// An image.
    InputImage(DynamicToolImage),
    /// A sound. From the official schemas of the app-server.
    ///
    /// Since 0.145.0.
    #[wire(since = "0.145.0")]
    InputAudio(DynamicToolAudio),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// Text.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct DynamicToolText {
    /// The text.
    pub text: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// An image.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DynamicToolImage {
    /// Its address.
    pub image_url: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A sound.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DynamicToolAudio {
    /// Its address.
    pub audio_url: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How another agent is: a word, or `{"completed": …}`. Recorded: `pending_init`, `running`,
/// `not_found` and `completed`; the rest is from the official schemas of the app-server.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(externally_tagged)]
#[non_exhaustive]
pub enum AgentStatus {
    /// It is being started.
    PendingInit,
    /// It works.
    Running,
    /// It was interrupted. Dated by the app-server's `CollabAgentStatus`.
    ///
    /// Since 0.115.0.
    #[wire(since = "0.115.0")]
    Interrupted,
    /// It is done.
    Completed(LastAgentMessage),
    /// It failed; why.
    Errored(String),
    /// It was ended.
    Shutdown,
    /// There is no such agent.
    NotFound,
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(UnknownExternal),
}

/// The last thing an agent said.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(untagged)]
#[non_exhaustive]
pub enum LastAgentMessage {
    /// It said this.
    Text(String),
    /// It said nothing.
    Nothing(Null),
    /// A shape that this crate does not know.
    #[wire(unknown)]
    Unknown(Raw),
}

/// What happened to a sub-agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum SubAgentActivityKind {
    /// It was started.
    Started,
    /// It was told something.
    Interacted,
    /// It was interrupted.
    Interrupted,
    /// It is done. Recorded from 0.150.1, and not in 0.142.0.
    ///
    /// Since 0.143.0.
    #[wire(since = "0.143.0")]
    Completed,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
