//! What one kind of message is held against: a program that accepts what is right, and a
//! validator that judges and explains the rest. Both are made when they are first needed.

use std::sync::OnceLock;

use codex_wire::{Protocol, Surface};
use codex_wire_program::{Outline, Program, View};
use jsonschema::Validator;
use serde_json::Value;

use super::Judge;

pub(super) struct Part {
    pub(super) schema: Value,
    /// The definition this is of, if it is of one.
    definition: String,
    surface: Option<Surface>,
    validator: OnceLock<Validator>,
    program: OnceLock<Option<Program>>,
}

impl Part {
    pub(super) fn new(schema: Value, definition: &str, surface: Option<Surface>) -> Self {
        Part {
            schema,
            definition: definition.to_owned(),
            surface,
            validator: OnceLock::new(),
            program: OnceLock::new(),
        }
    }

    pub(super) fn validator(&self) -> &Validator {
        self.validator.get_or_init(|| {
            jsonschema::options()
                .should_validate_formats(false)
                .build(&self.schema)
                .expect("our own schemas compile, which a test holds for every projection")
        })
    }

    fn program(&self) -> Option<&Program> {
        let make = || match self.surface {
            Some(surface) if surface.protocol() == Protocol::AppServer => {
                Program::compile(&self.undressed(surface)).ok()
            }
            _ => Program::compile(&self.schema).ok(),
        };
        self.program.get_or_init(make).as_ref()
    }

    /// The schema of what stands in the line: the version of JSON-RPC may, and the method of an
    /// answer does not.
    fn undressed(&self, surface: Surface) -> Value {
        let mut schema = self.schema.clone();
        let message = match self.definition.as_str() {
            "" => Some(&mut schema),
            name => schema["$defs"].get_mut(name),
        };
        let Some(message) = message else {
            return schema;
        };
        let is_answer = [
            Surface::AppServerServerResponses,
            Surface::AppServerClientResponses,
        ]
        .contains(&surface);
        if let Some(Value::Object(properties)) = message.get_mut("properties") {
            properties.insert("jsonrpc".to_owned(), Value::Bool(true));
            if is_answer {
                properties.remove("method");
            }
        }
        if let Some(Value::Array(required)) = message.get_mut("required") {
            required.retain(|name| !is_answer || name != "method");
        }
        schema
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
        let name = match &self.by_tag {
            Some(by_tag) => by_tag.get(tag?)?.as_str(),
            None => "",
        };
        let (name, part) = self.parts.get_key_value(name)?;
        let part = part.get_or_init(|| self.compile(name));
        part.program()?.view(text, outline).ok()
    }
}
