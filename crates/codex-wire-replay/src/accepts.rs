//! Whether a release reads a value.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use codex_wire_schema::Parts;
use codex_wire_schema::ir::{Kind, Object, Schema, Tagged, Text};
use serde_json::{Map, Value};

/// Whether the schema of a release accepts a value. The parts are those of the release.
pub(crate) fn accepts(parts: &Parts, schema: &Schema, value: &Value) -> bool {
    let is_definition = |name: &str| {
        let definition = parts.schema(name);
        definition.is_some_and(|definition| accepts(parts, definition, value))
    };
    match (&schema.kind, value) {
        (Kind::Any, _)
        | (Kind::Null, Value::Null)
        | (Kind::Boolean, Value::Bool(_))
        | (Kind::Number, Value::Number(_))
        | (Kind::String, Value::String(_)) => true,
        (Kind::Integer { minimum, maximum }, Value::Number(number)) => {
            let number = number.as_i128();
            number.is_some_and(|number| (*minimum..=*maximum).contains(&number))
        }
        (Kind::NotEmpty, Value::String(text)) => !text.is_empty(),
        (Kind::Base64, Value::String(text)) => STANDARD.decode(text).is_ok(),
        (Kind::Constant(constant), Value::String(text)) => constant == text,
        (Kind::Enum(values), Value::String(text)) => {
            values.iter().any(|known| known.value == *text)
        }
        (Kind::Array(items), Value::Array(list)) => {
            list.iter().all(|item| accepts(parts, items, item))
        }
        (Kind::Map(values), Value::Object(members)) => {
            members.values().all(|value| accepts(parts, values, value))
        }
        (Kind::Object(object), Value::Object(members)) => is_object(parts, object, members),
        (Kind::Tagged(union), Value::Object(members)) => {
            tag(union, members).is_some_and(is_definition)
        }
        (Kind::Reference(name), _) => is_definition(name),
        (Kind::External(variants), _) => variants
            .iter()
            .any(|variant| is_definition(&variant.definition)),
        (Kind::Untagged(variants), _) => variants
            .iter()
            .any(|variant| accepts(parts, &variant.schema, value)),
        _ => false,
    }
}

/// The definition of the variant that the tag names.
fn tag<'u>(union: &'u Tagged, members: &Map<String, Value>) -> Option<&'u str> {
    let tag = members.get(&*union.tag)?.as_str()?;
    Some(&union.variant(tag)?.definition)
}

fn is_object(parts: &Parts, object: &Object, members: &Map<String, Value>) -> bool {
    let declared = object.members.iter().all(|member| {
        let may_lack = !member.optional.is_empty() || member.has_default;
        match members.get(&*member.name) {
            None => may_lack,
            Some(Value::Null) if !member.nullable.is_empty() => true,
            Some(value) => accepts(parts, &member.schema, value),
        }
    });
    let choices = object.choices.iter().all(|choice| {
        let has = |set: &Vec<Text>| set.iter().all(|name| members.contains_key(&**name));
        choice.any.iter().any(has)
    });
    // Codex ignores members that it does not know.
    declared && choices
}
