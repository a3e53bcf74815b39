//! Consecutive releases.

use std::fmt;

use crate::release::Release;

/// Consecutive releases, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReleaseRange {
    /// The oldest.
    pub since: Release,
    /// The newest one that is known.
    pub until: Release,
}

impl ReleaseRange {
    /// Whether `release` is in the range.
    pub fn contains(&self, release: Release) -> bool {
        self.since <= release && release <= self.until
    }
}

impl fmt::Display for ReleaseRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.since == self.until {
            write!(f, "{}", self.since)
        } else {
            write!(f, "{} to {}", self.since, self.until)
        }
    }
}
