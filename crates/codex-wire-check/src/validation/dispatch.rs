//! Writes tagged unions so that a validator tries only the variant that the tag names.
//!
//! If a `oneOf` fails, a validator reports the errors of every variant. A union has up to a
//! hundred, and the errors of all but one are useless: a message with many wrong events took a
//! thousand times as much memory as its text.

use std::collections::BTreeMap;

use codex_wire_schema::ir::{Kind, Schema, Tagged, Text};
use codex_wire_schema::{Draft, Parts};
use serde_json::{Map, Value, json};

/// The schema of a message with all definitions that it leads to: a definition, or all messages. It
/// accepts what the projection accepts. Where a tag stands for no alternative, that is what fails;
/// otherwise what is wrong with the alternative is an error of its own. Unions by a tag are
/// definitions, which a test holds.
pub(super) fn dispatched(parts: &Parts, name: Option<&Text>) -> Value {
    let reference = name.map(|name| Schema::of(Kind::Reference(name.clone())));
    let root = reference.as_ref().unwrap_or_else(|| parts.root());
    let definitions: Map<String, Value> = parts
        .reached(root)
        .into_iter()
        .filter_map(|(name, schema)| {
            let schema = match schema.tagged() {
                Some(union) => by_tag(union),
                None => parts.definition(name)?.clone(),
            };
            Some((name.to_owned(), schema))
        })
        .collect();
    let mut out = match name {
        Some(name) => json!({"$ref": reference_to(name)}),
        None => parts.top(),
    };
    out["$schema"] = json!(Draft::Draft202012.meta_schema());
    out["$defs"] = Value::Object(definitions);
    out
}

/// That the tag stands for an alternative, and of each tag which one.
fn by_tag(union: &Tagged) -> Value {
    let mut tags: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for variant in &union.variants {
        let tags = tags.entry(&variant.definition).or_default();
        tags.push(&variant.tag);
    }
    let key = &*union.tag;
    let has = |tags: &[&str]| -> Value {
        json!({
            "type": "object",
            "properties": {key: {"enum": tags}},
            "required": [key],
        })
    };
    let all: Vec<&str> = tags.values().flatten().copied().collect();
    let branches: Vec<Branch<'_>> = tags.into_iter().collect();
    json!({
        "type": "object",
        // A choice with nothing else to choose, so that it fails as one.
        "anyOf": [has(&all), false],
        "allOf": [chosen(&branches, &has)],
    })
}

fn reference_to(definition: &str) -> String {
    format!("#/$defs/{definition}")
}

/// A definition and the tags that stand for it.
type Branch<'s> = (&'s str, Vec<&'s str>);

/// That a value is what its tag stands for, if that is one of these. Each step leaves out half of
/// them: to ask for one after the other takes longer than all the rest.
fn chosen(branches: &[Branch<'_>], has: &dyn Fn(&[&str]) -> Value) -> Value {
    if let [(definition, tags)] = branches {
        return json!({"if": has(tags), "then": {"$ref": reference_to(definition)}});
    }
    let (first, second) = branches.split_at(branches.len() / 2);
    let tags: Vec<&str> = first.iter().flat_map(|(_, tags)| tags).copied().collect();
    json!({"if": has(&tags), "then": chosen(first, has), "else": chosen(second, has)})
}

#[cfg(test)]
mod tests {
    use codex_wire_base::{MessageSet, Release};
    use codex_wire_schema::{Document, Profile, annotated};

    use super::*;

    #[test]
    fn a_union_accepts_what_it_accepted() {
        let document = Document::of(&json!({
            "$ref": "#/$defs/Union",
            "$defs": {
                "Union": {
                    "discriminator": {"propertyName": "type"},
                    "oneOf": [
                        {"$ref": "#/$defs/A", "x-tag": "a"},
                        {"$ref": "#/$defs/B", "x-tag": "b"},
                        {"$ref": "#/$defs/D", "x-tag": "d"},
                    ],
                },
                "A": {
                    "type": "object",
                    "properties": {"n": {"type": "integer"}, "type": {"const": "a"}},
                },
                "B": {
                    "type": "object",
                    "properties": {"type": {"const": "b"}},
                    "additionalProperties": false,
                },
                "D": {
                    "type": "object",
                    "properties": {
                        "m": {"type": "integer", "x-optional": {}},
                        "type": {"const": "d"},
                    },
                },
            },
        }));
        let parts = Parts::of(document, Release::new(0, 1, 0), Profile::Known);
        let [before, after] = [
            parts.with_reached("Union"),
            dispatched(&parts, Some(&"Union".into())),
        ];
        assert_ne!(
            before["$defs"]["Union"], after["$defs"]["Union"],
            "the union is not dispatched"
        );
        let [before, after] = [before, after].map(|one| jsonschema::validator_for(&one).unwrap());
        for value in [
            json!({"type": "a", "n": 1}),
            json!({"type": "a", "n": "1"}),
            json!({"type": "a"}),
            json!({"type": "b"}),
            json!({"type": "b", "n": 1}),
            json!({"type": "c"}),
            json!({"type": "d"}),
            json!({"type": "d", "m": 1}),
            json!({"type": "d", "m": "1"}),
            json!({"type": 1}),
            json!({}),
            json!([]),
            json!("a"),
            json!(null),
        ] {
            assert_eq!(before.is_valid(&value), after.is_valid(&value), "{value}");
        }
        // What is wrong with the one that is meant, and nothing of others.
        let errors = |value: &Value| {
            let errors = after.iter_errors(value);
            errors
                .map(|error| error.kind().keyword().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(errors(&json!({"type": "a", "n": "1"})), ["type"]);
        assert_eq!(errors(&json!({"type": "d", "m": "1"})), ["type"]);
        assert_eq!(errors(&json!({"type": "c"})), ["anyOf"]);
    }

    /// The definitions of a document in which a union by a tag stands that is none itself.
    fn with_unions_within(document: &'static Document) -> Vec<&'static str> {
        let has_within = |schema: &&'static Schema| {
            let mut unions = 0;
            schema.visit(&mut |inner| unions += usize::from(inner.tagged().is_some()));
            unions > usize::from(schema.tagged().is_some())
        };
        let schemas = document.schemas().chain([("root", document.root())]);
        let found = schemas.filter(|(_, schema)| has_within(schema));
        found.map(|(name, _)| name).collect()
    }

    #[test]
    fn unions_by_a_tag_are_definitions() {
        let union = json!({
            "discriminator": {"propertyName": "type"},
            "oneOf": [{"$ref": "#/$defs/A", "x-tag": "a"}],
        });
        let within = Document::of(&json!({
            "$ref": "#/$defs/B",
            "$defs": {"A": {"type": "object"}, "B": {"type": "array", "items": union}, "C": union},
        }));
        assert_eq!(with_unions_within(within), ["B"]);
        for message_set in MessageSet::ALL {
            let found = with_unions_within(annotated(*message_set));
            assert_eq!(found, [""; 0], "{message_set}");
        }
    }
}
