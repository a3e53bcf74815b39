//! Structs of msgspec.
//!
//! msgspec reads a union only if the first byte of a value tells which type it is of. Any other union is two
//! things: a union for type checkers, and for msgspec a class of its own, which reads the value.

use std::fmt::Write as _;

use super::render::{Flavour, assigned, expression, expressions, quoted, texts};
use crate::model::{Alternative, Definition, Field, Model, Shape, Type};
use crate::names::{free, pascal};

/// The modules `codex_wire.types.msgspec.…`.
#[derive(Debug)]
pub(super) struct Msgspec;

impl Flavour for Msgspec {
    const PACKAGE: &str = "codex_wire.types.msgspec";
    const BASE: &str = "_b.Model, kw_only=True";
    const ERROR: &str = "msgspec.DecodeError";
    const READER: &str = "read";

    fn field(field: &Field, name: &str) -> String {
        let mut value = expression(&field.value);
        let is_any = field.value == Type::Any;
        if field.nullable && !is_any && field.value != Type::Null {
            value.push_str(" | None");
        }
        if field.optional && !is_any {
            value.push_str(" | _b.UnsetType");
        }
        let alias = (name != field.name).then(|| format!("name={}", quoted(&field.name)));
        let set = match (alias, field.optional) {
            (None, false) => String::new(),
            (None, true) => " = _b.UNSET".to_owned(),
            (Some(alias), false) => format!(" = _b.field({alias})"),
            (Some(alias), true) => format!(" = _b.field(default=_b.UNSET, {alias})"),
        };
        value + &set
    }

    fn alias(model: &Model, name: &str, shape: &Shape, comment: &dyn Fn(&str) -> String) -> String {
        let (types, value) = match shape {
            Shape::Object(..) => return String::new(),
            Shape::Alias(Type::Union(parts), _) if !is_native(model, parts) => {
                let types = format!("_t.Union[{}]\n", expressions(parts).join(", "));
                (types, Self::either(model, parts))
            }
            Shape::Alias(value, _) => {
                let value = assigned(value);
                return format!("{name}: _t.TypeAlias = {value}\n{}", comment(""));
            }
            Shape::Enum(alternatives) => (texts(alternatives, "    "), "str".to_owned()),
            Shape::Having {
                member,
                with,
                without,
            } => (
                format!("_t.Union[{with}, {without}]\n"),
                format!("_b.having({}, {with}, {without})", quoted(member)),
            ),
            Shape::Tagged(tags, alternatives) => {
                let tags: Vec<_> = tags.iter().map(|tag| quoted(tag)).collect();
                let call = format!("_b.tagged({}, ", tags.join(", "));
                let value = kinds(model, alternatives, &call);
                (union(alternatives, &["_b.Unknown"]), value)
            }
            Shape::External(alternatives) => {
                let value = kinds(model, alternatives, "_b.external(");
                (union(alternatives, &["str", "_b.Unknown"]), value)
            }
        };
        let comment = comment("    ");
        format!(
            "if _t.TYPE_CHECKING:\n    {name}: _t.TypeAlias = {types}{comment}else:\n    {name} = {value}\n"
        )
    }

    fn either(model: &Model, types: &[Type]) -> String {
        match types {
            [one] => expression(one),
            several if is_native(model, several) => expressions(several).join(" | "),
            several => format!("_b.either({})", expressions(several).join(", ")),
        }
    }

    fn read(definition: &str) -> String {
        format!("_b.read(line, {definition})")
    }
}

/// The model, with a name for each union in a field that msgspec does not read.
pub(super) fn with_named_unions(mut model: Model) -> Model {
    for name in Vec::from_iter(model.definitions.keys().cloned()) {
        let Some(mut definition) = model.definitions.remove(&name) else {
            continue;
        };
        match &mut definition.shape {
            Shape::Object(fields, _) => {
                for field in fields {
                    let inner = format!("{name}{}", pascal(&field.name));
                    field.value = named(&mut model, &inner, &field.value);
                }
            }
            // It has a name. What its parts hold may have none.
            Shape::Alias(Type::Union(parts), _) => {
                for part in parts {
                    *part = named(&mut model, &name, part);
                }
            }
            Shape::Alias(value, _) => *value = named(&mut model, &name, value),
            Shape::Tagged(..) | Shape::External(_) | Shape::Enum(_) | Shape::Having { .. } => {}
        }
        model.definitions.insert(name, definition);
    }
    model
}

fn named(model: &mut Model, name: &str, value: &Type) -> Type {
    match value {
        Type::List(items) => Type::List(Box::new(named(model, name, items))),
        Type::Dict(values) => Type::Dict(Box::new(named(model, name, values))),
        Type::Union(parts) if !is_native(model, parts) => {
            let names = [format!("{name}Value"), format!("{name}ValueValue")];
            let name = free(names, |name| model.definitions.contains_key(name));
            let definition = Definition {
                comment: Default::default(),
                shape: Shape::Alias(value.clone(), Vec::new()),
            };
            model.definitions.insert(name.clone(), definition);
            Type::Named(name)
        }
        value => value.clone(),
    }
}

/// A union of variants, and of those that a later release has.
fn union(alternatives: &[Alternative], unknown: &[&str]) -> String {
    let mut out = "_t.Union[\n".to_owned();
    let definitions = alternatives.iter().flat_map(|known| &known.definitions);
    let all = definitions.map(String::as_str);
    for one in all.chain(unknown.iter().copied()) {
        let _ = writeln!(out, "        {one},");
    }
    out + "    ]\n"
}

/// The types of variants by their tags, in a call of which the beginning is given.
fn kinds(model: &Model, alternatives: &[Alternative], call: &str) -> String {
    let mut out = format!("{call}kinds={{\n");
    for alternative in alternatives {
        let types = alternative.definitions.iter().cloned().map(Type::Named);
        let what = Msgspec::either(model, &types.collect::<Vec<_>>());
        let _ = writeln!(out, "        {}: {what},", quoted(&alternative.tag));
    }
    out + "    })"
}

/// What msgspec tells apart in a union.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Null,
    Scalar,
    Text,
    Constant(String),
    List(Type),
    Object(Type),
    /// It is read by a class of its own, or is anything.
    Open(Type),
}

/// Whether msgspec reads a union by itself.
fn is_native(model: &Model, types: &[Type]) -> bool {
    let mut parts = Vec::new();
    for one in types {
        add_parts(model, one, &mut parts);
    }
    parts.retain(|part| *part != Part::Null);
    let count = |is: fn(&Part) -> bool| parts.iter().filter(|part| is(part)).count();
    let is_open = count(|part| matches!(part, Part::Open(_))) > 0;
    parts.len() == 1
        || (!is_open
            && count(|part| matches!(part, Part::Text | Part::Constant(_))) <= 1
            && count(|part| matches!(part, Part::List(_))) <= 1
            && count(|part| matches!(part, Part::Object(_))) <= 1)
}

fn add_parts(model: &Model, value: &Type, out: &mut Vec<Part>) {
    let part = match value {
        Type::Any | Type::Never => Part::Open(Type::Any),
        Type::Null => Part::Null,
        Type::Boolean | Type::Integer { .. } | Type::Number => Part::Scalar,
        Type::Text | Type::Strings(_) => Part::Text,
        Type::Constant(text) => Part::Constant(text.clone()),
        Type::List(_) => Part::List(value.clone()),
        Type::Dict(_) => Part::Object(value.clone()),
        Type::Union(parts) => return parts.iter().for_each(|part| add_parts(model, part, out)),
        Type::Named(name) => match model.shape(name) {
            Some(Shape::Alias(Type::Union(parts), _)) if !is_native(model, parts) => {
                Part::Open(value.clone())
            }
            Some(Shape::Alias(value, _)) => return add_parts(model, value, out),
            Some(Shape::Enum(_)) => Part::Text,
            Some(Shape::Object(..)) => Part::Object(value.clone()),
            _ => Part::Open(value.clone()),
        },
    };
    if !out.contains(&part) {
        out.push(part);
    }
}
