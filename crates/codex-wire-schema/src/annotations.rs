//! Reading the annotations: which releases a part of the document speaks of.

use codex_wire::shape::Lifetime;
use serde_json::{Map, Value};

/// The lifetime that stands as `x-since` and `x-until` in a node: of a member, an alternative.
pub fn lifetime_beside(node: &Value) -> Lifetime {
    node.as_object().map_or(Lifetime::ALWAYS, life_of)
}

/// A lifetime written as `{"since": …, "until": …}`: of a value, a spelling, a state.
pub fn lifetime_in(span: &Value) -> Lifetime {
    span.as_object()
        .map_or(Lifetime::ALWAYS, |span| between(span, "since", "until"))
}

/// As [`lifetime_beside`], of a node already known to be an object.
pub(crate) fn life_of(node: &Map<String, Value>) -> Lifetime {
    between(node, "x-since", "x-until")
}

fn between(object: &Map<String, Value>, since: &str, until: &str) -> Lifetime {
    let end = |key: &str| object.get(key)?.as_str()?.parse().ok();
    Lifetime {
        since: end(since),
        until: end(until),
    }
}
