//! Which releases could have written a message: one walk over the message along the document
//! of all releases, with a set of releases instead of a yes or no.
//!
//! Releases that speak alike are one bit. Members nobody declared say nothing; everything else
//! restricts. The answer for one release agrees with its exact projection, which a property
//! test holds.

use std::collections::BTreeMap;

use codex_wire::Surface;
use codex_wire::shape::Lifetime;
use codex_wire_schema::Span;
use serde_json::{Map, Value};

/// A set of spans of releases: bit `i` is the `i`th span, oldest first.
pub(crate) type Bits = u64;

/// The document of all releases, made ready for walking.
pub(crate) struct Placement {
    root: Node,
    definitions: BTreeMap<String, Node>,
    all: Bits,
}

enum Node {
    /// Any value.
    Any,
    Reference(String),
    Object(BTreeMap<String, Member>),
    Map(Box<Node>),
    Array(Box<Node>),
    /// Strings, each with the releases that have it.
    Enum(BTreeMap<String, Bits>),
    String,
    Boolean,
    Number,
    Integer {
        min: i128,
        max: i128,
    },
    /// Alternatives, each with the releases that have it.
    AnyOf(Vec<(Bits, Node)>),
    /// Alternatives chosen by a tag, whose spelling changed over time.
    Tagged {
        spellings: Vec<(String, Bits)>,
        arms: BTreeMap<String, (Bits, Node)>,
    },
}

struct Member {
    life: Bits,
    optional: Bits,
    nullable: Bits,
    node: Node,
}

impl Placement {
    /// Makes the document of `surface` ready.
    pub(crate) fn new(surface: Surface, spans: &[Span]) -> Self {
        assert!(spans.len() <= 64, "more spans than bits; widen `Bits`");
        let document = codex_wire_schema::annotated(surface);
        let builder = Builder { spans };
        let definitions = object(&document["$defs"])
            .iter()
            .map(|(name, schema)| (name.clone(), builder.node(schema)))
            .collect();
        Placement {
            root: builder.node(document),
            definitions,
            all: builder.bits(Lifetime::ALWAYS),
        }
    }

    /// All spans.
    pub(crate) fn all(&self) -> Bits {
        self.all
    }

    /// The spans that could have written `message`.
    pub(crate) fn of(&self, message: &Value) -> Bits {
        self.walk(&self.root, message)
    }

    fn walk(&self, node: &Node, value: &Value) -> Bits {
        match (node, value) {
            (Node::Any, _) => self.all,
            (Node::Reference(name), _) => match self.definitions.get(name) {
                Some(definition) => self.walk(definition, value),
                None => 0,
            },
            (Node::AnyOf(arms), _) => arms
                .iter()
                .map(|(life, arm)| life & self.walk(arm, value))
                .fold(0, |all, bits| all | bits),
            (Node::Object(members), Value::Object(values)) => self.members(members, values),
            (Node::Map(node), Value::Object(values)) => values
                .values()
                .fold(self.all, |bits, value| bits & self.walk(node, value)),
            (Node::Array(node), Value::Array(values)) => values
                .iter()
                .fold(self.all, |bits, value| bits & self.walk(node, value)),
            (Node::Enum(values), Value::String(text)) => values.get(text).copied().unwrap_or(0),
            (Node::String, Value::String(_))
            | (Node::Boolean, Value::Bool(_))
            | (Node::Number, Value::Number(_)) => self.all,
            (Node::Integer { min, max }, Value::Number(number)) => match whole(number) {
                Some(number) if (*min..=*max).contains(&number) => self.all,
                _ => 0,
            },
            (Node::Tagged { spellings, arms }, Value::Object(values)) => spellings
                .iter()
                .map(|(key, life)| {
                    let arm = values
                        .get(key)
                        .and_then(Value::as_str)
                        .and_then(|tag| arms.get(tag));
                    arm.map_or(0, |(alive, node)| life & alive & self.walk(node, value))
                })
                .fold(0, |all, bits| all | bits),
            _ => 0,
        }
    }

    fn members(&self, members: &BTreeMap<String, Member>, values: &Map<String, Value>) -> Bits {
        let mut bits = self.all;
        for (name, member) in members {
            bits &= match values.get(name) {
                None => !member.life | member.optional,
                Some(value) => {
                    let null = if value.is_null() { member.nullable } else { 0 };
                    member.life & (null | self.walk(&member.node, value))
                }
            };
            if bits == 0 {
                break;
            }
        }
        bits & self.all
    }
}

struct Builder<'a> {
    spans: &'a [Span],
}

impl Builder<'_> {
    fn bits(&self, life: Lifetime) -> Bits {
        self.spans
            .iter()
            .enumerate()
            .filter(|(_, span)| life.contains(span.since))
            .fold(0, |bits, (index, _)| bits | 1 << index)
    }

    fn node(&self, schema: &Value) -> Node {
        let schema = object(schema);
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let name = reference.rsplit('/').next().unwrap_or(reference);
            return Node::Reference(name.to_owned());
        }
        if let Some(Value::Object(tags)) = schema.get("x-tags") {
            return self.tagged(tags, &schema["oneOf"]);
        }
        if let Some(Value::Array(arms)) = schema.get("anyOf") {
            let arms = arms
                .iter()
                .map(|arm| (self.bits(life(arm, "x-since", "x-until")), self.node(arm)));
            return Node::AnyOf(arms.collect());
        }
        if let Some(Value::Object(values)) = schema.get("x-values") {
            let values = values
                .iter()
                .map(|(value, about)| (value.clone(), self.bits(life(about, "since", "until"))));
            return Node::Enum(values.collect());
        }
        if let Some(constant) = schema.get("const").and_then(Value::as_str) {
            return Node::Enum([(constant.to_owned(), self.bits(Lifetime::ALWAYS))].into());
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("object") => {
                match (schema.get("properties"), schema.get("additionalProperties")) {
                    (Some(properties), _) => Node::Object(self.properties(properties)),
                    (None, Some(values)) => Node::Map(Box::new(self.node(values))),
                    (None, None) => Node::Object(BTreeMap::new()),
                }
            }
            Some("array") => Node::Array(Box::new(
                schema
                    .get("items")
                    .map_or(Node::Any, |items| self.node(items)),
            )),
            Some("string") => Node::String,
            Some("boolean") => Node::Boolean,
            Some("number") => Node::Number,
            Some("integer") => Node::Integer {
                min: bound(schema.get("minimum")).unwrap_or(i128::MIN),
                max: bound(schema.get("maximum")).unwrap_or(i128::MAX),
            },
            _ => Node::Any,
        }
    }

    fn properties(&self, properties: &Value) -> BTreeMap<String, Member> {
        object(properties)
            .iter()
            .map(|(name, property)| {
                let when = |key: &str| match property.get(key) {
                    Some(span) => self.bits(life(span, "since", "until")),
                    None => 0,
                };
                let member = Member {
                    life: self.bits(life(property, "x-since", "x-until")),
                    optional: when("x-optional"),
                    nullable: when("x-nullable"),
                    node: self.node(property),
                };
                (name.clone(), member)
            })
            .collect()
    }

    fn tagged(&self, tags: &Map<String, Value>, arms: &Value) -> Node {
        let spellings = tags
            .iter()
            .map(|(key, span)| (key.clone(), self.bits(life(span, "since", "until"))));
        let arms = arms.as_array().into_iter().flatten().filter_map(|arm| {
            let tag = arm.get("x-tag")?.as_str()?.to_owned();
            let alive = self.bits(life(arm, "x-since", "x-until"));
            Some((tag, (alive, self.node(arm))))
        });
        Node::Tagged {
            spellings: spellings.collect(),
            arms: arms.collect(),
        }
    }
}

/// A lifetime from two keys of an annotation.
pub(crate) fn life(annotation: &Value, since: &str, until: &str) -> Lifetime {
    let end = |key: &str| annotation.get(key)?.as_str()?.parse().ok();
    Lifetime {
        since: end(since),
        until: end(until),
    }
}

fn object(value: &Value) -> &Map<String, Value> {
    static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    value.as_object().unwrap_or(&EMPTY)
}

fn bound(value: Option<&Value>) -> Option<i128> {
    match value? {
        Value::Number(number) => whole(number),
        _ => None,
    }
}

/// The whole number a JSON number stands for, `1.0` included, as JSON Schema has it.
fn whole(number: &serde_json::Number) -> Option<i128> {
    if let Some(number) = number.as_i64() {
        return Some(number.into());
    }
    if let Some(number) = number.as_u64() {
        return Some(number.into());
    }
    let number = number.as_f64()?;
    (number.fract() == 0.0 && number.abs() < 1e30).then_some(number as i128)
}
