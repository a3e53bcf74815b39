//! Rewrites tagged unions so that a validator tries only the variant that the tag names.
//!
//! If a `oneOf` fails, a validator reports the errors of every variant. A union has up to a
//! hundred, and the errors of all but one are useless: a message with many wrong events took a
//! thousand times as much memory as its text.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The same schema: it accepts what the given one accepts. Where a tag stands for no alternative,
/// that is what fails; otherwise what is wrong with the alternative is an error of its own.
pub(super) fn dispatch(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let mut out: Map<String, Value> = members
                .iter()
                .map(|(name, inner)| (name.clone(), dispatch(inner)))
                .collect();
            if let Some((choice, arms)) = by_tag(members) {
                out.remove("oneOf");
                out.insert("anyOf".to_owned(), choice);
                out.insert("allOf".to_owned(), arms);
            }
            Value::Object(out)
        }
        Value::Array(elements) => elements.iter().map(dispatch).collect(),
        other => other.clone(),
    }
}

/// That the tag stands for an alternative, and of each tag which one.
fn by_tag(union: &Map<String, Value>) -> Option<(Value, Value)> {
    let is_plain = !union.contains_key("anyOf") && !union.contains_key("allOf");
    let arms = union.get("oneOf")?.as_array().filter(|_| is_plain)?;
    let key = union.get("discriminator")?["propertyName"].as_str()?;
    let mut tags: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (tag, reference) in union.get("x-mapping")?.as_object()? {
        tags.entry(reference.as_str()?).or_default().push(tag);
    }
    let is_mapped = |arm: &Value| arm["$ref"].as_str().is_some_and(|to| tags.contains_key(to));
    if tags.len() != arms.len() || !arms.iter().all(is_mapped) {
        return None;
    }
    let has = |tags: &[&str]| -> Value {
        json!({
            "type": "object",
            "properties": {key: {"enum": tags}},
            "required": [key],
        })
    };
    let all: Vec<&str> = tags.values().flatten().copied().collect();
    let arms: Vec<Arm<'_>> = tags.into_iter().collect();
    // A choice with nothing else to choose, so that it fails as one.
    Some((json!([has(&all), false]), json!([chosen(&arms, &has)])))
}

/// A definition and the tags that stand for it.
type Arm<'s> = (&'s str, Vec<&'s str>);

/// That a value is what its tag stands for, if that is one of these. Each step leaves out half of
/// them: to ask for one after the other takes longer than all the rest.
fn chosen(arms: &[Arm<'_>], has: &dyn Fn(&[&str]) -> Value) -> Value {
    if let [(reference, tags)] = arms {
        return json!({"if": has(tags), "then": {"$ref": reference}});
    }
    let (first, second) = arms.split_at(arms.len() / 2);
    let tags: Vec<&str> = first.iter().flat_map(|(_, tags)| tags).copied().collect();
    json!({"if": has(&tags), "then": chosen(first, has), "else": chosen(second, has)})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_union_accepts_what_it_accepted() {
        let schema = json!({
            "discriminator": {"propertyName": "type"},
            "oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}, {"$ref": "#/$defs/D"}],
            "x-mapping": {"a": "#/$defs/A", "b": "#/$defs/B", "d": "#/$defs/D", "e": "#/$defs/D"},
            "$defs": {
                "A": {
                    "type": "object",
                    "properties": {"type": {"const": "a"}, "n": {"type": "integer"}},
                    "required": ["type", "n"],
                },
                "B": {
                    "type": "object",
                    "properties": {"type": {"const": "b"}},
                    "required": ["type"],
                    "additionalProperties": false,
                },
                "D": {
                    "type": "object",
                    "properties": {"type": {"enum": ["d", "e"]}, "m": {"type": "integer"}},
                    "required": ["type"],
                },
            },
        });
        let changed = dispatch(&schema);
        assert_ne!(changed, schema);
        let [before, after] =
            [&schema, &changed].map(|one| jsonschema::validator_for(one).unwrap());
        for value in [
            json!({"type": "a", "n": 1}),
            json!({"type": "a", "n": "1"}),
            json!({"type": "a"}),
            json!({"type": "b"}),
            json!({"type": "b", "n": 1}),
            json!({"type": "c"}),
            json!({"type": "d"}),
            json!({"type": "e", "m": 1}),
            json!({"type": "e", "m": "1"}),
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
        assert_eq!(errors(&json!({"type": "e", "m": "1"})), ["type"]);
        assert_eq!(errors(&json!({"type": "c"})), ["anyOf"]);
    }
}
