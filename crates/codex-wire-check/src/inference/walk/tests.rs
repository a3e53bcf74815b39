//! Compares inference with exact projections, release by release.

mod app_server;

use std::cell::Cell;

use codex_wire::generate::Recipe;
use codex_wire_schema::{Draft, Profile, Stability, annotated, project, release_ranges};
use jsonschema::Validator;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;
use test_support::trees;

use super::*;

/// Forbids the members of other releases in an open projection. Of undeclared members
/// release inference reports nothing either.
fn forbid_others(schema: &mut Value, known: &Value) {
    fn forbid(schema: &mut Value, known: &Value) {
        // Where Codex writes undeclared members, another release's are some of them.
        if schema["additionalProperties"] == true {
            return;
        }
        let Some(here) = schema["properties"].as_object_mut() else {
            return;
        };
        for member in known["properties"].as_object().unwrap().keys() {
            here.entry(member).or_insert(json!(false));
        }
    }
    if schema.get("properties").is_some() {
        forbid(schema, known);
    }
    for (name, definition) in schema["$defs"].as_object_mut().unwrap() {
        if definition.get("properties").is_some() {
            forbid(definition, &known["$defs"][name]);
        }
    }
}

/// The validator of each range, with which release inference has to agree.
fn validators(message_set: MessageSet) -> Vec<Validator> {
    let validator = |range: &ReleaseRange| {
        let mut schema = project(
            message_set,
            range.since,
            Profile::Known,
            Draft::Draft202012,
            Stability::Experimental,
        );
        forbid_others(&mut schema, annotated(message_set).whole());
        jsonschema::options().build(&schema).unwrap()
    };
    release_ranges(message_set).iter().map(validator).collect()
}

fn pointers(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(members) => members
            .iter()
            .for_each(|(name, inner)| pointers(inner, &format!("{at}/{}", escaped(name)), out)),
        Value::Array(elements) => elements
            .iter()
            .enumerate()
            .for_each(|(index, inner)| pointers(inner, &format!("{at}/{index}"), out)),
        _ => {}
    }
}

/// Replaces a value within a message, or takes a member out or adds one where there is no
/// other.
fn change(message: &mut Value, place: Index, other: Option<Value>) {
    let mut places = Vec::new();
    pointers(message, "", &mut places);
    let pointer = &places[place.index(places.len())];
    match (other, pointer.rsplit_once('/')) {
        (Some(other), _) => *message.pointer_mut(pointer).unwrap() = other,
        (None, Some((holder, name))) => {
            if let Some(Value::Object(members)) = message.pointer_mut(holder) {
                if place.index(7) == 0 {
                    members.insert("delete".into(), json!({}));
                }
                members.remove(&name.replace("~1", "/").replace("~0", "~"));
            }
        }
        (None, None) => {}
    }
}

fn others() -> impl Strategy<Value = Option<Value>> {
    let words = [
        "turn.started",
        "session.created",
        "reasoning",
        "agent_message",
        "assistant_message",
        "collab_tool_call",
        "declined",
        "in_progress",
        "interrupted",
        "search",
        "task_started",
        "user_turn",
        "minimal",
        "on-failure",
        "delete",
        "aGk",
    ];
    prop_oneof![
        2 => Just(None),
        1 => Just(Some(Value::Null)),
        2 => proptest::sample::select(words.to_vec()).prop_map(|word| Some(json!(word))),
        1 => codex_wire::generate::json().prop_map(Some),
    ]
}

/// Messages with up to two changes.
fn changed(messages: BoxedStrategy<Value>) -> impl Strategy<Value = Value> {
    let changes = proptest::collection::vec((any::<Index>(), others()), 0..3);
    (messages, changes).prop_map(|(mut message, changes)| {
        for (place, other) in changes {
            change(&mut message, place, other);
        }
        message
    })
}

/// The answer for each range is that of its projection, for right messages and wrong ones.
fn agrees(message_set: MessageSet, cases: u32) {
    let ranges = release_ranges(message_set);
    let validators = validators(message_set);
    let inference = ReleaseInference::new(message_set, ranges);
    let counts = Cell::new((0, 0));
    for range in ranges {
        let mut config = Config::with_source_file(file!());
        if std::env::var_os("PROPTEST_CASES").is_none() {
            config.cases = cases;
        }
        let recipe = Recipe {
            release: range.since,
            unknown: true,
        };
        let messages = changed(trees(message_set, recipe));
        TestRunner::new(config)
            .run(&messages, |message| {
                let bits = inference.of(&message);
                let expected: ReleaseSet = validators
                    .iter()
                    .enumerate()
                    .filter(|(_, validator)| validator.is_valid(&message))
                    .map(|(index, _)| index)
                    .collect();
                prop_assert_eq!(bits, expected, "as a fixture: {}", message);
                let (placed, lost) = counts.get();
                counts.set(match bits.is_empty() {
                    true => (placed, lost + 1),
                    false => (placed + 1, lost),
                });
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{message_set} {}: {error}", range.since));
    }
    let (placed, lost) = counts.get();
    assert!(placed > 100 && lost > 100, "{placed} placed, {lost} not");
}

#[test]
fn agrees_with_every_projection_of_exec() {
    agrees(MessageSet::Exec, 96);
}

#[test]
fn agrees_with_every_projection_of_the_legacy_form() {
    agrees(MessageSet::ExecLegacy, 96);
}

#[test]
fn agrees_with_every_projection_of_core_events() {
    agrees(MessageSet::CoreEvents, 96);
}

#[test]
fn agrees_with_every_projection_of_core_submissions() {
    agrees(MessageSet::CoreSubmissions, 96);
}

#[test]
fn gaps_and_several_intervals_restrict() {
    let document = Document::of(&json!({
        "type": "object",
        "properties": {
            "git": {"type": "string", "x-gaps": [{"since": "0.3.0", "until": "0.4.0"}]},
            "name": {
                "type": "string",
                "x-optional": [{"until": "0.2.0"}, {"since": "0.6.0"}],
                "x-nullable": [{"since": "0.2.0", "until": "0.2.0"}, {"since": "0.5.0"}],
            },
        },
        "$defs": {},
    }));
    let ranges: Vec<ReleaseRange> = (1..101)
        .map(|minor| ReleaseRange {
            since: Release::new(0, minor, 0),
            until: Release::new(0, minor, 0),
        })
        .collect();
    let inference = ReleaseInference::of_document(document, &ranges, true);
    let found = |message: Value| -> Vec<usize> {
        let bits = inference.of(&message);
        // Past the end they are all alike.
        (0..8)
            .chain([99])
            .filter(|index| bits.contains(*index))
            .map(|i| i + 1)
            .collect()
    };
    assert_eq!(
        found(json!({"git": "a", "name": "b"})),
        [1, 2, 5, 6, 7, 8, 100]
    );
    assert_eq!(found(json!({"name": "b"})), [3, 4]);
    assert_eq!(found(json!({"git": "a"})), [1, 2, 6, 7, 8, 100]);
    assert_eq!(
        found(json!({"git": "a", "name": null})),
        [2, 5, 6, 7, 8, 100]
    );
}
