//! Why a recording cannot be converted.

use crate::error::{Error, Unsupported};

/// Why a release cannot say what was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnsupportedByRelease {
    /// The line of the recording, from 1; 0 for the recording as a whole.
    pub(super) line: u64,
    /// What the release cannot say.
    pub(super) reason: Unsupported,
}

impl UnsupportedByRelease {
    pub(super) fn whole(reason: Unsupported) -> Self {
        UnsupportedByRelease { line: 0, reason }
    }
}

impl From<UnsupportedByRelease> for Error {
    fn from(UnsupportedByRelease { line, reason }: UnsupportedByRelease) -> Self {
        Error::UnsupportedByRelease {
            line: (line > 0).then_some(line),
            reason,
        }
    }
}
