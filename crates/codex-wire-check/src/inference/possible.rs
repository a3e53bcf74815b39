//! Defines the releases that could have written a stream.

use codex_wire_base::{Release, ReleaseSet, Timeline};
use codex_wire_schema::Span;

/// The releases that can have written a stream.
#[derive(Clone, Copy)]
pub(crate) struct Possible<'a> {
    timeline: Timeline,
    /// The one that is stated.
    stated: Option<Release>,
    spans: &'a [Span],
    bits: ReleaseSet,
}

impl<'a> Possible<'a> {
    pub(crate) fn new(
        timeline: Timeline,
        stated: Option<Release>,
        spans: &'a [Span],
        bits: ReleaseSet,
    ) -> Self {
        Possible {
            timeline,
            stated,
            spans,
            bits,
        }
    }

    /// All of them, oldest first.
    pub(crate) fn iter(self) -> impl Iterator<Item = Release> + use<'a> {
        let known = |release| {
            self.timeline
                .floor(release)
                .unwrap_or(self.timeline.first())
        };
        let stated = self.stated.map(known);
        let releases = self.timeline.releases().iter().copied();
        releases.filter(move |release| match stated {
            Some(stated) => *release == stated,
            None => {
                // Spans stand in the order of their releases.
                let behind = self.spans.partition_point(|span| span.since <= *release);
                behind.checked_sub(1).is_some_and(|index| {
                    self.bits.contains(index) && self.spans[index].contains(*release)
                })
            }
        })
    }

    /// Whether there is one only, or it is stated.
    pub(crate) fn is_settled(self) -> bool {
        self.stated.is_some()
    }
}
