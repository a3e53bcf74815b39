//! A format as dataclasses of Python.

use std::fmt::Write as _;

use super::model::{Format, Member, Shape, Type};

impl Format {
    /// A module with all types. `origin` says where they come from.
    pub fn python(&self, origin: &str) -> String {
        let mut out = String::new();
        let mut names: Vec<&str> = self.definitions.iter().map(|one| &*one.name).collect();
        names.sort_unstable();
        out.push_str("__all__ = [\n");
        for name in names {
            _ = writeln!(out, "    \"{name}\",");
        }
        out.push_str("]\n");
        for definition in &self.definitions {
            let name = &definition.name;
            let about = definition.doc_with_words();
            match &definition.shape {
                Shape::Object(members) => {
                    out.push_str("\n\n@dataclass(frozen=True, kw_only=True)\n");
                    _ = writeln!(out, "class {name}:");
                    doc(&mut out, "    ", about.as_deref());
                    if about.is_some() {
                        out.push('\n');
                    }
                    for member in members {
                        _ = writeln!(out, "    {}", field(member));
                        doc(&mut out, "    ", member.doc.as_deref());
                    }
                }
                Shape::Other(is) => {
                    // An alias is evaluated when the module is loaded, unlike annotations.
                    _ = writeln!(out, "\n\n{name}: TypeAlias = {}", alias(is));
                    doc(&mut out, "", about.as_deref());
                }
            }
        }
        format!(
            "\"\"\"{origin}\"\"\"\n\nfrom __future__ import annotations\n\n{}\n{out}",
            imports(&out)
        )
    }
}

/// What the text of a module needs.
fn imports(text: &str) -> String {
    let mut lines = String::new();
    for (module, names) in [
        ("collections.abc", ["Mapping"].as_slice()),
        ("dataclasses", &["dataclass", "field"]),
        ("typing", &["Any", "Literal", "TypeAlias", "Union"]),
    ] {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let is_used = |name: &&&str| text.split(|c| !is_word(c)).any(|word| word == **name);
        let used: Vec<&str> = names.iter().filter(is_used).copied().collect();
        if !used.is_empty() {
            _ = writeln!(lines, "from {module} import {}", used.join(", "));
        }
    }
    lines
}

fn field(member: &Member) -> String {
    let mut is = annotation(&member.is);
    let default = match (&member.is, member.is_required) {
        (_, true) => None,
        // An empty list is left out.
        (Type::List(_), false) => Some("()"),
        (Type::Boolean, false) => Some("False"),
        (Type::Any, false) => Some("None"),
        (_, false) => {
            is.push_str(" | None");
            Some("None")
        }
    };
    let key = &member.key;
    // A word of the language, so that the field has another name.
    if matches!(&**key, "from" | "in" | "is" | "class" | "global") {
        let default = default.map(|default| format!("default={default}, "));
        let default = default.unwrap_or_default();
        return format!("{key}_: {is} = field({default}metadata={{\"key\": \"{key}\"}})");
    }
    match default {
        Some(default) => format!("{key}: {is} = {default}"),
        None => format!("{key}: {is}"),
    }
}

fn annotation(is: &Type) -> String {
    match is {
        Type::Any => "Any".to_owned(),
        Type::Null => "None".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Integer => "int".to_owned(),
        Type::Number => "float".to_owned(),
        Type::String => "str".to_owned(),
        Type::Value(value) => format!("Literal[{}]", literal(value)),
        Type::Named(name) => name.clone(),
        Type::List(inner) => format!("tuple[{}, ...]", annotation(inner)),
        Type::Map(inner) => format!("Mapping[str, {}]", annotation(inner)),
        Type::Union(parts) => union(parts, annotation, " | "),
        // None of the formats that are written for Python has one.
        Type::Object(_) => "Mapping[str, Any]".to_owned(),
    }
}

/// The type of an alias: a name in it may be declared further down.
fn alias(is: &Type) -> String {
    match is {
        Type::Union(parts) if parts.iter().any(|part| matches!(part, Type::Named(_))) => {
            let parts = union(parts, |part| format!("    \"{}\"", annotation(part)), ",\n");
            format!("Union[\n{parts},\n]")
        }
        is => annotation(is),
    }
}

/// A union, of whose values one `Literal` is made.
fn union(parts: &[Type], write: impl Fn(&Type) -> String, between: &str) -> String {
    let values: Vec<String> = parts
        .iter()
        .filter_map(|part| match part {
            Type::Value(value) => Some(literal(value)),
            _ => None,
        })
        .collect();
    let others = parts.iter().filter(|part| !matches!(part, Type::Value(_)));
    let mut written: Vec<String> = others.map(write).collect();
    if !values.is_empty() {
        written.insert(0, format!("Literal[{}]", values.join(", ")));
    }
    written.join(between)
}

fn literal(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => "None".to_owned(),
        serde_json::Value::Bool(true) => "True".to_owned(),
        serde_json::Value::Bool(false) => "False".to_owned(),
        value => value.to_string(),
    }
}

fn doc(out: &mut String, margin: &str, doc: Option<&str>) {
    let Some(doc) = doc else { return };
    let text = doc.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    _ = write!(out, "{margin}\"\"\"{first}");
    let mut is_long = false;
    for line in lines {
        is_long = true;
        let line = format!("{margin}{line}");
        _ = write!(out, "\n{}", line.trim_end());
    }
    let end = if is_long {
        format!("\n{margin}")
    } else {
        String::new()
    };
    _ = writeln!(out, "{end}\"\"\"");
}
