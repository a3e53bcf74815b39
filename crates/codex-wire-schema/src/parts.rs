//! The schema of one release, made a definition at a time.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use codex_wire_base::{MessageSet, Release};
use serde_json::{Map, Value, json};

use crate::documents::{Document, annotated};
use crate::draft::Draft;
use crate::ir::write::{self, Form};
use crate::ir::{Kind, Schema};
use crate::profile::Profile;
use crate::project::{View, as_declared, requires_written};
use crate::ranges::range_of;
use crate::stability::Stability;

/// What [`project`](crate::project) makes, in draft 2020-12, a definition at a time.
///
/// A large message set has hundreds of definitions, of which one message needs a few. Left out is
/// what is for readers only: descriptions, and which member a release writes twice.
#[derive(Debug)]
pub struct Parts {
    view: View,
    document: &'static Document,
    root: OnceLock<Schema>,
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
        let requires_written = requires_written(message_set, profile);
        Self::of_set(message_set, release, profile, stability, requires_written)
    }

    /// As [`new`](Self::new), but members that Codex always writes may be left out where its schema
    /// lets them, whatever the profile.
    pub fn leaving_out(
        message_set: impl Into<MessageSet>,
        release: Release,
        profile: Profile,
        stability: Stability,
    ) -> Self {
        Self::of_set(message_set.into(), release, profile, stability, false)
    }

    fn of_set(
        message_set: MessageSet,
        release: Release,
        profile: Profile,
        stability: Stability,
        requires_written: bool,
    ) -> Self {
        let view = View {
            release: range_of(message_set, release).since,
            profile,
            as_declared: as_declared(message_set),
            stability,
            message_set: Some(message_set),
            requires_written,
            keeps_availability: false,
        };
        Self::of_view(annotated(message_set), view)
    }

    /// Those of a document that need not be one of this crate's. Use it only in tests.
    #[doc(hidden)]
    pub fn of(document: &'static Document, release: Release, profile: Profile) -> Self {
        let view = View {
            release,
            profile,
            as_declared: true,
            stability: Stability::Experimental,
            message_set: None,
            requires_written: false,
            keeps_availability: false,
        };
        Self::of_view(document, view)
    }

    fn of_view(document: &'static Document, view: View) -> Self {
        Parts {
            view,
            document,
            root: OnceLock::new(),
            definitions: (0..document.len()).map(|_| Definition::default()).collect(),
        }
    }

    /// The schema of all messages.
    pub fn root(&self) -> &Schema {
        self.root.get_or_init(|| self.view.root(self.document))
    }

    /// The schema of all messages as JSON, without its definitions.
    pub fn top(&self) -> Value {
        write::settled(self.root(), Form::Bare)
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

    /// The definitions that a schema leads to, by name.
    pub fn reached<'p>(&'p self, schema: &'p Schema) -> BTreeMap<&'p str, &'p Schema> {
        let mut found = BTreeMap::new();
        let mut waiting = vec![schema];
        while let Some(schema) = waiting.pop() {
            schema.references(&mut |name| {
                if !found.contains_key(name)
                    && let Some(definition) = self.schema(name)
                {
                    found.insert(name, definition);
                    waiting.push(definition);
                }
            });
        }
        found
    }

    /// A definition as a JSON Schema of its own, with those it reaches.
    pub fn with_reached(&self, name: &str) -> Value {
        let reference = Schema::of(Kind::Reference(name.to_owned().into()));
        let definitions: Map<String, Value> = self
            .reached(&reference)
            .into_keys()
            .filter_map(|name| Some((name.to_owned(), self.definition(name)?.clone())))
            .collect();
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
