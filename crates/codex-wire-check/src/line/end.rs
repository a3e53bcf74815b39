//! Defines how an input ends.

/// The end of an input.
#[derive(Clone, Debug, Default)]
pub(crate) struct End {
    /// Whether the last line ends in the middle of a message.
    pub(crate) cut: bool,
    /// How Codex exited, where a recording says so.
    pub(crate) exit: Option<Exit>,
}

/// How Codex exited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exit {
    /// Its exit status; `None` if a signal ended it.
    pub(crate) status: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<String>,
}
