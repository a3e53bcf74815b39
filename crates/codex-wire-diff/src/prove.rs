//! Holding counterexamples against the descriptions, and comparing sets of values.
//!
//! The one module that knows the `jsonschema` crate.

use std::sync::OnceLock;

use jsonschema::ValidatorMap;
use jsonschema::canonical::Containment;
use serde_json::Value;

use crate::document::{Document, closed};

/// The validators of one side of a part.
pub(crate) struct Judge<'d> {
    document: &'d Document,
    /// What readers take: undeclared members are allowed.
    open: OnceLock<Option<ValidatorMap>>,
    /// What is written: nothing undeclared.
    exact: OnceLock<Option<ValidatorMap>>,
}

impl<'d> Judge<'d> {
    pub(crate) fn new(document: &'d Document) -> Self {
        Judge {
            document,
            open: OnceLock::new(),
            exact: OnceLock::new(),
        }
    }

    fn open(&self) -> Option<&ValidatorMap> {
        let make = || jsonschema::validator_map_for(&self.document.base).ok();
        self.open.get_or_init(make).as_ref()
    }

    fn exact(&self) -> Option<&ValidatorMap> {
        let make = || jsonschema::validator_map_for(&closed(&self.document.base)).ok();
        self.exact.get_or_init(make).as_ref()
    }

    /// Whether a value is written.
    pub(crate) fn writes(&self, value: &Value) -> bool {
        let validator = self.exact().and_then(|map| map.get(&self.document.key()));
        validator.is_some_and(|validator| validator.is_valid(value))
    }

    /// Whether a value is taken, undeclared members and all.
    pub(crate) fn takes(&self, value: &Value) -> bool {
        let validator = self.open().and_then(|map| map.get(&self.document.key()));
        validator.is_some_and(|validator| validator.is_valid(value))
    }

    /// Whether a value is refused, for something at, above or below a place. `definition` is that
    /// of the message, if it has one: a union of all messages would not say what is wrong.
    pub(crate) fn refuses(&self, value: &Value, definition: Option<&str>, pointer: &str) -> bool {
        let Some(map) = self.open() else {
            return false;
        };
        let Some(whole) = map.get(&self.document.key()) else {
            return false;
        };
        if whole.is_valid(value) {
            return false;
        }
        let narrow = definition.and_then(|name| {
            ["#/$defs/", "#/definitions/"]
                .iter()
                .find_map(|prefix| map.get(&format!("{prefix}{name}")))
        });
        let Some(narrow) = narrow else {
            return true;
        };
        let errors: Vec<String> = narrow
            .iter_errors(value)
            .map(|error| error.instance_path().as_str().to_owned())
            .collect();
        // Refused as a message, though right as a definition: the tag is not known.
        errors.is_empty() || errors.iter().any(|at| related(at, pointer))
    }
}

/// Whether one place holds the other.
fn related(one: &str, other: &str) -> bool {
    let within = |inner: &str, outer: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    within(one, other) || within(other, one)
}

/// Whether the reader takes all that the writer writes at a node: by sets of values, on copies in
/// which objects have only the members they declare. `None` where it cannot be told.
pub(crate) fn covers(
    (writer, written): (&Document, &Value),
    (reader, read): (&Document, &Value),
) -> Option<bool> {
    let alone =
        |document: &Document, node: &Value| -> Option<jsonschema::canonical::CanonicalSchema> {
            let node = document.resolve(node).node;
            let mut schema = closed(node);
            for key in ["$defs", "definitions"] {
                if let (Some(definitions), Value::Object(schema)) =
                    (document.base.get(key), &mut schema)
                {
                    let definitions = closed(&serde_json::json!({ key: definitions }));
                    schema.insert(key.to_owned(), definitions[key].clone());
                }
            }
            if let Value::Object(schema) = &mut schema {
                // Drafts would differ in name only.
                let draft = "https://json-schema.org/draft/2020-12/schema";
                schema.insert("$schema".to_owned(), draft.into());
            }
            jsonschema::canonicalize(&schema).ok()
        };
    let (writer, reader) = (alone(writer, written)?, alone(reader, read)?);
    match reader.covers(&writer).ok()? {
        Containment::Yes => Some(true),
        Containment::No => Some(false),
        Containment::Unknown => None,
    }
}
