//! What validators and generators for other languages need of a schema, held for every published
//! file: named variants with a tag, no keywords and formats of our own, a stable order.

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
        "minProperties",
    ];
    for (file, schema) in projections() {
        let mut allowed: BTreeSet<&str> = STRUCTURE.into();
        let is_open = profile(file) == Profile::Open;
        if !is_open {
            allowed.remove("minProperties");
        }
        let key = definitions_key(draft(file));
        let root = ["$schema", "$id", "$comment", key];
        nodes(schema, &mut |at, node| {
            for (keyword, value) in node.as_object().into_iter().flatten() {
                // A member that must not be there: the tag in an object without one.
                let is_refused = keyword == "not"
                    && (value == &json!({}) || (is_open && value["enum"].is_array()));
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
                // Generators of code know the format of OpenAPI.
                let is_wide = format == "int64" && file.path.contains(".codegen.");
                assert!(
                    is_wide || STANDARD.contains(&format),
                    "{}: {format} at {at}",
                    file.path
                );
            }
        });
    }
}

#[test]
fn unions_have_tags() {
    let mut unions = 0;
    for (file, schema) in projections() {
        nodes(schema, &mut |at, node| {
            if node.get("oneOf").is_some() {
                unions += 1;
                if let Err(complaint) = audit_union(schema, node, profile(file)) {
                    panic!("{}: {at}: {complaint}", file.path);
                }
            }
        });
    }
    // Events and items at least, in every file.
    assert!(unions >= 2 * projections().len(), "{unions}");
}

/// Each alternative is a reference to a definition that requires a tag, which is another one in
/// each. An open union has one alternative more, for every other tag.
fn audit_union(schema: &Value, union: &Value, profile: Profile) -> Result<(), String> {
    if union["type"] != "object" {
        return Err("the union has no `type: object`".into());
    }
    let mut branches = union["oneOf"].as_array().ok_or("no alternatives")?.clone();
    let others = (profile == Profile::Open).then(|| branches.pop()).flatten();
    let mut names: Option<BTreeSet<String>> = None;
    let mut seen = BTreeSet::new();
    for branch in &branches {
        let reference = branch["$ref"]
            .as_str()
            .ok_or("a branch is not a reference")?;
        if branch != &json!({"$ref": reference}) {
            return Err(format!("{reference} has something beside it"));
        }
        if !seen.insert(reference) {
            return Err(format!("{reference} stands twice"));
        }
        let definition = schema
            .pointer(&reference[1..])
            .ok_or_else(|| format!("{reference} leads nowhere"))?;
        if definition["title"] != reference.rsplit('/').next().unwrap_or_default() {
            return Err(format!("{reference} has another title"));
        }
        let required = definition["required"].as_array().ok_or("none required")?;
        let members = definition["properties"].as_object().ok_or("no members")?;
        let constants = members.iter().filter(|(name, member)| {
            required.contains(&json!(name)) && member["const"].is_string()
        });
        let constants: BTreeSet<String> = constants.map(|(name, _)| name.clone()).collect();
        names = Some(match names {
            None => constants,
            Some(names) => names.intersection(&constants).cloned().collect(),
        });
    }
    let tags = |name: &String| -> Vec<Value> {
        let of = |reference: &&str| {
            schema
                .pointer(&reference[1..])
                .map(|d| d["properties"][name]["const"].clone())
        };
        let branches = branches.iter().filter_map(|branch| branch["$ref"].as_str());
        branches.filter_map(|reference| of(&reference)).collect()
    };
    let names = names.ok_or("no alternatives")?;
    let tells_apart = |name: &&String| {
        let tags = tags(name);
        tags.iter()
            .map(Value::to_string)
            .collect::<BTreeSet<_>>()
            .len()
            == tags.len()
    };
    let name = names
        .iter()
        .find(tells_apart)
        .ok_or("no member tells them apart")?;
    let Some(others) = others else {
        return Ok(());
    };
    let expected = json!({
        "description": "A kind that this release does not have.",
        "type": "object",
        "properties": {name: {"type": "string", "not": {"enum": tags(name)}}},
        "required": [name],
    });
    match others == expected {
        true => Ok(()),
        false => Err(format!("the last alternative is {others}")),
    }
}

/// The audit sees what it is there for.
#[test]
fn a_bad_union_is_noticed() {
    for (file, schema) in projections() {
        if file.path != "exec/0.44.0.open.json" && file.path != "exec/0.44.0.exact.json" {
            continue;
        }
        let profile = profile(file);
        audit_union(schema, schema, profile).unwrap();
        let break_it = |edit: fn(&mut Value)| {
            let mut broken = schema.clone();
            edit(&mut broken);
            audit_union(&broken, &broken, profile).unwrap_err()
        };
        assert!(schema.pointer("/$defs/ErrorEvent").is_some());
        break_it(|s| s["oneOf"][0]["description"] = json!("beside"));
        break_it(|s| s["oneOf"][0] = s["oneOf"][1].clone());
        break_it(|s| s["$defs"]["ErrorEvent"]["title"] = json!("Other"));
        break_it(|s| s["$defs"]["ErrorEvent"]["required"] = json!([]));
        break_it(|s| s["$defs"]["ErrorEvent"]["properties"]["type"] = json!({"type": "string"}));
        break_it(|s| {
            let tag = s["$defs"]["TurnStartedEvent"]["properties"]["type"].clone();
            s["$defs"]["ErrorEvent"]["properties"]["type"] = tag;
        });
        if profile == Profile::Open {
            break_it(|s| drop(s["oneOf"].as_array_mut().unwrap().pop()));
            break_it(|s| s["oneOf"][8]["properties"]["type"]["not"]["enum"] = json!(["error"]));
        }
    }
}

/// Exact schemas list the values, open ones only name them.
#[test]
fn enumerations_are_plain() {
    let (mut closed, mut named) = (0, 0);
    for (file, schema) in projections() {
        nodes(schema, &mut |at, node| {
            let about = node["description"].as_str().unwrap_or_default();
            named += usize::from(about.contains("Known values:\n\n- `"));
            let Some(values) = node.get("enum") else {
                return;
            };
            closed += 1;
            assert_eq!(profile(file), Profile::Exact, "{}: {at}", file.path);
            let values = values.as_array().unwrap();
            assert!(!values.is_empty(), "{}: {at}", file.path);
            assert!(values.iter().all(Value::is_string), "{}: {at}", file.path);
            assert_eq!(node["type"], "string", "{}: {at}", file.path);
        });
    }
    assert!(closed > 100 && closed == named, "{closed} {named}");
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
                // What a method or an event carries is described where it is defined.
                let carried = ["output", "params", "payload", "result"].contains(&member.as_str())
                    && ["Message", "Answer", "Output", "Line"]
                        .iter()
                        .any(|end| name.ends_with(end));
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
                    Some(others) if profile(file) == Profile::Exact => others == false,
                    _ => profile(file) == Profile::Exact || kinds.contains(name),
                };
                assert_eq!(closed, should, "{}: {at}", file.path);
            } else {
                assert!(!closed, "{}: {at}", file.path);
            }
        });
        assert!(objects > 0, "{}", file.path);
    }
}

/// Known and exact schemas differ in nothing else; annotations and texts aside, and members that Codex
/// always writes although its own schema lets them be left out.
#[test]
fn profiles_differ_in_strictness_only() {
    /// Without its annotations, and what exact schemas have to name that others allow as they
    /// allow any member.
    fn bare(schema: &mut Value) {
        match schema {
            Value::Object(object) => {
                if let Some(Value::Object(properties)) = object.get_mut("properties") {
                    properties.remove("jsonrpc");
                }
                if object.get("additionalProperties") == Some(&json!(false)) {
                    object.remove("additionalProperties");
                }
                object.retain(|key, value| {
                    let is_text =
                        ["description", "$id"].contains(&key.as_str()) && value.is_string();
                    let is_named = key == "discriminator" && value["propertyName"].is_string();
                    !is_text && !is_named && !key.starts_with("x-")
                });
                object.values_mut().for_each(bare);
                // A reference with nothing beside it.
                if let (1, Some([only])) = (
                    object.len(),
                    object
                        .get("allOf")
                        .and_then(Value::as_array)
                        .map(Vec::as_slice),
                ) {
                    *schema = only.clone();
                }
            }
            Value::Array(array) => array.iter_mut().for_each(bare),
            _ => {}
        }
    }
    /// Makes definitions require what the known ones do, which is less; counts what they required.
    fn require_less(exact: &mut Value, known: &Value, key: &str) -> usize {
        let mut count = 0;
        for (name, definition) in exact[key].as_object_mut().into_iter().flatten() {
            let (Some(more), Some(less)) = (
                definition["required"].as_array(),
                known[key][name]["required"].as_array(),
            ) else {
                continue;
            };
            assert!(less.iter().all(|member| more.contains(member)), "{name}");
            count += more.len() - less.len();
            definition["required"] = json!(less);
        }
        count
    }
    let (mut compared, mut required) = (0, 0);
    for (file, exact) in projections() {
        let entry = file.entry.as_ref().unwrap();
        if entry.profile != Some(Profile::Exact) {
            continue;
        }
        let mut known = project(
            entry.message_set.unwrap(),
            entry.releases.unwrap().since,
            Profile::Known,
            entry.draft,
            entry.stability.unwrap_or(Stability::Experimental),
        );
        let mut exact = exact.clone();
        bare(&mut known);
        bare(&mut exact);
        if entry.message_set.unwrap().is_written() {
            required += require_less(&mut exact, &known, definitions_key(entry.draft));
        }
        assert_eq!(exact, known, "{}", file.path);
        compared += 1;
    }
    assert!(compared > 20 && required > 1000, "{compared}, {required}");
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
                let expected = may_stand || profile != Profile::Exact;
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
