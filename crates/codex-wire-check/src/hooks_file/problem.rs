//! What is wrong with a file of hooks.

use crate::severity::Severity;

/// What a release refuses or ignores in a file of hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookProblem {
    /// An error if a handler does not run because of it, else a warning.
    pub severity: Severity,
    /// Where it is, as a JSON pointer.
    pub pointer: String,
    /// What is wrong, and what Codex does.
    pub message: String,
}

/// Why the whole file is refused: where, and what is wrong.
pub(super) struct Refused {
    pub(super) pointer: String,
    pub(super) message: String,
}

impl Refused {
    pub(super) fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Refused {
            pointer: pointer.into(),
            message: message.into(),
        }
    }
}
