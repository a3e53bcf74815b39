//! The published schema of the model is that of its types.

use std::path::Path;

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::Session;

fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let mut schema = json!(generator.into_root_schema_for::<Session>());
    without_formats(&mut schema);
    without_null(&mut schema);
    let id = format!("{}session.json", codex_wire_schema::BASE);
    if let Value::Object(members) = &mut schema {
        members.insert("$id".to_owned(), id.into());
    }
    schema
}

/// Formats of numbers are no standard; their bounds stand beside them.
fn without_formats(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let is_of_number =
                |value: &Value| value.as_str().is_some_and(|name| name != "date-time");
            members.retain(|name, value| name != "format" || !is_of_number(value));
            members.values_mut().for_each(without_formats);
        }
        Value::Array(elements) => elements.iter_mut().for_each(without_formats),
        _ => {}
    }
}

/// What is absent is left out, and never `null`.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Array(kinds)) = members.get_mut("type") {
                kinds.retain(|kind| kind != "null");
                if let [kind] = kinds.as_slice() {
                    let kind = kind.clone();
                    members.insert("type".to_owned(), kind);
                }
            }
            if let Some(Value::Array(kinds)) = members.get_mut("anyOf") {
                kinds.retain(|kind| *kind != json!({"type": "null"}));
                if let [Value::Object(kind)] = kinds.as_slice() {
                    let kind = kind.clone();
                    members.remove("anyOf");
                    members.extend(kind);
                }
            }
            members.values_mut().for_each(without_null);
        }
        Value::Array(elements) => elements.iter_mut().for_each(without_null),
        _ => {}
    }
}

#[test]
fn the_published_schema_is_that_of_the_types() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../codex-wire-schema/src/own/session.json");
    let mut text = serde_json::to_string_pretty(&schema()).expect("a schema is JSON");
    text.push('\n');
    golden_files::assert_file(&path, &text);
}
