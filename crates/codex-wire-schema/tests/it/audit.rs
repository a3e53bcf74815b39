//! What generators for other languages need of a schema, held for every published file: named
//! variants with a discriminator, plain enumerations, no formats of our own, a stable order.

use std::collections::BTreeSet;

use codex_wire_base::json::{Cursor, Kind};
use codex_wire_base::{Error, MessageSet};
use codex_wire_schema::{Draft, Profile, Published, Stability, annotated, project, publish};
use serde_json::{Value, json};

use crate::support::{definitions_key, draft, nodes, parse, profile, projections};

#[test]
fn every_file_is_a_schema() {
    for file in publish().iter().filter(|file| file.entry.is_some()) {
        let schema = parse(file);
        if let Err(error) = jsonschema::meta::validate(&schema) {
            panic!("{}: {error} at {}", file.path, error.instance_path());
        }
    }
}

/// Anything else would need a look: at the drafts, at the checker, at the generators.
#[test]
fn keywords_are_few_and_plain() {
    const STRUCTURE: [&str; 19] = [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "oneOf",
        "anyOf",
        "enum",
        "const",
        "minimum",
        "maximum",
        "minLength",
        "contentEncoding",
        "pattern",
        "$ref",
        "allOf",
        "title",
        "description",
        "discriminator",
    ];
    for (file, schema) in projections() {
        let mut allowed: BTreeSet<&str> = STRUCTURE.into();
        allowed.extend(["x-enum-descriptions", "x-doubled", "x-mapping"]);
        let key = definitions_key(draft(file));
        let root = ["$schema", "$id", "$comment", "x-releases", key];
        nodes(schema, &mut |at, node| {
            for (keyword, value) in node.as_object().into_iter().flatten() {
                // A member that must not be there: the tag in an object without one.
                let is_refused = keyword == "not" && value == &json!({});
                let known = is_refused
                    || allowed.contains(keyword.as_str())
                    || (at.is_empty() && root.contains(&keyword.as_str()));
                assert!(known, "{}: {keyword} at {at}", file.path);
            }
        });
    }
}

/// The document of all releases has the annotations, and no formats of our own either.
#[test]
fn formats_are_standard() {
    const STANDARD: [&str; 19] = [
        "date-time",
        "date",
        "time",
        "duration",
        "email",
        "idn-email",
        "hostname",
        "idn-hostname",
        "ipv4",
        "ipv6",
        "uri",
        "uri-reference",
        "iri",
        "iri-reference",
        "uuid",
        "uri-template",
        "json-pointer",
        "relative-json-pointer",
        "regex",
    ];
    for file in publish() {
        nodes(&parse(&file), &mut |at, node| {
            if let Some(format) = node.get("format") {
                let format = format.as_str().unwrap();
                assert!(
                    STANDARD.contains(&format),
                    "{}: {format} at {at}",
                    file.path
                );
            }
        });
    }
}

#[test]
fn unions_have_discriminators() {
    let mut unions = 0;
    for (file, schema) in projections() {
        nodes(schema, &mut |at, node| {
            if node.get("oneOf").is_some() {
                unions += 1;
                if let Err(complaint) = audit_union(schema, node) {
                    panic!("{}: {at}: {complaint}", file.path);
                }
            }
        });
    }
    // Events and items at least, in every file.
    assert!(unions >= 2 * projections().len(), "{unions}");
}

/// Each alternative is a reference to a definition that requires the discriminating member to
/// be the constant the mapping has for it.
fn audit_union(schema: &Value, union: &Value) -> Result<(), String> {
    if union["type"] != "object" {
        return Err("the union has no `type: object`, which ajv wants".into());
    }
    let discriminator = union.get("discriminator").ok_or("no discriminator")?;
    let property = discriminator["propertyName"]
        .as_str()
        .ok_or("no property name")?;
    if discriminator.as_object().is_none_or(|d| d.len() != 1) {
        return Err("ajv takes a property name as discriminator, and nothing else".into());
    }
    let mapping = union["x-mapping"].as_object().ok_or("no mapping")?;
    let mut branches = BTreeSet::new();
    for branch in union["oneOf"].as_array().ok_or("no alternatives")? {
        let reference = branch["$ref"].as_str().ok_or("a branch is no reference")?;
        if branch != &json!({"$ref": reference}) {
            return Err(format!("{reference} has something beside it"));
        }
        if !branches.insert(reference) {
            return Err(format!("{reference} stands twice"));
        }
    }
    let mapped: BTreeSet<&str> = mapping.values().filter_map(Value::as_str).collect();
    if mapped != branches || mapped.len() != mapping.len() {
        return Err(format!(
            "the mapping has {mapped:?}, the branches {branches:?}"
        ));
    }
    for (tag, reference) in mapping {
        let reference = reference.as_str().unwrap_or_default();
        let definition = schema
            .pointer(&reference[1..])
            .ok_or_else(|| format!("{reference} leads nowhere"))?;
        if definition["properties"][property] != json!({"type": "string", "const": tag}) {
            return Err(format!("{reference} has another `{property}` than {tag}"));
        }
        let required = definition["required"].as_array();
        if !required.is_some_and(|names| names.contains(&json!(property))) {
            return Err(format!("{reference} does not require `{property}`"));
        }
        if definition["title"] != reference.rsplit('/').next().unwrap_or_default() {
            return Err(format!("{reference} has another title"));
        }
    }
    Ok(())
}

/// The audit sees what it is there for.
#[test]
fn a_bad_union_is_noticed() {
    let (_, schema) = &projections()[0];
    audit_union(schema, schema).unwrap();
    let break_it = |edit: fn(&mut Value)| {
        let mut broken = schema.clone();
        edit(&mut broken);
        audit_union(&broken, &broken).unwrap_err()
    };
    let error = "/$defs/ErrorEvent";
    assert!(error.len() > 1 && schema.pointer(error).is_some());
    break_it(|s| s["x-mapping"]["error"] = json!("#/$defs/Nowhere"));
    break_it(|s| s["discriminator"]["propertyName"] = json!("kind"));
    break_it(|s| s["oneOf"][0]["description"] = json!("beside"));
    break_it(|s| s["$defs"]["ErrorEvent"]["required"] = json!([]));
    break_it(|s| s["$defs"]["ErrorEvent"]["properties"]["type"]["const"] = json!("other"));
    break_it(|s| drop(s["oneOf"].as_array_mut().unwrap().pop()));
    break_it(|s| drop(s.as_object_mut().unwrap().remove("discriminator")));
}

#[test]
fn enumerations_are_plain() {
    for (file, schema) in projections() {
        nodes(schema, &mut |at, node| {
            let Some(values) = node.get("enum") else {
                return;
            };
            let values: Vec<&str> = values
                .as_array()
                .unwrap()
                .iter()
                .map(|value| value.as_str().unwrap())
                .collect();
            assert!(!values.is_empty(), "{}: {at}", file.path);
            assert_eq!(node["type"], "string", "{}: {at}", file.path);
            let described = node["x-enum-descriptions"].as_object().unwrap();
            let mut sorted = values.clone();
            sorted.sort_unstable();
            sorted.dedup();
            let names: Vec<&String> = described.keys().collect();
            assert_eq!(names, sorted, "{}: {at}", file.path);
        });
    }
}

/// Readers in other languages see these texts as the documentation of their types.
#[test]
fn everything_is_described() {
    for (file, schema) in projections() {
        let key = definitions_key(draft(file));
        let kinds = kinds(schema, key);
        for (name, definition) in schema[key].as_object().unwrap() {
            let at = format!("{}: {name}", file.path);
            assert!(definition["description"].is_string(), "{at}");
            if kinds.contains(name) {
                continue;
            }
            for (member, property) in definition["properties"].as_object().into_iter().flatten() {
                // What a method carries is described where it is defined.
                let carried = ["params", "result"].contains(&member.as_str())
                    && ["Message", "Answer"].iter().any(|end| name.ends_with(end));
                let said = property["description"].is_string()
                    || property.get("const").is_some()
                    || carried;
                assert!(said, "{at}.{member}");
            }
        }
    }
}

/// The definitions of variants written as `{"kind": …}`, which are closed whatever the profile: the name
/// of the only member says which variant it is, so there cannot be another. Under the exact profile
/// other objects with one member look alike; under the open one they do not.
fn kinds(schema: &Value, key: &str) -> BTreeSet<String> {
    let mut kinds = BTreeSet::new();
    nodes(schema, &mut |_, node| {
        for branch in node["anyOf"].as_array().into_iter().flatten() {
            let name = branch["$ref"].as_str().and_then(|r| r.rsplit('/').next());
            let Some(name) = name else { continue };
            let definition = &schema[key][name];
            let members = definition["properties"].as_object();
            let has_one = members.is_some_and(|members| members.len() == 1);
            if has_one && definition["additionalProperties"] == false {
                kinds.insert(name.to_owned());
            }
        }
    });
    kinds
}

/// What the types say of members beside those of a definition, whatever the profile: Codex
/// refuses them, or they are the client's own.
fn declared(file: &Published, name: &str) -> Option<&'static Value> {
    let message_set = file.entry.as_ref()?.message_set?;
    annotated(message_set).whole()["$defs"][name].get("additionalProperties")
}

/// All others: which members an alternative written as `{"kind": …}` has is what it is.
#[test]
fn exact_closes_every_object_and_open_none() {
    for (file, schema) in projections() {
        let mut objects = 0;
        let kinds = kinds(schema, definitions_key(draft(file)));
        nodes(schema, &mut |at, node| {
            let closed = node.get("additionalProperties") == Some(&json!(false));
            if node.get("properties").is_some() {
                objects += 1;
                let name = at.rsplit('/').next().unwrap_or_default();
                let should = match declared(file, name) {
                    Some(others) => others == false,
                    None => profile(file) == Profile::Exact || kinds.contains(name),
                };
                assert_eq!(closed, should, "{}: {at}", file.path);
            } else {
                assert!(!closed, "{}: {at}", file.path);
            }
        });
        assert!(objects > 0, "{}", file.path);
    }
}

/// Open and exact differ in nothing else.
#[test]
fn profiles_differ_in_strictness_only() {
    fn opened(schema: &Value) -> Value {
        let text = schema
            .to_string()
            .replace("\"additionalProperties\":false,", "");
        let mut schema: Value = serde_json::from_str(&text).unwrap();
        schema["$id"] = json!(null);
        schema
    }
    /// What open schemas allow as they allow any member, exact ones have to name.
    fn without_version(schema: &mut Value) {
        match schema {
            Value::Object(object) => {
                if let Some(Value::Object(properties)) = object.get_mut("properties") {
                    properties.remove("jsonrpc");
                }
                object.values_mut().for_each(without_version);
            }
            Value::Array(array) => array.iter_mut().for_each(without_version),
            _ => {}
        }
    }
    let files = projections();
    for (file, exact) in files {
        if profile(file) == Profile::Open {
            continue;
        }
        let path = file.path.replace(".exact", ".open");
        let (_, open) = files.iter().find(|(other, _)| other.path == path).unwrap();
        let mut exact = opened(exact);
        without_version(&mut exact);
        assert_eq!(exact, opened(open), "{path}");
    }
}

/// Clients may send the version of JSON-RPC, which Codex reads over and never writes.
#[test]
fn the_version_of_json_rpc_may_stand_in_what_clients_write() {
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "thread/archive",
        "params": {"threadId": "t"}});
    let told = json!({"jsonrpc": "2.0", "method": "initialized"});
    let failed = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "m"}});
    let piece = json!({"threadId": "t", "turnId": "u", "itemId": "i", "delta": "d"});
    let piece = json!({"jsonrpc": "2.0", "method": "item/agentMessage/delta", "params": piece});
    let within = json!({"id": 1, "method": "thread/archive",
        "params": {"threadId": "t", "jsonrpc": "2.0"}});
    for (message_set, message, may_stand) in [
        (MessageSet::AppServerClientRequests, request, true),
        (MessageSet::AppServerClientNotifications, told, true),
        (MessageSet::AppServerErrors, failed, true),
        (MessageSet::AppServerServerNotifications, piece, false),
        (MessageSet::AppServerClientRequests, within, false),
    ] {
        for release in ["0.80.0", "0.169.0"] {
            let release = release.parse().unwrap();
            for profile in Profile::ALL {
                let stability = Stability::Experimental;
                let draft = Draft::Draft202012;
                let schema = project(message_set, release, profile, draft, stability);
                let accepted = jsonschema::draft202012::is_valid(&schema, &message);
                let expected = may_stand || profile == Profile::Open;
                assert_eq!(accepted, expected, "{message_set} {release} {profile}");
            }
        }
    }
}

#[test]
fn references_lead_somewhere_and_to_everything() {
    for (file, schema) in projections() {
        let key = definitions_key(draft(file));
        let mut reached = BTreeSet::new();
        nodes(schema, &mut |at, node| {
            let Some(reference) = node.get("$ref") else {
                return;
            };
            let reference = reference.as_str().unwrap();
            let target = reference.strip_prefix('#').and_then(|p| schema.pointer(p));
            assert!(target.is_some(), "{}: {reference} at {at}", file.path);
            reached.insert(reference.rsplit('/').next().unwrap().to_owned());
            // Draft-07 ignores the rest, and generators of code make a type of its own of it.
            let alone = node.as_object().unwrap().len() == 1;
            assert!(alone, "{}: {at}: something stands beside", file.path);
        });
        let defined: BTreeSet<String> = schema[key].as_object().unwrap().keys().cloned().collect();
        assert_eq!(reached, defined, "{}", file.path);
    }
}

/// The order is that of the names, whatever order the types or the tools have: regenerating
/// moves nothing.
#[test]
fn members_are_sorted() {
    fn sorted(cursor: &mut Cursor<'_>, path: &str) -> Result<(), Error> {
        match cursor.kind()? {
            Kind::Object => {
                let mut last = String::new();
                cursor.object(|cursor, key| {
                    assert!(last.as_str() < key, "{path}: {key} behind {last}");
                    last = key.to_owned();
                    sorted(cursor, path)
                })
            }
            Kind::Array => cursor.array(|cursor, _| sorted(cursor, path)),
            _ => cursor.skip(),
        }
    }
    for file in publish() {
        sorted(&mut Cursor::new(&file.text), &file.path).unwrap();
    }
    let unsorted = r#"{"b":1,"a":2}"#;
    let caught = std::panic::catch_unwind(|| sorted(&mut Cursor::new(unsorted), "unsorted"));
    assert!(caught.is_err());
}
