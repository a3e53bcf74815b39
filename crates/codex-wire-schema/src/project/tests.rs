//! Tests projection on small documents.

use super::*;

fn release(minor: u32) -> Release {
    Release::new(0, minor, 0)
}

fn document() -> Value {
    json!({
        "title": "Thread",
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "git": {
                "type": "string",
                "x-since": "0.2.0",
                "x-gaps": [{"since": "0.4.0", "until": "0.5.0"}],
            },
            "name": {
                "type": "string",
                "x-optional": [{"until": "0.2.0"}, {"since": "0.6.0"}],
                "x-nullable": {"since": "0.3.0"},
            },
            "goal": {
                "$ref": "#/$defs/Goal",
                "x-experimental": [{"since": "0.2.0", "until": "0.3.0"}, {"since": "0.6.0"}],
            },
            "status": {"$ref": "#/$defs/Status"},
        },
        "required": ["id"],
        "$defs": {
            "Goal": {
                "type": "object",
                "properties": {"text": {"type": "string"}},
                "required": ["text"],
                "additionalProperties": false,
            },
            "Status": {
                "type": "string",
                "enum": ["open", "done"],
                "x-values": {
                    "open": {"gaps": [{"since": "0.3.0", "until": "0.3.0"}]},
                    "done": {"experimental": [{"until": "0.4.0"}]},
                },
            },
        },
    })
}

fn at(minor: u32, profile: Profile, stability: Stability) -> Value {
    let view = View {
        release: release(minor),
        profile,
        as_declared: true,
        stability,
        message_set: None,
        requires_written: false,
        keeps_availability: false,
    };
    Value::Object(body(Document::of(&document()), &view))
}

#[test]
fn gaps_leave_out() {
    let has = |minor: u32| {
        let schema = at(minor, Profile::Known, Stability::Experimental);
        let names = schema["required"].to_string();
        assert_eq!(
            schema["properties"].get("git").is_some(),
            names.contains("git")
        );
        names.contains("git")
    };
    let found: Vec<u32> = (1..8).filter(|minor| has(*minor)).collect();
    assert_eq!(found, [2, 3, 6, 7]);
    let values = |minor| {
        at(minor, Profile::Known, Stability::Experimental)["$defs"]["Status"]["enum"].clone()
    };
    assert_eq!(values(2), json!(["open", "done"]));
    assert_eq!(values(3), json!(["done"]));
}

#[test]
fn freedoms_may_come_back() {
    let name = |minor| {
        let schema = at(minor, Profile::Known, Stability::Experimental);
        let required = schema["required"].to_string().contains("name");
        (required, schema["properties"]["name"]["type"].clone())
    };
    assert_eq!(name(2), (false, json!("string")));
    assert_eq!(name(3), (true, json!(["string", "null"])));
    assert_eq!(name(6), (false, json!(["string", "null"])));
}

#[test]
fn the_stable_half_has_nothing_experimental() {
    let goal = |minor, stability| {
        let schema = at(minor, Profile::Known, stability);
        assert_eq!(
            schema["properties"].get("goal").is_some(),
            schema["$defs"].get("Goal").is_some(),
            "what nothing refers to is gone"
        );
        schema["properties"].get("goal").is_some()
    };
    let found =
        |stability| -> Vec<u32> { (1..8).filter(|minor| goal(*minor, stability)).collect() };
    assert_eq!(found(Stability::Experimental), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(found(Stability::Stable), [1, 4, 5]);
    let values =
        |minor, stability| at(minor, Profile::Known, stability)["$defs"]["Status"]["enum"].clone();
    assert_eq!(values(4, Stability::Stable), json!(["open"]));
    assert_eq!(values(4, Stability::Experimental), json!(["open", "done"]));
    assert_eq!(values(5, Stability::Stable), json!(["open", "done"]));
}

#[test]
fn closed_objects_are_closed_unless_all_is_open() {
    for profile in Profile::ALL {
        let schema = at(1, profile, Stability::Experimental);
        let closed = schema["$defs"]["Goal"]
            .get("additionalProperties")
            .is_some();
        assert_eq!(closed, profile != Profile::Open);
        let open = schema.get("additionalProperties").is_none();
        assert_eq!(open, profile != Profile::Exact);
    }
    let all = every_release(Document::of(&document()), MessageSet::Exec);
    assert_eq!(all["$defs"]["Goal"]["additionalProperties"], false);
}

#[test]
fn nothing_is_left_of_the_annotations() {
    let text = at(3, Profile::Known, Stability::Stable).to_string();
    for left in [
        "x-since",
        "x-gaps",
        "x-experimental",
        "x-optional",
        "\"gaps\"",
    ] {
        assert!(!text.contains(left), "{left} in {text}");
    }
    // The document of all releases keeps them, and asks for what all of them have.
    let all = every_release(Document::of(&document()), MessageSet::Exec);
    assert_eq!(all["properties"]["git"]["x-gaps"][0]["since"], "0.4.0");
    assert_eq!(all["required"], json!(["id", "status"]));
}

#[test]
fn the_tag_decides_where_a_union_has_objects_without_one() {
    let document = json!({
        "$ref": "#/$defs/Tool",
        "$defs": {
            "Tool": {"anyOf": [
                {"$ref": "#/$defs/Tagged", "x-since": "0.2.0"},
                {"$ref": "#/$defs/Legacy"},
            ]},
            "Tagged": {
                "type": "object",
                "oneOf": [{"$ref": "#/$defs/Function", "x-tag": "function"}],
                "discriminator": {"propertyName": "kind"},
            },
            "Function": {
                "type": "object",
                "properties": {"kind": {"type": "string", "const": "function"}},
                "required": ["kind"],
            },
            "Legacy": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
    });
    let legacy = |minor: u32, profile: Profile| {
        let view = View {
            release: release(minor),
            profile,
            as_declared: true,
            stability: Stability::Stable,
            message_set: None,
            requires_written: false,
            keeps_availability: false,
        };
        let schema = Value::Object(body(Document::of(&document), &view));
        let accepts = |value: Value| jsonschema::is_valid(&schema, &value);
        [
            json!({"name": "a"}),
            json!({"name": "a", "kind": "function"}),
            json!({"name": "a", "kind": "other"}),
        ]
        .map(accepts)
    };
    assert_eq!(legacy(2, Profile::Open), [true, true, true]);
    assert_eq!(legacy(2, Profile::Known), [true, true, false]);
    assert_eq!(legacy(2, Profile::Exact), [true, false, false]);
    // A release that has only the object reads over what it does not know.
    assert_eq!(legacy(1, Profile::Open), [true, true, true]);
}

#[test]
fn an_open_union_of_kinds_takes_others() {
    let document = json!({
        "$ref": "#/$defs/Outcome",
        "$defs": {
            "Outcome": {"anyOf": [
                {"$ref": "#/$defs/Done", "x-kind": "done"},
                {"$ref": "#/$defs/Failed", "x-kind": "failed", "x-since": "0.2.0"},
            ]},
            "Done": {"type": "string", "const": "done"},
            "Failed": {
                "type": "object",
                "properties": {"failed": {"type": "integer"}},
                "required": ["failed"],
                "additionalProperties": false,
            },
        },
    });
    let accepted = |minor: u32, profile: Profile| {
        let view = View {
            release: release(minor),
            profile,
            as_declared: true,
            stability: Stability::Stable,
            message_set: None,
            requires_written: false,
            keeps_availability: false,
        };
        let schema = Value::Object(body(Document::of(&document), &view));
        let tried = [
            json!("done"),
            json!({"failed": 1}),
            json!("later"),
            json!({"later": [1]}),
            json!({"failed": "text"}),
            json!("failed"),
            json!({"done": 1}),
            json!({}),
            json!(7),
        ];
        let accepted = tried.into_iter().enumerate();
        let accepted = accepted.filter(|(_, value)| jsonschema::is_valid(&schema, value));
        accepted.map(|(index, _)| index).collect::<Vec<_>>()
    };
    assert_eq!(accepted(2, Profile::Open), [0, 1, 2, 3]);
    assert_eq!(accepted(2, Profile::Known), [0, 1]);
    // What one release does not have is one of the others.
    assert_eq!(accepted(1, Profile::Open), [0, 1, 2, 3, 4, 5]);
    assert_eq!(accepted(1, Profile::Known), [0]);
}

#[test]
fn what_is_always_written_is_required_of_what_codex_writes_exactly() {
    let document = json!({
        "title": "Message",
        "type": "object",
        "properties": {
            "phase": {
                "type": "string",
                "x-since": "0.2.0",
                "x-optional": {},
                "x-nullable": {},
                "x-written": [{"since": "0.3.0", "until": "0.3.0"}, {"since": "0.5.0"}],
            },
        },
        "required": [],
        "$defs": {},
    });
    let requires = |set: MessageSet, profile| -> Vec<u32> {
        let requires = |minor: &u32| {
            let view = View {
                release: release(*minor),
                profile,
                as_declared: as_declared(set),
                stability: Stability::Stable,
                message_set: Some(set),
                requires_written: requires_written(set, profile),
                keeps_availability: false,
            };
            let schema = Value::Object(body(Document::of(&document), &view));
            let accepts = |value: Value| jsonschema::is_valid(&schema, &value);
            assert!(*minor == 1 || accepts(json!({"phase": null})));
            !accepts(json!({}))
        };
        (1..7).filter(requires).collect()
    };
    let written = MessageSet::AppServerServerNotifications;
    let read = MessageSet::AppServerClientRequests;
    assert_eq!(requires(written, Profile::Exact), [3, 5, 6]);
    for (set, profile) in [
        (written, Profile::Known),
        (written, Profile::Open),
        (read, Profile::Exact),
    ] {
        assert!(requires(set, profile).is_empty(), "{set} {profile}");
    }
}
