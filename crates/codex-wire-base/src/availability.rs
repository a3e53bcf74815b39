//! Which releases have a part of a protocol.

use std::fmt;

use crate::protocol::Protocol;
use crate::release::Release;

/// The releases that have a method, a member, a kind or a value.
///
/// ```
/// use codex_wire_base::{Availability, Protocol, Release, ReleaseBounds};
///
/// let availability = Availability::during(ReleaseBounds {
///     since: Some(Release::new(0, 90, 0)),
///     until: None,
/// });
/// assert!(availability.contains(Release::new(0, 169, 0)));
/// assert_eq!(availability.to_string(), "0.90.0 or later");
/// assert_eq!(availability.releases(Protocol::AppServer).next(), Some(Release::new(0, 90, 0)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Availability {
    /// The first and the last release that have it.
    pub range: ReleaseBounds,
    /// The releases between these that do not have it.
    pub gaps: &'static [ReleaseBounds],
    /// The releases in which only clients that opted into the experimental API have it.
    pub experimental: &'static [ReleaseBounds],
}

impl Availability {
    /// Every release, for every client.
    pub const ALWAYS: Availability = Availability::during(ReleaseBounds::ALWAYS);

    /// These releases, for every client.
    pub const fn during(range: ReleaseBounds) -> Self {
        Availability {
            range,
            gaps: &[],
            experimental: &[],
        }
    }

    /// Whether `release` has it.
    ///
    /// Ranges are stated in listed releases. Convert any other release first, with
    /// [`ReleaseList::floor`](crate::ReleaseList::floor).
    pub fn contains(&self, release: Release) -> bool {
        self.range.contains(release) && !any(self.gaps, release)
    }

    /// Whether `release`, a listed one, has it for clients only that opted into the experimental
    /// API.
    pub fn is_experimental(&self, release: Release) -> bool {
        self.contains(release) && any(self.experimental, release)
    }

    /// The listed releases of a protocol that have it, oldest first.
    pub fn releases(self, protocol: Protocol) -> impl Iterator<Item = Release> {
        let listed = protocol.release_list().releases().iter().copied();
        listed.filter(move |release| self.contains(*release))
    }
}

impl fmt::Display for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.range.fmt(f)?;
        for gap in self.gaps {
            write!(f, ", not {gap}")?;
        }
        for range in self.experimental {
            match *range {
                ReleaseBounds::ALWAYS => f.write_str(", experimental")?,
                range => write!(f, ", experimental in {range}")?,
            }
        }
        Ok(())
    }
}

/// The releases in which something exists, both ends included; open where an end is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ReleaseBounds {
    /// The release that introduced it; `None` if the first release of the protocol had it.
    pub since: Option<Release>,
    /// The last release that had it; `None` if the newest release has it.
    pub until: Option<Release>,
}

impl ReleaseBounds {
    /// Every release.
    pub const ALWAYS: ReleaseBounds = ReleaseBounds {
        since: None,
        until: None,
    };

    /// Whether `release` is in the range.
    ///
    /// Ranges are stated in listed releases. Convert any other release first, with
    /// [`ReleaseList::floor`](crate::ReleaseList::floor).
    pub fn contains(&self, release: Release) -> bool {
        self.since.is_none_or(|since| since <= release)
            && self.until.is_none_or(|until| release <= until)
    }

    /// The releases that are in both.
    pub fn intersect(self, other: ReleaseBounds) -> ReleaseBounds {
        ReleaseBounds {
            since: self.since.max(other.since),
            until: match (self.until, other.until) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
        }
    }
}

impl fmt::Display for ReleaseBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.since, self.until) {
            (None, None) => f.write_str("every release"),
            (Some(since), None) => write!(f, "{since} or later"),
            (None, Some(until)) => write!(f, "{until} or earlier"),
            (Some(since), Some(until)) if since == until => write!(f, "{since} only"),
            (Some(since), Some(until)) => write!(f, "{since} to {until}"),
        }
    }
}

/// Whether one of several intervals has a release.
pub(crate) fn any(intervals: &[ReleaseBounds], release: Release) -> bool {
    intervals
        .iter()
        .any(|availability| availability.contains(release))
}
