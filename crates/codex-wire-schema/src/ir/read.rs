//! Reads the JSON of an annotated document into the typed model.
//!
//! This is the only place that knows how annotations are spelled when they are read;
//! [`super::write`] knows it for writing, and a test holds that both together change nothing. The
//! module documentation of `codex_wire_base::schema` explains the annotations.

use std::fmt;

use codex_wire_base::Release;
use codex_wire_base::shape::ReleaseBounds;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::availability::Availability;
use super::model::{
    Choice, EnumValue, ExternalVariant, Kind, Member, Object, Schema, Spelling, Tagged,
    TaggedVariant, Text, Undeclared, UntaggedVariant,
};
use super::write::PATTERN_OF_BASE64;

/// Reads one schema: the root of a document or a definition.
///
/// # Errors
/// When the text is not JSON, or says something that the model has no place for.
pub(crate) fn schema(text: &'static str) -> Result<Schema, serde_json::Error> {
    serde_json::from_str::<Inner>(text).map(|inner| inner.0)
}

/// A schema as it is spelled.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Node {
    title: Option<Name>,
    description: Option<Name>,
    #[serde(rename = "type")]
    kind: Option<Type>,
    #[serde(rename = "$ref")]
    reference: Option<Name>,
    #[serde(rename = "const")]
    constant: Option<Name>,
    #[serde(rename = "enum")]
    values: Option<Vec<Name>>,
    minimum: Option<i128>,
    maximum: Option<i128>,
    #[serde(rename = "minLength")]
    min_length: Option<u64>,
    pattern: Option<Name>,
    #[serde(rename = "contentEncoding")]
    encoding: Option<Name>,
    items: Option<Box<Inner>>,
    properties: Option<Members>,
    required: Option<Vec<Name>>,
    #[serde(rename = "additionalProperties")]
    additional: Option<Additional>,
    #[serde(rename = "oneOf")]
    one_of: Option<Vec<Part>>,
    #[serde(rename = "anyOf")]
    any_of: Option<Vec<Part>>,
    discriminator: Option<Discriminator>,
    #[serde(rename = "x-since")]
    since: Option<Stated>,
    #[serde(rename = "x-until")]
    until: Option<Stated>,
    #[serde(rename = "x-gaps")]
    gaps: Option<Ranges>,
    #[serde(rename = "x-experimental")]
    experimental: Option<Ranges>,
    #[serde(rename = "x-optional")]
    optional: Option<Ranges>,
    #[serde(rename = "x-nullable")]
    nullable: Option<Ranges>,
    #[serde(rename = "x-written")]
    written: Option<Ranges>,
    #[serde(rename = "x-default")]
    has_default: Option<bool>,
    #[serde(rename = "x-second")]
    second: Option<Box<Part>>,
    #[serde(rename = "x-choices")]
    choices: Option<Vec<ChoiceNode>>,
    #[serde(rename = "x-values")]
    described: Option<Entries>,
    #[serde(rename = "x-tags")]
    spellings: Option<Entries>,
    /// Follows from the variants.
    #[serde(rename = "x-mapping")]
    _mapping: Option<serde::de::IgnoredAny>,
    #[serde(rename = "x-tag")]
    tag: Option<Name>,
    #[serde(rename = "x-kind")]
    external: Option<Name>,
}

/// The types of JSON Schema that documents have.
#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Type {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

/// A schema with the annotations of a member or variant.
#[derive(Default)]
struct Part {
    schema: Schema,
    availability: Availability,
    optional: Vec<ReleaseBounds>,
    nullable: Vec<ReleaseBounds>,
    written: Vec<ReleaseBounds>,
    has_default: bool,
    second: Option<Box<Part>>,
    tag: Option<Text>,
    external: Option<Text>,
}

impl<'de: 'static> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Node::deserialize(deserializer)?
            .part()
            .map_err(Error::custom)
    }
}

impl Node {
    fn part(mut self) -> Result<Part, &'static str> {
        let kind = self.kind()?;
        let list = |ranges: Option<Ranges>| ranges.map(|ranges| ranges.0).unwrap_or_default();
        Ok(Part {
            schema: Schema {
                title: self.title.map(|title| title.0),
                description: self.description.map(|description| description.0),
                kind,
            },
            availability: availability(self.since, self.until, self.gaps, self.experimental),
            optional: list(self.optional),
            nullable: list(self.nullable),
            written: list(self.written),
            has_default: self.has_default.unwrap_or_default(),
            second: self.second,
            tag: self.tag.map(|tag| tag.0),
            external: self.external.map(|kind| kind.0),
        })
    }

    fn kind(&mut self) -> Result<Kind, &'static str> {
        if let Some(reference) = self.reference.take() {
            return definition(&reference.0).map(Kind::Reference);
        }
        if let Some(variants) = self.one_of.take() {
            return self.tagged(variants);
        }
        if let Some(variants) = self.any_of.take() {
            return untagged(variants);
        }
        if let Some(constant) = self.constant.take() {
            return Ok(Kind::Constant(constant.0));
        }
        if let Some(values) = self.values.take() {
            return self.enumeration(values);
        }
        if self.properties.is_some() {
            return Ok(self.object());
        }
        Ok(match self.kind {
            None => Kind::Any,
            Some(Type::Null) => Kind::Null,
            Some(Type::Boolean) => Kind::Boolean,
            Some(Type::Number) => Kind::Number,
            Some(Type::Integer) => Kind::Integer {
                minimum: self.minimum.unwrap_or(i128::MIN),
                maximum: self.maximum.unwrap_or(i128::MAX),
            },
            Some(Type::String) => match (&self.pattern, &self.encoding, self.min_length) {
                (None, None, None) => Kind::String,
                (None, None, Some(1)) => Kind::NotEmpty,
                (Some(pattern), Some(encoding), None)
                    if pattern.0 == PATTERN_OF_BASE64 && encoding.0 == "base64" =>
                {
                    Kind::Base64
                }
                _ => return Err("a string with constraints that are not known"),
            },
            Some(Type::Array) => Kind::Array(match self.items.take() {
                Some(items) => Box::new(items.0),
                None => Box::default(),
            }),
            Some(Type::Object) => match self.additional.take() {
                Some(Additional::Like(values)) => Kind::Map(Box::new(values)),
                additional => {
                    self.additional = additional;
                    self.object()
                }
            },
        })
    }

    fn object(&mut self) -> Kind {
        let names = |names: Vec<Name>| names.into_iter().map(|name| name.0).collect();
        let choices = self.choices.take().unwrap_or_default();
        Kind::Object(Object {
            members: self.properties.take().map(|m| m.0).unwrap_or_default(),
            required: self.required.take().map(names).unwrap_or_default(),
            undeclared: match self.additional {
                Some(Additional::Any(true)) => Undeclared::Written,
                Some(Additional::Any(false)) => Undeclared::Refused,
                _ => Undeclared::Ignored,
            },
            choices: choices
                .into_iter()
                .map(|choice| Choice {
                    availability: availability(
                        choice.since,
                        choice.until,
                        choice.gaps,
                        choice.experimental,
                    ),
                    any: choice.any.into_iter().map(names).collect(),
                })
                .collect(),
        })
    }

    fn enumeration(&mut self, values: Vec<Name>) -> Result<Kind, &'static str> {
        let mut described = self.described.take().unwrap_or_default().0;
        let values = values.into_iter().map(|Name(value)| {
            // Keys are sorted in a document.
            let found = described.binary_search_by(|(name, _)| name.0.cmp(&value));
            let (_, about) = &mut described[found.map_err(|_| "a value without annotations")?];
            let about = std::mem::take(about);
            Ok(EnumValue {
                value,
                description: about.description.map(|description| description.0),
                availability: availability(
                    about.since,
                    about.until,
                    about.gaps,
                    about.experimental,
                ),
            })
        });
        values.collect::<Result<_, _>>().map(Kind::Enum)
    }

    fn tagged(&mut self, variants: Vec<Part>) -> Result<Kind, &'static str> {
        let tag = self.discriminator.take().ok_or("a union without a tag")?;
        let spellings = self.spellings.take().unwrap_or_default().0;
        let variant = |part: Part| match (part.schema.kind, part.tag) {
            (Kind::Reference(definition), Some(tag)) => Ok(TaggedVariant {
                tag,
                definition,
                availability: part.availability,
            }),
            _ => Err("a variant of a tagged union without a tag or a definition"),
        };
        Ok(Kind::Tagged(Tagged {
            tag: tag.name.0,
            spellings: spellings
                .into_iter()
                .map(|(name, about)| Spelling {
                    name: name.0,
                    availability: availability(
                        about.since,
                        about.until,
                        about.gaps,
                        about.experimental,
                    ),
                })
                .collect(),
            variants: variants
                .into_iter()
                .map(variant)
                .collect::<Result<_, _>>()?,
        }))
    }
}

fn untagged(variants: Vec<Part>) -> Result<Kind, &'static str> {
    if !variants.iter().any(|variant| variant.external.is_some()) {
        let variants = variants.into_iter().map(|part| UntaggedVariant {
            availability: part.availability,
            schema: part.schema,
        });
        return Ok(Kind::Untagged(variants.collect()));
    }
    let variant = |part: Part| match (part.schema.kind, part.external) {
        (Kind::Reference(definition), Some(kind)) => Ok(ExternalVariant {
            kind,
            definition,
            availability: part.availability,
        }),
        _ => Err("a variant of an externally tagged union without a kind or a definition"),
    };
    let variants = variants.into_iter().map(variant);
    Ok(Kind::External(variants.collect::<Result<_, _>>()?))
}

/// The name of the definition that a reference leads to.
fn definition(reference: &Text) -> Result<Text, &'static str> {
    let prefix = "#/$defs/";
    if !reference.starts_with(prefix) {
        return Err("a reference to something other than a definition");
    }
    Ok(match reference {
        Text::Borrowed(text) => Text::Borrowed(&text[prefix.len()..]),
        Text::Owned(text) => Text::Owned(text[prefix.len()..].to_owned()),
    })
}

fn availability(
    since: Option<Stated>,
    until: Option<Stated>,
    gaps: Option<Ranges>,
    experimental: Option<Ranges>,
) -> Availability {
    let list = |ranges: Option<Ranges>| ranges.map(|ranges| ranges.0).unwrap_or_default();
    Availability {
        range: range(since, until),
        gaps: list(gaps),
        experimental: list(experimental),
    }
}

fn range(since: Option<Stated>, until: Option<Stated>) -> ReleaseBounds {
    ReleaseBounds {
        since: since.map(|since| since.0),
        until: until.map(|until| until.0),
    }
}

/// A schema that is neither a member nor a variant.
struct Inner(Schema);

impl<'de: 'static> Deserialize<'de> for Inner {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Inner(Part::deserialize(deserializer)?.schema))
    }
}

/// Text that is borrowed wherever it has no escapes.
#[derive(Default)]
struct Name(Text);

impl<'de: 'static> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct See;
        impl<'de: 'static> Visitor<'de> for See {
            type Value = Name;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Name, E> {
                Ok(Name(Text::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Name, E> {
                Ok(Name(Text::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(See)
    }
}

/// A release.
struct Stated(Release);

impl<'de> Deserialize<'de> for Stated {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct See;
        impl Visitor<'_> for See {
            type Value = Stated;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a release")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Stated, E> {
                text.parse().map(Stated).map_err(Error::custom)
            }
        }
        deserializer.deserialize_str(See)
    }
}

/// A release range.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RangeNode {
    since: Option<Stated>,
    until: Option<Stated>,
}

/// One release range, or a list of them.
#[derive(Default)]
struct Ranges(Vec<ReleaseBounds>);

impl<'de> Deserialize<'de> for Ranges {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct See;
        impl<'de> Visitor<'de> for See {
            type Value = Ranges;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a release range or a list of them")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Ranges, A::Error> {
                let one = RangeNode::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Ranges(vec![range(one.since, one.until)]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Ranges, A::Error> {
                let mut out = Vec::new();
                while let Some(one) = list.next_element::<RangeNode>()? {
                    out.push(range(one.since, one.until));
                }
                Ok(Ranges(out))
            }
        }
        deserializer.deserialize_any(See)
    }
}

/// What is said of a value or of a spelling of a tag.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Entry {
    description: Option<Name>,
    since: Option<Stated>,
    until: Option<Stated>,
    gaps: Option<Ranges>,
    experimental: Option<Ranges>,
}

/// Such by name.
#[derive(Default)]
struct Entries(Vec<(Name, Entry)>);

impl<'de: 'static> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        sorted(deserializer).map(Entries)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct ChoiceNode {
    any: Vec<Vec<Name>>,
    since: Option<Stated>,
    until: Option<Stated>,
    gaps: Option<Ranges>,
    experimental: Option<Ranges>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct Discriminator {
    #[serde(rename = "propertyName")]
    name: Name,
}

/// What an object says of members that it does not name.
enum Additional {
    Any(bool),
    Like(Schema),
}

impl<'de: 'static> Deserialize<'de> for Additional {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct See;
        impl<'de: 'static> Visitor<'de> for See {
            type Value = Additional;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a boolean or a schema")
            }

            fn visit_bool<E: Error>(self, any: bool) -> Result<Additional, E> {
                Ok(Additional::Any(any))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Additional, A::Error> {
                let inner = Inner::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Additional::Like(inner.0))
            }
        }
        deserializer.deserialize_any(See)
    }
}

/// The members of an object.
struct Members(Vec<Member>);

impl<'de: 'static> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts: Vec<(Name, Part)> = sorted(deserializer)?;
        let members = parts.into_iter().map(|(name, part)| member(name.0, part));
        Ok(Members(members.collect()))
    }
}

fn member(name: Text, part: Part) -> Member {
    Member {
        availability: part.availability,
        optional: part.optional,
        nullable: part.nullable,
        written: part.written,
        has_default: part.has_default,
        second: part
            .second
            .map(|second| Box::new(member(name.clone(), *second))),
        schema: part.schema,
        name,
    }
}

/// The entries of a JSON object, sorted by key.
fn sorted<'de: 'static, T, D>(deserializer: D) -> Result<Vec<(Name, T)>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    struct See<T>(std::marker::PhantomData<T>);
    impl<'de: 'static, T: Deserialize<'de>> Visitor<'de> for See<T> {
        type Value = Vec<(Name, T)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut out: Vec<(Name, T)> = Vec::new();
            while let Some(entry) = map.next_entry()? {
                out.push(entry);
            }
            if !out.is_sorted_by(|(one, _), (other, _)| one.0 < other.0) {
                return Err(Error::custom("keys that are not sorted"));
            }
            Ok(out)
        }
    }
    deserializer.deserialize_map(See(std::marker::PhantomData))
}
