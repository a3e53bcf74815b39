//! A range of releases.

use codex_wire_base::Release;

/// A release range: consecutive releases that speak alike, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first.
    pub since: Release,
    /// The last one that is known.
    pub until: Release,
}

impl Span {
    /// Whether `release` is in the range.
    pub fn contains(&self, release: Release) -> bool {
        self.since <= release && release <= self.until
    }

    pub(crate) fn text(&self) -> String {
        if self.since == self.until {
            self.since.to_string()
        } else {
            format!("{} to {}", self.since, self.until)
        }
    }
}
