//! The published schemas are those of the types.

use std::path::Path;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::compare::Comparison;
use crate::model::Session;
use crate::usage::Table;

#[test]
fn the_published_schema_of_sessions() {
    compare::<Session>("session.json", "Session");
}

#[test]
fn the_published_schema_of_usage() {
    compare::<Table>("usage.json", "Usage");
}

#[test]
fn the_published_schema_of_comparisons() {
    compare::<Comparison>("session-diff.json", "SessionDiff");
}

/// Compares the schema of a type with the file that is published, in which it has a title.
fn compare<T: JsonSchema>(file: &str, title: &str) {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../codex-wire-schema/src/own");
    let mut text =
        serde_json::to_string_pretty(&schema::<T>(file, title)).expect("a schema is JSON");
    text.push('\n');
    golden_files::assert_file(&own.join(file), &text);
}

fn schema<T: JsonSchema>(file: &str, title: &str) -> Value {
    let generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let mut schema = json!(generator.into_root_schema_for::<T>());
    without_formats(&mut schema);
    without_null(&mut schema);
    let id = format!("{}{file}", codex_wire_schema::BASE);
    if let Value::Object(members) = &mut schema {
        members.insert("$id".to_owned(), id.into());
        members.insert("title".to_owned(), title.into());
    }
    schema
}

/// Formats of numbers are not standard; their bounds stand beside them.
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
