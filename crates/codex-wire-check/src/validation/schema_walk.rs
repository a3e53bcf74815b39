//! Walks a message and its schema together, to find the definition and the variant that a value
//! belongs to.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::pointer::plain;

/// A schema and the definitions its references lead to.
#[derive(Clone, Copy)]
pub(crate) struct SchemaWalk<'s> {
    root: &'s Value,
}

/// A node of a schema, with the name of the definition it is, if it is one.
pub(crate) struct Node<'s> {
    pub(crate) name: Option<&'s str>,
    pub(crate) schema: &'s Value,
}

impl<'s> SchemaWalk<'s> {
    pub(crate) fn new(root: &'s Value) -> Self {
        SchemaWalk { root }
    }

    pub(crate) fn root(self) -> &'s Value {
        self.root
    }

    pub(crate) fn definition(self, name: &str) -> Option<&'s Value> {
        self.root["$defs"].get(name)
    }

    /// The node that the value at `pointer` stands under, alternatives chosen by the value.
    pub(crate) fn node_at(self, message: &Value, pointer: &str) -> Option<Node<'s>> {
        let mut value = message;
        let mut node = self.settle(self.root, value);
        for segment in segments(pointer) {
            value = match value {
                Value::Array(array) => array.get(segment.parse::<usize>().ok()?)?,
                other => other.get(&*segment)?,
            };
            node = self.settle(step(node.schema, &segment)?, value);
        }
        Some(node)
    }

    /// The node of the union that the value at `pointer` is to be one of, and the name of its
    /// definition: like [`Self::node_at`], but stopping where there is a choice.
    pub(crate) fn choice_at(self, message: &Value, pointer: &str) -> Option<Node<'s>> {
        let start = match pointer.rsplit_once('/') {
            None => self.root,
            Some((parent, last)) => {
                let holder = self.node_at(message, parent)?;
                step(holder.schema, &plain(last))?
            }
        };
        self.choice_from(start)
    }

    /// The first choice that references lead to from `start`.
    pub(crate) fn choice_from(self, start: &'s Value) -> Option<Node<'s>> {
        let mut node = Node {
            name: None,
            schema: start,
        };
        while !is_choice(node.schema) {
            node = self.reference(node.schema)?;
        }
        Some(node)
    }

    /// Which variant of a choice a value is meant to be: by its tag, else by the members it has.
    pub(crate) fn variant(self, choice: &'s Value, value: &Value) -> Option<(usize, &'s Value)> {
        if let Some(key) = choice["discriminator"]["propertyName"].as_str() {
            let definition = chosen(choice, value.get(key)?.as_str()?)?;
            let reference = format!("#/$defs/{definition}");
            return variants(choice)
                .enumerate()
                .find(|(_, variant)| variant["$ref"] == reference.as_str());
        }
        // Beside `null` there is often one alternative only: that one is meant.
        let mut others = variants(choice)
            .enumerate()
            .filter(|(_, variant)| variant["type"] != "null");
        if let (Some(only), None, false) = (others.next(), others.next(), value.is_null()) {
            return Some(only);
        }
        variants(choice)
            .enumerate()
            .filter_map(|(index, variant)| Some((self.likeness(variant, value)?, index, variant)))
            .max_by_key(|(likeness, index, _)| (*likeness, std::cmp::Reverse(*index)))
            .map(|(_, index, variant)| (index, variant))
    }

    /// How much a value looks like an variant: whether it has all members the variant requires, and how
    /// many. `None` if the variant cannot be meant.
    fn likeness(self, variant: &'s Value, value: &Value) -> Option<(bool, usize)> {
        // A union by a tag that the value has is meant, whatever the tag says.
        let union = self.choice_from(variant);
        let tag = union.and_then(|union| union.schema["discriminator"]["propertyName"].as_str());
        if tag.is_some_and(|tag| value.get(tag).is_some()) {
            return Some((true, usize::MAX));
        }
        let schema = self.settle(variant, value).schema;
        let types = &schema["type"];
        let fits = |name: &str| match types {
            Value::String(one) => one == name || (one == "integer" && name == "number"),
            Value::Array(several) => several.iter().any(|one| one == name),
            _ => true,
        };
        if !fits(kind_name(value)) {
            return None;
        }
        if let (Some(constant), Value::String(_)) = (schema.get("const"), value) {
            return (constant == value).then_some((true, 1));
        }
        let (Value::Object(members), Some(required)) = (value, schema["required"].as_array())
        else {
            return Some((false, 0));
        };
        let present = required
            .iter()
            .filter_map(Value::as_str)
            .filter(|name| members.contains_key(*name))
            .count();
        // An variant none of whose members is there is not the one that was meant.
        let complete = present > 0 && present == required.len();
        (present > 0 || required.is_empty()).then_some((complete, present))
    }

    /// Follows references and choices as far as they go.
    fn settle(self, schema: &'s Value, value: &Value) -> Node<'s> {
        let mut node = Node { name: None, schema };
        for _ in 0..16 {
            let next = if is_choice(node.schema) {
                self.variant(node.schema, value).map(|(_, variant)| Node {
                    name: None,
                    schema: variant,
                })
            } else {
                self.reference(node.schema)
            };
            let Some(next) = next else { break };
            node = Node {
                name: next.name.or(node.name),
                schema: next.schema,
            };
        }
        node
    }

    /// Through a reference, which stands in an `allOf` of its own where it has siblings.
    pub(crate) fn reference(self, schema: &'s Value) -> Option<Node<'s>> {
        let schema = match schema["allOf"].as_array().map(Vec::as_slice) {
            Some([only]) => only,
            _ => schema,
        };
        let name = schema["$ref"].as_str()?.rsplit('/').next()?;
        Some(Node {
            name: Some(name),
            schema: self.definition(name)?,
        })
    }
}

/// Whether a node offers alternatives. Beside members of its own an object has sets of members,
/// of which one has to be there.
fn is_choice(schema: &Value) -> bool {
    let is_object = schema.get("properties").is_some();
    schema.get("oneOf").is_some() || (schema.get("anyOf").is_some() && !is_object)
}

/// The alternatives of a choice.
pub(crate) fn variants(choice: &Value) -> impl Iterator<Item = &Value> {
    ["oneOf", "anyOf"]
        .into_iter()
        .filter_map(|keyword| choice.get(keyword)?.as_array())
        .flatten()
}

/// The definition that a tag of a tagged union stands for.
pub(crate) fn chosen<'s>(union: &'s Value, tag: &str) -> Option<&'s str> {
    union["x-mapping"].get(tag)?.as_str()?.rsplit('/').next()
}

/// Tag → definition of a tagged union.
pub(crate) fn mapping(union: &Value) -> BTreeMap<String, String> {
    union["x-mapping"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(tag, reference)| {
            let definition = reference.as_str()?.rsplit('/').next()?;
            Some((tag.clone(), definition.to_owned()))
        })
        .collect()
}

/// The segments of a JSON Pointer, unescaped.
fn segments(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(plain)
}

/// One step from the schema of an object or array to that of what it holds.
fn step<'s>(schema: &'s Value, segment: &str) -> Option<&'s Value> {
    schema["properties"]
        .get(segment)
        .or_else(|| schema.get("items"))
        .or_else(|| schema.get("additionalProperties"))
}

fn kind_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
