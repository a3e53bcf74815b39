//! Reads annotations: in which releases a part of the document exists, and for which clients.
//!
//! Functions called `…_beside` read the annotations of a node, such as a member or a variant. Those
//! called `…_in` read the annotations of a value of an enumeration, a spelling of a tag, or a
//! state.

use codex_wire_base::Release;
use codex_wire_base::shape::Lifetime;
use serde_json::{Map, Value};

/// The lifetime that stands as `x-since` and `x-until` in a node; gaps lie within it.
pub fn lifetime_beside(node: &Value) -> Lifetime {
    node.as_object().map_or(Lifetime::ALWAYS, life_of)
}

/// A lifetime written as `{"since": …, "until": …}`; gaps lie within it.
pub fn lifetime_in(span: &Value) -> Lifetime {
    span.as_object()
        .map_or(Lifetime::ALWAYS, |span| between(span, "since", "until"))
}

/// Intervals written as one `{"since": …, "until": …}` or as a list of them.
pub fn lifetimes_in(spans: &Value) -> Vec<Lifetime> {
    match spans {
        Value::Array(spans) => spans.iter().map(lifetime_in).collect(),
        one => vec![lifetime_in(one)],
    }
}

/// Whether a node is there in `release`, one of the timeline's: within its lifetime and in none
/// of its gaps.
pub fn alive_beside(node: &Value, release: Release) -> bool {
    lifetime_beside(node).contains(release) && !covers(node.get("x-gaps"), release)
}

/// As [`alive_beside`], of a value or a spelling.
pub fn alive_in(about: &Value, release: Release) -> bool {
    lifetime_in(about).contains(release) && !covers(about.get("gaps"), release)
}

/// Whether a node is for those clients only that opted into the experimental API of `release`.
pub fn experimental_beside(node: &Value, release: Release) -> bool {
    covers(node.get("x-experimental"), release)
}

/// As [`experimental_beside`], of a value.
pub fn experimental_in(about: &Value, release: Release) -> bool {
    covers(about.get("experimental"), release)
}

/// The lifetime of a node without its gaps: one interval, or one more than there are gaps.
/// `releases` are those of the timeline.
pub fn stretches_beside(node: &Value, releases: &[Release]) -> Vec<Lifetime> {
    stretches(lifetime_beside(node), node.get("x-gaps"), releases)
}

/// As [`stretches_beside`], of a value.
pub fn stretches_in(about: &Value, releases: &[Release]) -> Vec<Lifetime> {
    stretches(lifetime_in(about), about.get("gaps"), releases)
}

/// Whether any of the intervals that stand there has the release.
fn covers(spans: Option<&Value>, release: Release) -> bool {
    spans.is_some_and(|spans| {
        lifetimes_in(spans)
            .iter()
            .any(|span| span.contains(release))
    })
}

/// As [`lifetime_beside`], of a node already known to be an object.
fn life_of(node: &Map<String, Value>) -> Lifetime {
    between(node, "x-since", "x-until")
}

fn stretches(life: Lifetime, gaps: Option<&Value>, releases: &[Release]) -> Vec<Lifetime> {
    let mut gaps = gaps.map(lifetimes_in).unwrap_or_default();
    gaps.sort_by_key(|gap| gap.since);
    let mut out = Vec::new();
    let mut rest = life;
    for gap in gaps {
        let before = |since| releases.iter().copied().rfind(|release| *release < since);
        let after = |until| releases.iter().copied().find(|release| *release > until);
        out.push(Lifetime {
            since: rest.since,
            until: gap.since.and_then(before),
        });
        rest.since = gap.until.and_then(after);
    }
    out.push(rest);
    out
}

fn between(object: &Map<String, Value>, since: &str, until: &str) -> Lifetime {
    let end = |key: &str| object.get(key)?.as_str()?.parse().ok();
    Lifetime {
        since: end(since),
        until: end(until),
    }
}
