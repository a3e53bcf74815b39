//! Defines the two sides of a conversation.

/// A side of a recorded conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Writer {
    /// Codex.
    Codex,
    /// Whoever talks to it.
    Client,
}

impl Writer {
    /// The side that a message of this one is for.
    pub(crate) fn other(self) -> Self {
        match self {
            Writer::Codex => Writer::Client,
            Writer::Client => Writer::Codex,
        }
    }

    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Writer::Codex => "codex",
            Writer::Client => "client",
        }
    }
}
