//! Calls of tools on MCP servers.

use crate::json::{Extra, Raw};
use crate::{Maybe, Wire};

pub use crate::mcp::McpContent;

/// A call of a tool on an MCP server.
///
/// Two kinds of failure look different: a tool that reports an error gives `failed` with its
/// text in `result` and `error: null`; a call that does not go through gives `error`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct McpToolCallItem {
    /// The server, by its name in the configuration.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// What it is called with; any JSON, `null` included.
    ///
    /// Since 0.51.0.
    #[wire(since = "0.51.0", nullable)]
    pub arguments: Maybe<Raw>,
    /// What it answered.
    ///
    /// Since 0.51.0.
    #[wire(since = "0.51.0", nullable)]
    pub result: Maybe<McpToolCallResult>,
    /// Why the call did not go through.
    ///
    /// Since 0.51.0.
    #[wire(since = "0.51.0", nullable)]
    pub error: Maybe<McpToolCallError>,
    /// How far the call is.
    pub status: McpToolCallStatus,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct McpToolCallResult {
    /// The answer's blocks.
    pub content: Vec<McpContent>,
    /// The server's metadata, where it sent any.
    ///
    /// Since 0.132.0.
    #[wire(rename = "_meta", since = "0.132.0", optional)]
    pub meta: Maybe<Raw>,
    /// The answer as data, where the tool has an output schema; any JSON.
    #[wire(nullable)]
    pub structured_content: Maybe<Raw>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Why a call did not go through.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct McpToolCallError {
    /// For people.
    pub message: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How far a call is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum McpToolCallStatus {
    /// It runs.
    InProgress,
    /// It succeeded.
    Completed,
    /// It failed, either way.
    Failed,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
