//! The schema of one release, made a definition at a time.

use std::sync::OnceLock;

use codex_wire_base::{Release, Surface};
use serde_json::{Map, Value, json};

use crate::documents::{Document, annotated, references};
use crate::draft::Draft;
use crate::project::{Profile, View, as_declared};
use crate::published::span_of;
use crate::stability::Stability;
use crate::version;

/// What [`project`](crate::project) makes, in draft 2020-12, a definition at a time.
///
/// A large message set has hundreds of definitions, of which one message needs a few. Left out is
/// what is for readers only: descriptions, and which member a release writes twice.
#[derive(Debug)]
pub struct Parts {
    surface: Surface,
    profile: Profile,
    view: View,
    document: &'static Document,
    /// By their positions in the document.
    definitions: Vec<OnceLock<Value>>,
}

impl Parts {
    /// Those of a message set in one release.
    pub fn new(
        surface: impl Into<Surface>,
        release: Release,
        profile: Profile,
        stability: Stability,
    ) -> Self {
        let surface = surface.into();
        let document = annotated(surface);
        Parts {
            surface,
            profile,
            view: View {
                release: Some(span_of(surface, release).since),
                profile,
                as_declared: as_declared(surface),
                stability,
                bare: true,
            },
            document,
            definitions: (0..document.len()).map(|_| OnceLock::new()).collect(),
        }
    }

    /// The message set.
    pub fn surface(&self) -> Surface {
        self.surface
    }

    /// The schema of all messages without its definitions.
    pub fn top(&self) -> Value {
        let mut top = self.view.settled(self.view.schema(self.document.top()));
        if let (Value::Object(top), Profile::Exact) = (&mut top, self.profile) {
            version::allow(self.surface, top);
        }
        top
    }

    /// A definition. Its references are to others of these.
    pub fn definition(&self, name: &str) -> Option<&Value> {
        let position = self.document.position(name)?;
        Some(self.definitions[position].get_or_init(|| {
            let annotated = self.document.definition_at(position);
            let mut schema = self.view.settled(self.view.schema(annotated));
            if self.profile == Profile::Exact && version::is_message(self.document, name) {
                version::allow_in(self.surface, Some(&mut schema));
            }
            schema
        }))
    }

    /// A definition as a schema of its own, with those it reaches.
    pub fn with_reached(&self, name: &str) -> Value {
        let mut definitions = Map::new();
        let mut waiting = vec![name.to_owned()];
        while let Some(name) = waiting.pop() {
            if definitions.contains_key(&name) {
                continue;
            }
            if let Some(schema) = self.definition(&name) {
                references(schema, &mut waiting);
                definitions.insert(name, schema.clone());
            }
        }
        json!({
            "$schema": Draft::Draft202012.meta_schema(),
            "$defs": definitions,
            "$ref": format!("#/$defs/{name}"),
        })
    }
}
