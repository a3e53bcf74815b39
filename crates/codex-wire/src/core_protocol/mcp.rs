//! Calls of tools on MCP servers.

use crate::core_protocol::Duration;
use crate::json::{Extra, Raw};
use crate::mcp::{CallToolResult, Tool};
use crate::{Map, Maybe, UnknownExternal, Wire};

/// The tools of all MCP servers. Answers `list_mcp_tools`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct McpListToolsResponseEvent {
    /// The tools by the names the model calls them: server and tool. The order is arbitrary.
    pub tools: Map<Tool>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A call of a tool begins.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct McpToolCallBeginEvent {
    /// The model's call; the end carries it too.
    pub call_id: String,
    /// What is called.
    pub invocation: McpInvocation,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A call of a tool ends.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct McpToolCallEndEvent {
    /// The call that began it.
    pub call_id: String,
    /// What was called.
    pub invocation: McpInvocation,
    /// How long it took.
    pub duration: Duration,
    /// What came of it.
    pub result: McpToolCallOutcome,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

impl McpToolCallEndEvent {
    /// Whether the call went through and the tool does not say that it failed.
    pub fn is_success(&self) -> bool {
        self.result.answer().is_some_and(CallToolResult::is_success)
    }
}

/// What came of a call: `{"Ok": …}` or `{"Err": …}`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(externally_tagged)]
#[non_exhaustive]
pub enum McpToolCallOutcome {
    /// The tool answered, be it with an error of its own.
    #[wire(rename = "Ok")]
    Answered(CallToolResult),
    /// The call did not go through; why, for people.
    #[wire(rename = "Err")]
    Failed(String),
    /// A variant that this crate does not know.
    #[wire(unknown)]
    Unknown(UnknownExternal),
}

impl McpToolCallOutcome {
    /// The tool's answer.
    pub fn answer(&self) -> Option<&CallToolResult> {
        match self {
            McpToolCallOutcome::Answered(answer) => Some(answer),
            _ => None,
        }
    }
}

/// What is called.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct McpInvocation {
    /// The server, by its name in the configuration.
    pub server: String,
    /// The tool, by its name on the server.
    pub tool: String,
    /// What it is called with; any JSON.
    #[wire(nullable)]
    pub arguments: Maybe<Raw>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}
