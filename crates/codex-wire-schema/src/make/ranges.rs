//! Finds the ranges of releases that speak alike, from an annotated document.

use std::collections::BTreeSet;

use codex_wire_base::shape::ReleaseBounds;
use codex_wire_base::{MessageSet, Release};

use crate::documents::Document;
use crate::profile::Profile;
use crate::project::{self, View};
use crate::stability::Stability;
use codex_wire_base::ReleaseRange;

/// The ranges of releases that speak alike, oldest first.
pub(super) fn find_ranges(
    message_set: MessageSet,
    document: &'static Document,
) -> Vec<ReleaseRange> {
    let cut = cuts(document, message_set.release_list().releases());
    if message_set.has_stabilities() {
        return cut;
    }
    merged(cut, document, project::as_declared(message_set))
}

/// Cuts wherever something begins or ends: only there can two neighbours differ.
fn cuts(document: &'static Document, releases: &[Release]) -> Vec<ReleaseRange> {
    // Every release at which something begins (`true`) or after which it ends (`false`).
    let mut ends = BTreeSet::new();
    let mut see = |range: ReleaseBounds| {
        ends.extend(range.since.map(|since| (since, true)));
        ends.extend(range.until.map(|until| (until, false)));
    };
    document.root().visit_ranges(&mut see);
    for (_, schema) in document.schemas() {
        schema.visit_ranges(&mut see);
    }
    let mut ranges: Vec<ReleaseRange> = Vec::new();
    for release in releases {
        match ranges.last_mut() {
            Some(range)
                if !ends.contains(&(*release, true)) && !ends.contains(&(range.until, false)) =>
            {
                range.until = *release;
            }
            _ => ranges.push(ReleaseRange {
                since: *release,
                until: *release,
            }),
        }
    }
    ranges
}

/// Neighbours whose projections are equal become one.
fn merged(
    ranges: Vec<ReleaseRange>,
    document: &'static Document,
    as_declared: bool,
) -> Vec<ReleaseRange> {
    let mut out: Vec<ReleaseRange> = Vec::new();
    let mut previous = None;
    for range in ranges {
        let view = View {
            release: range.since,
            profile: Profile::Exact,
            as_declared,
            stability: Stability::Experimental,
            message_set: None,
            requires_written: false,
            keeps_availability: false,
        };
        let body = project::body(document, &view);
        match out.last_mut() {
            Some(last) if previous.as_ref() == Some(&body) => last.until = range.until,
            _ => out.push(range),
        }
        previous = Some(body);
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn release(minor: u32) -> Release {
        Release::new(0, minor, 0)
    }

    fn begins(ranges: &[ReleaseRange]) -> Vec<Release> {
        assert_eq!(ranges[0].since, release(1));
        assert_eq!(ranges.last().map(|range| range.until), Some(release(8)));
        ranges.iter().map(|range| range.since).collect()
    }

    #[test]
    fn gaps_and_intervals_cut_ranges() {
        let document = Document::of(&json!({"type": "object", "properties": {
            "a": {"type": "string", "x-gaps": [{"since": "0.3.0", "until": "0.4.0"}]},
            "b": {"type": "string", "x-nullable": [{"until": "0.1.0"}, {"since": "0.7.0"}]},
        }}));
        let releases: Vec<Release> = (1..9).map(release).collect();
        let ranges = merged(cuts(document, &releases), document, true);
        assert_eq!(begins(&ranges), [1, 2, 3, 5, 7].map(release));
    }

    #[test]
    fn what_becomes_stable_cuts_spans_and_merging_looks_at_the_experimental_half() {
        let document = Document::of(&json!({"type": "object", "properties": {
            "a": {"type": "string", "x-since": "0.2.0", "x-experimental": [{"until": "0.4.0"}]},
        }}));
        let releases: Vec<Release> = (1..9).map(release).collect();
        let cut = cuts(document, &releases);
        assert_eq!(begins(&cut), [1, 2, 5].map(release));
        assert_eq!(begins(&merged(cut, document, true)), [1, 2].map(release));
    }
}
