//! Commands: approval requests, execution, results.

use crate::core_protocol::{ExecOutputChunk, ExecOutputStream, ParsedCommand};
use crate::json::Extra;
use crate::{Maybe, Wire};

/// The agent asks whether it may run a command. Answered with `exec_approval`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ExecApprovalRequestEvent {
    /// The model's call.
    pub call_id: String,
    /// The command and its arguments.
    pub command: Vec<String>,
    /// The folder it would run in.
    pub cwd: String,
    /// Why it asks.
    #[wire(optional)]
    pub reason: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A command begins to run. One that is interrupted never ends.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ExecCommandBeginEvent {
    /// The model's call; the end and the output carry it too.
    pub call_id: String,
    /// The command and its arguments.
    pub command: Vec<String>,
    /// The folder it runs in.
    pub cwd: String,
    /// What Codex takes it to do.
    ///
    /// Since 0.21.0.
    #[wire(since = "0.21.0")]
    pub parsed_cmd: Maybe<Vec<ParsedCommand>>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A running command writes.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ExecCommandOutputDeltaEvent {
    /// The call that began it.
    pub call_id: String,
    /// Where it writes.
    pub stream: ExecOutputStream,
    /// What it writes.
    pub chunk: ExecOutputChunk,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A command has ended.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct ExecCommandEndEvent {
    /// The call that began it.
    pub call_id: String,
    /// What it wrote to its standard output; invalid UTF-8 is replaced by U+FFFD.
    pub stdout: String,
    /// What it wrote to its standard error.
    pub stderr: String,
    /// Both, in the order they were written.
    ///
    /// Since 0.24.0.
    #[wire(since = "0.24.0", default)]
    pub aggregated_output: Maybe<String>,
    /// Its exit code.
    pub exit_code: i32,
    /// How long it ran.
    pub duration: Duration,
    /// Its output as the model sees it.
    ///
    /// Since 0.24.0.
    #[wire(since = "0.24.0")]
    pub formatted_output: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

impl ExecCommandEndEvent {
    /// Whether the command succeeded: its exit code is zero.
    pub fn is_success(&self) -> bool {
        self.exit_code == 0
    }
}

/// A stretch of time. Codex also reads a second or more of nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct Duration {
    /// Whole seconds.
    pub secs: u64,
    /// The rest in nanoseconds.
    pub nanos: u32,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

impl Duration {
    /// The same as the standard library's type; nothing if it is too long for that.
    pub fn to_std(&self) -> Option<std::time::Duration> {
        let whole = std::time::Duration::from_secs(self.secs);
        whole.checked_add(std::time::Duration::from_nanos(self.nanos.into()))
    }
}

impl From<std::time::Duration> for Duration {
    fn from(duration: std::time::Duration) -> Self {
        Duration::new(duration.as_secs(), duration.subsec_nanos())
    }
}
