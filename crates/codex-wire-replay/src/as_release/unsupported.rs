//! Why a recording cannot be told.

use std::fmt;

/// Why a release cannot say what was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsayable {
    /// The line of the recording, from 1; 0 for the recording as a whole.
    pub line: u64,
    /// What the release cannot say.
    pub reason: String,
}

impl fmt::Display for Unsayable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.reason),
            line => write!(f, "line {line}: {}", self.reason),
        }
    }
}

impl std::error::Error for Unsayable {}

impl Unsayable {
    pub(super) fn whole(reason: String) -> Self {
        Unsayable { line: 0, reason }
    }
}
