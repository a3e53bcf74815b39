//! Describes what a type looks like on the wire, and in which releases. The derive writes these
//! descriptions; schemas, lookups and coverage read them.

use crate::availability::{Availability, any};
use crate::kind::Kind;
use crate::release::Release;

pub use crate::availability::ReleaseBounds;

/// Whether a member that exists must be there, and whether it may be `null`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Presence {
    /// Always there, never `null`.
    Required,
    /// May be left out, never `null`.
    Optional,
    /// Always there, may be `null`.
    Nullable,
    /// May be left out and may be `null`.
    OptionalNullable,
}

impl Presence {
    /// Whether the member may be left out.
    pub fn may_be_absent(self) -> bool {
        matches!(self, Presence::Optional | Presence::OptionalNullable)
    }

    /// Whether the member may be `null`.
    pub fn may_be_null(self) -> bool {
        matches!(self, Presence::Nullable | Presence::OptionalNullable)
    }

    /// The word used in schema annotations.
    pub fn as_str(self) -> &'static str {
        match self {
            Presence::Required => "required",
            Presence::Optional => "optional",
            Presence::Nullable => "nullable",
            Presence::OptionalNullable => "optional-nullable",
        }
    }

    /// The presence from two separate answers.
    pub const fn of(optional: bool, nullable: bool) -> Self {
        match (optional, nullable) {
            (false, false) => Presence::Required,
            (true, false) => Presence::Optional,
            (false, true) => Presence::Nullable,
            (true, true) => Presence::OptionalNullable,
        }
    }
}

/// A type: what its values look like and, with the feature `schema`, its schema.
///
/// Types hold themselves at some depth, so parts refer to their types by function.
pub type TypeOf = fn() -> TypeRef;

/// What is known of a type that a part has.
#[derive(Clone, Copy, Debug)]
pub struct TypeRef {
    /// What its values look like.
    pub value: ValueShape,
    /// Makes its schema.
    #[cfg(feature = "schema")]
    pub schema: fn(&mut schemars::SchemaGenerator) -> schemars::Schema,
}

/// What the values of a type look like.
#[derive(Clone, Copy, Debug)]
pub enum ValueShape {
    /// Any value, or one of which nothing more is known.
    Any,
    /// A value without parts.
    Scalar(Kind),
    /// An array of such values.
    List(fn() -> ValueShape),
    /// An object whose names are data, of such values.
    Map(fn() -> ValueShape),
    /// A value of a described type.
    Of(&'static Shape),
}

/// A named member of an object.
#[derive(Debug)]
pub struct Member {
    /// The name on the wire.
    pub name: &'static str,
    /// What it means.
    pub docs: &'static str,
    /// The releases that have it.
    pub availability: Availability,
    /// When it may be left out, within its availability.
    pub optional: &'static [ReleaseBounds],
    /// When it may be `null`, within its availability.
    pub nullable: &'static [ReleaseBounds],
    /// When Codex always writes it, although it may be left out: `null` where there is nothing to
    /// say.
    pub written: &'static [ReleaseBounds],
    /// Whether Codex uses a default if the member is left out, although it always writes the
    /// member.
    pub default: bool,
    /// The type of its value when it is not `null`.
    pub ty: TypeOf,
}

impl Member {
    /// How the member is present in `release`, a listed one; `None` if that release
    /// does not have it.
    pub fn presence(&self, release: Release) -> Option<Presence> {
        self.is_available(release)
            .then(|| Presence::of(any(self.optional, release), any(self.nullable, release)))
    }

    /// As [`presence`](Self::presence), in what Codex writes.
    pub fn presence_written(&self, release: Release) -> Option<Presence> {
        let presence = self.presence(release)?;
        let optional = presence.may_be_absent() && !any(self.written, release);
        Some(Presence::of(optional, presence.may_be_null()))
    }
}

/// Sets of members, of which at least one set is completely present: a picture has a `url` or a
/// `fileId`.
#[derive(Debug)]
pub struct Choice {
    /// The sets, of names on the wire.
    pub any: &'static [&'static [&'static str]],
    /// The releases that require one of them.
    pub availability: Availability,
}

/// A variant of a tagged union.
#[derive(Debug)]
pub struct Variant {
    /// The tag on the wire.
    pub tag: &'static str,
    /// What it means.
    pub docs: &'static str,
    /// The releases that have it.
    pub availability: Availability,
    /// Its members.
    pub shape: &'static Shape,
}

/// A variant of an adjacently tagged union: the content stands beside the tag.
#[derive(Debug)]
pub struct AdjacentVariant {
    /// The tag on the wire.
    pub tag: &'static str,
    /// What it means.
    pub docs: &'static str,
    /// The releases that have it.
    pub availability: Availability,
    /// The name of its definition in schemas.
    pub definition: &'static str,
    /// The member that holds the content, if there is any.
    pub content: Option<Member>,
}

/// A value of an enumeration.
#[derive(Debug)]
pub struct EnumValue {
    /// The string on the wire.
    pub value: &'static str,
    /// What it means.
    pub docs: &'static str,
    /// The releases that have it.
    pub availability: Availability,
}

macro_rules! available {
    ($($ty:ident),*) => {$(
        impl $ty {
            /// Whether `release`, a listed one, has it.
            pub fn is_available(&self, release: Release) -> bool {
                self.availability.contains(release)
            }

            /// Whether `release`, a listed one, has it for clients only that opted
            /// into the experimental API.
            pub fn is_experimental(&self, release: Release) -> bool {
                self.availability.is_experimental(release)
            }
        }
    )*};
}

available!(
    Member,
    Choice,
    Variant,
    AdjacentVariant,
    EnumValue,
    ExternalVariant,
    Alternative
);

/// What a type looks like on the wire.
#[derive(Debug)]
pub struct Shape {
    /// The name of the definition.
    pub name: &'static str,
    /// What it means, who sends it and when.
    pub docs: &'static str,
    /// Whether readers refuse members other than the named ones.
    pub closed: bool,
    /// Whether Codex itself writes members beside the named ones.
    pub others: bool,
    /// Groups of members, of each of which at least one is required.
    pub choices: &'static [Choice],
    /// Its kind of type.
    pub form: Form,
}

/// The kinds of type.
#[derive(Debug)]
pub enum Form {
    /// An object.
    Object(&'static [Member]),
    /// An object whose further members depend on a tag.
    Tagged {
        /// The spellings of the tag member.
        tags: &'static [(&'static str, ReleaseBounds)],
        /// The members every variant has.
        base: &'static [Member],
        /// The variants.
        variants: &'static [Variant],
    },
    /// An adjacently tagged union: an object with a tag, and a member whose content the tag
    /// selects.
    Adjacent {
        /// The name of the tag member.
        tag: &'static str,
        /// The name of the member that holds the content.
        content: &'static str,
        /// The members every kind has.
        base: &'static [Member],
        /// The kinds.
        variants: &'static [AdjacentVariant],
    },
    /// One of a list of strings.
    Enum {
        /// The strings.
        values: &'static [EnumValue],
        /// The releases that take any other string too.
        open: &'static [ReleaseBounds],
        /// Whether such another string has at least one character.
        not_empty: bool,
    },
    /// An externally tagged union: `{"kind": …}` with one member, or `"kind"`.
    ExternallyTagged(&'static [ExternalVariant]),
    /// An untagged union.
    Untagged(&'static [Alternative]),
}

/// A variant of an externally tagged union.
#[derive(Debug)]
pub struct ExternalVariant {
    /// The kind: the name of the only member, or the bare string.
    pub tag: &'static str,
    /// What it means.
    pub docs: &'static str,
    /// The releases that have it.
    pub availability: Availability,
    /// The name of its definition in schemas.
    pub definition: &'static str,
    /// The type of what the member holds; `None` for a bare string.
    pub ty: Option<TypeOf>,
}

/// A variant of an untagged union.
#[derive(Debug)]
pub struct Alternative {
    /// What it means.
    pub docs: &'static str,
    /// The releases that have it.
    pub availability: Availability,
    /// The type of the value.
    pub ty: TypeOf,
}

impl Shape {
    /// Whether a value with these members (by wire name) has at least one complete set of each
    /// choice that `release`, a listed one, requires.
    pub fn has_chosen(&self, release: Release, has: impl Fn(&str) -> bool) -> bool {
        self.choices
            .iter()
            .filter(|choice| choice.is_available(release))
            .all(|choice| {
                choice
                    .any
                    .iter()
                    .any(|set| set.iter().all(|name| has(name)))
            })
    }

    /// The releases of a member, variant or value of this type, given by its wire name.
    pub fn availability(&self, name: &str) -> Option<Availability> {
        match &self.form {
            Form::Object(members) => members
                .iter()
                .find(|m| m.name == name)
                .map(|m| m.availability),
            Form::Tagged {
                tags,
                base,
                variants,
            } => variants
                .iter()
                .find(|v| v.tag == name)
                .map(|v| v.availability)
                .or_else(|| base.iter().find(|m| m.name == name).map(|m| m.availability))
                .or_else(|| {
                    let tag = tags.iter().find(|(key, _)| *key == name);
                    tag.map(|(_, range)| Availability::during(*range))
                }),
            Form::Adjacent {
                tag,
                content,
                base,
                variants,
                ..
            } => variants
                .iter()
                .find(|v| v.tag == name)
                .map(|v| v.availability)
                .or_else(|| base.iter().find(|m| m.name == name).map(|m| m.availability))
                .or_else(|| (name == *tag || name == *content).then_some(Availability::ALWAYS)),
            Form::Enum { values, .. } => values
                .iter()
                .find(|v| v.value == name)
                .map(|v| v.availability),
            Form::ExternallyTagged(variants) => variants
                .iter()
                .find(|v| v.tag == name)
                .map(|v| v.availability),
            Form::Untagged(_) => None,
        }
    }
}
