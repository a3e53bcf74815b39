//! Infers which releases could have written a message.
//!
//! One walk goes over the message along the annotated document of all releases. Instead of yes or
//! no, each step gives a set of releases; releases that speak alike share one bit. Undeclared
//! members are ignored; everything else restricts the set. A property test holds that the answer
//! for one release agrees with its exact projection.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use codex_wire_base::shape::ReleaseBounds;
use codex_wire_base::{MessageSet, Release, ReleaseSet};
use codex_wire_schema::ir::{self, Availability, Kind, Object, Schema, Tagged, Text, Undeclared};
use codex_wire_schema::{Document, ReleaseRange};
use serde_json::{Map, Value};

/// The document of all releases, made ready for walking.
pub(crate) struct ReleaseInference {
    pub(super) root: Node,
    document: &'static Document,
    /// By their positions in the document. Each is made ready when a message first leads to it: a
    /// message needs a few of hundreds.
    definitions: Vec<OnceLock<Node>>,
    pub(super) builder: Builder,
}

pub(super) enum Node {
    /// Any value.
    Any,
    Null,
    /// The definition at a position; nothing where there is none of that name.
    Reference(Option<usize>),
    Object {
        members: BTreeMap<&'static str, Member>,
        /// Sets of members of which one must be there whole, each time with the releases.
        choices: Vec<(&'static [Vec<Text>], ReleaseSet)>,
        /// Whether no reader takes others beside them.
        closed: bool,
        /// Whether Codex itself writes others beside them, whatever other releases call so.
        others: bool,
    },
    Map(Box<Node>),
    Array(Box<Node>),
    /// Strings, each with the releases that have it.
    Enum(BTreeMap<&'static str, ReleaseSet>),
    String,
    /// Strings of at least one character.
    NotEmpty,
    /// Bytes in base64.
    Base64,
    Boolean,
    Number,
    Integer {
        min: i128,
        max: i128,
    },
    /// Alternatives, each with the releases that have it.
    AnyOf(Vec<(ReleaseSet, Node)>),
    /// Alternatives chosen by a tag, whose spelling changed over time.
    Tagged {
        spellings: Vec<(&'static str, ReleaseSet)>,
        branches: BTreeMap<&'static str, (ReleaseSet, Node)>,
    },
}

pub(super) struct Member {
    pub(super) availability: ReleaseSet,
    pub(super) optional: ReleaseSet,
    pub(super) nullable: ReleaseSet,
    pub(super) node: Node,
}

impl ReleaseInference {
    /// Makes the document of `message_set` ready.
    pub(crate) fn new(message_set: MessageSet, ranges: &[ReleaseRange]) -> Self {
        let document = codex_wire_schema::annotated(message_set);
        let as_declared = message_set.is_written() || message_set.is_declared();
        Self::of_document(document, ranges, as_declared)
    }

    fn of_document(
        document: &'static Document,
        ranges: &[ReleaseRange],
        as_declared: bool,
    ) -> Self {
        let builder = Builder::new(document, ranges, as_declared);
        ReleaseInference {
            root: builder.node(document.root()),
            document,
            definitions: (0..document.len()).map(|_| OnceLock::new()).collect(),
            builder,
        }
    }

    /// The ranges that could have written `message`.
    pub(crate) fn of(&self, message: &Value) -> ReleaseSet {
        self.walk(&self.root, message)
    }

    pub(super) fn walk(&self, node: &Node, value: &Value) -> ReleaseSet {
        match (node, value) {
            (Node::Any, _) => self.builder.all,
            (Node::Reference(to), _) => to.map_or(ReleaseSet::EMPTY, |to| {
                self.walk(self.definition(to), value)
            }),
            (Node::AnyOf(branches), _) => branches
                .iter()
                .map(|(availability, branch)| {
                    let bits = *availability & self.walk(branch, value);
                    match (value, bits.is_empty()) {
                        (Value::Object(values), false) => {
                            bits & !self.has_tag(branches, branch, values)
                        }
                        _ => bits,
                    }
                })
                .fold(ReleaseSet::EMPTY, |all, bits| all | bits),
            (
                Node::Object {
                    members,
                    choices,
                    closed,
                    others,
                },
                Value::Object(values),
            ) => {
                if *closed && values.keys().any(|name| !members.contains_key(&**name)) {
                    return ReleaseSet::EMPTY;
                }
                let has = |set: &Vec<Text>| set.iter().all(|name| values.contains_key(&**name));
                let unmet = choices.iter().filter(|(sets, _)| !sets.iter().any(has));
                let unmet = unmet.fold(ReleaseSet::EMPTY, |set, (_, availability)| {
                    set | *availability
                });
                self.members(members, values, *others) & !unmet
            }
            (Node::Map(node), Value::Object(values)) => {
                values.values().fold(self.builder.all, |bits, value| {
                    bits & self.walk(node, value)
                })
            }
            (Node::Array(node), Value::Array(values)) => {
                values.iter().fold(self.builder.all, |bits, value| {
                    bits & self.walk(node, value)
                })
            }
            (Node::Enum(values), Value::String(text)) => {
                values.get(&**text).copied().unwrap_or_default()
            }
            (Node::Base64, Value::String(text)) if is_base64(text) => self.builder.all,
            (Node::NotEmpty, Value::String(text)) if !text.is_empty() => self.builder.all,
            (Node::String, Value::String(_))
            | (Node::Null, Value::Null)
            | (Node::Boolean, Value::Bool(_))
            | (Node::Number, Value::Number(_)) => self.builder.all,
            (Node::Integer { min, max }, Value::Number(number)) => match whole(number) {
                Some(number) if (*min..=*max).contains(&number) => self.builder.all,
                _ => ReleaseSet::EMPTY,
            },
            (
                Node::Tagged {
                    spellings,
                    branches,
                },
                Value::Object(values),
            ) => spellings
                .iter()
                .map(|(key, availability)| {
                    let branch = values
                        .get(*key)
                        .and_then(Value::as_str)
                        .and_then(|tag| branches.get(tag));
                    branch.map_or(ReleaseSet::EMPTY, |(available, node)| {
                        *availability & *available & self.walk(node, value)
                    })
                })
                .fold(ReleaseSet::EMPTY, |all, bits| all | bits),
            _ => ReleaseSet::EMPTY,
        }
    }

    /// The ranges in which these values cannot be the alternative `branch`, which has no tag, because
    /// they have the tag of another alternative: Codex goes by the tag if it is there.
    fn has_tag(
        &self,
        branches: &[(ReleaseSet, Node)],
        branch: &Node,
        values: &Map<String, Value>,
    ) -> ReleaseSet {
        let Node::Object { members, .. } = self.target(branch) else {
            return ReleaseSet::EMPTY;
        };
        let mut bits = ReleaseSet::EMPTY;
        for (availability, other) in branches {
            if let Node::Tagged { spellings, .. } = self.target(other) {
                let there = spellings
                    .iter()
                    .filter(|(tag, _)| values.contains_key(*tag) && !members.contains_key(*tag));
                bits = there.fold(bits, |bits, (_, spelt)| bits | *availability & *spelt);
            }
        }
        bits
    }

    /// The node that a node refers to, or itself.
    fn target<'n>(&'n self, node: &'n Node) -> &'n Node {
        match node {
            Node::Reference(Some(to)) => self.definition(*to),
            _ => node,
        }
    }

    pub(super) fn definition(&self, position: usize) -> &Node {
        let make = || self.builder.node(self.document.schema_at(position));
        self.definitions[position].get_or_init(make)
    }

    fn members(
        &self,
        members: &BTreeMap<&'static str, Member>,
        values: &Map<String, Value>,
        others: bool,
    ) -> ReleaseSet {
        let mut bits = self.builder.all;
        for (name, member) in members {
            bits &= match values.get(*name) {
                None => !member.availability | member.optional,
                Some(value) => {
                    let null = if value.is_null() {
                        member.nullable
                    } else {
                        ReleaseSet::EMPTY
                    };
                    let elsewhere = if others {
                        !member.availability
                    } else {
                        ReleaseSet::EMPTY
                    };
                    elsewhere | member.availability & (null | self.walk(&member.node, value))
                }
            };
            if bits.is_empty() {
                break;
            }
        }
        bits & self.builder.all
    }
}

pub(super) struct Builder {
    document: &'static Document,
    /// The first release of each range.
    begins: Vec<Release>,
    pub(super) all: ReleaseSet,
    /// Whether members are present as the document says; some of what Codex reads may be spelt
    /// more freely.
    as_declared: bool,
}

impl Builder {
    fn new(document: &'static Document, ranges: &[ReleaseRange], as_declared: bool) -> Self {
        Builder {
            document,
            begins: ranges.iter().map(|range| range.since).collect(),
            all: ReleaseSet::first(ranges.len()),
            as_declared,
        }
    }

    /// The ranges within an availability, which holds all releases of a range or none.
    fn bits(&self, availability: ReleaseBounds) -> ReleaseSet {
        let before = |end: Option<Release>, or: usize, is: fn(Release, Release) -> bool| match end {
            Some(end) => self.begins.partition_point(|begin| is(*begin, end)),
            None => or,
        };
        let since = before(availability.since, 0, |begin, since| begin < since);
        let until = before(availability.until, self.begins.len(), |begin, until| {
            begin <= until
        });
        ReleaseSet::first(until) & !ReleaseSet::first(since)
    }

    /// The ranges within any of several availabilities.
    fn within_any(&self, ranges: &[ReleaseBounds]) -> ReleaseSet {
        ranges
            .iter()
            .fold(ReleaseSet::EMPTY, |set, range| set | self.bits(*range))
    }

    /// The ranges that have a part of the document.
    fn having(&self, availability: &Availability) -> ReleaseSet {
        self.bits(availability.range) & !self.within_any(&availability.gaps)
    }

    fn node(&self, schema: &'static Schema) -> Node {
        match &schema.kind {
            Kind::Any => Node::Any,
            Kind::Null => Node::Null,
            Kind::Boolean => Node::Boolean,
            Kind::Number => Node::Number,
            Kind::Integer { minimum, maximum } => Node::Integer {
                min: *minimum,
                max: *maximum,
            },
            Kind::String => Node::String,
            Kind::NotEmpty => Node::NotEmpty,
            Kind::Base64 => Node::Base64,
            Kind::Constant(text) => Node::Enum([(&**text, self.all)].into()),
            Kind::Enum(values) => {
                let values = values.iter();
                let values = values.map(|value| (&*value.value, self.having(&value.availability)));
                Node::Enum(values.collect())
            }
            Kind::Array(items) => Node::Array(Box::new(self.node(items))),
            Kind::Map(values) => Node::Map(Box::new(self.node(values))),
            Kind::Object(object) => Node::Object {
                members: self.members(object),
                choices: self.choices(object),
                closed: object.undeclared == Undeclared::Refused,
                others: object.undeclared == Undeclared::Written,
            },
            Kind::Reference(name) => self.reference(name),
            Kind::Tagged(union) => self.tagged(union),
            Kind::Never => Node::AnyOf(Vec::new()),
            Kind::External(variants) => {
                let variants = variants.iter().map(|variant| {
                    let releases = self.having(&variant.availability);
                    (releases, self.reference(&variant.definition))
                });
                Node::AnyOf(variants.collect())
            }
            Kind::Untagged(variants) => {
                let variants = variants.iter().map(|variant| {
                    let releases = self.having(&variant.availability);
                    (releases, self.node(&variant.schema))
                });
                Node::AnyOf(variants.collect())
            }
        }
    }

    fn reference(&self, definition: &str) -> Node {
        Node::Reference(self.document.position(definition))
    }

    fn members(&self, object: &'static Object) -> BTreeMap<&'static str, Member> {
        let member = |member: &'static ir::Member| {
            let mut optional = self.within_any(&member.optional);
            let mut nullable = self.within_any(&member.nullable);
            if !self.as_declared {
                if member.has_default {
                    optional = self.all;
                } else {
                    (optional, nullable) = (optional | nullable, optional | nullable);
                }
            }
            let ready = Member {
                availability: self.having(&member.availability),
                optional,
                nullable,
                node: self.node(&member.schema),
            };
            (&*member.name, ready)
        };
        object.members.iter().map(member).collect()
    }

    fn choices(&self, object: &'static Object) -> Vec<(&'static [Vec<Text>], ReleaseSet)> {
        let choices = object.choices.iter();
        choices
            .map(|choice| (&*choice.any, self.having(&choice.availability)))
            .collect()
    }

    fn tagged(&self, union: &'static Tagged) -> Node {
        let spellings = union.spellings.iter();
        let spellings = spellings.map(|spelling| {
            let releases = self.having(&spelling.availability);
            (&*spelling.name, releases)
        });
        let branches = union.variants.iter().map(|variant| {
            let releases = self.having(&variant.availability);
            (
                &*variant.tag,
                (releases, self.reference(&variant.definition)),
            )
        });
        Node::Tagged {
            spellings: spellings.collect(),
            branches: branches.collect(),
        }
    }
}

/// Whether a text is base64 as the schema's pattern has it: padded, no bits left over.
fn is_base64(text: &str) -> bool {
    let symbols = text.trim_end_matches('=').as_bytes();
    let is_symbol = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let leaves_nothing = |ends: &[u8]| symbols.last().is_some_and(|last| ends.contains(last));
    symbols.iter().all(is_symbol)
        && match (symbols.len() % 4, text.len() - symbols.len()) {
            (0, 0) => true,
            (2, 2) => leaves_nothing(b"AQgw"),
            (3, 1) => leaves_nothing(b"AEIMQUYcgkosw048"),
            _ => false,
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

#[cfg(test)]
mod tests;
