//! The lines of the log.

use codex_wire_base::Protocol;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A line of the log: something that a client did, or that happened to the process that it talks to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ClientEvent {
    /// What happened.
    #[serde(flatten)]
    pub action: ClientAction,
    /// The number of the process of the stand-in. Several may write to one log.
    pub pid: u32,
}

impl ClientEvent {
    /// An event of a process.
    pub fn new(pid: u32, action: ClientAction) -> Self {
        ClientEvent { action, pid }
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClientAction {
    /// The client started the stand-in.
    Started(Started),
    /// It gave a prompt that starts a turn.
    Prompt(Prompt),
    /// It wrote a line.
    Sent(Sent),
    /// It answered a request for approval.
    Approval(Approved),
    /// It answered a question.
    Answer(Answer),
    /// It interrupted a turn.
    Interrupted(Interrupted),
    /// It did something that the script or the recording does not have.
    Unexpected(Unexpected),
    /// The stand-in ended by itself.
    Ended(Ended),
}

/// The client started the stand-in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Started {
    /// What it speaks: `exec`, `app-server`, or `core`, which is `codex proto`.
    pub protocol: String,
    /// The release that it plays, if that is known.
    pub release: Option<String>,
    /// The arguments, without the name of the program.
    pub arguments: Vec<String>,
    /// The working directory.
    pub directory: String,
}

impl Started {
    /// A stand-in of this protocol and release.
    pub fn new(protocol: Protocol, release: Option<String>) -> Self {
        Started {
            protocol: protocol.to_string(),
            release,
            arguments: Vec::new(),
            directory: String::new(),
        }
    }
}

/// The client gave a prompt that starts a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Prompt {
    /// The thread, if it has an id.
    pub thread_id: Option<String>,
    /// The text; of several, one after the other in lines of their own.
    pub text: String,
}

/// The client wrote a line. It has one of the two members.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Sent {
    /// The line, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Value"))]
    pub message: Option<Value>,
    /// The line as a text, if it is not JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub line: Option<String>,
}

/// The client answered a request for approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Approved {
    /// What it was asked about.
    pub kind: ApprovalKind,
    /// The command, without the shell that runs it: `rm -rf build`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub command: Option<String>,
    /// The files of a patch. Those in the working directory are relative to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub files: Option<Vec<String>>,
    /// What it decided, by the name that newer releases have for it: `accept`, `acceptForSession`, `decline`,
    /// `cancel`, or another word of the client. An error declines, as Codex takes it.
    pub decision: String,
}

impl Approved {
    /// An answer about a command.
    pub fn command(command: impl Into<String>, decision: impl AsRef<str>) -> Self {
        Approved {
            kind: ApprovalKind::Command,
            command: Some(command.into()),
            files: None,
            decision: decision.as_ref().to_owned(),
        }
    }

    /// An answer about a change of these files.
    pub fn patch<T: Into<String>>(
        files: impl IntoIterator<Item = T>,
        decision: impl AsRef<str>,
    ) -> Self {
        Approved {
            kind: ApprovalKind::Patch,
            command: None,
            files: Some(files.into_iter().map(Into::into).collect()),
            decision: decision.as_ref().to_owned(),
        }
    }
}

/// What a client is asked to approve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ApprovalKind {
    /// A command.
    Command,
    /// A change of files.
    Patch,
}

/// The client answered a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Answer {
    /// The question.
    pub question: String,
    /// What it answered.
    pub answers: Vec<String>,
}

/// The client interrupted a turn, by a request or by a signal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Interrupted {
    /// The thread, if the client named it.
    pub thread_id: Option<String>,
    /// The turn, if the client named it.
    pub turn_id: Option<String>,
}

/// The client did something that the script or the recording does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Unexpected {
    /// What it did, in words.
    pub message: String,
}

/// The stand-in ended by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Ended {
    /// The exit status.
    pub status: u8,
}
