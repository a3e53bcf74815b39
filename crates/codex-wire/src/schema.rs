//! JSON Schema from the types: one annotated document for all releases.
//!
//! What a plain schema cannot say stands in annotations next to what they govern:
//!
//! | keyword | on | meaning |
//! |---|---|---|
//! | `x-since`, `x-until` | members, variants | first and last release that has it; both ends included, an open end left out |
//! | `x-optional` | members | `{since, until}`: the releases in which it may be left out |
//! | `x-nullable` | members | `{since, until}`: the releases in which it may be `null` |
//! | `x-second` | members | the same object carries a second member of this name; its description |
//! | `x-default` | members | Codex takes a default where it is left out, though it always writes it |
//! | `x-kind` | alternatives of a union written as `{"kind": …}` | the kind |
//! | `x-values` | string enumerations | value → `{description, since, until}` |
//! | `x-tags` | tagged unions | spelling of the tag member → `{since, until}` |
//! | `x-mapping` | tagged unions | tag → definition; not in the `discriminator`, where validators stumble over it |
//! | `x-tag` | variants of tagged unions | the tag |
//!
//! The document itself accepts what any release writes.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::json::Raw;
use crate::shape::{
    Alternative, EnumValue, ExternalVariant, Form, Lifetime, Member, Shape, Variant,
};

/// The annotated schema of a described type.
pub fn of_shape(shape: &'static Shape, generator: &mut SchemaGenerator) -> Schema {
    let mut schema = match &shape.form {
        Form::Object(members) => object(members, generator),
        Form::Enum(values) => enumeration(values),
        Form::Tagged {
            tags,
            base,
            variants,
        } => union(shape, tags, base, variants, generator),
        Form::External(variants) => external(shape, variants, generator),
        Form::Alternatives(alternatives) => either(alternatives, generator),
    };
    describe(&mut schema, shape.docs);
    schema.into()
}

fn object(members: &'static [Member], generator: &mut SchemaGenerator) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for member in members {
        let mut schema = (member.schema)(generator).to_value();
        let Value::Object(property) = &mut schema else {
            // `true`: any value. The object form can carry annotations.
            schema = json!({});
            add_member(&mut properties, &mut required, member, schema);
            continue;
        };
        property.remove("description");
        add_member(&mut properties, &mut required, member, schema);
    }
    let mut out = Map::new();
    out.insert("type".into(), json!("object"));
    out.insert("properties".into(), Value::Object(properties));
    out.insert("required".into(), json!(required));
    out
}

fn add_member(
    properties: &mut Map<String, Value>,
    required: &mut Vec<&'static str>,
    member: &'static Member,
    schema: Value,
) {
    let Value::Object(mut property) = schema else {
        unreachable!("the caller gives an object");
    };
    describe(&mut property, member.docs);
    add_life(&mut property, member.life);
    if let Some(life) = member.optional {
        property.insert("x-optional".into(), life_value(life));
    }
    if let Some(life) = member.nullable {
        property.insert("x-nullable".into(), life_value(life));
    }
    if member.default {
        property.insert("x-default".into(), json!(true));
    }
    if member.life == Lifetime::ALWAYS && member.optional.is_none() {
        required.push(member.name);
    }
    properties.insert(member.name.into(), Value::Object(property));
}

fn enumeration(values: &'static [EnumValue]) -> Map<String, Value> {
    let names: Vec<_> = values.iter().map(|value| value.value).collect();
    let mut described = Map::new();
    for value in values {
        let mut about = Map::new();
        describe(&mut about, value.docs);
        if let Some(since) = value.life.since {
            about.insert("since".into(), json!(since.to_string()));
        }
        if let Some(until) = value.life.until {
            about.insert("until".into(), json!(until.to_string()));
        }
        described.insert(value.value.into(), Value::Object(about));
    }
    let mut out = Map::new();
    out.insert("type".into(), json!("string"));
    out.insert("enum".into(), json!(names));
    out.insert("x-values".into(), Value::Object(described));
    out
}

fn union(
    shape: &'static Shape,
    tags: &'static [(&'static str, Lifetime)],
    base: &'static [Member],
    variants: &'static [Variant],
    generator: &mut SchemaGenerator,
) -> Map<String, Value> {
    let mut arms = Vec::new();
    let mut mapping = Map::new();
    for variant in variants {
        let definition = variant_object(tags, base, variant, generator);
        let name = variant.shape.name;
        let taken = generator
            .definitions_mut()
            .insert(name.into(), Value::Object(definition));
        debug_assert!(taken.is_none(), "two definitions called {name}");
        let reference = format!("#/$defs/{name}");
        let mut arm = Map::new();
        arm.insert("$ref".into(), json!(reference));
        arm.insert("x-tag".into(), json!(variant.tag));
        add_life(&mut arm, variant.life);
        arms.push(Value::Object(arm));
        mapping.insert(variant.tag.into(), json!(reference));
    }
    let spellings: Map<String, Value> = tags
        .iter()
        .map(|(key, life)| ((*key).to_owned(), life_value(*life)))
        .collect();
    let mut out = Map::new();
    out.insert("title".into(), json!(shape.name));
    out.insert("type".into(), json!("object"));
    out.insert("oneOf".into(), Value::Array(arms));
    out.insert("discriminator".into(), json!({"propertyName": tags[0].0}));
    out.insert("x-mapping".into(), Value::Object(mapping));
    out.insert("x-tags".into(), Value::Object(spellings));
    out
}

/// `{"kind": …}` or `"kind"`: one closed alternative per kind, each a definition of its own.
fn external(
    shape: &'static Shape,
    variants: &'static [ExternalVariant],
    generator: &mut SchemaGenerator,
) -> Map<String, Value> {
    let mut arms = Vec::new();
    for variant in variants {
        let mut definition = match variant.schema {
            Some(schema) => {
                let value = schema(generator);
                let mut properties = Map::new();
                properties.insert(variant.tag.into(), value.to_value());
                json!({
                    "type": "object",
                    "properties": properties,
                    "required": [variant.tag],
                    "additionalProperties": false,
                })
            }
            None => json!({"type": "string", "const": variant.tag}),
        };
        let bare = variant.schema.is_none();
        let name = format!(
            "{}{}{}",
            shape.name,
            pascal_case(variant.tag),
            if bare { "Bare" } else { "" }
        );
        if let Value::Object(definition) = &mut definition {
            definition.insert("title".into(), json!(name));
            describe(definition, variant.docs);
        }
        let mut arm = Map::new();
        arm.insert("$ref".into(), json!(format!("#/$defs/{name}")));
        arm.insert("x-kind".into(), json!(variant.tag));
        add_life(&mut arm, variant.life);
        arms.push(Value::Object(arm));
        generator.definitions_mut().insert(name, definition);
    }
    let mut out = Map::new();
    out.insert("title".into(), json!(shape.name));
    out.insert("anyOf".into(), Value::Array(arms));
    out
}

/// Shapes that no tag tells apart.
fn either(
    alternatives: &'static [Alternative],
    generator: &mut SchemaGenerator,
) -> Map<String, Value> {
    let arms = alternatives.iter().map(|alternative| {
        let mut arm = (alternative.schema)(generator).to_value();
        if let Value::Object(arm) = &mut arm {
            describe(arm, alternative.docs);
            add_life(arm, alternative.life);
        }
        arm
    });
    let mut out = Map::new();
    out.insert("anyOf".into(), Value::Array(arms.collect()));
    out
}

fn pascal_case(tag: &str) -> String {
    tag.split(['_', '-', '.', '/'])
        .map(|word| {
            let mut letters = word.chars();
            match letters.next() {
                Some(first) => first.to_uppercase().chain(letters).collect(),
                None => String::new(),
            }
        })
        .collect()
}

/// A variant as a definition of its own: the union's members, the tag, its own members.
fn variant_object(
    tags: &'static [(&'static str, Lifetime)],
    base: &'static [Member],
    variant: &'static Variant,
    generator: &mut SchemaGenerator,
) -> Map<String, Value> {
    let Form::Object(members) = &variant.shape.form else {
        unreachable!("the derive takes structs as variants only");
    };
    let mut out = object(base, generator);
    let own = object(members, generator);
    merge(&mut out, own);
    if let Some(Value::Object(properties)) = out.get_mut("properties") {
        for (key, life) in tags {
            let mut property = Map::new();
            property.insert("type".into(), json!("string"));
            property.insert("const".into(), json!(variant.tag));
            if tags.len() > 1 {
                add_life(&mut property, *life);
            }
            properties.insert((*key).into(), Value::Object(property));
        }
    }
    if let ([(key, _)], Some(Value::Array(required))) = (tags, out.get_mut("required")) {
        required.insert(0, json!(key));
    }
    let docs = if variant.shape.docs.is_empty() {
        variant.docs
    } else {
        variant.shape.docs
    };
    out.insert("title".into(), json!(variant.shape.name));
    describe(&mut out, docs);
    out
}

/// Adds the members of `own` to `out`. A name both have is a second occurrence: the base's
/// member keeps the name and carries the other as `x-second`.
fn merge(out: &mut Map<String, Value>, own: Map<String, Value>) {
    for (key, value) in own {
        match (key.as_str(), out.get_mut(&key), value) {
            ("properties", Some(Value::Object(into)), Value::Object(from)) => {
                for (name, property) in from {
                    match into.get_mut(&name) {
                        Some(Value::Object(first)) => {
                            first.insert("x-second".into(), property);
                        }
                        _ => {
                            into.insert(name, property);
                        }
                    }
                }
            }
            ("required", Some(Value::Array(into)), Value::Array(from)) => {
                for name in from {
                    if !into.contains(&name) {
                        into.push(name);
                    }
                }
            }
            _ => {}
        }
    }
}

fn describe(schema: &mut Map<String, Value>, docs: &str) {
    if !docs.is_empty() {
        schema.insert("description".into(), json!(docs));
    }
}

fn add_life(schema: &mut Map<String, Value>, life: Lifetime) {
    if let Some(since) = life.since {
        schema.insert("x-since".into(), json!(since.to_string()));
    }
    if let Some(until) = life.until {
        schema.insert("x-until".into(), json!(until.to_string()));
    }
}

fn life_value(life: Lifetime) -> Value {
    let mut out = Map::new();
    if let Some(since) = life.since {
        out.insert("since".into(), json!(since.to_string()));
    }
    if let Some(until) = life.until {
        out.insert("until".into(), json!(until.to_string()));
    }
    Value::Object(out)
}

impl schemars::JsonSchema for Raw {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Raw".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({})
    }
}

impl<T: schemars::JsonSchema> schemars::JsonSchema for crate::Map<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Map_of_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let values = generator.subschema_for::<T>();
        json_schema!({"type": "object", "additionalProperties": values})
    }
}

impl schemars::JsonSchema for crate::json::Number {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number"})
    }
}
