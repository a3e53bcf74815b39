//! Writes releases as attributes, relative to the releases of the type they stand in.

use codex_wire::Release;

use crate::availability::{Availability, ranges};

/// First and last release, open where the end is that of the owner.
pub type Ends = (Option<Release>, Option<Release>);

/// When something is there, as far as that differs from its owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// First and last release.
    pub ends: Ends,
    /// Releases within that do not have it though they have the owner.
    pub gaps: Vec<Ends>,
    /// Releases that have it in the experimental API only, though they have the owner in both.
    pub experimental: Vec<Ends>,
}

impl Spans {
    /// Whether every release of the owner has it, for every client.
    pub fn is_always(&self) -> bool {
        self.ends == (None, None) && self.gaps.is_empty() && self.experimental.is_empty()
    }

    /// The releases of `availability` among those of its owner.
    pub fn within(
        availability: &Availability,
        owner: &Availability,
        release_list: &[Release],
    ) -> Spans {
        let (Some((first, last)), Some((begin, end))) = (availability.hull(), owner.hull()) else {
            return Spans::default();
        };
        let has = |availability: &Availability, release| {
            availability.holds(release, true) || availability.holds(release, false)
        };
        let inside: Vec<Release> = release_list
            .iter()
            .copied()
            .filter(|release| (first..=last).contains(release) && has(owner, *release))
            .collect();
        let gap = |release| !has(availability, release);
        let only_experimental = |release| {
            !availability.holds(release, false)
                && has(availability, release)
                && owner.holds(release, false)
        };
        Spans {
            ends: (
                (first > begin).then_some(first),
                (last < end).then_some(last),
            ),
            gaps: open_ranges(&inside, gap),
            experimental: open_ranges(&inside, only_experimental),
        }
    }

    /// The releases of `availability` among those of `owner`, as one or more ranges; `None` if there are
    /// none.
    pub fn part(
        availability: &Availability,
        owner: &Availability,
        release_list: &[Release],
    ) -> Option<Vec<Ends>> {
        let has = |availability: &Availability, release| {
            availability.holds(release, true) || availability.holds(release, false)
        };
        let inside: Vec<Release> = release_list
            .iter()
            .copied()
            .filter(|release| has(owner, *release))
            .collect();
        let ranges = open_ranges(&inside, |release| has(availability, release));
        (!ranges.is_empty()).then_some(ranges)
    }
}

/// Ranges of neighbouring releases that fulfil a condition, open at the ends of the list.
fn open_ranges(releases: &[Release], holds: impl Fn(Release) -> bool) -> Vec<Ends> {
    let ranges = ranges(releases, |release| holds(*release).then_some(()));
    let ends = ranges.map(|((), since, until)| {
        let since = (releases.first() != Some(&since)).then_some(since);
        (since, (releases.last() != Some(&until)).then_some(until))
    });
    ends.collect()
}
