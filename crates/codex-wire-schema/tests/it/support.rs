//! What several tests use.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use codex_wire_schema::{Draft, Profile, Published, publish};
use serde_json::Value;

/// The folder with the committed schemas.
pub(crate) fn schemas() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas")
}

/// The schemas of single releases: everything published except the catalogue and the documents of all
/// releases.
pub(crate) fn projections() -> &'static [(Published, Value)] {
    static PROJECTIONS: LazyLock<Vec<(Published, Value)>> = LazyLock::new(|| {
        let is_projection = |file: &Published| {
            let entry = file.entry.as_ref();
            entry.is_some_and(|entry| entry.profile.is_some())
        };
        let with_schema = |file: Published| {
            let schema = parse(&file);
            (file, schema)
        };
        publish()
            .into_iter()
            .filter(is_projection)
            .map(with_schema)
            .collect()
    });
    &PROJECTIONS
}

/// What a file says.
pub(crate) fn parse(file: &Published) -> Value {
    serde_json::from_str(&file.text).unwrap_or_else(|error| panic!("{}: {error}", file.path))
}

/// The profile of a projection.
pub(crate) fn profile(file: &Published) -> Profile {
    file.entry.as_ref().and_then(|entry| entry.profile).unwrap()
}

/// The draft of a projection.
pub(crate) fn draft(file: &Published) -> Draft {
    file.entry.as_ref().map(|entry| entry.draft).unwrap()
}

/// The key under which a schema keeps its definitions.
pub(crate) fn definitions_key(draft: Draft) -> &'static str {
    match draft {
        Draft::Draft202012 => "$defs",
        Draft::Draft07 => "definitions",
    }
}

/// Calls `visit` with every schema node and where it is.
pub(crate) fn nodes(schema: &Value, visit: &mut impl FnMut(&str, &Value)) {
    fn walk(at: &str, node: &Value, visit: &mut impl FnMut(&str, &Value)) {
        visit(at, node);
        for keyword in ["items", "additionalProperties"] {
            if let Some(inner) = node.get(keyword) {
                walk(&format!("{at}/{keyword}"), inner, visit);
            }
        }
        for keyword in ["oneOf", "anyOf", "allOf"] {
            for (index, branch) in node[keyword].as_array().into_iter().flatten().enumerate() {
                walk(&format!("{at}/{keyword}/{index}"), branch, visit);
            }
        }
        for keyword in ["properties", "$defs", "definitions"] {
            for (name, inner) in node[keyword].as_object().into_iter().flatten() {
                walk(&format!("{at}/{keyword}/{name}"), inner, visit);
            }
        }
    }
    walk("", schema, visit);
}
