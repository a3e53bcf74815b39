//! Renders schemas in two drafts: 2020-12, and draft-07 for tools that still require it.

use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};

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

    /// Renders a projection in this draft.
    pub(crate) fn render(self, mut schema: Value) -> Value {
        if self == Draft::Draft07 {
            draft_07(&mut schema);
        }
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
