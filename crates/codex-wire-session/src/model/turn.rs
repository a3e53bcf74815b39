//! Turns: a piece of work from a prompt to the end of the answer.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::absent::is_false;
use super::{Body, Command, Item, Lines, Message, Role, Time, Tokens};

/// A piece of work: from a prompt to the end of the answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Turn {
    /// Its id. `codex exec` names none; session files do since 0.100.0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<String>,
    /// The turn of the root thread that it serves. Since 0.157.0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub root: Option<String>,
    /// The lines of the input from its first to its last.
    pub lines: Lines,
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub started: Option<Time>,
    /// When it ended, or when its last line was written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended: Option<Time>,
    /// How long it took in milliseconds, as Codex says.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duration_ms: Option<u64>,
    /// How it ended.
    pub status: TurnStatus,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<TurnError>,
    /// The settings in force.
    #[serde(skip_serializing_if = "Settings::is_unknown", default)]
    pub settings: Settings,
    /// What happened, in order.
    pub items: Vec<Item>,
    /// What the responses of the model used, in order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub responses: Vec<Response>,
    /// How often Codex asked the model again after an error.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub retries: u32,
    /// Whether the turn is history of another thread, which a fork copied into this file.
    #[serde(skip_serializing_if = "is_false", default)]
    pub is_copied: bool,
    /// Whether the user took it back. From 0.80.0 to 0.150.1; later releases leave out such turns by going
    /// on in another file.
    #[serde(skip_serializing_if = "is_false", default)]
    pub is_rolled_back: bool,
}

impl Turn {
    /// The tokens of its responses.
    pub fn tokens(&self) -> Tokens {
        self.responses.iter().map(|response| response.tokens).sum()
    }

    /// How long it took in milliseconds: as Codex says, else from its beginning to its end.
    pub fn took_ms(&self) -> Option<u64> {
        self.duration_ms
            .or_else(|| Some(self.ended?.since(self.started?)))
    }

    /// The messages in it.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.items.iter().filter_map(|item| match &item.body {
            Body::Message(message) => Some(message),
            _ => None,
        })
    }

    /// The commands that ran in it.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.items.iter().filter_map(|item| match &item.body {
            Body::Command(command) => Some(command),
            _ => None,
        })
    }

    /// The first thing that the user said.
    pub fn prompt(&self) -> Option<&str> {
        let mut messages = self.messages();
        let prompt = messages.find(|message| message.role == Role::User)?;
        Some(&prompt.text)
    }

    /// The last thing that the agent said.
    pub fn answer(&self) -> Option<&str> {
        let answers = self
            .messages()
            .filter(|message| message.role == Role::Assistant);
        answers.last().map(|message| &*message.text)
    }
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TurnStatus {
    /// It came to its end. In session files up to 0.144.6 this may hide a failure, as they keep no error.
    Completed,
    /// It failed.
    Failed,
    /// Somebody stopped it.
    Interrupted,
    /// It began and did not end: Codex was killed, is still at work, or the input was cut.
    Unfinished,
    /// The release that wrote it marks no ends: session files before 0.100.0.
    #[default]
    Unmarked,
}

impl TurnStatus {
    /// All of them.
    pub const ALL: [TurnStatus; 5] = [
        TurnStatus::Completed,
        TurnStatus::Failed,
        TurnStatus::Interrupted,
        TurnStatus::Unfinished,
        TurnStatus::Unmarked,
    ];

    /// Its name, as JSON has it.
    pub fn as_str(self) -> &'static str {
        match self {
            TurnStatus::Completed => "completed",
            TurnStatus::Failed => "failed",
            TurnStatus::Interrupted => "interrupted",
            TurnStatus::Unfinished => "unfinished",
            TurnStatus::Unmarked => "unmarked",
        }
    }
}

/// Why a turn failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TurnError {
    /// For people.
    pub message: String,
    /// The kind of error as the protocol names it, such as `usageLimitExceeded`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<String>,
}

/// The settings in force in a turn, as far as the source says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Settings {
    /// The model. Session files name it since 0.36.0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<Arc<str>>,
    /// The effort of reasoning; absent if it is the default.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub effort: Option<Arc<str>>,
    /// The working folder.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cwd: Option<Arc<str>>,
    /// When a person has to approve what runs, as in the source. An object is given as its JSON.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub approval_policy: Option<Arc<str>>,
    /// What commands may touch: the name of the sandbox policy, such as `workspace-write`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sandbox_policy: Option<Arc<str>>,
    /// How the agent works with the user: `default` or `plan`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mode: Option<Arc<str>>,
}

impl Settings {
    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Settings::default()
    }
}

/// A response of the model. Where the source has only a sum, more than one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Response {
    /// The line that counts its tokens.
    pub line: u64,
    /// When that line was written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<Time>,
    /// The model that was in force.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<Arc<str>>,
    /// What it used.
    pub tokens: Tokens,
    /// Whether the count goes back to the beginning of the thread, so that it may hold what earlier runs used:
    /// the first one of a thread in a stream of `codex exec`, which counts so since 0.80.0. Later ones there hold what is new.
    #[serde(skip_serializing_if = "is_false", default)]
    pub is_cumulative: bool,
}

impl Response {
    /// A response counted on a line.
    pub(crate) fn new(
        line: u64,
        at: Option<Time>,
        model: Option<Arc<str>>,
        tokens: Tokens,
    ) -> Self {
        Response {
            line,
            at,
            model,
            tokens,
            is_cumulative: false,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}
