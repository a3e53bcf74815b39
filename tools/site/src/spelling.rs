//! What a value may be, in a few words with links.

use codex_wire_schema::ir::{Kind, Schema};
use serde::Serialize;

use crate::model::FamilyModel;

/// A piece of a sentence.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Piece {
    pub(crate) text: String,
    /// The page that it leads to; empty if it leads nowhere.
    pub(crate) page: String,
}

/// How many values of an enumeration are named.
const VALUES: usize = 6;

/// What a value of a schema is.
pub(crate) fn holds(model: &FamilyModel, schema: &Schema) -> Vec<Piece> {
    let mut out = Vec::new();
    add(model, schema, &mut out);
    out
}

fn add(model: &FamilyModel, schema: &Schema, out: &mut Vec<Piece>) {
    match &schema.kind {
        Kind::Array(each) => {
            text(out, "array of ");
            add(model, each, out);
        }
        Kind::Map(each) => {
            text(out, "object whose values are ");
            add(model, each, out);
        }
        Kind::Reference(name) => {
            out.push(Piece {
                text: name.to_string(),
                page: model.page_of_definition(name).unwrap_or_default(),
            });
            let target = model.document.schema(name);
            let values = target.map(Schema::enum_values).unwrap_or_default();
            let names: Vec<&str> = values.iter().map(|value| &*value.value).collect();
            match names.len() {
                0 => {}
                1..=VALUES => text(out, &format!(" ({})", names.join(", "))),
                more => text(out, &format!(" ({more} values)")),
            }
        }
        Kind::Base64 => text(out, "bytes in base64"),
        Kind::NotEmpty => text(out, "string, not empty"),
        Kind::Constant(value) => text(out, &format!("“{value}”")),
        Kind::Enum(values) => {
            let names: Vec<&str> = values.iter().map(|value| &*value.value).collect();
            text(out, &names.join(" or "));
        }
        Kind::Untagged(variants) => {
            for (at, variant) in variants.iter().enumerate() {
                if at > 0 {
                    text(out, " or ");
                }
                add(model, &variant.schema, out);
            }
        }
        Kind::Tagged(_) | Kind::External(_) => text(out, "one of several kinds"),
        _ => text(out, schema.json_type().unwrap_or("any value")),
    }
}

fn text(out: &mut Vec<Piece>, text: &str) {
    match out.last_mut() {
        Some(last) if last.page.is_empty() => last.text.push_str(text),
        _ => out.push(Piece {
            text: text.to_owned(),
            page: String::new(),
        }),
    }
}
