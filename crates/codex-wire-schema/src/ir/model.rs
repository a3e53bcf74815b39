//! The kinds of schema, and their parts.

use std::borrow::Cow;

use codex_wire_base::shape::ReleaseBounds;

use super::availability::Availability;

/// Text of a document: a name, a description.
pub type Text = Cow<'static, str>;

/// What a value may be.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Schema {
    /// The name of the type.
    pub title: Option<Text>,
    /// What the type, member or variant means.
    pub description: Option<Text>,
    /// Its kind of type.
    pub kind: Kind,
}

/// The kinds of type.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Kind {
    /// Any JSON value.
    #[default]
    Any,
    /// No value at all: what is left of a union without variants. Only projections have it.
    Never,
    /// Only `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// Any number.
    Number,
    /// A whole number within bounds, both included.
    Integer {
        /// The smallest.
        minimum: i128,
        /// The largest.
        maximum: i128,
    },
    /// Any string.
    String,
    /// A string of at least one character.
    NotEmpty,
    /// Bytes in base64.
    Base64,
    /// This string only: a tag, or the bare variant of an externally tagged union.
    Constant(Text),
    /// One of a list of strings.
    Enum(Vec<EnumValue>),
    /// A list of equal elements.
    Array(Box<Schema>),
    /// An object with arbitrary keys and equal values.
    Map(Box<Schema>),
    /// An object with named members.
    Object(Object),
    /// The definition of this name.
    Reference(Text),
    /// A union whose variants are told apart by a member, the tag.
    Tagged(Tagged),
    /// A union whose variants are `{"kind": …}` or `"kind"`.
    External(Vec<ExternalVariant>),
    /// A union whose variants are told apart by trying.
    Untagged(Vec<UntaggedVariant>),
}

/// An object with named members.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Object {
    /// The members, sorted by name.
    pub members: Vec<Member>,
    /// The members that every release always writes, in the order in which the type declares them.
    pub required: Vec<Text>,
    /// Members that it has beside those that are declared.
    pub undeclared: Undeclared,
    /// Groups of members, of each of which at least one is required; one group at a time.
    pub choices: Vec<Choice>,
}

/// What an object says of members that it does not declare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undeclared {
    /// Nothing: readers ignore them.
    #[default]
    Ignored,
    /// Readers refuse them.
    Refused,
    /// Codex itself writes some.
    Written,
}

/// A named member of an object.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Member {
    /// The name on the wire.
    pub name: Text,
    /// The releases that have it.
    pub availability: Availability,
    /// The releases in which it may be left out.
    pub optional: Vec<ReleaseBounds>,
    /// The releases in which it may be `null`.
    pub nullable: Vec<ReleaseBounds>,
    /// The releases in which Codex always writes it, although it may be left out.
    pub written: Vec<ReleaseBounds>,
    /// Whether Codex takes a default if it is left out, although it always writes the member.
    pub has_default: bool,
    /// A second member of this name in the same object.
    pub second: Option<Box<Member>>,
    /// What it holds when it is not `null`.
    pub schema: Schema,
}

/// Sets of members, of which at least one set is completely present.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// The sets.
    pub any: Vec<Vec<Text>>,
    /// The releases that require one of them.
    pub availability: Availability,
}

/// A string of an enumeration.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EnumValue {
    /// The string on the wire.
    pub value: Text,
    /// What it means.
    pub description: Option<Text>,
    /// The releases that have it.
    pub availability: Availability,
}

/// A union whose variants are told apart by a tag.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tagged {
    /// The name of the tag in current releases.
    pub tag: Text,
    /// All names that the tag has had, sorted.
    pub spellings: Vec<Spelling>,
    /// The variants.
    pub variants: Vec<TaggedVariant>,
}

/// A name of the tag member.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Spelling {
    /// The name on the wire.
    pub name: Text,
    /// The releases that spell it so.
    pub availability: Availability,
}

/// A variant of a tagged union.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TaggedVariant {
    /// The value of the tag.
    pub tag: Text,
    /// The definition of the variant.
    pub definition: Text,
    /// The releases that have it.
    pub availability: Availability,
}

/// A variant of an externally tagged union.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExternalVariant {
    /// The name of the only member, or the bare string.
    pub kind: Text,
    /// The definition of the variant.
    pub definition: Text,
    /// The releases that have it.
    pub availability: Availability,
}

/// A variant of an untagged union.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UntaggedVariant {
    /// The releases that have it.
    pub availability: Availability,
    /// What it may be.
    pub schema: Schema,
}

/// A variant of a union of any kind.
#[derive(Clone, Copy, Debug)]
pub enum Variant<'s> {
    /// Of a tagged union.
    Tagged(&'s TaggedVariant),
    /// Of an externally tagged union.
    External(&'s ExternalVariant),
    /// Of an untagged union.
    Untagged(&'s UntaggedVariant),
}

impl Schema {
    /// A schema without a name and a description.
    pub const fn of(kind: Kind) -> Self {
        Schema {
            title: None,
            description: None,
            kind,
        }
    }

    /// The object, if it is one.
    pub fn object(&self) -> Option<&Object> {
        match &self.kind {
            Kind::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The tagged union, if it is one.
    pub fn tagged(&self) -> Option<&Tagged> {
        match &self.kind {
            Kind::Tagged(tagged) => Some(tagged),
            _ => None,
        }
    }

    /// The variants of the union, if it is one of any kind; none otherwise.
    pub fn variants(&self) -> impl Iterator<Item = Variant<'_>> {
        let (tagged, external, untagged) = match &self.kind {
            Kind::Tagged(union) => (&*union.variants, &[][..], &[][..]),
            Kind::External(variants) => (&[][..], &**variants, &[][..]),
            Kind::Untagged(variants) => (&[][..], &[][..], &**variants),
            _ => (&[][..], &[][..], &[][..]),
        };
        let tagged = tagged.iter().map(Variant::Tagged);
        let external = external.iter().map(Variant::External);
        tagged
            .chain(external)
            .chain(untagged.iter().map(Variant::Untagged))
    }

    /// The values of the enumeration, if it is one; an empty list otherwise.
    pub fn enum_values(&self) -> &[EnumValue] {
        match &self.kind {
            Kind::Enum(values) => values,
            _ => &[],
        }
    }

    /// The name of the definition that it refers to, if it is a reference.
    pub fn reference(&self) -> Option<&str> {
        match &self.kind {
            Kind::Reference(name) => Some(name),
            _ => None,
        }
    }

    /// The type of JSON that all its values have; `None` if they may have several.
    pub fn json_type(&self) -> Option<&'static str> {
        match &self.kind {
            Kind::Null => Some("null"),
            Kind::Boolean => Some("boolean"),
            Kind::Number => Some("number"),
            Kind::Integer { .. } => Some("integer"),
            Kind::String | Kind::NotEmpty | Kind::Base64 | Kind::Constant(_) | Kind::Enum(_) => {
                Some("string")
            }
            Kind::Array(_) => Some("array"),
            Kind::Map(_) | Kind::Object(_) | Kind::Tagged(_) => Some("object"),
            Kind::Any
            | Kind::Never
            | Kind::Reference(_)
            | Kind::External(_)
            | Kind::Untagged(_) => None,
        }
    }

    /// The member of that name, if it is an object that has one.
    pub fn member(&self, name: &str) -> Option<&Member> {
        self.object()?.member(name)
    }

    /// Calls `see` with every schema below this one, this one first.
    pub fn visit<'s>(&'s self, see: &mut impl FnMut(&'s Schema)) {
        see(self);
        match &self.kind {
            Kind::Array(inner) | Kind::Map(inner) => inner.visit(see),
            Kind::Object(object) => {
                for member in &object.members {
                    member.schema.visit(see);
                    if let Some(second) = &member.second {
                        second.schema.visit(see);
                    }
                }
            }
            Kind::Untagged(variants) => {
                for variant in variants {
                    variant.schema.visit(see);
                }
            }
            _ => {}
        }
    }

    /// Calls `see` with every release range that it states.
    pub fn visit_ranges(&self, see: &mut impl FnMut(ReleaseBounds)) {
        self.visit(&mut |schema| match &schema.kind {
            Kind::Object(object) => {
                for member in &object.members {
                    member.visit_ranges(see);
                }
                for choice in &object.choices {
                    choice.availability.visit_ranges(see);
                }
            }
            Kind::Enum(values) => values.iter().for_each(|v| v.availability.visit_ranges(see)),
            Kind::Tagged(union) => {
                for spelling in &union.spellings {
                    spelling.availability.visit_ranges(see);
                }
                for variant in &union.variants {
                    variant.availability.visit_ranges(see);
                }
            }
            Kind::External(variants) => {
                variants
                    .iter()
                    .for_each(|v| v.availability.visit_ranges(see));
            }
            Kind::Untagged(variants) => {
                variants
                    .iter()
                    .for_each(|v| v.availability.visit_ranges(see));
            }
            _ => {}
        });
    }

    /// Calls `see` with the name of every definition that it refers to.
    pub fn references<'s>(&'s self, see: &mut impl FnMut(&'s str)) {
        self.visit(&mut |schema| match &schema.kind {
            Kind::Reference(name) => see(name),
            Kind::Tagged(tagged) => tagged.variants.iter().for_each(|v| see(&v.definition)),
            Kind::External(variants) => variants.iter().for_each(|v| see(&v.definition)),
            _ => {}
        });
    }
}

impl Object {
    /// The member of that name.
    pub fn member(&self, name: &str) -> Option<&Member> {
        let found = self
            .members
            .binary_search_by(|member| (*member.name).cmp(name));
        found.ok().map(|index| &self.members[index])
    }
}

impl<'s> Variant<'s> {
    /// The releases that have it.
    pub fn availability(self) -> &'s Availability {
        match self {
            Variant::Tagged(variant) => &variant.availability,
            Variant::External(variant) => &variant.availability,
            Variant::Untagged(variant) => &variant.availability,
        }
    }

    /// The name of the definition that it is, unless it stands in the union itself.
    pub fn definition(self) -> Option<&'s str> {
        match self {
            Variant::Tagged(variant) => Some(&variant.definition),
            Variant::External(variant) => Some(&variant.definition),
            Variant::Untagged(variant) => variant.schema.reference(),
        }
    }
}

impl Tagged {
    /// The variant of that tag.
    pub fn variant(&self, tag: &str) -> Option<&TaggedVariant> {
        self.variants.iter().find(|variant| variant.tag == tag)
    }
}

impl Member {
    fn visit_ranges(&self, see: &mut impl FnMut(ReleaseBounds)) {
        self.availability.visit_ranges(see);
        let presence = self.optional.iter().chain(&self.nullable);
        let presence = presence.chain(&self.written);
        presence.for_each(|range| see(*range));
        if let Some(second) = &self.second {
            second.visit_ranges(see);
        }
    }

    /// Whether it is the tag of its object in every release.
    pub fn is_plain_tag(&self) -> bool {
        matches!(self.schema.kind, Kind::Constant(_)) && self.availability.is_always()
    }
}
