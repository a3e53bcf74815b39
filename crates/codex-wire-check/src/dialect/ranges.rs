//! Cuts the releases of a dialect into ranges that speak alike.

use std::collections::BTreeSet;

use codex_wire_base::shape::Lifetime;
use codex_wire_base::{Release, ReleaseSet, Surface};
use codex_wire_schema::{Span, spans};

use super::dialects::Dialect;

/// The release ranges of a dialect. Sets of releases are sets of these, by their positions.
pub(crate) struct Ranges {
    pub(crate) dialect: Dialect,
    /// Releases that speak alike on all sides.
    pub(crate) spans: Vec<Span>,
}

impl Ranges {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Ranges {
            dialect,
            spans: merged(dialect),
        }
    }

    /// All ranges.
    pub(crate) fn all(&self) -> ReleaseSet {
        ReleaseSet::first(self.spans.len())
    }

    /// The side that messages of a message set are of.
    pub(crate) fn side(&self, surface: Surface) -> usize {
        let surfaces = self.dialect.surfaces();
        let found = surfaces.iter().position(|other| *other == surface);
        found.unwrap_or(0)
    }

    /// The range of a release, as a set of one.
    pub(crate) fn only(&self, release: Release) -> ReleaseSet {
        let release = self.dialect.timeline().floor(release);
        self.spans
            .iter()
            .position(|span| release.is_some_and(|r| span.contains(r)))
            .map_or(ReleaseSet::EMPTY, ReleaseSet::one)
    }

    /// The releases of a set, both ends included.
    pub(crate) fn range(&self, bits: ReleaseSet) -> Span {
        Span {
            since: self.spans[bits.oldest().unwrap_or_default()].since,
            until: self.spans[bits.newest().unwrap_or_default()].until,
        }
    }

    /// The same in words.
    pub(crate) fn availability(&self, bits: ReleaseSet) -> Lifetime {
        let span = self.range(bits);
        Lifetime {
            since: Some(span.since),
            until: Some(span.until),
        }
    }
}

/// Cuts the timeline wherever one of the dialect's message sets changes.
fn merged(dialect: Dialect) -> Vec<Span> {
    let begins: BTreeSet<Release> = dialect
        .surfaces()
        .iter()
        .flat_map(|surface| spans(*surface).iter().map(|span| span.since))
        .collect();
    let mut out: Vec<Span> = Vec::new();
    for release in dialect.timeline().releases() {
        match out.last_mut() {
            Some(span) if !begins.contains(release) => span.until = *release,
            _ => out.push(Span {
                since: *release,
                until: *release,
            }),
        }
    }
    out
}
