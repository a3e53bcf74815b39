//! Writes the typed model as JSON: annotated, or as the plain schema of one release.
//!
//! Together with [`super::read`] this is the only place that knows how annotations are spelled.

use serde_json::{Map, Value, json};

use codex_wire_base::shape::ReleaseBounds;

use super::availability::Availability;
use super::model::{Choice, EnumValue, Kind, Member, Object, Schema, Tagged, Undeclared};
use super::open;

/// Base64 as the schemas of this project describe it.
pub(crate) const PATTERN_OF_BASE64: &str =
    "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$";

/// Whether a keyword is an annotation of this project, which says nothing about what is valid.
pub fn is_annotation(keyword: &str) -> bool {
    keyword.starts_with("x-")
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The annotated document, as it is read.
    Annotated,
    /// The annotated document in which `null` is allowed wherever some release has it, and members
    /// are required that every release has. Types describe some messages only as Codex writes them;
    /// `as_declared` is false for those that it also reads in other spellings.
    AllReleases {
        /// Whether members are present as the types declare it.
        as_declared: bool,
    },
    /// The schema of one release, with the annotations that programs of this project read.
    Plain,
    /// The schema of one release in the words of JSON Schema alone: what annotations say stands in
    /// descriptions.
    Clean,
    /// As [`Form::Clean`], and accepting the kinds and values that the release does not have.
    Open,
    /// The schema of one release without what is for readers only.
    Bare,
}

/// A schema as JSON. A reference may have siblings.
pub(crate) fn schema(schema: &Schema, form: Form) -> Map<String, Value> {
    let mut out = Map::new();
    if let Some(title) = &schema.title {
        out.insert("title".into(), json!(title));
    }
    if let (Some(description), true) = (&schema.description, form != Form::Bare) {
        out.insert("description".into(), json!(description));
    }
    kind(&schema.kind, form, &mut out);
    out
}

/// A schema in the form of a projection: without annotations if it is published.
pub(crate) fn is_published(form: Form) -> bool {
    matches!(form, Form::Clean | Form::Open)
}

/// As [`schema`], but a reference of one release has no siblings: draft-07 ignores them, and code
/// generators take such a reference for a type of its own.
pub(crate) fn settled(schema: &Schema, form: Form) -> Value {
    settle(self::schema(schema, form), form)
}

/// The list of the releases that a document is valid for, for its root.
pub(crate) fn releases(range: ReleaseBounds) -> (String, Value) {
    ("x-releases".to_owned(), self::range(range))
}

fn settle(mut object: Map<String, Value>, form: Form) -> Value {
    if is_of_one(form)
        && object.len() > 1
        && let Some(reference) = object.remove("$ref")
    {
        object.insert("allOf".into(), json!([{"$ref": reference}]));
    }
    Value::Object(object)
}

fn is_of_one(form: Form) -> bool {
    !matches!(form, Form::Annotated | Form::AllReleases { .. })
}

fn kind(kind: &Kind, form: Form, out: &mut Map<String, Value>) {
    let mut typed = |name: &str| {
        out.insert("type".into(), json!(name));
    };
    match kind {
        Kind::Any => {}
        Kind::Never => {
            out.insert("not".into(), json!({}));
        }
        Kind::Null => typed("null"),
        Kind::Boolean => typed("boolean"),
        Kind::Number => typed("number"),
        Kind::Integer { minimum, maximum } => {
            typed("integer");
            for (key, bound) in [("minimum", minimum), ("maximum", maximum)] {
                if let Some(bound) = number(*bound) {
                    out.insert(key.into(), bound);
                }
            }
        }
        Kind::String => typed("string"),
        Kind::NotEmpty => {
            typed("string");
            out.insert("minLength".into(), json!(1));
        }
        Kind::Base64 => {
            typed("string");
            out.insert("contentEncoding".into(), json!("base64"));
            out.insert("pattern".into(), json!(PATTERN_OF_BASE64));
        }
        Kind::Constant(text) => {
            typed("string");
            out.insert("const".into(), json!(text));
        }
        Kind::Enum(values) => {
            typed("string");
            enumeration(values, form, out);
        }
        Kind::Array(items) => {
            typed("array");
            out.insert("items".into(), settled(items, form));
        }
        Kind::Map(values) => {
            typed("object");
            out.insert("additionalProperties".into(), settled(values, form));
        }
        Kind::Object(inner) => {
            typed("object");
            object(inner, form, out);
        }
        Kind::Reference(name) => {
            out.insert("$ref".into(), reference(name));
        }
        Kind::Tagged(union) => {
            typed("object");
            tagged(union, form, out);
        }
        Kind::External(variants) => {
            let mut branches: Vec<Value> = variants
                .iter()
                .map(|variant| {
                    let mut out = referring(&variant.definition, &variant.availability);
                    if !is_of_one(form) {
                        out.insert("x-kind".into(), json!(variant.kind));
                    }
                    Value::Object(out)
                })
                .collect();
            if form == Form::Open {
                let kinds: Vec<&str> = variants.iter().map(|variant| &*variant.kind).collect();
                branches.extend(open::other_kinds(&kinds));
            }
            out.insert("anyOf".into(), Value::Array(branches));
        }
        Kind::Untagged(variants) => {
            let variants = variants.iter().map(|variant| {
                let mut out = schema(&variant.schema, form);
                annotate(&variant.availability, "x-", &mut out);
                settle(out, form)
            });
            out.insert("anyOf".into(), variants.collect());
        }
    }
}

fn enumeration(values: &[EnumValue], form: Form, out: &mut Map<String, Value>) {
    if is_published(form) {
        open::describe_values(values, form == Form::Open, out);
    }
    if form == Form::Open {
        return;
    }
    let names = values.iter().map(|value| json!(value.value)).collect();
    out.insert("enum".into(), names);
    let mut described = Map::new();
    for value in values {
        let name = || value.value.clone().into_owned();
        match form {
            Form::Bare | Form::Clean | Form::Open => {}
            Form::Plain => {
                if let Some(description) = &value.description {
                    described.insert(name(), json!(description));
                }
            }
            Form::Annotated | Form::AllReleases { .. } => {
                let mut about = Map::new();
                if let Some(description) = &value.description {
                    about.insert("description".into(), json!(description));
                }
                annotate(&value.availability, "", &mut about);
                described.insert(name(), Value::Object(about));
            }
        }
    }
    match form {
        Form::Bare | Form::Clean | Form::Open => {}
        Form::Plain => {
            out.insert("x-enum-descriptions".into(), Value::Object(described));
        }
        Form::Annotated | Form::AllReleases { .. } => {
            out.insert("x-values".into(), Value::Object(described));
        }
    }
}

fn object(object: &Object, form: Form, out: &mut Map<String, Value>) {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for member in &object.members {
        let presence = presence(member, form);
        // What is there in one release need not be there in all.
        let always = is_of_one(form) || member.availability.is_always();
        if always && !presence.optional {
            required.push(json!(member.name));
        }
        let mut property = schema(&member.schema, form);
        if form != Form::Annotated && presence.nullable {
            property = nullable(property);
        }
        member_annotations(member, form, &mut property);
        properties.insert(member.name.clone().into_owned(), settle(property, form));
    }
    if form == Form::Annotated {
        required = object.required.iter().map(|name| json!(name)).collect();
    }
    out.insert("properties".into(), Value::Object(properties));
    out.insert("required".into(), Value::Array(required));
    match object.undeclared {
        Undeclared::Ignored => {}
        Undeclared::Refused => {
            out.insert("additionalProperties".into(), json!(false));
        }
        Undeclared::Written => {
            out.insert("additionalProperties".into(), json!(true));
        }
    }
    if object.choices.is_empty() {
        return;
    }
    if is_of_one(form) {
        let sets = object.choices.iter().flat_map(|choice| &choice.any);
        let variants = sets.map(|set| json!({"required": set})).collect();
        out.insert("anyOf".into(), variants);
    } else {
        let choices = object.choices.iter().map(choice).collect();
        out.insert("x-choices".into(), choices);
    }
}

fn choice(choice: &Choice) -> Value {
    let mut out = Map::new();
    annotate(&choice.availability, "", &mut out);
    out.insert("any".into(), json!(choice.any));
    Value::Object(out)
}

/// How a member is present in all releases together.
struct Presence {
    optional: bool,
    nullable: bool,
}

fn presence(member: &Member, form: Form) -> Presence {
    let (optional, nullable) = (!member.optional.is_empty(), !member.nullable.is_empty());
    match form {
        Form::AllReleases { as_declared: false } if member.has_default => Presence {
            optional: true,
            nullable,
        },
        Form::AllReleases { as_declared: false } => Presence {
            optional: optional || nullable,
            nullable: optional || nullable,
        },
        _ => Presence { optional, nullable },
    }
}

fn member_annotations(member: &Member, form: Form, out: &mut Map<String, Value>) {
    match form {
        Form::Bare => {}
        Form::Plain => {
            if let Some(second) = &member.second {
                out.insert("x-doubled".into(), json!(second.schema.description));
            }
        }
        Form::Clean | Form::Open => {
            if let Some(second) = &member.second {
                let about = second.schema.description.as_deref().unwrap_or_default();
                open::describe(&format!("Written twice; the second: {about}"), out);
            }
        }
        Form::Annotated | Form::AllReleases { .. } => {
            annotate(&member.availability, "x-", out);
            for (key, ranges) in [
                ("x-optional", &member.optional),
                ("x-nullable", &member.nullable),
                ("x-written", &member.written),
            ] {
                match ranges.as_slice() {
                    [] => {}
                    [only] => {
                        out.insert(key.into(), range(*only));
                    }
                    several => {
                        out.insert(key.into(), list(several));
                    }
                }
            }
            if member.has_default {
                out.insert("x-default".into(), json!(true));
            }
            if let Some(second) = &member.second {
                let mut inner = schema(&second.schema, Form::Annotated);
                member_annotations(second, Form::Annotated, &mut inner);
                out.insert("x-second".into(), Value::Object(inner));
            }
        }
    }
}

fn tagged(union: &Tagged, form: Form, out: &mut Map<String, Value>) {
    let variants = union.variants.iter().map(|variant| {
        let mut out = referring(&variant.definition, &variant.availability);
        if !is_of_one(form) {
            out.insert("x-tag".into(), json!(variant.tag));
        }
        Value::Object(out)
    });
    let mut variants: Vec<Value> = variants.collect();
    if form == Form::Open {
        let tags: Vec<&str> = union.variants.iter().map(|variant| &*variant.tag).collect();
        variants.push(open::other_tags(&union.tag, &tags));
    }
    out.insert("oneOf".into(), Value::Array(variants));
    if is_published(form) {
        return;
    }
    out.insert("discriminator".into(), json!({"propertyName": union.tag}));
    let mapping: Map<String, Value> = union
        .variants
        .iter()
        .map(|variant| {
            (
                variant.tag.clone().into_owned(),
                reference(&variant.definition),
            )
        })
        .collect();
    out.insert("x-mapping".into(), Value::Object(mapping));
    if !is_of_one(form) {
        let spellings = union.spellings.iter().map(|spelling| {
            let mut about = Map::new();
            annotate(&spelling.availability, "", &mut about);
            (spelling.name.clone().into_owned(), Value::Object(about))
        });
        let spellings: Map<String, Value> = spellings.collect();
        out.insert("x-tags".into(), Value::Object(spellings));
    }
}

fn referring(definition: &str, availability: &Availability) -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("$ref".into(), reference(definition));
    annotate(availability, "x-", &mut out);
    out
}

fn reference(definition: &str) -> Value {
    json!(format!("#/$defs/{definition}"))
}

/// Writes an availability: with a prefix beside a schema, without one beside a value.
fn annotate(availability: &Availability, prefix: &str, out: &mut Map<String, Value>) {
    ends(availability.range, prefix, out);
    for (key, ranges) in [
        ("gaps", &availability.gaps),
        ("experimental", &availability.experimental),
    ] {
        if !ranges.is_empty() {
            out.insert(format!("{prefix}{key}"), list(ranges));
        }
    }
}

fn ends(range: ReleaseBounds, prefix: &str, out: &mut Map<String, Value>) {
    for (key, end) in [("since", range.since), ("until", range.until)] {
        if let Some(release) = end {
            out.insert(format!("{prefix}{key}"), json!(release.to_string()));
        }
    }
}

fn range(range: ReleaseBounds) -> Value {
    let mut out = Map::new();
    ends(range, "", &mut out);
    Value::Object(out)
}

fn list(ranges: &[ReleaseBounds]) -> Value {
    ranges.iter().copied().map(range).collect()
}

/// A bound as a number of JSON, unless it is beyond those.
fn number(bound: i128) -> Option<Value> {
    match (i64::try_from(bound), u64::try_from(bound)) {
        (Ok(bound), _) => Some(json!(bound)),
        (_, Ok(bound)) => Some(json!(bound)),
        _ => None,
    }
}

/// The schema with `null` allowed beside what it allows.
fn nullable(mut object: Map<String, Value>) -> Map<String, Value> {
    if object.get("type").is_some_and(|kind| kind == "null") {
        return object;
    }
    if let Some(Value::String(kind)) = object.get("type")
        && !object.contains_key("enum")
        && !object.contains_key("const")
    {
        let kinds = json!([kind, "null"]);
        object.insert("type".into(), kinds);
        return object;
    }
    let Some(reference) = object.remove("$ref") else {
        // Any value, `null` included.
        return object;
    };
    object.insert(
        "anyOf".into(),
        json!([{"$ref": reference}, {"type": "null"}]),
    );
    object
}
