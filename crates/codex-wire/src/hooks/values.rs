//! Values and tool inputs in what hooks read.

use crate::json::{Extra, Raw};
use crate::{Maybe, Wire};

/// What may be done without asking.
///
/// Recorded are `default`, and `bypassPermissions` where the user is never asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub enum PermissionMode {
    /// The user is asked as the settings say.
    Default,
    /// Edits are accepted.
    AcceptEdits,
    /// Only a plan is made.
    Plan,
    /// What would have to be asked is not done.
    DontAsk,
    /// Everything may be done.
    BypassPermissions,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// Why a session starts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum SessionStartSource {
    /// It is new.
    Startup,
    /// A stored session goes on.
    Resume,
    /// The user cleared the conversation.
    Clear,
    /// The conversation was compacted.
    ///
    /// Since 0.133.0.
    #[wire(since = "0.133.0")]
    Compact,
    /// It is a fork of another session.
    ///
    /// Since 0.155.0.
    #[wire(since = "0.155.0")]
    Fork,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// Who asked for a compaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum CompactTrigger {
    /// The user.
    Manual,
    /// Codex, because the context is nearly full.
    Auto,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// Why a session ends. One value is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum SessionEndReason {
    /// Whatever the reason is.
    Other,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// The name of a tool: only `Bash` up to 0.123.0, any text since 0.124.0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[wire(open(since = "0.124.0"))]
#[non_exhaustive]
pub enum HookToolName {
    /// A shell command, whichever tool runs it.
    ///
    /// Until 0.123.0 as the only value; any text since.
    #[wire(rename = "Bash")]
    Bash,
    /// Any other name.
    #[wire(unknown)]
    Unknown(String),
}

/// The input of a tool, in hooks of `PreToolUse` and `PostToolUse`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(untagged)]
#[non_exhaustive]
pub enum HookToolInput {
    /// The input of a shell command, the only tool up to then.
    ///
    /// Until 0.123.0.
    #[wire(until = "0.123.0")]
    Bash(PreToolUseToolInput),
    /// The input of any tool: for `Bash` and `apply_patch` `{"command": text}`, for an MCP tool its
    /// arguments.
    ///
    /// Since 0.124.0.
    #[wire(since = "0.124.0")]
    Any(Raw),
    /// A shape this crate does not know.
    #[wire(unknown)]
    Unknown(Raw),
}

/// The input of a shell command.
///
/// Until 0.123.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(closed)]
#[non_exhaustive]
#[doc(alias = "PostToolUseToolInput")]
pub struct PreToolUseToolInput {
    /// The script, as a shell takes it.
    pub command: String,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// The input of a tool, in hooks of `PermissionRequest`.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(untagged)]
#[non_exhaustive]
pub enum PermissionToolInput {
    /// The input of a shell command, the only tool up to then.
    ///
    /// Until 0.123.0.
    #[wire(until = "0.123.0")]
    Bash(PermissionRequestToolInput),
    /// The input of any tool. For `Bash` it may have a `description`, why the model asks.
    ///
    /// Since 0.124.0.
    #[wire(since = "0.124.0")]
    Any(Raw),
    /// A shape this crate does not know.
    #[wire(unknown)]
    Unknown(Raw),
}

/// The input of a shell command that the user may be asked about.
///
/// Until 0.123.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(closed)]
#[non_exhaustive]
pub struct PermissionRequestToolInput {
    /// The script, as a shell takes it.
    pub command: String,
    /// Why the model asks.
    #[wire(optional)]
    pub description: Maybe<String>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

impl HookToolInput {
    /// The command, as a shell takes it: of `Bash`, and of `apply_patch`, whose command is the patch. In whichever
    /// form the release gives it.
    pub fn command(&self) -> Option<String> {
        match self {
            HookToolInput::Bash(input) => Some(input.command.clone()),
            HookToolInput::Any(raw) | HookToolInput::Unknown(raw) => command_in(raw),
        }
    }
}

impl PermissionToolInput {
    /// The command, as [`HookToolInput::command`].
    pub fn command(&self) -> Option<String> {
        match self {
            PermissionToolInput::Bash(input) => Some(input.command.clone()),
            PermissionToolInput::Any(raw) | PermissionToolInput::Unknown(raw) => command_in(raw),
        }
    }
}

/// The text `command` of an object.
fn command_in(raw: &Raw) -> Option<String> {
    let value = raw.to_value().ok()?;
    Some(value.get("command")?.as_str()?.to_owned())
}
