//! Alternatives that share a tag: one meaning in several spellings, compared in meaning.

use codex_wire_diff::{Change, Comparison, Direction, Side, Verdict, diff};
use serde_json::{Value, json};

/// A message with an item that is text or an image, as `images` spell the latter.
fn message(keyword: &str, images: Vec<Value>) -> Value {
    let text = json!({
        "type": "object",
        "properties": {"type": {"const": "text"}, "text": {"type": "string"}},
        "required": ["type", "text"],
    });
    let mut branches = vec![text];
    branches.extend(images);
    json!({
        "title": "M",
        "type": "object",
        "properties": {"item": {keyword: branches}},
        "required": ["item"],
    })
}

fn image(members: &[&str], required: &[&str]) -> Value {
    let mut properties = json!({"type": {"const": "image"}, "detail": {"type": "string"}});
    for member in members {
        properties[*member] = json!({"type": "string"});
    }
    let mut all = vec!["type"];
    all.extend(required);
    json!({"type": "object", "properties": properties, "required": all})
}

/// The choice between some members in every spelling.
fn spellings(members: &[&str]) -> Vec<Value> {
    let apart = |member: &&str| image(&[*member], &[*member]);
    let sets: Vec<Value> = members
        .iter()
        .map(|member| json!({"required": [member]}))
        .collect();
    let within: Vec<Value> = members
        .iter()
        .map(|member| {
            json!({
                "type": "object",
                "properties": {*member: {"type": "string"}},
                "required": [member],
            })
        })
        .collect();
    let mut beside = image(members, &[]);
    beside["anyOf"] = json!(sets);
    let mut official = image(&[], &[]);
    official["anyOf"] = json!(within);
    let apart: Vec<Value> = members.iter().map(apart).collect();
    vec![
        message("oneOf", apart.clone()),
        message("anyOf", apart),
        message("oneOf", vec![beside]),
        message("oneOf", vec![official]),
    ]
}

fn compared(before: &Value, after: &Value) -> Comparison {
    let side = |name: &str, schema: &Value| Side::document(name, schema.clone()).unwrap();
    diff(&side("before", before), &side("after", after)).unwrap()
}

#[test]
fn spellings_are_no_difference() {
    let all = spellings(&["url", "fileId"]);
    for one in &all {
        for other in &all {
            let found = compared(one, other);
            assert!(
                found.differences.is_empty(),
                "{one}\n{other}\n{:#?}",
                found.differences
            );
        }
    }
}

/// What follows from a change of the choice is the same however either side spells it.
#[test]
fn another_choice_is_a_change() {
    for old in &spellings(&["url", "fileId"]) {
        for new in &spellings(&["url", "fileId", "blob"]) {
            let found = compared(old, new);
            let choice = found
                .differences
                .iter()
                .find(|difference| difference.change == Change::ConstraintChanged)
                .unwrap_or_else(|| panic!("{old}\n{new}\n{:#?}", found.differences));
            assert_eq!(choice.before.as_deref(), Some("at least `fileId` or `url`"));
            for judgement in &choice.judgements {
                // Codex may write the third, which the client does not know; what a client
                // writes is taken as before.
                let expected = match judgement.direction {
                    Direction::CodexWrites => Verdict::Breaking,
                    Direction::ClientWrites => Verdict::Compatible,
                };
                assert_eq!(judgement.verdict, expected, "{old}\n{new}\n{judgement:#?}");
                let Some(example) = &judgement.counterexample else {
                    continue;
                };
                let image = &example.value["item"];
                assert_eq!(image, &json!({"type": "image", "blob": ""}));
                // By the documents as they were written, not as they were understood.
                assert!(jsonschema::is_valid(new, &example.value));
                assert!(!jsonschema::is_valid(old, &example.value));
            }
        }
    }
}

/// A member that was always there may now be replaced by another: reported once, with a message that
/// the writer speaks.
#[test]
fn a_member_that_can_be_replaced_became_optional() {
    let old = message("oneOf", vec![image(&["url"], &["url"])]);
    for new in &spellings(&["url", "fileId"]) {
        let found = compared(&old, new);
        let changes: Vec<Change> = found.differences.iter().map(|d| d.change).collect();
        assert_eq!(
            changes,
            [Change::BecameOptional, Change::OptionalMemberAdded],
            "{new}"
        );
        let example = found.differences[0]
            .judgements
            .iter()
            .find_map(|judgement| judgement.counterexample.as_ref())
            .unwrap();
        assert_eq!(
            example.value["item"],
            json!({"type": "image", "fileId": ""})
        );
        assert!(jsonschema::is_valid(new, &example.value));
        assert!(!jsonschema::is_valid(&old, &example.value));
    }
}

/// From no demand to one: an object with neither was taken and is refused.
#[test]
fn a_choice_where_there_was_none() {
    let old = message("oneOf", vec![image(&["url", "fileId"], &[])]);
    for new in &spellings(&["url", "fileId"]) {
        let found = compared(&old, new);
        let [only] = &found.differences[..] else {
            panic!("{:#?}", found.differences);
        };
        assert_eq!(only.change, Change::ConstraintChanged);
        for judgement in &only.judgements {
            let expected = match judgement.direction {
                Direction::CodexWrites => Verdict::Compatible,
                Direction::ClientWrites => Verdict::Breaking,
            };
            assert_eq!(judgement.verdict, expected, "{new}\n{judgement:#?}");
        }
    }
}

/// What the writer requires besides is in the message that shows a change.
#[test]
fn messages_are_as_long_as_the_writer_demands() {
    let schema = |kind: &str| {
        json!({
            "title": "M",
            "type": "object",
            "properties": {
                "effort": {"type": "string", "minLength": 3},
                "list": {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 2},
                "map": {
                    "type": "object",
                    "additionalProperties": {"type": "integer"},
                    "minProperties": 1,
                },
                "x": {"type": kind},
            },
            "required": ["effort", "list", "map", "x"],
        })
    };
    let (old, new) = (schema("string"), schema("integer"));
    let found = compared(&old, &new);
    let [only] = &found.differences[..] else {
        panic!("{:#?}", found.differences);
    };
    assert_eq!(only.verdict(), Verdict::Breaking, "{only:#?}");
    let example = only.judgements[0].counterexample.as_ref().unwrap();
    assert_eq!(example.value["effort"], json!("aaa"));
    assert_eq!(example.value["list"], json!(["a", "a"]));
}

#[test]
fn shorter_and_longer_texts() {
    let schema = |constraint: Value| {
        let mut text = json!({"type": "string"});
        for (key, value) in constraint.as_object().unwrap() {
            text[key] = value.clone();
        }
        json!({"title": "M", "type": "object", "properties": {"a": text}, "required": ["a"]})
    };
    for (old, new, codex, client) in [
        (
            json!({}),
            json!({"minLength": 1}),
            Verdict::Compatible,
            Verdict::Breaking,
        ),
        (
            json!({"maxLength": 60}),
            json!({"maxLength": 100}),
            Verdict::Breaking,
            Verdict::Compatible,
        ),
    ] {
        let found = compared(&schema(old), &schema(new));
        let verdicts: Vec<Verdict> = found.differences[0]
            .judgements
            .iter()
            .map(|judgement| judgement.verdict)
            .collect();
        assert_eq!(verdicts, [codex, client]);
    }
}
