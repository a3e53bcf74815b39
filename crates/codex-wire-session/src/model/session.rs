//! A session: everything one input says.

use serde::{Deserialize, Serialize};

use super::{Settings, Thread, Tokens};

/// The version of the model's JSON. It rises when a member goes away or means something else.
pub const FORMAT: u32 = 1;

/// Everything that one input says: a stream, a recording or a session file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Session {
    /// The version of this format: 1.
    pub format: u32,
    /// The name of the input: a path, or `-`.
    pub source: String,
    /// The protocol: `exec`, `core`, `app-server` or `rollout` (session files). Absent if no message has
    /// shown it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub protocol: Option<String>,
    /// The threads, in the order in which they appear. Sub-agents have threads of their own.
    pub threads: Vec<Thread>,
    /// The lines that hold no message.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unread: Vec<Unread>,
    /// What another session file that goes on from this one needs to know.
    #[serde(skip)]
    pub(crate) end: End,
}

/// How a session file ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct End {
    /// The total that was reported last.
    pub(crate) total: Option<Tokens>,
    /// The settings in force.
    pub(crate) settings: Settings,
}

impl Session {
    /// A session without threads.
    pub fn new(source: impl Into<String>) -> Self {
        Session {
            format: FORMAT,
            source: source.into(),
            protocol: None,
            threads: Vec::new(),
            unread: Vec::new(),
            end: End::default(),
        }
    }

    /// The tokens of all responses of the model in this input, each counted once.
    pub fn tokens(&self) -> Tokens {
        self.threads.iter().map(|thread| thread.tokens).sum()
    }
}

/// A line that holds no message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Unread {
    /// Its number, from 1.
    pub line: u64,
    /// Why, in a few words.
    pub problem: String,
}
