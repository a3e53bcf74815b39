//! What explains a difference: a correction of the overlay, or a class of differences.

use codex_wire::Release;
use codex_wire_schema::Stability;
use serde_json::{Value, json};

use super::sides::Side;
use super::{CORRECTIONS, Difference};

/// A class of what the official schema accepts and our projections refuse.
pub(crate) struct Class {
    /// What the official schema leaves open.
    pub(crate) name: &'static str,
    /// Narrows the official schema by that and nothing else.
    pub(crate) narrow: fn(&mut Value),
}

/// All classes.
pub(crate) const CLASSES: &[Class] = &[
    Class {
        name: "a number beyond what its format stands for",
        narrow: bound,
    },
    Class {
        name: "beside a chosen member, one that could have been chosen, of another type",
        narrow: declare,
    },
];

/// The correction that is about `unit` in a release: about the variant or method that `value` is,
/// where the correction is about some of them.
pub(crate) fn correction(
    release: Release,
    stability: Stability,
    unit: &str,
    value: &Value,
) -> Option<usize> {
    let experimental = stability == Stability::Experimental;
    CORRECTIONS
        .iter()
        .position(|correction| correction.is_about(release, experimental, unit, value))
}

/// The class a difference belongs to.
pub(crate) fn of(official: &Side, difference: &Difference<'_>) -> Option<&'static str> {
    let Difference {
        unit,
        value,
        is_only_official,
        ..
    } = *difference;
    let refuses =
        |class: &usize| is_only_official && !official.accepts_narrowed(*class, unit, value);
    let class = (0..CLASSES.len()).find(refuses)?;
    Some(CLASSES[class].name)
}

/// Declares the members of alternatives beside those of the object itself.
fn declare(schema: &mut Value) {
    if let Value::Object(fields) = schema
        && fields.contains_key("properties")
    {
        let branches = fields.get("anyOf").and_then(Value::as_array).cloned();
        for branch in branches.into_iter().flatten() {
            let members = branch["properties"].as_object().cloned();
            for (name, member) in members.into_iter().flatten() {
                fields["properties"][&name] = member;
            }
        }
    }
    below(schema, declare);
}

fn below(schema: &mut Value, change: fn(&mut Value)) {
    match schema {
        Value::Object(fields) => fields.values_mut().for_each(change),
        Value::Array(items) => items.iter_mut().for_each(change),
        _ => {}
    }
}

/// Writes the bounds that formats stand for into a schema.
fn bound(schema: &mut Value) {
    if let Value::Object(fields) = schema {
        let bounds: Option<(Value, Value)> = match fields.get("format").and_then(Value::as_str) {
            Some("uint8") => Some((0.into(), u8::MAX.into())),
            Some("uint16") => Some((0.into(), u16::MAX.into())),
            Some("uint32") => Some((0.into(), u32::MAX.into())),
            Some("uint" | "uint64") => Some((0.into(), u64::MAX.into())),
            // What has no narrower type in Rust is read as these.
            Some("int16" | "int32") => Some((i32::MIN.into(), i32::MAX.into())),
            Some("int64") => Some((i64::MIN.into(), i64::MAX.into())),
            None if fields.get("type") == Some(&json!("integer")) => {
                Some((i64::MIN.into(), i64::MAX.into()))
            }
            _ => None,
        };
        if let Some((least, most)) = bounds {
            fields.entry("minimum").or_insert(least);
            fields.entry("maximum").or_insert(most);
        }
    }
    below(schema, bound);
}
