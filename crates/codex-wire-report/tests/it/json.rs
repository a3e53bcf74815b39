//! The JSON format and its schema.

use codex_wire_check::Outcome;
use codex_wire_report::{Format, REPORT_SCHEMA, Styles};
use serde_json::{Value, json};

use crate::golden;
use crate::samples::{everything, hostile, render, render_all, stated};
use crate::valid::assert_valid;

fn report(outcomes: &[Outcome]) -> Value {
    let (text, _) = render(Format::Json, Styles::coloured(), outcomes);
    serde_json::from_str(&text).unwrap()
}

fn schema() -> jsonschema::Validator {
    let schema = serde_json::from_str(REPORT_SCHEMA).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

#[test]
fn everything_as_json() {
    let (text, totals) = render(Format::Json, Styles::coloured(), &everything());
    golden::check("everything.json", &text);
    assert_eq!((totals.inputs, totals.conforms, totals.findings), (7, 3, 2));
    assert_eq!((totals.not_exercised, totals.unreadable), (1, 1));
    assert_eq!(totals.counts.total(), 4 + 1204 + 2 + 2);
    assert_eq!((totals.counts.expected, totals.stale), (2, 0));
}

#[test]
fn a_baseline_as_json() {
    let (text, totals) = render_all(Format::Json, true);
    golden::check("baseline.json", &text);
    assert_eq!(totals.stale, 5);
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_valid(&schema(), &report);
    assert_eq!(report["baseline"]["stale"][1]["why"], "changed");
}

#[test]
fn reports_are_valid() {
    let schema = schema();
    let some = vec![stated("a.jsonl", 1)];
    for outcomes in [everything(), vec![], some, hostile()] {
        assert_valid(&schema, &report(&outcomes));
    }
}

/// Every value of the report is demanded by the schema: whatever is taken away or replaced by
/// something of another type is noticed.
#[test]
fn the_schema_notices_each_missing_and_each_wrong_field() {
    let schema = schema();
    let good: Value = serde_json::from_str(&render_all(Format::Json, true).0).unwrap();
    let mut pointers = Vec::new();
    walk(&good, String::new(), &mut pointers);
    assert!(pointers.len() > 100, "{}", pointers.len());
    for pointer in pointers {
        let (parent, last) = pointer.rsplit_once('/').unwrap();
        let mut wrong = good.clone();
        *wrong.pointer_mut(&pointer).unwrap() = json!([[false]]);
        assert!(!schema.is_valid(&wrong), "not noticed: {pointer} is wrong");
        // Only there if the user asks for them.
        if pointer == "/statistics" {
            continue;
        }
        let mut missing = good.clone();
        if let Some(Value::Object(object)) = missing.pointer_mut(parent) {
            object.remove(last).unwrap();
            assert!(
                !schema.is_valid(&missing),
                "not noticed: {pointer} is missing"
            );
        }
    }
}

fn walk(value: &Value, at: String, out: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                out.push(format!("{at}/{key}"));
                walk(value, format!("{at}/{key}"), out);
            }
        }
        Value::Array(array) => {
            for (index, value) in array.iter().enumerate() {
                out.push(format!("{at}/{index}"));
                walk(value, format!("{at}/{index}"), out);
            }
        }
        _ => {}
    }
}

#[test]
fn invented_fields_and_wrong_values_are_rejected() {
    let schema = schema();
    let good = report(&everything());
    assert!(schema.is_valid(&good));
    let faults: &[(&str, Value)] = &[
        ("/invented", json!(1)),
        ("/tool/invented", json!(1)),
        ("/inputs/0/invented", json!(1)),
        ("/inputs/0/counts/invented", json!(1)),
        ("/inputs/0/releases/invented", json!("0.44.0")),
        ("/inputs/1/findings/0/invented", json!(1)),
        ("/inputs/1/findings/0/excerpt/invented", json!(1)),
        ("/inputs/1/findings/1/releases/invented", json!(1)),
        ("/totals/invented", json!(1)),
        ("/inputs/0/schemas/0/invented", json!(1)),
        ("/inputs/0/schemas/0/sha256", json!("abc")),
        ("/inputs/1/findings/0/expected", json!("")),
        ("/inputs/1/findings/0/characters/column", json!(0)),
        ("/baseline", json!({"path": "x"})),
        ("/baseline", json!({"path": "x", "stale": [{}]})),
        ("/version", json!(1)),
        ("/inputs/0/verdict", json!("fine")),
        ("/inputs/0/verdict", json!("unreadable")),
        ("/inputs/4/verdict", json!("conforms")),
        ("/inputs/0/error", json!("conforming inputs have none")),
        ("/inputs/0/messages", json!(-1)),
        ("/inputs/0/releases/since", json!("0.44")),
        ("/inputs/0/releases/since", json!(null)),
        ("/inputs/1/findings/0/severity", json!("deny")),
        ("/inputs/1/findings/0/line", json!(0)),
        ("/inputs/1/findings/0/column", json!(0)),
        ("/inputs/1/findings/0/message_number", json!(0)),
        ("/inputs/1/findings/0/rule", json!("unknown-value")),
        ("/inputs/1/findings/0/pointer", json!("item/status")),
        ("/inputs/1/findings/0/pointer", json!("/item~2")),
    ];
    for (pointer, value) in faults {
        let mut bad = good.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        bad.pointer_mut(parent).unwrap()[key] = value.clone();
        assert!(!schema.is_valid(&bad), "accepted: {pointer} = {value}");
    }
}

#[test]
fn one_input_a_line() {
    let (text, _) = render(Format::Json, Styles::plain(), &everything());
    assert_eq!(text.lines().count(), everything().len() + 2);
    for line in text.lines().skip(1).take(everything().len()) {
        let input: Value = serde_json::from_str(line.trim_end_matches(',')).unwrap();
        assert!(input["path"].is_string());
    }
}
