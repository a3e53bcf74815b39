//! The releases that speak a protocol, and the forks that speak as one of them.

mod app_server;
pub(crate) mod releases;

use crate::release::Release;

/// The releases of one protocol, oldest first, and the named points between them.
#[derive(Clone, Copy, Debug)]
pub struct ReleaseList {
    pub(crate) releases: &'static [Release],
    pub(crate) points: &'static [Point],
}

/// A fork or client that speaks a protocol as some Codex release does.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Point {
    /// The name to give instead of a release.
    pub name: &'static str,
    /// The release whose protocol it speaks.
    pub release: Release,
    /// What it is.
    pub about: &'static str,
}

/// What may be given instead of the newest release.
pub const LATEST: &str = "latest";

/// The release that a text asks for: a release, or the newest one that begins with one or two parts.
pub(crate) fn wanted(text: &str) -> Option<Release> {
    text.parse()
        .ok()
        .or_else(|| Release::newest_that_begins(text))
}

/// A release cannot be placed on a list of releases.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// The text is neither a release nor a named point.
    #[error("`{text}` is neither a release like 0.44.0 nor a named point; points: {points}")]
    Unknown {
        /// What was given.
        text: String,
        /// The names that would do.
        points: String,
    },
    /// The release is older than the protocol.
    #[error("{release} is older than the protocol, which begins at {first}")]
    TooOld {
        /// What was given.
        release: Release,
        /// The first release that speaks the protocol.
        first: Release,
    },
}

impl ReleaseList {
    /// All releases, oldest first.
    pub fn releases(self) -> &'static [Release] {
        self.releases
    }

    /// The named points.
    pub fn points(self) -> &'static [Point] {
        self.points
    }

    /// The oldest release.
    pub fn first(self) -> Release {
        self.releases[0]
    }

    /// The newest release this crate knows.
    pub fn latest(self) -> Release {
        self.releases[self.releases.len() - 1]
    }

    /// The newest listed release that is not newer than `release`. An unlisted release is treated
    /// as this one. `None` if `release` is older than the protocol.
    pub fn floor(self, release: Release) -> Option<Release> {
        let above = self.releases.partition_point(|listed| *listed <= release);
        above.checked_sub(1).map(|index| self.releases[index])
    }

    /// Resolves a release number, its first one or two parts, [`LATEST`], or the name of a point, to a listed
    /// release. `0.145` is the newest release that begins so.
    ///
    /// # Errors
    /// When the text is none of these, or the release is older than the protocol.
    pub fn resolve(self, text: &str) -> Result<Release, ResolveError> {
        if let Some(point) = self.points.iter().find(|point| point.name == text) {
            return Ok(point.release);
        }
        if text == LATEST {
            return Ok(self.latest());
        }
        let release = wanted(text).ok_or_else(|| ResolveError::Unknown {
            text: text.to_owned(),
            points: self
                .points
                .iter()
                .map(|point| point.name)
                .collect::<Vec<_>>()
                .join(", "),
        })?;
        self.floor(release).ok_or(ResolveError::TooOld {
            release,
            first: self.first(),
        })
    }
}
