//! Documents of other origins, and the document that is printed.

use codex_wire_base::{MessageSet, Protocol};
use codex_wire_diff::{Change, DIFF_SCHEMA, Direction, Error, Side, Verdict, diff};
use codex_wire_schema::{Draft, Profile, Stability, project};
use serde_json::{Value, json};

use crate::support::between;

fn document(schema: Value) -> Side {
    Side::document("file", schema).unwrap()
}

fn exec(release: &str, profile: Profile, draft: Draft) -> Value {
    let release = MessageSet::Exec.release_list().resolve(release).unwrap();
    project(
        MessageSet::Exec,
        release,
        profile,
        draft,
        Stability::Experimental,
    )
}

/// Drafts and profiles say the same in other words.
#[test]
fn renderings_of_a_release_do_not_differ() {
    let plain = exec("0.125.0", Profile::Known, Draft::Draft202012);
    for profile in [Profile::Known, Profile::Exact] {
        for draft in Draft::ALL {
            let found = diff(
                &document(plain.clone()),
                &document(exec("0.125.0", profile, draft)),
            );
            let found = found.unwrap();
            assert!(
                found.differences.is_empty(),
                "{profile} {draft}: {:#?}",
                found.differences
            );
            assert_eq!(found.messages, [8, 8]);
        }
    }
}

/// A published file is compared as the release it is of, and knows who writes it.
#[test]
fn files_are_compared_as_releases_are() {
    let files = diff(
        &document(exec("0.50.0", Profile::Exact, Draft::Draft07)),
        &document(exec("0.51.0", Profile::Known, Draft::Draft202012)),
    );
    let releases = between(Protocol::Exec, "0.50.0", "0.51.0");
    let (files, mut releases) = (files.unwrap().to_json(), releases.to_json());
    // Only comparisons of releases have evidence.
    for difference in releases["differences"].as_array_mut().unwrap() {
        for judgement in difference["judgements"].as_array_mut().unwrap() {
            judgement["evidence"] = Value::Null;
        }
    }
    assert_eq!(files["differences"], releases["differences"]);
    assert_ne!(releases["differences"], json!([]));
}

#[test]
fn formats_are_bounds() {
    let schema = |format: &str| {
        json!({
            "title": "Usage",
            "type": "object",
            "properties": {"tokens": {"type": "integer", "format": format}},
        })
    };
    let found = diff(&document(schema("uint32")), &document(schema("int64"))).unwrap();
    let [only] = &found.differences[..] else {
        panic!("{:#?}", found.differences);
    };
    assert_eq!(
        (only.change, only.place.as_str()),
        (Change::BoundsWidened, "Usage.tokens")
    );
    assert_eq!(only.before.as_deref(), Some("0 to 4294967295"));
    let same = diff(&document(schema("double")), &document(schema("double"))).unwrap();
    assert!(same.differences.is_empty());
}

/// A union may have several ranges. What is breaking is shown by a number between them.
#[test]
fn ranges_of_a_union_are_compared() {
    let message = |ranges: &[[i64; 2]], kind: &str| {
        let range =
            |[least, most]: &[i64; 2]| json!({"type": kind, "minimum": least, "maximum": most});
        let node = json!({"anyOf": ranges.iter().map(range).collect::<Vec<_>>()});
        document(
            json!({"title": "M", "type": "object", "properties": {"x": node}, "required": ["x"]}),
        )
    };
    let whole = message(&[[0, 30]], "integer");
    let parts = message(&[[20, 30], [0, 10]], "integer");
    let moved = message(&[[-5, 4], [20, 30]], "integer");
    let (widened, narrowed) = (Change::BoundsWidened, Change::BoundsNarrowed);
    for (a, b, changes, after) in [
        (&parts, &whole, &[widened][..], "0 to 30"),
        (&whole, &parts, &[narrowed], "0 to 10 or 20 to 30"),
        (&parts, &moved, &[widened, narrowed], "-5 to 4 or 20 to 30"),
    ] {
        let found = diff(a, b).unwrap();
        let all: Vec<Change> = found.differences.iter().map(|found| found.change).collect();
        assert_eq!(all, changes);
        for difference in &found.differences {
            assert_eq!(difference.after.as_deref(), Some(after));
            let mut judgements = difference.judgements.iter();
            let shown = judgements.any(|one| one.counterexample.is_some());
            assert!(shown, "{difference:#?}");
        }
    }
    // No whole number is between 10 and 11, and other numbers are.
    let touching = [[0, 10], [11, 30]];
    for (kind, expected) in [("integer", 0), ("number", 1)] {
        let found = diff(&message(&touching, kind), &message(&[[0, 30]], kind)).unwrap();
        let bounds = found
            .differences
            .iter()
            .filter(|found| found.change == widened);
        assert_eq!(bounds.count(), expected, "{kind}");
    }
}

/// Whole numbers above 0 are those from 1 on.
#[test]
fn ends_that_are_not_reached_are_ends() {
    let message =
        |node: Value| document(json!({"title": "M", "type": "object", "properties": {"x": node}}));
    let reached = json!({"type": "integer", "minimum": 1, "maximum": 8});
    let beyond = json!({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 9.0});
    let both = json!({"type": "integer", "exclusiveMinimum": 0, "minimum": -5, "maximum": 8});
    let between = json!({"type": "integer", "minimum": 0.5, "exclusiveMaximum": 8.5});
    for other in [beyond, both, between] {
        let found = diff(&message(reached.clone()), &message(other)).unwrap();
        assert!(found.differences.is_empty(), "{:#?}", found.differences);
    }
    let below = json!({"type": ["integer", "null"], "maximum": -1});
    let between = json!({"type": ["integer", "null"], "maximum": -0.5});
    let found = diff(&message(below), &message(between)).unwrap();
    assert!(found.differences.is_empty(), "{:#?}", found.differences);
}

/// A constant that is a whole number is a range of one.
#[test]
fn one_number_is_a_constant() {
    let message =
        |node: Value| document(json!({"title": "M", "type": "object", "properties": {"x": node}}));
    let range = message(json!({"type": "integer", "minimum": 1, "maximum": 1}));
    let value = json!({"type": "integer", "format": "uint8", "minimum": 0.0, "enum": [1]});
    let found = diff(&range, &message(value)).unwrap();
    assert!(found.differences.is_empty(), "{:#?}", found.differences);
    let other = message(json!({"type": "integer", "enum": [2]}));
    assert!(!diff(&range, &other).unwrap().differences.is_empty());
}

/// What else changed beside a type is a difference too, and is shown by a value between the ends.
#[test]
fn numbers_and_lists_of_other_types_are_compared() {
    let message = |node: Value| {
        document(
            json!({"title": "M", "type": "object", "properties": {"x": node}, "required": ["x"]}),
        )
    };
    let breaks = |a: &Value, b: &Value, direction: Direction| {
        let found = diff(&message(a.clone()), &message(b.clone())).unwrap();
        let judgements = found.differences.iter().flat_map(|found| &found.judgements);
        let of = judgements.filter(|one| one.direction == direction);
        let worst = of.map(|one| one.verdict).max();
        worst.expect("a difference")
    };
    let (codex, client) = (Direction::CodexWrites, Direction::ClientWrites);
    let whole = json!({"type": "integer"});
    let some = json!({"type": "integer", "minimum": 1, "maximum": 5});
    let number = json!({"type": "number", "minimum": 5});
    let from_three = json!({"type": "number", "minimum": 3});
    // Whole numbers are numbers, but not those below the least.
    for (a, b) in [(&whole, &number), (&some, &from_three)] {
        assert_eq!(breaks(a, b, client), Verdict::Breaking, "{a} {b}");
        assert_eq!(breaks(b, a, codex), Verdict::Breaking, "{b} {a}");
        assert_eq!(breaks(a, b, codex), Verdict::Breaking, "{a} {b}");
    }
    let text = json!({"type": "string"});
    assert_eq!(breaks(&text, &number, codex), Verdict::Breaking);
    let odd = json!({"type": ["integer", "string"], "multipleOf": 3});
    assert_ne!(breaks(&whole, &odd, client), Verdict::Compatible);
    let list = |kind: &str| json!({"type": "array", "items": {"type": kind}});
    let one = json!({"anyOf": [list("string"), {"type": "integer"}]});
    let two = json!({"anyOf": [list("string"), list("number")]});
    assert_ne!(breaks(&one, &two, codex), Verdict::Compatible);
}

/// What is not compared keyword by keyword is a difference all the same.
#[test]
fn no_keyword_is_left_out() {
    let text = |length: u64| json!({"type": "string", "minLength": length});
    let list = |kind: &str| json!({"type": "array", "items": {"type": kind}});
    let word =
        |words: &[&str]| json!({"anyOf": [{"enum": words}, {"type": "string", "pattern": "^x"}]});
    let any = |nodes: &[Value]| json!({"anyOf": nodes});
    let object = |required: &[&str]| json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": required});
    for [before, after] in [
        [any(&[list("string"), list("integer")]), list("string")],
        [
            json!({"type": "number"}),
            json!({"type": "number", "exclusiveMinimum": 3}),
        ],
        [
            json!({"type": "number"}),
            json!({"type": "number", "multipleOf": 2}),
        ],
        [any(&[text(5), text(9)]), any(&[text(1), text(9)])],
        [word(&["a", "b"]), word(&["a", "b", "c"])],
        [object(&["a"]), object(&["a", "b"])],
        [
            json!({"type": "number", "minimum": 0.9}),
            json!({"type": "number", "minimum": 0.1}),
        ],
        [json!({"const": true}), json!({"type": "boolean"})],
    ] {
        let message = |node: &Value| {
            document(json!({"title": "M", "type": "object", "properties": {"x": node}}))
        };
        let [a, b] = [message(&before), message(&after)];
        for (a, b) in [(&a, &b), (&b, &a)] {
            let found = diff(a, b).unwrap();
            let changes: Vec<Change> = found.differences.iter().map(|found| found.change).collect();
            assert_eq!(changes, [Change::ConstraintChanged], "{before} {after}");
        }
        let same = diff(&a, &a).unwrap();
        assert!(same.differences.is_empty(), "{before}");
    }
}

/// The official bundle has its messages in unions of its own; what it does not describe is said
/// not to be compared.
#[test]
fn bundles_are_taken_apart() {
    let bundle = |value: &str| {
        json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "title": "CodexAppServerProtocol",
            "type": "object",
            "definitions": {
                "ServerNotification": {"oneOf": [
                    {
                        "title": "Thread/startedNotification",
                        "type": "object",
                        "properties": {
                            "method": {"type": "string", "enum": ["thread/started"]},
                            "params": {"$ref": "#/definitions/v2/ThreadStarted"},
                        },
                        "required": ["method", "params"],
                    },
                    {
                        "type": "object",
                        "properties": {"method": {"type": "string", "enum": ["error"]}},
                        "required": ["method"],
                    },
                ]},
                "v2": {
                    "ThreadStarted": {
                        "type": "object",
                        "properties": {"kind": {"type": "string", "enum": ["a", value]}},
                        "required": ["kind"],
                    },
                },
            },
        })
    };
    let found = diff(&document(bundle("b")), &document(bundle("c"))).unwrap();
    let changes: Vec<Change> = found.differences.iter().map(|d| d.change).collect();
    assert_eq!(changes, [Change::ValueAdded, Change::ValueRemoved]);
    for difference in &found.differences {
        assert_eq!(difference.path, ["thread/started", "params", "kind"]);
        let [only] = &difference.judgements[..] else {
            panic!("{difference:#?}");
        };
        assert_eq!(only.direction, Direction::CodexWrites);
    }
    let release = crate::support::side(Protocol::AppServer, "0.169.0", Stability::Experimental);
    let found = diff(&document(bundle("b")), &release).unwrap();
    assert!(
        found
            .left_out
            .iter()
            .any(|part| part == "app-server-client-requests")
    );
}

/// The official unions have members beside their variants, which all of them have.
#[test]
fn members_beside_a_union_are_members_of_its_variants() {
    let schema = |kind: &str| {
        let branch = |method: &str| {
            json!({
                "type": "object",
                "properties": {"method": {"type": "string", "enum": [method]}},
                "required": ["method"],
            })
        };
        json!({
            "oneOf": [branch("a"), branch("b"), branch("c")],
            "properties": {"at": {"type": kind}},
            "required": ["at"],
        })
    };
    let found = diff(&document(schema("integer")), &document(schema("string"))).unwrap();
    assert_eq!(found.messages, [3, 3]);
    let places: Vec<&str> = found.differences.iter().map(|d| d.place.as_str()).collect();
    assert_eq!(places, ["a.at", "b.at", "c.at"]);
    assert!(
        found
            .differences
            .iter()
            .all(|d| d.change == Change::TypeChanged)
    );
}

/// A variant that is written as two does not count as one more, but may be constrained.
#[test]
fn variants_may_be_split() {
    let branch = |tag: &str, more: &str| {
        json!({
            "type": "object",
            "properties": {"type": {"const": tag}, "a": {"type": "string"}, "b": {"type": "string"}},
            "required": ["type", more],
        })
    };
    let schema = |branches: Vec<Value>| json!({"title": "M", "type": "object", "properties": {"item": {"oneOf": branches}}});
    let whole = schema(vec![branch("text", "a"), branch("image", "type")]);
    let split = schema(vec![
        branch("text", "a"),
        branch("image", "a"),
        branch("image", "b"),
    ]);
    let found = diff(&document(whole), &document(split)).unwrap();
    let changes: Vec<Change> = found.differences.iter().map(|d| d.change).collect();
    assert_eq!(changes, [Change::ConstraintChanged]);
}

#[test]
fn definitions_without_messages_are_compared_one_by_one() {
    let schema = |kind: &str| {
        json!({"definitions": {
            "A": {"type": "object", "properties": {"a": {"type": kind}}},
            "B": {"type": "string"},
        }})
    };
    let found = diff(&document(schema("string")), &document(schema("integer"))).unwrap();
    let [only] = &found.differences[..] else {
        panic!("{:#?}", found.differences);
    };
    assert_eq!(
        (only.change, only.place.as_str()),
        (Change::TypeChanged, "A.a")
    );
    assert_eq!(only.judgements.len(), 2);
    let one_writer = |schema| document(schema).written_by(Direction::ClientWrites);
    let found = diff(
        &one_writer(schema("string")),
        &one_writer(schema("integer")),
    )
    .unwrap();
    assert_eq!(found.differences[0].judgements.len(), 1);
}

#[test]
fn folders_are_compared_file_by_file() {
    let schema = |kind: &str| {
        json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "title": "A",
            "type": "object",
            "properties": {"a": {"type": kind}},
        })
    };
    let folder = |kind: &str, more: Option<&str>| {
        let files = [
            ("a.json".to_owned(), schema(kind)),
            ("list.json".to_owned(), json!([])),
        ];
        let more = more.map(|name| (name.to_owned(), schema("string")));
        Side::folder("folder", files.into_iter().chain(more)).unwrap()
    };
    let found = diff(&folder("string", None), &folder("boolean", Some("b.json"))).unwrap();
    let found: Vec<_> = found
        .differences
        .iter()
        .map(|d| (d.change, d.place.as_str()))
        .collect();
    assert_eq!(
        found,
        [(Change::TypeChanged, "A.a"), (Change::MessageAdded, "A")]
    );
    let nothing = Side::folder("empty", [("list.json".to_owned(), json!([]))]);
    assert!(matches!(nothing, Err(Error::Nothing { .. })));
}

/// Documents that are wrong or strange end in an error or in a verdict, never otherwise.
#[test]
fn strange_documents() {
    for bad in [json!(null), json!([]), json!("text"), json!({"name": "x"})] {
        let side = Side::document("bad", bad.clone());
        assert!(matches!(side, Err(Error::NoSchema { .. })), "{bad}");
    }
    let around = json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}});
    let missing = json!({"$ref": "#/$defs/B", "$defs": {}});
    let nested = json!({
        "$ref": "#/$defs/A",
        "$defs": {"A": {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"anyOf": [{"$ref": "#/$defs/A"}]}},
            "required": ["a"],
        }},
    });
    let tree = json!({
        "$ref": "#/$defs/A",
        "$defs": {"A": {
            "type": "array",
            "items": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]},
        }},
    });
    let odd =
        json!({"properties": {"a": {"if": true, "then": false, "minLength": 2}}, "type": "object"});
    let all = [around, missing, nested, tree, odd];
    for one in &all {
        for other in &all {
            let found = diff(&document(one.clone()), &document(other.clone()));
            let found = found.unwrap();
            if one == other {
                assert!(
                    found.differences.is_empty(),
                    "{one}: {:#?}",
                    found.differences
                );
            }
        }
    }
}

#[test]
fn two_things_without_a_part_in_common_are_not_compared() {
    let release = crate::support::side(Protocol::Exec, "0.169.0", Stability::Experimental);
    let bundle =
        document(json!({"definitions": {"A": {"type": "string"}, "B": {"type": "string"}}}));
    assert!(matches!(
        diff(&bundle, &release),
        Err(Error::NothingInCommon { .. })
    ));
}

#[test]
fn the_printed_document_has_the_shape_it_promises() {
    let schema: Value = serde_json::from_str(DIFF_SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut seen = 0;
    for (protocol, before, after) in [
        (Protocol::Exec, "0.42.0", "0.169.0"),
        (Protocol::Core, "0.20.0", "0.42.0"),
        (Protocol::AppServer, "0.125.0", "0.130.0"),
    ] {
        let found = between(protocol, before, after);
        let printed = found.to_json();
        let errors: Vec<String> = validator
            .iter_errors(&printed)
            .map(|error| error.to_string())
            .collect();
        assert_eq!(errors, [""; 0]);
        for verdict in Verdict::ALL {
            let total = &printed["totals"][verdict.as_str()];
            assert_eq!(total, &json!(found.count(verdict)));
        }
        seen += found.differences.len();
    }
    assert!(seen > 50);
    let mut wrong = between(Protocol::Exec, "0.50.0", "0.51.0").to_json();
    wrong["differences"][0]["verdict"] = json!("fine");
    assert!(!validator.is_valid(&wrong));
}
