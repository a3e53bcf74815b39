//! Separates known corrections of official app-server schemas from real differences.
//!
//! Our description of a release says what the release really speaks. The official schema may say
//! otherwise; comparing the two would find our correction and report it as a change. The table
//! beside this module says where that is so, in which releases, and why. A test of `xtask` compares
//! it with the corrections of the model.
//!
//! Two more tests there compare with official schemas. A release and the output of its own
//! `generate-json-schema` do not differ (bundle, experimental bundle, folder). And every
//! counterexample is accepted by the official schema of the writer and refused by that of the
//! reader. `CODEX_WIRE_TESTS=wide cargo test -p xtask --test it official::` tries all releases.

use std::sync::LazyLock;

use codex_wire_base::Release;

use crate::difference::Difference;
use crate::side::Side;

/// A known difference between a release and an official schema, with its reason.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Corrected {
    /// The difference.
    pub difference: Difference,
    /// Why our description of the release departs from its official schema.
    pub reason: &'static str,
}

/// A place that is corrected in some releases.
struct Correction {
    place: &'static str,
    since: Release,
    /// `None` where it still is.
    until: Option<Release>,
    reason: &'static str,
}

/// Lines of places below lines of reasons, which begin with a `!`.
const TABLE: &str = include_str!("corrections.txt");

static CORRECTIONS: LazyLock<Vec<Correction>> = LazyLock::new(|| {
    let mut reason = "";
    let mut out = Vec::new();
    for line in TABLE.lines() {
        if let Some(text) = line.strip_prefix("! ") {
            reason = text;
            continue;
        }
        let Some((place, availability)) = line.rsplit_once(' ').filter(|_| !line.starts_with('#'))
        else {
            continue;
        };
        let (since, until) = availability
            .split_once("..")
            .unwrap_or((availability, availability));
        // A test reads every line.
        if let Ok(since) = since.parse() {
            out.push(Correction {
                place,
                since,
                until: until.parse().ok(),
                reason,
            });
        }
    }
    out
});

/// Parts known corrections from differences, where one side is a release and the other what Codex
/// itself generates.
pub(crate) fn parted(
    differences: Vec<Difference>,
    sides: [&Side; 2],
) -> (Vec<Difference>, Vec<Corrected>) {
    let (release, own) = match sides.map(|side| side.release) {
        [Some(release), None] if sides[1].is_official() => (release, 0),
        [None, Some(release)] if sides[0].is_official() => (release, 1),
        _ => return (differences, Vec::new()),
    };
    let mut corrections = Vec::new();
    let mut rest = Vec::new();
    for difference in differences {
        match reason(&difference, release, own) {
            Some(reason) => corrections.push(Corrected { difference, reason }),
            None => rest.push(difference),
        }
    }
    (rest, corrections)
}

/// Why a difference is a correction; `own` is the side the release is.
pub(crate) fn reason(
    difference: &Difference,
    release: Release,
    own: usize,
) -> Option<&'static str> {
    let places = [&difference.former_place, &difference.place];
    let place = places[own];
    let value = match own {
        0 => difference.before.as_ref().or(difference.after.as_ref()),
        _ => difference.after.as_ref().or(difference.before.as_ref()),
    };
    let valued = value.map(|value| [format!("{place}={value}"), format!("{place}<{value}>")]);
    let applies = |correction: &&Correction| {
        let is_in_force =
            correction.since <= release && correction.until.is_none_or(|until| release <= until);
        is_in_force
            && (places.iter().any(|place| within(place, correction.place))
                || valued
                    .iter()
                    .flatten()
                    .any(|valued| valued == correction.place))
    };
    CORRECTIONS.iter().find(applies).map(|found| found.reason)
}

/// Whether a place is another, or stands within it.
fn within(place: &str, outer: &str) -> bool {
    place
        .strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '<', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read() {
        let places = TABLE
            .lines()
            .filter(|line| !line.starts_with(['#', '!']) && !line.is_empty());
        assert_eq!(CORRECTIONS.len(), places.count());
        assert!(
            CORRECTIONS
                .iter()
                .all(|correction| !correction.reason.is_empty())
        );
    }

    #[test]
    fn places_hold_what_stands_below_them() {
        assert!(within("A.b", "A"));
        assert!(within("A<x>.b", "A<x>"));
        assert!(!within("Ab.c", "A"));
        assert!(!within("A", "A.b"));
    }
}
