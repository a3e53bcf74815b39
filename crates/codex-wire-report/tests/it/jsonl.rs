//! JSON Lines and its schema.

use codex_wire_report::{Format, REPORT_LINES_SCHEMA, REPORT_SCHEMA, Styles};
use serde_json::{Value, json};

use crate::golden;
use crate::samples::{hostile, render, render_all};

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn schema() -> jsonschema::Validator {
    let schema = serde_json::from_str(REPORT_LINES_SCHEMA).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

#[test]
fn everything_as_lines() {
    let (text, _) = render_all(Format::JsonLines, true);
    golden::check("everything.jsonl", &text);
}

#[test]
fn lines_are_valid() {
    let schema = schema();
    let (all, _) = render_all(Format::JsonLines, true);
    let (other, _) = render(Format::JsonLines, Styles::plain(), &hostile());
    let lines = [lines(&all), lines(&other)].concat();
    assert!(lines.len() > 15, "{}", lines.len());
    for line in lines {
        assert!(schema.is_valid(&line), "{line}");
    }
}

#[test]
fn the_schema_notices_each_missing_and_each_invented_field() {
    let schema = schema();
    let (text, _) = render_all(Format::JsonLines, true);
    for good in lines(&text) {
        for key in good.as_object().unwrap().keys() {
            let mut bad = good.clone();
            bad.as_object_mut().unwrap().remove(key);
            assert!(!schema.is_valid(&bad), "{key} may be missing: {good}");
            let mut bad = good.clone();
            bad[key] = json!([[false]]);
            assert!(!schema.is_valid(&bad), "{key} may be anything: {good}");
        }
        let mut bad = good.clone();
        bad["invented"] = json!(1);
        assert!(!schema.is_valid(&bad), "{good}");
        let mut bad = good.clone();
        bad["kind"] = json!("other");
        assert!(!schema.is_valid(&bad), "{good}");
    }
}

/// The lines hold what the document holds: put together, they are the same.
#[test]
fn lines_and_document_say_the_same() {
    let (text, _) = render_all(Format::JsonLines, true);
    let mut inputs = Vec::new();
    let mut findings = Vec::new();
    let mut skipped = Vec::new();
    let mut report = json!({});
    for mut line in lines(&text) {
        let object = line.as_object_mut().unwrap();
        let kind = object.remove("kind").unwrap();
        match kind.as_str().unwrap() {
            "start" => report = line,
            "finding" => {
                object.remove("path").unwrap();
                findings.push(line);
            }
            "input" => {
                line["findings"] = Value::Array(std::mem::take(&mut findings));
                inputs.push(line);
            }
            "skipped" => skipped.push(line),
            kind => report[kind] = line,
        }
    }
    report["inputs"] = Value::Array(inputs);
    report["skipped"] = Value::Array(skipped);
    let (document, _) = render_all(Format::Json, true);
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!(report, document);
}

#[test]
fn the_two_schemas_agree() {
    let defs = |text: &str| {
        let mut schema: Value = serde_json::from_str(text).unwrap();
        schema["$defs"].take()
    };
    let (document, lines) = (defs(REPORT_SCHEMA), defs(REPORT_LINES_SCHEMA));
    let mut shared = 0;
    for (name, def) in document.as_object().unwrap() {
        if let Some(other) = lines.get(name) {
            assert_eq!(def, other, "{name}");
            shared += 1;
            continue;
        }
        let other = &lines[format!("{name}Line")];
        for (member, schema) in def["properties"].as_object().unwrap() {
            if (name.as_str(), member.as_str()) != ("Input", "findings") {
                assert_eq!(&other["properties"][member], schema, "{name}.{member}");
            }
        }
    }
    assert!(shared > 8, "{shared}");
}
