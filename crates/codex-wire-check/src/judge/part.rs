//! What one kind of message is held against: a program that accepts what is right, and a schema
//! with a validator that judges and explains the rest. All are made when they are first needed.

use std::sync::OnceLock;

use codex_wire_base::{Protocol, Surface};
use codex_wire_program::{Outline, Program, View};
use codex_wire_schema::{Profile, Span, Stability, project_part};
use jsonschema::Validator;
use serde_json::Value;

use super::Judge;
use super::dispatch::dispatch;

pub(super) struct Part {
    origin: Origin,
    schema: OnceLock<Value>,
    validator: OnceLock<Validator>,
    program: OnceLock<Option<Program>>,
}

/// Where a schema is from.
pub(super) enum Origin {
    /// It is a definition of the exact projection of a surface; the empty name is the whole.
    Projection(Surface, Span, String),
    Schema(Value),
}

impl Origin {
    fn schema(&self) -> Value {
        match self {
            Origin::Projection(surface, span, name) => project(*surface, Some(name), *span),
            Origin::Schema(schema) => schema.clone(),
        }
    }
}

/// A definition of an exact projection with those it reaches; without a name its top alone.
pub(super) fn project(surface: Surface, definition: Option<&str>, span: Span) -> Value {
    let stability = Stability::Experimental;
    project_part(surface, definition, span.since, Profile::Exact, stability)
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

    fn program(&self) -> Option<&Program> {
        let make = || {
            // Most messages are right, and then this is all the schema is needed for.
            let known = self.schema.get().cloned();
            let mut schema = known.unwrap_or_else(|| self.origin.schema());
            if let Origin::Projection(surface, _, name) = &self.origin
                && surface.protocol() == Protocol::AppServer
            {
                undress(&mut schema, *surface, name);
            }
            Program::compile(&schema).ok()
        };
        self.program.get_or_init(make).as_ref()
    }
}

/// Makes of the schema of a message one of what stands in the line, where the method of an answer
/// does not.
fn undress(schema: &mut Value, surface: Surface, name: &str) {
    let message = match name {
        "" => Some(schema),
        name => schema["$defs"].get_mut(name),
    };
    let Some(message) = message else {
        return;
    };
    let is_answer = [
        Surface::AppServerServerResponses,
        Surface::AppServerClientResponses,
    ]
    .contains(&surface);
    if let (Some(Value::Object(properties)), true) = (message.get_mut("properties"), is_answer) {
        properties.remove("method");
    }
    if let Some(Value::Array(required)) = message.get_mut("required") {
        required.retain(|name| !is_answer || name != "method");
    }
}

impl Judge {
    /// A line, if it is surely what the release writes, whichever value of a repeated key is
    /// kept; and whether a key may stand there twice. The tag is that of the message, or the
    /// method of the request it answers. `None` tells nothing.
    pub(crate) fn accepts<'a>(
        &self,
        tag: Option<&str>,
        text: &'a str,
        outline: &'a mut Outline,
    ) -> Option<(View<'a>, bool)> {
        let place = match &self.by_tag {
            Some(by_tag) => *by_tag.get(tag?)?,
            // The whole schema has no name, so it is the first.
            None => 0,
        };
        self.part(place).program()?.view(text, outline).ok()
    }
}
