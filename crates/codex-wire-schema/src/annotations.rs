//! Reads annotations: in which releases a part of the document exists, and for which clients.
//!
//! Functions called `…_beside` read the annotations of a node, such as a member or a variant. Those
//! called `…_in` read the annotations of a value of an enumeration, a spelling of a tag, or a
//! state.

use codex_wire_base::Release;
use codex_wire_base::shape::ReleaseBounds;
use serde_json::{Map, Value};

/// The availability that stands as `x-since` and `x-until` in a node; gaps lie within it.
pub fn availability_beside(node: &Value) -> ReleaseBounds {
    node.as_object()
        .map_or(ReleaseBounds::ALWAYS, availability_of)
}

/// A availability written as `{"since": …, "until": …}`; gaps lie within it.
pub fn availability_in(range: &Value) -> ReleaseBounds {
    range.as_object().map_or(ReleaseBounds::ALWAYS, |range| {
        between(range, "since", "until")
    })
}

/// Intervals written as one `{"since": …, "until": …}` or as a list of them.
pub fn availabilities_in(ranges: &Value) -> Vec<ReleaseBounds> {
    match ranges {
        Value::Array(ranges) => ranges.iter().map(availability_in).collect(),
        one => vec![availability_in(one)],
    }
}

/// Whether a node is there in `release`, a listed one: within its availability and in none
/// of its gaps.
pub fn is_available_beside(node: &Value, release: Release) -> bool {
    availability_beside(node).contains(release) && !covers(node.get("x-gaps"), release)
}

/// As [`is_available_beside`], of a value or a spelling.
pub fn is_available_in(about: &Value, release: Release) -> bool {
    availability_in(about).contains(release) && !covers(about.get("gaps"), release)
}

/// Whether a node is for those clients only that opted into the experimental API of `release`.
pub fn experimental_beside(node: &Value, release: Release) -> bool {
    covers(node.get("x-experimental"), release)
}

/// As [`experimental_beside`], of a value.
pub fn experimental_in(about: &Value, release: Release) -> bool {
    covers(about.get("experimental"), release)
}

/// The availability of a node without its gaps: one interval, or one more than there are gaps.
/// `releases` are the listed ones.
pub fn ranges_beside(node: &Value, releases: &[Release]) -> Vec<ReleaseBounds> {
    ranges(availability_beside(node), node.get("x-gaps"), releases)
}

/// As [`ranges_beside`], of a value.
pub fn ranges_in(about: &Value, releases: &[Release]) -> Vec<ReleaseBounds> {
    ranges(availability_in(about), about.get("gaps"), releases)
}

/// Whether any of the intervals that stand there has the release.
fn covers(ranges: Option<&Value>, release: Release) -> bool {
    ranges.is_some_and(|ranges| {
        availabilities_in(ranges)
            .iter()
            .any(|range| range.contains(release))
    })
}

/// As [`availability_beside`], of a node already known to be an object.
fn availability_of(node: &Map<String, Value>) -> ReleaseBounds {
    between(node, "x-since", "x-until")
}

fn ranges(
    availability: ReleaseBounds,
    gaps: Option<&Value>,
    releases: &[Release],
) -> Vec<ReleaseBounds> {
    let mut gaps = gaps.map(availabilities_in).unwrap_or_default();
    gaps.sort_by_key(|gap| gap.since);
    let mut out = Vec::new();
    let mut rest = availability;
    for gap in gaps {
        let before = |since| releases.iter().copied().rfind(|release| *release < since);
        let after = |until| releases.iter().copied().find(|release| *release > until);
        out.push(ReleaseBounds {
            since: rest.since,
            until: gap.since.and_then(before),
        });
        rest.since = gap.until.and_then(after);
    }
    out.push(rest);
    out
}

fn between(object: &Map<String, Value>, since: &str, until: &str) -> ReleaseBounds {
    let end = |key: &str| object.get(key)?.as_str()?.parse().ok();
    ReleaseBounds {
        since: end(since),
        until: end(until),
    }
}
