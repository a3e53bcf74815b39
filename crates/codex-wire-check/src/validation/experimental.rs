//! Finds the parts of a message that belong to an experimental API, which a client has to opt into.

use codex_wire_schema::ir::{Availability, Schema};
use serde_json::Value;

use super::explanation::Explanation;
use super::validator::MessageValidator;
use crate::pointer::push_segment;

impl MessageValidator {
    /// The places of a message that belong to an experimental API: members that are set, kinds
    /// and values. `is` tells that of the availability of a part of the document of all releases.
    pub(crate) fn experimental(
        &self,
        message: &Value,
        is: &dyn Fn(&Availability) -> bool,
    ) -> Vec<String> {
        let mut found = Vec::new();
        let Ok(part) = self.part_for(message, true) else {
            return found;
        };
        if let Some(union) = self.tagged()
            && let key = &union.of_release.tag
            && let Some(tag) = message.get(&**key).and_then(Value::as_str)
            && let Some(variant) = union.of_all.and_then(|union| union.variant(tag))
            && is(&variant.availability)
        {
            found.push(format!("/{key}"));
            return found;
        }
        let walk = Walk {
            explanation: self.explanation(part.root()),
            message,
            is,
        };
        walk.value("", message, &mut found);
        found
    }
}

struct Walk<'w> {
    explanation: Explanation<'w>,
    message: &'w Value,
    is: &'w dyn Fn(&Availability) -> bool,
}

impl Walk<'_> {
    fn value(&self, pointer: &str, value: &Value, found: &mut Vec<String>) {
        if self.is_alternative(pointer) {
            return found.push(pointer.to_owned());
        }
        match value {
            Value::Object(members) => {
                let definition = self.definition(pointer);
                for (name, inner) in members {
                    let mut at = pointer.to_owned();
                    push_segment(&mut at, name);
                    let known = definition.and_then(|definition| definition.member(name));
                    if known.is_some_and(|known| is_set(inner) && (self.is)(&known.availability)) {
                        found.push(at);
                    } else {
                        self.value(&at, inner, found);
                    }
                }
            }
            Value::Array(elements) => {
                for (index, inner) in elements.iter().enumerate() {
                    self.value(&format!("{pointer}/{index}"), inner, found);
                }
            }
            Value::String(text) => {
                let values = self.definition(pointer).map(Schema::enum_values);
                let known = values.into_iter().flatten().find(|v| v.value == *text);
                if known.is_some_and(|known| (self.is)(&known.availability)) {
                    found.push(pointer.to_owned());
                }
            }
            _ => {}
        }
    }

    /// What the document of all releases says of the value at a pointer.
    fn definition(&self, pointer: &str) -> Option<&'static Schema> {
        let node = self.explanation.walk().node_at(self.message, pointer)?;
        self.explanation.document.schema(node.name?)
    }

    /// Whether the value is of a kind that belongs to an experimental API.
    fn is_alternative(&self, pointer: &str) -> bool {
        let follow = self.explanation.walk();
        let names = || {
            let choice = follow.choice_at(self.message, pointer)?.name?;
            Some((choice, follow.node_at(self.message, pointer)?.name?))
        };
        names().is_some_and(|(choice, name)| {
            let choice = self.explanation.document.schema(choice);
            let mut variants = choice.into_iter().flat_map(Schema::variants);
            variants.any(|variant| {
                variant.definition() == Some(name) && (self.is)(variant.availability())
            })
        })
    }
}

/// Whether a member is more than a way of saying that it is not used.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(elements) => !elements.is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => true,
    }
}
