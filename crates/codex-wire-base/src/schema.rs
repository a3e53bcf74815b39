//! Makes JSON Schemas from the types: one annotated document for all releases.
//!
//! Annotations say what a plain schema cannot say, beside the part that they are about:
//!
//! | keyword | on | meaning |
//! |---|---|---|
//! | `x-since`, `x-until` | members, variants | first and last release that has it; both ends included, an open end left out |
//! | `x-gaps` | members, variants | list of `{since, until}`: the releases between these that do not have it |
//! | `x-experimental` | members, variants | list of `{since, until}`: the releases in which only clients that opted into the experimental API have it |
//! | `x-optional` | members | `{since, until}`: the releases in which it may be left out; a list where there are several such times |
//! | `x-nullable` | members | `{since, until}`: the releases in which it may be `null`; a list where there are several such times |
//! | `x-written` | members | the releases in which Codex always writes it, although it may be left out; a range or a list of ranges |
//! | `x-second` | members | the same object carries a second member of this name; its description |
//! | `x-default` | members | Codex takes a default where it is left out, though it always writes it |
//! | `x-choices` | objects | list of `{any, since, until, gaps, experimental}`: of the sets of members in `any` at least one is there whole |
//! | `x-kind` | alternatives of a union written as `{"kind": …}` | the kind |
//! | `x-values` | string enumerations | value → `{description, since, until, gaps, experimental}` |
//! | `x-tags` | tagged unions | spelling of the tag member → `{since, until}` |
//! | `x-mapping` | tagged unions | tag → definition; not in the `discriminator`, where validators stumble over it |
//! | `x-tag` | variants of tagged unions | the tag |
//!
//! The document itself accepts what any release writes.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use crate::availability::Availability;
use crate::json::Raw;
use crate::shape::{
    AdjacentVariant, Alternative, Choice, EnumValue, ExternalVariant, Form, Member, ReleaseBounds,
    Shape, Variant,
};

/// The annotated schema of a described type.
pub fn of_shape(shape: &'static Shape, generator: &mut SchemaGenerator) -> Schema {
    let mut schema = match &shape.form {
        Form::Object(members) => {
            let mut object = object(*members, shape.closed, generator);
            if shape.others {
                object.insert("additionalProperties".into(), json!(true));
            }
            add_choices(&mut object, shape.choices);
            object
        }
        Form::Enum {
            values,
            open,
            not_empty,
        } => enumeration(values, open, *not_empty),
        Form::Tagged {
            tags,
            base,
            variants,
        } => union(shape, tags, base, variants, generator),
        Form::Adjacent {
            tag,
            content: _,
            base,
            variants,
        } => adjacent(shape, tag, base, variants, generator),
        Form::ExternallyTagged(variants) => external(shape, variants, generator),
        Form::Untagged(alternatives) => either(alternatives, generator),
    };
    describe(&mut schema, shape.docs);
    schema.into()
}

fn object(
    members: impl IntoIterator<Item = &'static Member>,
    closed: bool,
    generator: &mut SchemaGenerator,
) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for member in members {
        let mut schema = ((member.ty)().schema)(generator).to_value();
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
    if closed {
        out.insert("additionalProperties".into(), json!(false));
    }
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
    add_times(&mut property, member.availability);
    for (key, ranges) in [
        ("x-optional", member.optional),
        ("x-nullable", member.nullable),
        ("x-written", member.written),
    ] {
        match ranges {
            [] => {}
            [only] => {
                property.insert(key.into(), range_value(*only));
            }
            several => {
                property.insert(key.into(), range_values(several));
            }
        }
    }
    if member.default {
        property.insert("x-default".into(), json!(true));
    }
    if member.availability == Availability::ALWAYS && member.optional.is_empty() {
        required.push(member.name);
    }
    properties.insert(member.name.into(), Value::Object(property));
}

/// A list of strings; where any other string is taken too, in some releases, that stands as an
/// alternative beside it.
fn enumeration(
    values: &'static [EnumValue],
    open: &'static [ReleaseBounds],
    not_empty: bool,
) -> Map<String, Value> {
    let names: Vec<_> = values.iter().map(|value| value.value).collect();
    let mut described = Map::new();
    for value in values {
        let mut about = Map::new();
        describe(&mut about, value.docs);
        if let Some(since) = value.availability.range.since {
            about.insert("since".into(), json!(since.to_string()));
        }
        if let Some(until) = value.availability.range.until {
            about.insert("until".into(), json!(until.to_string()));
        }
        for (key, ranges) in exceptions(value.availability) {
            if !ranges.is_empty() {
                about.insert(key.into(), range_values(ranges));
            }
        }
        described.insert(value.value.into(), Value::Object(about));
    }
    let mut out = Map::new();
    out.insert("type".into(), json!("string"));
    out.insert("enum".into(), json!(names));
    out.insert("x-values".into(), Value::Object(described));
    if open.is_empty() {
        return out;
    }
    let mut branches = vec![Value::Object(out)];
    for availability in open {
        let mut text = Map::new();
        text.insert("type".into(), json!("string"));
        if not_empty {
            text.insert("minLength".into(), json!(1));
        }
        add_availability(&mut text, *availability);
        branches.push(Value::Object(text));
    }
    let mut either = Map::new();
    either.insert("anyOf".into(), Value::Array(branches));
    either
}

/// Says of which members at least one is there.
fn add_choices(object: &mut Map<String, Value>, choices: &[Choice]) {
    if choices.is_empty() {
        return;
    }
    let choices = choices.iter().map(|choice| {
        let mut out = match range_value(choice.availability.range) {
            Value::Object(out) => out,
            _ => Map::new(),
        };
        out.insert("any".into(), json!(choice.any));
        for (key, ranges) in exceptions(choice.availability) {
            if !ranges.is_empty() {
                out.insert(key.into(), range_values(ranges));
            }
        }
        Value::Object(out)
    });
    object.insert("x-choices".into(), choices.collect());
}

fn union(
    shape: &'static Shape,
    tags: &'static [(&'static str, ReleaseBounds)],
    base: &'static [Member],
    variants: &'static [Variant],
    generator: &mut SchemaGenerator,
) -> Map<String, Value> {
    let mut branches = Branches::default();
    for variant in variants {
        let definition = variant_object(shape, tags, base, variant, generator);
        let mut branch = Map::new();
        add_times(&mut branch, variant.availability);
        branches.add(
            variant.tag,
            variant.shape.name,
            definition,
            branch,
            generator,
        );
    }
    branches.union(shape, tags)
}

/// A tag and the content beside it.
fn adjacent(
    shape: &'static Shape,
    tag: &'static str,
    base: &'static [Member],
    variants: &'static [AdjacentVariant],
    generator: &mut SchemaGenerator,
) -> Map<String, Value> {
    let tags: &[_] = &[(tag, ReleaseBounds::ALWAYS)];
    let mut branches = Branches::default();
    for variant in variants {
        let mut definition = object(base.iter().chain(&variant.content), shape.closed, generator);
        add_tag(&mut definition, tags, variant.tag);
        definition.insert("title".into(), json!(variant.definition));
        describe(&mut definition, variant.docs);
        let mut branch = Map::new();
        add_times(&mut branch, variant.availability);
        branches.add(
            variant.tag,
            variant.definition,
            definition,
            branch,
            generator,
        );
    }
    branches.union(shape, tags)
}

/// The branches of a union: references to definitions, found by their tag.
#[derive(Default)]
struct Branches {
    branches: Vec<Value>,
    mapping: Map<String, Value>,
}

impl Branches {
    fn add(
        &mut self,
        tag: &str,
        name: &str,
        definition: Map<String, Value>,
        mut branch: Map<String, Value>,
        generator: &mut SchemaGenerator,
    ) {
        define(name, Value::Object(definition), generator);
        let reference = format!("#/$defs/{name}");
        branch.insert("$ref".into(), json!(reference));
        branch.insert("x-tag".into(), json!(tag));
        self.branches.push(Value::Object(branch));
        self.mapping.insert(tag.into(), json!(reference));
    }

    fn union(self, shape: &Shape, tags: &[(&'static str, ReleaseBounds)]) -> Map<String, Value> {
        let spellings: Map<String, Value> = tags
            .iter()
            .map(|(key, availability)| ((*key).to_owned(), range_value(*availability)))
            .collect();
        let mut out = Map::new();
        out.insert("title".into(), json!(shape.name));
        out.insert("type".into(), json!("object"));
        out.insert("oneOf".into(), Value::Array(self.branches));
        out.insert("discriminator".into(), json!({"propertyName": tags[0].0}));
        out.insert("x-mapping".into(), Value::Object(self.mapping));
        out.insert("x-tags".into(), Value::Object(spellings));
        out
    }
}

/// Adds a definition. Several unions may have the same alternative under the same tag.
fn define(name: &str, definition: Value, generator: &mut SchemaGenerator) {
    let definitions = generator.definitions_mut();
    let is_other = definitions
        .get(name)
        .is_some_and(|taken| *taken != definition);
    debug_assert!(!is_other, "two definitions called {name}");
    definitions.insert(name.into(), definition);
}

/// `{"kind": …}` or `"kind"`: one closed alternative per kind, each a definition of its own.
fn external(
    shape: &'static Shape,
    variants: &'static [ExternalVariant],
    generator: &mut SchemaGenerator,
) -> Map<String, Value> {
    let mut branches = Vec::new();
    for variant in variants {
        let mut definition = match variant.ty {
            Some(ty) => {
                let value = (ty().schema)(generator);
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
        let name = variant.definition;
        if let Value::Object(definition) = &mut definition {
            definition.insert("title".into(), json!(name));
            describe(definition, variant.docs);
        }
        let mut branch = Map::new();
        branch.insert("$ref".into(), json!(format!("#/$defs/{name}")));
        branch.insert("x-kind".into(), json!(variant.tag));
        add_times(&mut branch, variant.availability);
        branches.push(Value::Object(branch));
        define(name, definition, generator);
    }
    let mut out = Map::new();
    out.insert("title".into(), json!(shape.name));
    out.insert("anyOf".into(), Value::Array(branches));
    out
}

/// An untagged union.
fn either(
    alternatives: &'static [Alternative],
    generator: &mut SchemaGenerator,
) -> Map<String, Value> {
    let branches = alternatives.iter().map(|alternative| {
        let mut branch = ((alternative.ty)().schema)(generator).to_value();
        if let Value::Object(branch) = &mut branch {
            describe(branch, alternative.docs);
            add_times(branch, alternative.availability);
        }
        branch
    });
    let mut out = Map::new();
    out.insert("anyOf".into(), Value::Array(branches.collect()));
    out
}

/// A variant as a definition of its own: the union's members, the tag, its own members.
fn variant_object(
    union: &'static Shape,
    tags: &'static [(&'static str, ReleaseBounds)],
    base: &'static [Member],
    variant: &'static Variant,
    generator: &mut SchemaGenerator,
) -> Map<String, Value> {
    let Form::Object(members) = &variant.shape.form else {
        unreachable!("the derive takes structs as variants only");
    };
    let mut out = object(base, union.closed || variant.shape.closed, generator);
    let own = object(*members, false, generator);
    merge(&mut out, own);
    add_choices(&mut out, variant.shape.choices);
    add_tag(&mut out, tags, variant.tag);
    let docs = if variant.shape.docs.is_empty() {
        variant.docs
    } else {
        variant.shape.docs
    };
    out.insert("title".into(), json!(variant.shape.name));
    describe(&mut out, docs);
    out
}

/// Adds the tag to the definition of what it stands for.
fn add_tag(out: &mut Map<String, Value>, tags: &[(&'static str, ReleaseBounds)], tag: &str) {
    if let Some(Value::Object(properties)) = out.get_mut("properties") {
        for (key, availability) in tags {
            let mut property = Map::new();
            property.insert("type".into(), json!("string"));
            property.insert("const".into(), json!(tag));
            if tags.len() > 1 {
                add_availability(&mut property, *availability);
            }
            properties.insert((*key).into(), Value::Object(property));
        }
    }
    if let ([(key, _)], Some(Value::Array(required))) = (tags, out.get_mut("required")) {
        required.insert(0, json!(key));
    }
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

fn add_availability(schema: &mut Map<String, Value>, availability: ReleaseBounds) {
    if let Some(since) = availability.since {
        schema.insert("x-since".into(), json!(since.to_string()));
    }
    if let Some(until) = availability.until {
        schema.insert("x-until".into(), json!(until.to_string()));
    }
}

/// Says when a part of a description exists and for whom, beside what describes it.
fn add_times(schema: &mut Map<String, Value>, availability: Availability) {
    add_availability(schema, availability.range);
    for (key, ranges) in [
        ("x-gaps", availability.gaps),
        ("x-experimental", availability.experimental),
    ] {
        if !ranges.is_empty() {
            schema.insert(key.into(), range_values(ranges));
        }
    }
}

/// The lists of ranges beside the whole range, by their names.
fn exceptions(availability: Availability) -> [(&'static str, &'static [ReleaseBounds]); 2] {
    [
        ("gaps", availability.gaps),
        ("experimental", availability.experimental),
    ]
}

fn range_values(ranges: &[ReleaseBounds]) -> Value {
    ranges.iter().copied().map(range_value).collect()
}

fn range_value(availability: ReleaseBounds) -> Value {
    let mut out = Map::new();
    if let Some(since) = availability.since {
        out.insert("since".into(), json!(since.to_string()));
    }
    if let Some(until) = availability.until {
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

impl schemars::JsonSchema for crate::NoParams {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "NoParams".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "null"})
    }
}

impl schemars::JsonSchema for crate::Null {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Null".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "null"})
    }
}

impl<const N: u8> schemars::JsonSchema for crate::Exactly<N> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Exactly_{N}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": N, "maximum": N})
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
