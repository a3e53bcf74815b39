//! Holds the schema of one kind of message: compiled for the fast path, and as a validator that
//! explains.
//!
//! Each is made when it is first needed.

use std::sync::{Arc, OnceLock};

use codex_wire_base::{MessageSet, Protocol};
use codex_wire_prefilter::Prefilter;
use codex_wire_schema::Parts;
use jsonschema::Validator;
use serde_json::Value;

use super::dispatch::dispatch;

pub(super) struct Part {
    origin: Origin,
    schema: OnceLock<Value>,
    validator: OnceLock<Validator>,
    program: OnceLock<Option<Prefilter>>,
}

/// Where a schema is from.
pub(super) enum Origin {
    /// It is a definition of the exact projection of a message set.
    Projection(Arc<Parts>, String),
    Schema(Value),
}

impl Origin {
    fn schema(&self) -> Value {
        match self {
            Origin::Projection(parts, name) => parts.with_reached(name),
            Origin::Schema(schema) => schema.clone(),
        }
    }
}

impl Part {
    pub(super) fn new(origin: Origin) -> Self {
        Part {
            origin,
            schema: OnceLock::new(),
            validator: OnceLock::new(),
            program: OnceLock::new(),
        }
    }

    pub(super) fn schema(&self) -> &Value {
        self.schema.get_or_init(|| self.origin.schema())
    }

    pub(super) fn validator(&self) -> &Validator {
        self.validator.get_or_init(|| {
            jsonschema::options()
                .should_validate_formats(false)
                .build(&dispatch(self.schema()))
                .expect("our own schemas compile, which a test holds for every projection")
        })
    }

    pub(super) fn program(&self) -> Option<&Prefilter> {
        let make = || match &self.origin {
            // Most messages are right, and then this is all that is needed: no schema is put
            // together.
            Origin::Projection(parts, name) => {
                let mut message = parts.definition(name)?.clone();
                if parts.message_set().protocol() == Protocol::AppServer {
                    undress(&mut message, parts.message_set());
                }
                Prefilter::compile_with(&message, &|name| parts.definition(name)).ok()
            }
            Origin::Schema(schema) => Prefilter::compile(schema).ok(),
        };
        self.program.get_or_init(make).as_ref()
    }
}

/// Makes of the schema of a message one of what stands in the line, where the method of an answer
/// does not.
fn undress(message: &mut Value, message_set: MessageSet) {
    let is_answer = [
        MessageSet::AppServerServerResponses,
        MessageSet::AppServerClientResponses,
    ]
    .contains(&message_set);
    if let (Some(Value::Object(properties)), true) = (message.get_mut("properties"), is_answer) {
        properties.remove("method");
    }
    if let Some(Value::Array(required)) = message.get_mut("required") {
        required.retain(|name| !is_answer || name != "method");
    }
}
