//! Models of pydantic.

use std::fmt::Write as _;

use super::render::{Flavour, assigned, expression, expressions, quoted, texts};
use crate::model::{Alternative, Field, Model, Shape, Type};

/// The modules `codex_wire.types.…`.
#[derive(Debug)]
pub(super) struct Pydantic;

impl Flavour for Pydantic {
    const PACKAGE: &str = "codex_wire.types";
    const BASE: &str = "_b.Model";
    const ERROR: &str = "pydantic.ValidationError";
    const READER: &str = "adapter";

    fn field(field: &Field, name: &str) -> String {
        let mut value = expression(&field.value);
        let is_null = matches!(field.value, Type::Any | Type::Null);
        if (field.nullable || field.optional) && !is_null {
            value.push_str(" | None");
        }
        let alias = (name != field.name).then(|| format!("alias={}", quoted(&field.name)));
        let default = field.optional.then_some("None");
        let set = match (alias, default) {
            (None, None) => String::new(),
            (None, Some(default)) => format!(" = {default}"),
            (Some(alias), None) => format!(" = _b.Field({alias})"),
            (Some(alias), Some(default)) => {
                format!(" = _b.Field(default={default}, {alias})")
            }
        };
        value + &set
    }

    fn alias(_: &Model, name: &str, shape: &Shape, comment: &dyn Fn(&str) -> String) -> String {
        let value = match shape {
            Shape::Object(..) => String::new(),
            Shape::Alias(value, _) => assigned(value) + "\n",
            Shape::Enum(alternatives) => texts(alternatives, ""),
            Shape::Having {
                member,
                with,
                without,
            } => {
                let member = quoted(member);
                format!(
                    "_t.Annotated[\n    \
                     _t.Union[_t.Annotated[{with}, _b.WITH], _t.Annotated[{without}, _b.WITHOUT]],\n    \
                     _b.having({member}),\n]\n"
                )
            }
            Shape::Tagged(tags, alternatives) => {
                let tags: Vec<_> = tags.iter().map(|tag| quoted(tag)).collect();
                let call = format!("_b.tagged({}, ", tags.join(", "));
                union(alternatives, "_b.Unknown", &call)
            }
            Shape::External(alternatives) => {
                union(alternatives, "_t.Union[str, _b.Unknown]", "_b.external(")
            }
        };
        format!("{name}: _t.TypeAlias = {value}{}", comment(""))
    }

    fn either(_: &Model, types: &[Type]) -> String {
        expressions(types).join(" | ")
    }

    fn read(definition: &str) -> String {
        format!("_b.adapter({definition}).validate_json(line)")
    }
}

/// A union of variants, and of those that a later release has. `discriminator` is the beginning of a call.
fn union(alternatives: &[Alternative], unknown: &str, discriminator: &str) -> String {
    let mut out = "_t.Annotated[\n    _t.Union[\n".to_owned();
    for alternative in alternatives {
        let what = match alternative.definitions.as_slice() {
            [one] => one.clone(),
            several => format!("_t.Union[{}]", several.join(", ")),
        };
        let tag = quoted(&alternative.tag);
        let _ = writeln!(out, "        _t.Annotated[{what}, _b.Tag({tag})],");
    }
    let _ = writeln!(out, "        _t.Annotated[{unknown}, _b.UNKNOWN],");
    let tags = alternatives.iter();
    let tags: Vec<_> = tags.map(|alternative| quoted(&alternative.tag)).collect();
    // What a tuple of one element needs.
    let comma = if tags.len() == 1 { "," } else { "" };
    let list = tags.join(", ");
    let _ = write!(
        out,
        "    ],\n    {discriminator}known=({list}{comma})),\n]\n"
    );
    out
}
