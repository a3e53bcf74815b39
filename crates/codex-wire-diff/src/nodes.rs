//! What a node of a schema document is, as it stands: a reference, a folder, a keyword that tells
//! validators nothing.

use codex_wire_schema::ir::is_annotation;
use serde_json::{Map, Value};

/// How often a reference may lead to a reference.
pub(crate) const HOPS: usize = 32;

/// The reference a node is, alone or wrapped so that a description can stand beside it.
pub(crate) fn reference(node: &Value) -> Option<&str> {
    let object = node.as_object()?;
    if let Some(reference) = object.get("$ref") {
        return reference.as_str();
    }
    let Some(Value::Array(branches)) = object.get("allOf") else {
        return None;
    };
    let bare = object.keys().all(|key| key == "allOf" || says_nothing(key));
    match &branches[..] {
        [only] if bare => reference(only),
        _ => None,
    }
}

/// Whether a keyword tells validators nothing.
pub(crate) fn says_nothing(keyword: &str) -> bool {
    is_annotation(keyword)
        || matches!(
            keyword,
            "title"
                | "description"
                | "default"
                | "examples"
                | "deprecated"
                | "readOnly"
                | "writeOnly"
                | "discriminator"
                | "$comment"
                | "$schema"
                | "$id"
                | "$defs"
                | "definitions"
        )
}

/// What a reference leads to.
pub(crate) fn target_of<'d>(base: &'d Value, reference: &str) -> Option<&'d Value> {
    base.pointer(reference.strip_prefix('#')?)
}

/// What a node is once the references it is are followed.
pub(crate) fn target<'d>(base: &'d Value, node: &'d Value) -> &'d Value {
    let mut found = node;
    for _ in 0..HOPS {
        let pointer = reference(found).and_then(|reference| reference.strip_prefix('#'));
        match pointer.and_then(|pointer| base.pointer(pointer)) {
            Some(target) => found = target,
            None => break,
        }
    }
    found
}

/// Whether an object among definitions holds definitions.
pub(crate) fn is_folder(object: &Map<String, Value>) -> bool {
    let schema = |key: &String| {
        says_nothing(key)
            || matches!(
                key.as_str(),
                "type"
                    | "$ref"
                    | "allOf"
                    | "anyOf"
                    | "oneOf"
                    | "enum"
                    | "const"
                    | "properties"
                    | "items"
                    | "not"
                    | "additionalProperties"
                    | "required"
                    | "format"
            )
    };
    !object.is_empty() && object.values().all(Value::is_object) && !object.keys().any(schema)
}

/// Does something with each schema that stands right within a schema.
pub(crate) fn each_within(object: &mut Map<String, Value>, then: &mut dyn FnMut(&mut Value)) {
    for (key, inner) in object {
        match (key.as_str(), inner) {
            (
                "properties" | "$defs" | "definitions" | "patternProperties",
                Value::Object(inner),
            ) => {
                for inner in inner.values_mut() {
                    match inner {
                        // Codex keeps the newer definitions in a folder within the definitions.
                        Value::Object(inner) if is_folder(inner) => {
                            inner.values_mut().for_each(&mut *then);
                        }
                        _ => then(inner),
                    }
                }
            }
            ("oneOf" | "anyOf" | "prefixItems", Value::Array(branches)) => {
                branches.iter_mut().for_each(&mut *then);
            }
            // Parts of one object: each declares some of its members.
            ("allOf", Value::Array(branches)) if branches.len() == 1 => {
                branches.iter_mut().for_each(&mut *then);
            }
            ("items" | "additionalProperties" | "contains", inner) => then(inner),
            _ => {}
        }
    }
}
