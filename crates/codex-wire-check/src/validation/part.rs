//! Holds the schema of one kind of message: compiled for the fast path, and as a validator that
//! explains.
//!
//! Each is made when it is first needed.

use std::sync::{Arc, OnceLock};

use codex_wire_prefilter::Prefilter;
use codex_wire_schema::Parts;
use codex_wire_schema::ir::Text;
use jsonschema::Validator;
use serde_json::Value;

use super::dispatch::dispatched;
use super::schema_walk::Node;

/// What messages of one kind are checked against.
pub(super) struct Part {
    /// The exact projection of a message set.
    source: Arc<Parts>,
    /// The definition in it; none for a message set whose messages have no tag.
    name: Option<Text>,
    /// Whether the method stands in the message but not in the line.
    is_answer: bool,
    validator: OnceLock<Validator>,
    program: OnceLock<Option<Prefilter>>,
}

impl Part {
    pub(super) fn new(source: Arc<Parts>, name: Option<Text>, is_answer: bool) -> Self {
        Part {
            source,
            name,
            is_answer,
            validator: OnceLock::new(),
            program: OnceLock::new(),
        }
    }

    /// The schema of such messages.
    pub(super) fn root(&self) -> Node<'_> {
        let name = self.name.as_deref();
        name.and_then(|name| Node::definition(name, &self.source))
            .unwrap_or_else(|| Node::of(self.source.root()))
    }

    pub(super) fn validator(&self) -> &Validator {
        self.validator.get_or_init(|| {
            // With options, all of jsonschema would be compiled once more, here. In the draft of ours formats are not held.
            jsonschema::validator_for(&dispatched(&self.source, self.name.as_ref()))
                .expect("our own schemas compile, which a test holds for every projection")
        })
    }

    pub(super) fn program(&self) -> Option<&Prefilter> {
        // Most messages are right, and then this is all that is needed: no schema is put together.
        let make = || {
            let mut message = match &self.name {
                Some(name) => self.source.definition(name)?.clone(),
                None => self.source.top(),
            };
            if self.is_answer {
                undress(&mut message);
            }
            let definitions = |name: &str| self.source.definition(name);
            Prefilter::compile_with(&message, &definitions).ok()
        };
        self.program.get_or_init(make).as_ref()
    }
}

/// Makes of the schema of an answer one of what stands in the line: the method does not.
fn undress(answer: &mut Value) {
    if let Some(Value::Object(properties)) = answer.get_mut("properties") {
        properties.remove("method");
    }
    if let Some(Value::Array(required)) = answer.get_mut("required") {
        required.retain(|name| name != "method");
    }
}
