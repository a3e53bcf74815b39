//! What generators of code stumble over is not in the schemas that are made for them.

use std::collections::BTreeSet;

use codex_wire_schema::{BundleName, Draft, codegen};
use serde_json::{Value, json};

use crate::support::nodes;

/// Whether a node has nothing of what was seen to break a generator.
fn audit(at: &str, node: &Value) -> Result<(), String> {
    let Some(object) = node.as_object() else {
        // What else an object may have.
        let is_closed = node == false && at.ends_with("/additionalProperties");
        return if is_closed {
            Ok(())
        } else {
            Err("no object".into())
        };
    };
    const KNOWN: [&str; 17] = [
        "$ref",
        "additionalProperties",
        "anyOf",
        "const",
        "contentEncoding",
        "description",
        "enum",
        "format",
        "items",
        "maximum",
        "minimum",
        "properties",
        "required",
        "title",
        "type",
        "not",
        "x-enum-descriptions",
    ];
    const ROOT: [&str; 5] = ["$schema", "$id", "$comment", "$defs", "definitions"];
    for key in object.keys() {
        let known =
            KNOWN.contains(&key.as_str()) || (at.is_empty() && ROOT.contains(&key.as_str()));
        if !known {
            return Err(format!("`{key}`"));
        }
    }
    let has = |key: &str| object.contains_key(key);
    if has("$ref") && object.len() > 1 && !at.is_empty() {
        return Err("something beside a reference".into());
    }
    let says = ["$ref", "type", "anyOf", "const", "not"]
        .iter()
        .any(|key| has(key));
    // Anything, beside null.
    let is_any_json = object.is_empty() && at.ends_with("/JsonValue/anyOf/1");
    if !says && !is_any_json {
        return Err("any JSON without a name".into());
    }
    if has("anyOf") && has("type") {
        return Err("a type beside alternatives".into());
    }
    let is_exact = |key: &str| {
        object
            .get(key)
            .is_none_or(|bound| bound.as_i64().is_some_and(|b| b.abs() <= 1 << 53))
    };
    if !is_exact("minimum") || !is_exact("maximum") {
        return Err("a bound that is not an exact number everywhere".into());
    }
    match (object.get("enum"), object.get("x-enum-descriptions")) {
        (None, Some(_)) => Err("descriptions without values".into()),
        (Some(values), Some(about)) => {
            let count = |list: &Value| list.as_array().map(Vec::len);
            match count(values) == count(about) {
                true => Ok(()),
                false => Err("not one description for each value".into()),
            }
        }
        _ => Ok(()),
    }
}

#[test]
fn generators_find_nothing_to_stumble_over() {
    for name in BundleName::ALL {
        let releases = name.releases();
        for release in [
            releases[0],
            releases[releases.len() / 2],
            releases[releases.len() - 1],
        ] {
            let schema = codegen(name, release, Draft::Draft202012);
            if let Err(error) = jsonschema::meta::validate(&schema) {
                panic!("{name} {release}: {error}");
            }
            let mut titles = BTreeSet::new();
            nodes(&schema, &mut |at, node| {
                if let Err(complaint) = audit(at, node) {
                    panic!("{name} {release}: {complaint} at {at}");
                }
                for branch in node["anyOf"].as_array().into_iter().flatten() {
                    let plain = branch.get("$ref").is_some()
                        || branch["type"] == "null"
                        || at.ends_with("/JsonValue")
                        || at.contains("/properties/");
                    assert!(
                        plain,
                        "{name} {release}: an alternative without a name at {at}"
                    );
                }
                if let Some(title) = node["title"].as_str() {
                    assert!(
                        titles.insert(title.to_owned()),
                        "{name} {release}: {title} twice"
                    );
                }
            });
            for (name, definition) in schema["$defs"].as_object().unwrap() {
                let titled = definition["title"] == json!(name) || definition.get("$ref").is_some();
                assert!(titled, "{name}");
            }
        }
    }
}

#[test]
fn the_audit_sees_what_it_is_there_for() {
    for broken in [
        json!({"description": "anything"}),
        json!({}),
        json!({"type": "string", "minLength": 1}),
        json!({"$ref": "#/$defs/A", "description": "beside"}),
        json!({"allOf": [{"$ref": "#/$defs/A"}]}),
        json!({"type": "object", "anyOf": []}),
        json!({"type": "integer", "maximum": u64::MAX}),
        json!({"type": "string", "enum": ["a"], "x-enum-descriptions": {"a": "A."}}),
    ] {
        assert!(audit("/$defs/A", &broken).is_err(), "{broken}");
    }
}
