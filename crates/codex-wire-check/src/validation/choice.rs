//! Explains a value that matches no variant of a union: it picks the variant that was most likely
//! meant.

use codex_wire_schema::ranges_beside;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use super::explanation::Explanation;
use super::schema_walk::{Node, variants};
use super::violation::SchemaViolation;
use crate::phrasing::{kind, named, subject};
use crate::validation::explanation::{NULL, UNKNOWN_KIND, WRONG_TYPE};

impl Explanation<'_> {
    /// The choice that a value is none of: one by a tag that the value has is not (see
    /// [`dispatch`](super::dispatch)), but there may be another within the alternative.
    pub(crate) fn open_choice<'s>(
        &'s self,
        choice: Node<'s>,
        pointer: &str,
        value: &Value,
    ) -> Node<'s> {
        let mut open = choice;
        while open.schema.get("discriminator").is_some()
            && self
                .choose(pointer, open.schema, self.annotated(&open), value)
                .is_ok()
            && let Some((_, variant)) = self.walk().variant(open.schema, value)
            && let Some(within) = self.walk().choice_from(variant)
        {
            open = within;
        }
        open
    }

    /// What the document of all releases says of a choice.
    pub(crate) fn annotated(&self, choice: &Node<'_>) -> &'static Value {
        match choice.name {
            Some(name) => self.document.definition(name).unwrap_or(&Value::Null),
            None => self.document.top(),
        }
    }

    /// A value that is none of its alternatives: the errors of the one that was meant count.
    pub(crate) fn explain_choice(
        &self,
        context: &[Vec<ValidationError<'static>>],
        choice: &Node<'_>,
        pointer: &str,
        message: &Value,
        out: &mut Vec<SchemaViolation>,
    ) {
        let Some(value) = message.pointer(pointer) else {
            return;
        };
        let annotated = self.annotated(choice);
        if choice.schema.get("discriminator").is_some()
            && let Err(fault) = self.choose(pointer, choice.schema, annotated, value)
        {
            return out.push(*fault);
        }
        let Some((index, variant)) = self.walk().variant(choice.schema, value) else {
            return out.push(self.no_alternative(pointer, choice.schema, annotated, value));
        };
        for error in context.get(index).into_iter().flatten() {
            // A choice within the choice, about the same value.
            let within = match error.kind() {
                ValidationErrorKind::OneOfNotValid { context }
                | ValidationErrorKind::AnyOf { context }
                    if error.instance_path().as_str() == pointer =>
                {
                    let node = self.walk().choice_from(variant);
                    node.map(|node| (context, self.open_choice(node, pointer, value)))
                }
                _ => None,
            };
            match within {
                Some((context, choice)) => {
                    self.explain_choice(context, &choice, pointer, message, out);
                }
                None => self.explain(error, message, out),
            }
        }
    }

    /// A value that looks like none of its alternatives.
    pub(crate) fn no_alternative(
        &self,
        pointer: &str,
        choice: &Value,
        annotated: &Value,
        value: &Value,
    ) -> SchemaViolation {
        let subject = subject(pointer);
        let external = variants(annotated).any(|variant| variant.get("x-kind").is_some());
        let help = self.alternatives(choice, external);
        let name = choice["title"].as_str().filter(|_| external);
        let written = match value {
            Value::Null => {
                let text = format!("{subject} is `null`, which {}", self.refusal);
                return SchemaViolation {
                    help,
                    ..SchemaViolation::new(&NULL, pointer, text)
                };
            }
            Value::String(text) => Some(text.as_str()),
            // The kind is the only member there is.
            Value::Object(members) if members.len() == 1 => {
                members.keys().next().map(String::as_str)
            }
            _ => None,
        };
        let (Some(name), Some(written)) = (name, written) else {
            let text = match (name, value) {
                (Some(name), Value::Object(members)) => format!(
                    "{subject} has {} members, where {name} is written as one around the rest",
                    members.len()
                ),
                _ => format!(
                    "{subject} is {}, which is none of its alternatives",
                    kind(value)
                ),
            };
            return SchemaViolation {
                help,
                ..SchemaViolation::new(&WRONG_TYPE, pointer, text)
            };
        };
        let is_bare = |variant: &Value| {
            let name = variant["$ref"].as_str().and_then(|r| r.rsplit('/').next());
            let definition = name.and_then(|name| self.document.definition(name));
            definition.is_some_and(|definition| definition["type"] == "string")
        };
        let known = variants(annotated)
            .find(|variant| variant["x-kind"] == written && is_bare(variant) == value.is_string());
        match known {
            Some(variant) => SchemaViolation::elsewhere(
                pointer,
                format!("{name} `{written}`, so written,"),
                &ranges_beside(variant, self.releases),
            ),
            None => SchemaViolation {
                help,
                ..SchemaViolation::new(
                    &UNKNOWN_KIND,
                    pointer,
                    format!("{name} of unknown kind{}", named(written)),
                )
            },
        }
    }

    /// The alternatives the release has: the kinds where they are written around the value, the
    /// names of the definitions otherwise.
    fn alternatives<'s>(&'s self, choice: &'s Value, external: bool) -> Option<String> {
        let mut kinds = Vec::new();
        let mut names = Vec::new();
        for variant in variants(choice) {
            let Some(Node {
                name: Some(name),
                schema: definition,
            }) = self.walk().reference(variant)
            else {
                continue;
            };
            names.push(name);
            kinds.extend(definition["const"].as_str());
            if external {
                kinds.extend(definition["required"][0].as_str());
            }
        }
        if !kinds.is_empty() {
            return Some(format!("known kinds: {}", kinds.join(", ")));
        }
        (!names.is_empty()).then(|| format!("alternatives: {}", names.join(", ")))
    }
}
