//! Members that formats leave open.

use codex_wire_session::Tokens;
use serde_json::{Map, Value, json};

use crate::tool::object;

/// Counts that the format has no members for. Not every source has them, so zeros are left out.
pub(super) fn details(tokens: Tokens) -> Map<String, Value> {
    let some = |count: u64| json!((count > 0).then_some(count));
    members([
        ("reasoning_output_tokens", some(tokens.reasoning_output)),
        ("cache_write_input_tokens", some(tokens.cache_write_input)),
        ("total_tokens", some(tokens.total)),
    ])
}

/// Members that are not null.
pub(super) fn members<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    match object(members) {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
