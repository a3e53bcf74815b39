//! Cuts the releases of a dialect into ranges that speak alike.

use std::collections::BTreeSet;

use codex_wire_base::shape::ReleaseBounds;
use codex_wire_base::{Release, ReleaseSet};
use codex_wire_schema::{ReleaseRange, release_ranges};

use super::dialects::Dialect;

/// The release ranges of a dialect. Sets of releases are sets of these, by their positions.
pub(crate) struct Ranges {
    pub(crate) dialect: Dialect,
    /// Releases that speak alike on all sides.
    pub(crate) ranges: Vec<ReleaseRange>,
}

impl Ranges {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Ranges {
            dialect,
            ranges: merged(dialect),
        }
    }

    /// All ranges.
    pub(crate) fn all(&self) -> ReleaseSet {
        ReleaseSet::first(self.ranges.len())
    }

    /// The range of a release, as a set of one.
    pub(crate) fn only(&self, release: Release) -> ReleaseSet {
        let release = self.dialect.release_list().floor(release);
        self.ranges
            .iter()
            .position(|range| release.is_some_and(|r| range.contains(r)))
            .map_or(ReleaseSet::EMPTY, ReleaseSet::one)
    }

    /// The ranges that have a release between two, with these.
    pub(crate) fn within(&self, bounds: ReleaseBounds) -> ReleaseSet {
        let ReleaseBounds { since, until } = self.floor(bounds);
        let before = self
            .ranges
            .partition_point(|range| since.is_some_and(|since| range.until < since));
        let until = self
            .ranges
            .partition_point(|range| until.is_none_or(|until| range.since <= until));
        ReleaseSet::first(until) & !ReleaseSet::first(before)
    }

    /// The same bounds in listed releases: one that is not listed speaks as the listed one before it.
    pub(crate) fn floor(&self, bounds: ReleaseBounds) -> ReleaseBounds {
        let list = self.dialect.release_list();
        let floor = |release| list.floor(release).unwrap_or(list.first());
        ReleaseBounds {
            since: bounds.since.map(floor),
            until: bounds.until.map(floor),
        }
    }

    /// The ranges that begin with a release or later.
    pub(crate) fn from(&self, release: Release) -> ReleaseSet {
        let before = self.ranges.partition_point(|range| range.since < release);
        self.all() & !ReleaseSet::first(before)
    }

    /// The releases of a set, both ends included.
    pub(crate) fn range(&self, bits: ReleaseSet) -> ReleaseRange {
        ReleaseRange {
            since: self.ranges[bits.oldest().unwrap_or_default()].since,
            until: self.ranges[bits.newest().unwrap_or_default()].until,
        }
    }

    /// The same in words.
    pub(crate) fn availability(&self, bits: ReleaseSet) -> ReleaseBounds {
        let range = self.range(bits);
        ReleaseBounds {
            since: Some(range.since),
            until: Some(range.until),
        }
    }
}

/// Cuts the list of releases wherever one of the dialect's message sets changes.
fn merged(dialect: Dialect) -> Vec<ReleaseRange> {
    let begins: BTreeSet<Release> = dialect
        .message_sets()
        .iter()
        .flat_map(|message_set| release_ranges(*message_set).iter().map(|range| range.since))
        .collect();
    let mut out: Vec<ReleaseRange> = Vec::new();
    for release in dialect.release_list().releases() {
        match out.last_mut() {
            Some(range) if !begins.contains(release) => range.until = *release,
            _ => out.push(ReleaseRange {
                since: *release,
                until: *release,
            }),
        }
    }
    out
}
