//! The two renderings: draft 2020-12, and draft-07 for the tools that still ask for it.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value, json};

/// A draft of JSON Schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Draft {
    /// Draft 2020-12.
    #[default]
    Draft202012,
    /// Draft-07.
    Draft07,
}

impl Draft {
    /// Both drafts.
    pub const ALL: [Draft; 2] = [Draft::Draft202012, Draft::Draft07];

    /// The name on the command line and in the catalogue.
    pub fn as_str(self) -> &'static str {
        match self {
            Draft::Draft202012 => "2020-12",
            Draft::Draft07 => "draft-07",
        }
    }

    /// What goes into `$schema`.
    pub fn meta_schema(self) -> &'static str {
        match self {
            Draft::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
            Draft::Draft07 => "http://json-schema.org/draft-07/schema#",
        }
    }

    /// Renders a schema in this draft.
    ///
    /// Nothing stands beside a `$ref`: draft-07 ignores what does, and generators of code take
    /// it for a type of its own.
    pub(crate) fn render(self, mut schema: Value) -> Value {
        if self == Draft::Draft07 {
            draft_07(&mut schema);
        }
        without_siblings(&mut schema);
        schema
    }
}

impl fmt::Display for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no draft this crate renders.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a draft; known: 2020-12, draft-07")]
pub struct ParseDraftError(String);

impl FromStr for Draft {
    type Err = ParseDraftError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Draft::ALL
            .into_iter()
            .find(|draft| draft.as_str() == text)
            .ok_or_else(|| ParseDraftError(text.to_owned()))
    }
}

/// Moves every reference that has siblings into an `allOf` of its own.
fn without_siblings(schema: &mut Value) {
    let Value::Object(object) = schema else {
        return;
    };
    if object.len() > 1
        && let Some(reference) = object.remove("$ref")
    {
        let all = object.entry("allOf").or_insert_with(|| json!([]));
        if let Value::Array(all) = all {
            all.push(json!({"$ref": reference}));
        }
    }
    for keyword in ["items", "additionalProperties", "not"] {
        object
            .get_mut(keyword)
            .into_iter()
            .for_each(without_siblings);
    }
    for keyword in ["oneOf", "anyOf", "allOf"] {
        let arms = object.get_mut(keyword).and_then(Value::as_array_mut);
        arms.into_iter().flatten().for_each(without_siblings);
    }
    for keyword in ["properties", "$defs", "definitions"] {
        let inner = object.get_mut(keyword).and_then(Value::as_object_mut);
        inner
            .into_iter()
            .flat_map(Map::values_mut)
            .for_each(without_siblings);
    }
}

/// Draft-07 calls the definitions `definitions`.
fn draft_07(schema: &mut Value) {
    rewrite_references(schema);
    if let Value::Object(root) = schema {
        if let Some(definitions) = root.remove("$defs") {
            root.insert("definitions".into(), definitions);
        }
        root.insert("$schema".into(), json!(Draft::Draft07.meta_schema()));
    }
}

fn rewrite_references(schema: &mut Value) {
    match schema {
        Value::String(text) => {
            if let Some(name) = text.strip_prefix("#/$defs/") {
                *text = format!("#/definitions/{name}");
            }
        }
        Value::Object(object) => object.values_mut().for_each(rewrite_references),
        Value::Array(array) => array.iter_mut().for_each(rewrite_references),
        _ => {}
    }
}
