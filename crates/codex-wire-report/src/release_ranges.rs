//! Writes ranges of releases as JSON.

use codex_wire_base::ReleaseBounds;
use serde_json::{Map, Value};

/// The ends of a range, `since` and `until`; an open end is left out.
pub(crate) fn bounds(range: ReleaseBounds) -> Value {
    let ends = [("since", range.since), ("until", range.until)];
    let ends = ends
        .into_iter()
        .filter_map(|(name, end)| Some((name.to_owned(), Value::from(end?.to_string()))));
    Value::Object(ends.collect::<Map<_, _>>())
}
