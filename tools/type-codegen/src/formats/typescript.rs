//! A format as declarations of TypeScript.

use std::fmt::Write as _;

use super::model::{Format, Member, Shape, Type};

impl Format {
    /// The declarations of all types. `origin` says where they come from.
    pub fn typescript(&self, origin: &str) -> String {
        let mut out = format!("// {origin}\n");
        for definition in &self.definitions {
            out.push('\n');
            comment(&mut out, "", definition.doc_with_words().as_deref());
            let name = &definition.name;
            match &definition.shape {
                Shape::Object(members) => {
                    _ = writeln!(out, "export interface {name} {{");
                    for member in members {
                        comment(&mut out, "  ", member.doc.as_deref());
                        _ = writeln!(out, "  {};", declared(member));
                    }
                    out.push_str("}\n");
                }
                Shape::Other(is) => _ = writeln!(out, "export type {name} = {};", written(is)),
            }
        }
        out
    }
}

fn declared(member: &Member) -> String {
    let mark = if member.is_required { "" } else { "?" };
    format!("readonly {}{mark}: {}", member.key, written(&member.is))
}

fn written(is: &Type) -> String {
    match is {
        Type::Any => "unknown".to_owned(),
        Type::Null => "null".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Integer | Type::Number => "number".to_owned(),
        Type::String => "string".to_owned(),
        Type::Value(value) => value.to_string(),
        Type::Named(name) => name.clone(),
        Type::List(inner) => match &**inner {
            Type::Union(_) => format!("readonly ({})[]", written(inner)),
            inner => format!("readonly {}[]", written(inner)),
        },
        Type::Map(inner) => format!("{{ readonly [key: string]: {} }}", written(inner)),
        Type::Union(parts) => {
            let parts: Vec<String> = parts.iter().map(written).collect();
            parts.join(" | ")
        }
        Type::Object(members) => {
            let members: Vec<String> = members.iter().map(declared).collect();
            format!("{{ {} }}", members.join("; "))
        }
    }
}

fn comment(out: &mut String, margin: &str, doc: Option<&str>) {
    let Some(doc) = doc else { return };
    // What would end the comment.
    let text = doc.replace("*/", "* /");
    if !text.contains('\n') {
        _ = writeln!(out, "{margin}/** {text} */");
        return;
    }
    _ = writeln!(out, "{margin}/**");
    for line in text.lines() {
        let line = format!("{margin} * {line}");
        _ = writeln!(out, "{}", line.trim_end());
    }
    _ = writeln!(out, "{margin} */");
}
