//! Documents that are short to write and endless to unfold. What comparing them costs is counted
//! in steps, and what is said of them has an end.

use std::time::Instant;

use codex_wire_diff::{Change, Comparison, Error, Side, Verdict, diff};
use serde_json::{Map, Value, json};

fn compared(before: Value, after: Value) -> Result<Comparison, Error> {
    let side = |name: &str, schema: Value| Side::document(name, schema).unwrap();
    diff(&side("before", before), &side("after", after))
}

/// A document of one message with definitions.
fn message(start: &str, definitions: Map<String, Value>) -> Value {
    json!({
        "title": "M",
        "type": "object",
        "properties": {"a": {"$ref": format!("#/$defs/{start}")}},
        "required": ["a"],
        "$defs": definitions,
    })
}

/// Definitions of which each names the next, `levels` of them; `last` is what the last one is.
fn levels(levels: usize, last: Value, level: impl Fn(Value) -> Value) -> Value {
    let mut definitions = Map::new();
    for at in 0..levels {
        let next = json!({"$ref": format!("#/$defs/L{}", at + 1)});
        definitions.insert(format!("L{at}"), level(next));
    }
    definitions.insert(format!("L{levels}"), last);
    message("L0", definitions)
}

/// How many bytes a comparison is as a document, and what it cost.
fn size(comparison: &Comparison) -> (usize, u64) {
    (comparison.to_json().to_string().len(), comparison.steps)
}

const OBJECT: fn(&str) -> Value =
    |kind| json!({"type": "object", "properties": {"x": {"type": kind}}, "required": ["x"]});

/// Every level is the next one twice.
#[test]
fn parts_that_double() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for (depth, twice) in [(12, 24), (24, 40)] {
            let tree = |depth, kind: &str| {
                levels(depth, OBJECT(kind), |next| json!({keyword: [next, next]}))
            };
            let there = compared(tree(depth, "string"), tree(depth, "integer")).unwrap();
            let deeper = compared(tree(twice, "string"), tree(twice, "integer")).unwrap();
            assert!(
                !deeper.differences.is_empty(),
                "{keyword}: the change is seen"
            );
            let (said, steps) = size(&deeper);
            assert!(said < 20_000, "{keyword} {twice}: {said} bytes");
            assert!(
                steps < 5_000_000,
                "{keyword} {twice}: {steps} steps, {} at {depth}",
                there.steps
            );
            let same = compared(tree(twice, "string"), tree(twice, "string")).unwrap();
            assert!(same.differences.is_empty(), "{keyword}");
        }
    }
}

/// What cannot be shown at a reasonable cost is not called breaking, and the limit is named.
#[test]
fn a_proof_that_would_never_end_is_left_out() {
    let tree = |most: u64| {
        levels(
            40,
            json!({"type": "object", "minProperties": most}),
            |next| json!({"allOf": [next, next]}),
        )
    };
    let found = compared(tree(1), tree(2)).unwrap();
    let judgements = found
        .differences
        .iter()
        .flat_map(|difference| &difference.judgements);
    let remarks: Vec<&str> = judgements
        .filter(|judgement| judgement.verdict == Verdict::Unknown)
        .filter_map(|judgement| judgement.remark.as_deref())
        .collect();
    assert!(!remarks.is_empty(), "{:#?}", found.differences);
}

/// Each level has two required members, both the next level: a message of it is endless.
#[test]
fn members_that_double() {
    let tree = |kind: &str| {
        levels(40, OBJECT(kind), |next| {
            json!({
                "type": "object",
                "properties": {"l": next, "r": next},
                "required": ["l", "r"],
            })
        })
    };
    let found = compared(tree("string"), tree("integer")).unwrap();
    let changed = found
        .differences
        .iter()
        .find(|difference| difference.change == Change::TypeChanged)
        .unwrap();
    assert_eq!(changed.verdict(), Verdict::Unknown);
    assert_eq!(changed.place, "L40.x");
    let (said, steps) = size(&found);
    assert!(
        said < 20_000 && steps < 20_000_000,
        "{said} bytes, {steps} steps"
    );
}

/// As many changes as anyone can write: they are counted, and the first of them listed.
#[test]
fn changes_without_end() {
    const MANY: usize = 20_000;
    let values = |letter: &str| {
        let values: Vec<String> = (0..MANY).map(|at| format!("{letter}{at}")).collect();
        json!({"title": "M", "type": "object", "properties": {"a": {"enum": values}}, "required": ["a"]})
    };
    let found = compared(values("a"), values("b")).unwrap();
    let listed = found.differences.len();
    assert_eq!(listed, 10_000);
    assert_eq!(u64::try_from(listed).unwrap() + found.unlisted, 40_000);
    let (said, steps) = size(&found);
    assert!(
        said < 10_000_000 && steps < 24_000_000,
        "{said} bytes, {steps} steps"
    );
    let members = |kind: &str| {
        let members: Map<String, Value> = (0..MANY)
            .map(|at| (format!("m{at}"), json!({"type": kind})))
            .collect();
        let required: Vec<&String> = members.keys().collect();
        json!({"title": "M", "type": "object", "properties": members, "required": required})
    };
    let found = compared(members("string"), members("integer")).unwrap();
    assert_eq!(found.differences.len(), 10_000);
    assert_eq!(found.unlisted, 10_000);
    // What was not decided is not called compatible.
    assert!(found.worst() >= Some(Verdict::Unknown));
    // No message that shows a change is small enough, which is known before one is made.
    let (said, steps) = size(&found);
    assert!(
        said < 10_000_000 && steps < 1_000_000,
        "{said} bytes, {steps} steps"
    );
}

/// A reference to a reference, and so on: what is at the end is found.
#[test]
fn references_in_a_row() {
    const MANY: usize = 20_000;
    let chain = |kind: &str| levels(MANY, OBJECT(kind), |next| next);
    let found = compared(chain("string"), chain("integer")).unwrap();
    let [only] = &found.differences[..] else {
        panic!("{} differences", found.differences.len());
    };
    assert_eq!(only.change, Change::TypeChanged);
    assert_eq!(only.verdict(), Verdict::Breaking);
    let (said, steps) = size(&found);
    assert!(
        said < 5_000 && steps < 1_000_000,
        "{said} bytes, {steps} steps"
    );
}

/// A member within a member, and so on: deeper than anyone reads, no message is made.
#[test]
fn members_in_a_row() {
    const MANY: usize = 20_000;
    let chain = |kind: &str| {
        levels(
            MANY,
            OBJECT(kind),
            |next| json!({"type": "object", "properties": {"n": next}, "required": ["n"]}),
        )
    };
    let found = compared(chain("string"), chain("integer")).unwrap();
    let [only] = &found.differences[..] else {
        panic!("{} differences", found.differences.len());
    };
    assert_eq!(only.verdict(), Verdict::Unknown);
    let remark = only.judgements[0].remark.as_deref().unwrap();
    assert!(remark.contains("levels"), "{remark}");
    let (said, steps) = size(&found);
    assert!(
        said < 5_000 && steps < 1_000_000,
        "{said} bytes, {steps} steps"
    );
}

/// Names as long as anyone can write stand above many changes.
#[test]
fn long_names() {
    let long = "x".repeat(100_000);
    let schema = |kind: &str| {
        let members: Map<String, Value> = (0..1_000)
            .map(|at| (format!("m{at}"), json!({"type": kind})))
            .collect();
        let inner = json!({"type": "object", "properties": members});
        json!({"title": "M", "type": "object", "properties": {long.as_str(): inner}})
    };
    let found = compared(schema("string"), schema("integer")).unwrap();
    assert_eq!(found.differences.len(), 1_000);
    let place = &found.differences[0].place;
    assert!(place.contains("(100000 bytes,"), "{place}");
    // Messages hold the name itself, and are left out of text where they are long.
    let markdown = found.to_markdown("M");
    assert!(markdown.len() < 2_000_000, "{}", markdown.len());
}

/// Sets of members to choose from are compared with each other only where there are few.
#[test]
fn choices_without_end() {
    let choice = |count: usize| {
        let sets = (0..count).map(|at| json!({"required": [format!("m{at}")]}));
        let sets: Vec<Value> = sets.collect();
        json!({"title": "M", "type": "object", "properties": {"a": {"type": "string"}}, "anyOf": sets})
    };
    let cost = |count: usize| {
        let took = (0..3).map(|_| {
            let start = Instant::now();
            compared(choice(count), choice(count + 1)).unwrap();
            start.elapsed()
        });
        took.min().unwrap()
    };
    let (few, many) = (cost(2_000), cost(16_000));
    let times = many.as_secs_f64() / few.as_secs_f64();
    assert!(times < 24.0, "{few:?}, then {many:?}");
}
