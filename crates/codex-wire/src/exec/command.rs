//! Commands the agent runs.

use crate::json::Extra;
use crate::{Maybe, Wire};

/// A command the agent runs in its shell: started when it is launched, completed when it ends.
///
/// A command left running in the background may never complete (0.63.0, and again from
/// 0.125.0), or complete at the end of the turn without an exit code (0.80.0 to 0.116.0).
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct CommandExecutionItem {
    /// The command line, with the shell that runs it.
    pub command: String,
    /// What it wrote to stdout and stderr, in order; empty while it runs.
    pub aggregated_output: String,
    /// How it ended. While it runs: left out up to 0.50.0, `null` from 0.51.0.
    #[wire(optional(until = "0.50.0"), nullable(since = "0.51.0"))]
    pub exit_code: Maybe<i32>,
    /// How far it is.
    pub status: CommandExecutionStatus,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// How far a command is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum CommandExecutionStatus {
    /// It runs.
    InProgress,
    /// It ended with exit code 0, or was left behind.
    Completed,
    /// It ended otherwise.
    Failed,
    /// The user or a policy refused it.
    ///
    /// Since 0.63.0.
    #[wire(since = "0.63.0")]
    Declined,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
