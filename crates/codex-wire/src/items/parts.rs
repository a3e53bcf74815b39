//! The parts of items, independent of the protocol.

use crate::json::Raw;

/// How far an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status<'a> {
    /// It runs, or waits for approval.
    InProgress,
    /// It ended well.
    Completed,
    /// It ended otherwise.
    Failed,
    /// The user or a policy refused it.
    Declined,
    /// It was interrupted.
    Interrupted,
    /// Another word of the wire.
    Other(&'a str),
}

impl<'a> From<&'a str> for Status<'a> {
    fn from(text: &'a str) -> Self {
        match text {
            "in_progress" | "inProgress" => Status::InProgress,
            "completed" => Status::Completed,
            "failed" => Status::Failed,
            "declined" => Status::Declined,
            "interrupted" => Status::Interrupted,
            other => Status::Other(other),
        }
    }
}

/// The change to one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change<'a> {
    /// The path; of a moved file, the old one.
    pub path: &'a str,
    /// What happens to the file.
    pub kind: ChangeKind<'a>,
    /// Where the file moves, which only the app-server says.
    pub move_path: Option<&'a str>,
    /// A unified diff for an update, the whole content for a file that is added or deleted; only
    /// the app-server has it.
    pub diff: Option<&'a str>,
}

/// What a patch does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeKind<'a> {
    /// It is created.
    Add,
    /// It is removed.
    Delete,
    /// Its contents change, or it moves.
    Update,
    /// Another word of the wire, or no word at all: then the JSON text.
    Other(&'a str),
}

impl<'a> From<&'a str> for ChangeKind<'a> {
    fn from(text: &'a str) -> Self {
        match text {
            "add" => ChangeKind::Add,
            "delete" => ChangeKind::Delete,
            "update" => ChangeKind::Update,
            other => ChangeKind::Other(other),
        }
    }
}

/// A call of a tool: of an MCP server, of the client, or one for working with other agents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall<'a> {
    /// The MCP server; nothing for other tools.
    pub server: Option<&'a str>,
    /// The tool.
    pub tool: &'a str,
    /// What it is called with, where the protocol reports that.
    pub arguments: Option<&'a Raw>,
    /// The text blocks of what an MCP tool or the client answered.
    pub texts: Vec<String>,
    /// The answer of an MCP tool as data.
    pub structured: Option<&'a Raw>,
    /// Why a call of an MCP tool did not go through.
    pub error: Option<&'a str>,
    /// What another agent is told.
    pub prompt: Option<&'a str>,
    /// The threads of the agents that are called.
    pub receivers: &'a [String],
}

/// An entry of a to-do list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Todo<'a> {
    /// What to do.
    pub text: &'a str,
    /// Whether it is done.
    pub completed: bool,
}
