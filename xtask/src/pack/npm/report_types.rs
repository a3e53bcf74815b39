//! The types of the JSON report in TypeScript, from its schema.
//!
//! The schema uses few words of JSON Schema, and any other word is an error here.

use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value};

/// The name of the whole document.
const REPORT: &str = "Report";

/// Words that only narrow a value further than a type of TypeScript can say, or speak of the document.
const UNSAID: &[&str] = &[
    "$schema",
    "$id",
    "title",
    "description",
    "minLength",
    "minimum",
    "pattern",
    "if",
    "then",
    "else",
];

/// The words of an object.
const MEMBERS: &[&str] = &[
    "type",
    "additionalProperties",
    "required",
    "properties",
    "$defs",
];

/// The declarations of all types of the report.
pub(super) fn declarations(schema: &Value) -> Result<String> {
    let mut out = "// Written from the schema of the report, schemas/report.json.\n".to_owned();
    declare(&mut out, REPORT, schema)?;
    let definitions = schema["$defs"].as_object().context("definitions")?;
    for (name, definition) in definitions {
        declare(&mut out, name, definition).with_context(|| name.clone())?;
    }
    Ok(out)
}

fn declare(out: &mut String, name: &str, schema: &Value) -> Result<()> {
    out.push('\n');
    comment(out, "", schema);
    let Some(members) = schema["properties"].as_object() else {
        writeln!(out, "export type {name} = {};", of(schema)?)?;
        return Ok(());
    };
    said(schema, MEMBERS)?;
    writeln!(out, "export interface {name} {{")?;
    for (key, member) in members {
        comment(out, "  ", member);
        let mark = mark(schema, key)?;
        writeln!(out, "  readonly {key}{mark}: {};", of(member)?)?;
    }
    out.push_str("}\n");
    Ok(())
}

/// A schema as a type.
fn of(schema: &Value) -> Result<String> {
    let words = schema.as_object().context("a schema")?;
    if let Some(target) = words.get("$ref") {
        said(schema, &["$ref"])?;
        let target = target
            .as_str()
            .and_then(|text| text.strip_prefix("#/$defs/"));
        return Ok(target.context("a definition")?.to_owned());
    }
    if let Some(alternatives) = words.get("anyOf") {
        said(schema, &["anyOf"])?;
        return union(alternatives, of);
    }
    if let Some(values) = words.get("enum") {
        said(schema, &["enum"])?;
        return union(values, |value| Ok(value.to_string()));
    }
    if let Some(value) = words.get("const") {
        said(schema, &["const"])?;
        return Ok(value.to_string());
    }
    match words.get("type") {
        Some(Value::Array(_)) => {
            said(schema, &["type"])?;
            union(&words["type"], |name| simple(name, words))
        }
        Some(name) if name == "object" => object(schema),
        Some(name) => {
            said(schema, &["type", "items"])?;
            simple(name, words)
        }
        None => bail!("a schema that says nothing"),
    }
}

/// An object that has no name, on one line and without comments.
fn object(schema: &Value) -> Result<String> {
    said(schema, MEMBERS)?;
    let members = schema["properties"].as_object().context("members")?;
    let members: Result<Vec<String>> = members
        .iter()
        .map(|(key, member)| {
            Ok(format!(
                "readonly {key}{}: {}",
                mark(schema, key)?,
                of(member)?
            ))
        })
        .collect();
    Ok(format!("{{ {} }}", members?.join("; ")))
}

/// What stands behind the name of a member that may be absent.
fn mark(schema: &Value, key: &str) -> Result<&'static str> {
    let required = schema["required"].as_array().context("required members")?;
    Ok(match required.iter().any(|known| known == key) {
        true => "",
        false => "?",
    })
}

fn simple(name: &Value, words: &Map<String, Value>) -> Result<String> {
    Ok(match name.as_str() {
        Some("array") => format!("readonly {}[]", of(words.get("items").context("items")?)?),
        Some("integer" | "number") => "number".to_owned(),
        Some(name @ ("string" | "boolean" | "null")) => name.to_owned(),
        _ => bail!("{name}: another type"),
    })
}

fn union(parts: &Value, of: impl Fn(&Value) -> Result<String>) -> Result<String> {
    let parts = parts.as_array().context("alternatives")?;
    let parts: Result<Vec<String>> = parts.iter().map(of).collect();
    Ok(parts?.join(" | "))
}

/// Fails if a schema has words that are neither these nor without meaning for a type.
fn said(schema: &Value, known: &[&str]) -> Result<()> {
    let words = schema.as_object().context("a schema")?;
    for word in words.keys().map(String::as_str) {
        if !known.contains(&word) && !UNSAID.contains(&word) {
            bail!("`{word}` has no meaning here");
        }
    }
    Ok(())
}

fn comment(out: &mut String, margin: &str, schema: &Value) {
    if let Some(text) = schema["description"].as_str() {
        // What would end the comment.
        let text = text.replace("*/", "* /");
        out.push_str(&format!("{margin}/** {text} */\n"));
    }
}
