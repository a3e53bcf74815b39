//! By what turns are summed up.

use std::fmt;
use std::str::FromStr;

/// What rows have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Key {
    /// The day: `2026-11-22`. Of tokens, that of the response; of turns, that on which they began.
    Day,
    /// The week, by the day it begins with: a Monday.
    Week,
    /// The month: `2026-11`.
    Month,
    /// The model.
    Model,
    /// The release of Codex that made the thread.
    Release,
    /// The working folder of the turn.
    Project,
    /// The client that made the thread.
    Client,
    /// The thread.
    Thread,
    /// The first thread of the tree that a thread belongs to: sub-agents count with who started them.
    Tree,
    /// How turns ended.
    Status,
    /// The tool. Rows of tools have calls and durations, and no tokens.
    Tool,
}

impl Key {
    /// All of them.
    pub const ALL: [Key; 11] = [
        Key::Day,
        Key::Week,
        Key::Month,
        Key::Model,
        Key::Release,
        Key::Project,
        Key::Client,
        Key::Thread,
        Key::Tree,
        Key::Status,
        Key::Tool,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Key::Day => "day",
            Key::Week => "week",
            Key::Month => "month",
            Key::Model => "model",
            Key::Release => "release",
            Key::Project => "project",
            Key::Client => "client",
            Key::Thread => "thread",
            Key::Tree => "tree",
            Key::Status => "status",
            Key::Tool => "tool",
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name is not that of a key.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` is not a key; keys are day, week, month, model, release, project, client, thread, tree, status and tool"
)]
pub struct NotAKey(String);

impl FromStr for Key {
    type Err = NotAKey;

    fn from_str(name: &str) -> Result<Self, NotAKey> {
        let known = Key::ALL.into_iter().find(|key| key.name() == name);
        known.ok_or_else(|| NotAKey(name.to_owned()))
    }
}
