//! Finds the parts of a message that belong to an experimental API, which a client has to opt into.

use serde_json::Value;

use super::explanation::Explanation;
use super::schema_walk::variants;
use super::validator::MessageValidator;
use crate::pointer::push_segment;

/// Something that may belong to an experimental API.
pub(crate) enum Experimental<'a> {
    /// A member or an alternative.
    Node(&'a Value),
    /// What is said of a value of an enumeration.
    Value(&'a Value),
}

impl MessageValidator {
    /// The places of a message that belong to an experimental API: members that are set, kinds
    /// and values. `is` tells that of a part of the document of all releases.
    pub(crate) fn experimental(
        &self,
        message: &Value,
        is: &dyn Fn(Experimental<'_>) -> bool,
    ) -> Vec<String> {
        let mut found = Vec::new();
        let Ok(part) = self.part_for(message, true) else {
            return found;
        };
        let key = self.top["discriminator"]["propertyName"].as_str();
        if let Some(key) = key
            && let Some(variant) =
                variants(self.document.top()).find(|variant| variant["x-tag"] == message[key])
            && is(Experimental::Node(variant))
        {
            found.push(format!("/{key}"));
            return found;
        }
        let walk = Walk {
            explanation: self.explanation(part.schema()),
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
    is: &'w dyn Fn(Experimental<'_>) -> bool,
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
                    let known = definition.and_then(|d| d["properties"].get(name));
                    let of_it = |known| is_set(inner) && (self.is)(Experimental::Node(known));
                    if known.is_some_and(of_it) {
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
                let about = self
                    .definition(pointer)
                    .and_then(|d| d["x-values"].get(text));
                if about.is_some_and(|about| (self.is)(Experimental::Value(about))) {
                    found.push(pointer.to_owned());
                }
            }
            _ => {}
        }
    }

    /// What the document of all releases says of the value at a pointer.
    fn definition(&self, pointer: &str) -> Option<&'static Value> {
        let node = self.explanation.walk().node_at(self.message, pointer)?;
        self.explanation.document.definition(node.name?)
    }

    /// Whether the value is of a kind that belongs to an experimental API.
    fn is_alternative(&self, pointer: &str) -> bool {
        let follow = self.explanation.walk();
        let names = || {
            let choice = follow.choice_at(self.message, pointer)?.name?;
            Some((choice, follow.node_at(self.message, pointer)?.name?))
        };
        names().is_some_and(|(choice, name)| {
            let reference = format!("#/$defs/{name}");
            let choice = self.explanation.document.definition(choice);
            choice.into_iter().flat_map(variants).any(|variant| {
                variant["$ref"] == reference.as_str() && (self.is)(Experimental::Node(variant))
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
