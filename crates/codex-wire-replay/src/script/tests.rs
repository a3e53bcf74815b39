//! The published JSON Schema of scripts is that of the types.

use std::path::Path;

use golden_files::assert_file;
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Value, json};

use super::model::{
    Action, Ask, Call, Fail, Hang, Patch, Plan, Reason, Retry, Run, Say, Search, Spawn, Usage,
};

/// A schema with the steps as a choice: each has the key of its action.
fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let steps = [
        step::<Say>(&mut generator),
        step::<Reason>(&mut generator),
        step::<Run>(&mut generator),
        step::<Patch>(&mut generator),
        step::<Ask>(&mut generator),
        step::<Plan>(&mut generator),
        step::<Search>(&mut generator),
        step::<Call>(&mut generator),
        step::<Spawn>(&mut generator),
        step::<Retry>(&mut generator),
        step::<Fail>(&mut generator),
        step::<Hang>(&mut generator),
        step::<Usage>(&mut generator),
    ];
    assert_eq!(steps.len(), Action::NAMES.len());
    let mut definitions = generator.take_definitions(true);
    definitions.insert("Step".to_owned(), json!({"oneOf": steps}));
    let list = |about: &str| {
        json!({
            "description": about,
            "type": "array",
            "items": {"$ref": "#/$defs/Step"},
        })
    };
    let turn = json!({
        "type": "object",
        "properties": {"step": list("What the model does, in order.")},
        "required": ["step"],
        "additionalProperties": false,
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("{}script.json", codex_wire_schema::BASE),
        "title": "Script",
        "description": "What the model does, from which a stream of any release is made.",
        "type": "object",
        "properties": {
            "model": {"description": "The name of the model.", "type": "string"},
            "step": list("The steps of a script of one turn."),
            "turn": {
                "description": "The turns.",
                "type": "array",
                "items": turn,
                "minItems": 1,
            },
        },
        "oneOf": [{"required": ["step"]}, {"required": ["turn"]}],
        "additionalProperties": false,
        "$defs": definitions,
    })
}

fn step<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    json!(generator.subschema_for::<T>())
}

/// Formats of numbers are not standard; their bounds stand beside them.
fn without_formats(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.retain(|name, value| name != "format" || !value.is_string());
            members.values_mut().for_each(without_formats);
        }
        Value::Array(elements) => elements.iter_mut().for_each(without_formats),
        _ => {}
    }
}

#[test]
fn the_published_schema_is_that_of_the_types() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../codex-wire-schema/src/own/script.json");
    let mut schema = schema();
    without_formats(&mut schema);
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text.push('\n');
    assert_file(&path, &text);
}
