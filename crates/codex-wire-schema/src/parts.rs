//! The schema of one release, made a definition at a time.

use std::sync::OnceLock;

use codex_wire_base::{MessageSet, Release};
use serde_json::{Map, Value, json};

use crate::documents::{Document, annotated};
use crate::draft::Draft;
use crate::ir::Schema;
use crate::ir::write::{self, Form};
use crate::project::{Profile, View, as_declared};
use crate::ranges::range_of;
use crate::stability::Stability;

/// What [`project`](crate::project) makes, in draft 2020-12, a definition at a time.
///
/// A large message set has hundreds of definitions, of which one message needs a few. Left out is
/// what is for readers only: descriptions, and which member a release writes twice.
#[derive(Debug)]
pub struct Parts {
    message_set: MessageSet,
    view: View,
    document: &'static Document,
    /// By their positions in the document.
    definitions: Vec<Definition>,
}

/// A definition, and the same as JSON.
#[derive(Debug, Default)]
struct Definition {
    schema: OnceLock<Schema>,
    value: OnceLock<Value>,
}

impl Parts {
    /// Those of a message set in one release.
    pub fn new(
        message_set: impl Into<MessageSet>,
        release: Release,
        profile: Profile,
        stability: Stability,
    ) -> Self {
        let message_set = message_set.into();
        let document = annotated(message_set);
        Parts {
            message_set,
            view: View {
                release: range_of(message_set, release).since,
                profile,
                as_declared: as_declared(message_set),
                stability,
                message_set: Some(message_set),
            },
            document,
            definitions: (0..document.len()).map(|_| Definition::default()).collect(),
        }
    }

    /// The message set.
    pub fn message_set(&self) -> MessageSet {
        self.message_set
    }

    /// The schema of all messages.
    pub fn root(&self) -> Schema {
        self.view.root(self.document)
    }

    /// The schema of all messages as JSON, without its definitions.
    pub fn top(&self) -> Value {
        write::settled(&self.root(), Form::Bare)
    }

    /// A definition.
    pub fn schema(&self, name: &str) -> Option<&Schema> {
        Some(self.schema_at(self.document.position(name)?))
    }

    /// A definition as JSON. Its references are to others of these.
    pub fn definition(&self, name: &str) -> Option<&Value> {
        let position = self.document.position(name)?;
        let value = &self.definitions[position].value;
        Some(value.get_or_init(|| write::settled(self.schema_at(position), Form::Bare)))
    }

    /// A definition as a JSON Schema of its own, with those it reaches.
    pub fn with_reached(&self, name: &str) -> Value {
        let mut definitions = Map::new();
        let mut waiting = vec![name.to_owned()];
        while let Some(name) = waiting.pop() {
            if definitions.contains_key(&name) {
                continue;
            }
            if let (Some(schema), Some(value)) = (self.schema(&name), self.definition(&name)) {
                schema.references(&mut |name| waiting.push(name.to_owned()));
                definitions.insert(name, value.clone());
            }
        }
        json!({
            "$schema": Draft::Draft202012.meta_schema(),
            "$defs": definitions,
            "$ref": format!("#/$defs/{name}"),
        })
    }

    fn schema_at(&self, position: usize) -> &Schema {
        let schema = &self.definitions[position].schema;
        schema.get_or_init(|| self.view.definition_at(self.document, position))
    }
}
