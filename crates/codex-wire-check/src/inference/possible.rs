//! Defines the releases that could have written a stream.

use codex_wire_base::{Release, ReleaseBounds, ReleaseList, ReleaseSet};
use codex_wire_schema::ReleaseRange;

/// The releases that can have written a stream.
#[derive(Clone, Copy)]
pub(crate) struct Possible<'a> {
    release_list: ReleaseList,
    /// The one that is known: stated, reported by Codex, or named as the creator of a session file.
    known: Option<Release>,
    /// Those that the user asks for.
    asked: ReleaseBounds,
    ranges: &'a [ReleaseRange],
    bits: ReleaseSet,
}

impl<'a> Possible<'a> {
    pub(crate) fn new(
        release_list: ReleaseList,
        known: Option<Release>,
        asked: ReleaseBounds,
        ranges: &'a [ReleaseRange],
        bits: ReleaseSet,
    ) -> Self {
        Possible {
            release_list,
            known,
            asked,
            ranges,
            bits,
        }
    }

    /// All of them, oldest first.
    pub(crate) fn iter(self) -> impl Iterator<Item = Release> + use<'a> {
        let listed = |release| {
            self.release_list
                .floor(release)
                .unwrap_or(self.release_list.first())
        };
        let known = self.known.map(listed);
        // A release that is known need not be looked for.
        let releases = match known {
            Some(_) => &[],
            None => self.release_list.releases(),
        };
        let possible = releases.iter().copied().filter(move |release| {
            // Ranges stand in the order of their releases.
            let behind = self.ranges.partition_point(|range| range.since <= *release);
            behind.checked_sub(1).is_some_and(|index| {
                self.bits.contains(index)
                    && self.ranges[index].contains(*release)
                    && self.asked.contains(*release)
            })
        });
        known.into_iter().chain(possible)
    }

    /// Whether it is known which one it is.
    pub(crate) fn is_settled(self) -> bool {
        self.known.is_some()
    }
}
