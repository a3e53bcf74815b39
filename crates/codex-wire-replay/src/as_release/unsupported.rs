//! Why a recording cannot be told.

use std::fmt;

/// Why a release cannot say what was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedByRelease {
    /// The line of the recording, from 1; 0 for the recording as a whole.
    pub line: u64,
    /// What the release cannot say.
    pub reason: String,
}

impl fmt::Display for UnsupportedByRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.reason),
            line => write!(f, "line {line}: {}", self.reason),
        }
    }
}

impl std::error::Error for UnsupportedByRelease {}

impl UnsupportedByRelease {
    pub(super) fn whole(reason: String) -> Self {
        UnsupportedByRelease { line: 0, reason }
    }
}
