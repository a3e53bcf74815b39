//! Describes what a type looks like on the wire, and in which releases. The derive writes these
//! descriptions; schemas, lookups and coverage read them.

use std::fmt;

use crate::release::Release;

/// The releases in which something exists, both ends included; open where an end is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ReleaseBounds {
    /// The release that introduced it; `None` if the first release of the protocol had it.
    pub since: Option<Release>,
    /// The last release that had it; `None` if the newest release has it.
    pub until: Option<Release>,
}

impl ReleaseBounds {
    /// Every release.
    pub const ALWAYS: ReleaseBounds = ReleaseBounds {
        since: None,
        until: None,
    };

    /// Whether `release` is in the range.
    ///
    /// Ranges are stated in listed releases. Convert any other release first, with
    /// [`ReleaseList::floor`](crate::ReleaseList::floor).
    pub fn contains(&self, release: Release) -> bool {
        self.since.is_none_or(|since| since <= release)
            && self.until.is_none_or(|until| release <= until)
    }

    /// The releases that are in both.
    pub fn intersect(self, other: ReleaseBounds) -> ReleaseBounds {
        ReleaseBounds {
            since: self.since.max(other.since),
            until: match (self.until, other.until) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
        }
    }
}

/// Whether one of several intervals has a release.
fn any(intervals: &[ReleaseBounds], release: Release) -> bool {
    intervals
        .iter()
        .any(|availability| availability.contains(release))
}

/// Whether something that lived for `availability` with `gaps` between is there in `release`.
fn is_available(availability: ReleaseBounds, gaps: &[ReleaseBounds], release: Release) -> bool {
    availability.contains(release) && !any(gaps, release)
}

impl fmt::Display for ReleaseBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.since, self.until) {
            (None, None) => f.write_str("every release"),
            (Some(since), None) => write!(f, "{since} or later"),
            (None, Some(until)) => write!(f, "{until} or earlier"),
            (Some(since), Some(until)) if since == until => write!(f, "{since} only"),
            (Some(since), Some(until)) => write!(f, "{since} to {until}"),
        }
    }
}

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

/// Makes the schema of a type.
#[cfg(feature = "schema")]
pub type SchemaOf = fn(&mut schemars::SchemaGenerator) -> schemars::Schema;

/// Makes the schema of a type with the feature `schema`, and does nothing without it.
///
/// The type exists either way, because crates that derive [`Wire`](crate::Wire) cannot know which
/// features other crates enable.
#[cfg(not(feature = "schema"))]
pub type SchemaOf = fn();

/// A named member of an object.
#[derive(Debug)]
pub struct Member {
    /// The name on the wire.
    pub name: &'static str,
    /// What it means.
    pub docs: &'static str,
    /// The releases that have it, gaps included.
    pub availability: ReleaseBounds,
    /// The releases within its availability that do not have it.
    pub gaps: &'static [ReleaseBounds],
    /// The releases in which only clients that opted into the experimental API have it.
    pub experimental: &'static [ReleaseBounds],
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
    /// The schema of its value when it is not `null`.
    pub schema: SchemaOf,
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
    /// The releases that require one of them, gaps included.
    pub availability: ReleaseBounds,
    /// The releases within its availability that do not.
    pub gaps: &'static [ReleaseBounds],
    /// The releases in which this applies only to clients that opted into the experimental API.
    pub experimental: &'static [ReleaseBounds],
}

/// A variant of a tagged union.
#[derive(Debug)]
pub struct Variant {
    /// The tag on the wire.
    pub tag: &'static str,
    /// What it means.
    pub docs: &'static str,
    /// The releases that have it, gaps included.
    pub availability: ReleaseBounds,
    /// The releases within its availability that do not have it.
    pub gaps: &'static [ReleaseBounds],
    /// The releases in which only clients that opted into the experimental API have it.
    pub experimental: &'static [ReleaseBounds],
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
    /// The releases that have it, gaps included.
    pub availability: ReleaseBounds,
    /// The releases within its availability that do not have it.
    pub gaps: &'static [ReleaseBounds],
    /// The releases in which only clients that opted into the experimental API have it.
    pub experimental: &'static [ReleaseBounds],
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
    /// The releases that have it, gaps included.
    pub availability: ReleaseBounds,
    /// The releases within its availability that do not have it.
    pub gaps: &'static [ReleaseBounds],
    /// The releases in which only clients that opted into the experimental API have it.
    pub experimental: &'static [ReleaseBounds],
}

macro_rules! available {
    ($($ty:ident),*) => {$(
        impl $ty {
            /// Whether `release`, a listed one, has it.
            pub fn is_available(&self, release: Release) -> bool {
                is_available(self.availability, self.gaps, release)
            }

            /// Whether `release`, a listed one, has it for clients only that opted
            /// into the experimental API.
            pub fn is_experimental(&self, release: Release) -> bool {
                self.is_available(release) && any(self.experimental, release)
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
    /// The releases that have it, gaps included.
    pub availability: ReleaseBounds,
    /// The releases within its availability that do not have it.
    pub gaps: &'static [ReleaseBounds],
    /// The releases in which only clients that opted into the experimental API have it.
    pub experimental: &'static [ReleaseBounds],
    /// The name of its definition in schemas.
    pub definition: &'static str,
    /// The schema of what the member holds; `None` for a bare string.
    pub schema: Option<SchemaOf>,
}

/// A variant of an untagged union.
#[derive(Debug)]
pub struct Alternative {
    /// What it means.
    pub docs: &'static str,
    /// The releases that have it, gaps included.
    pub availability: ReleaseBounds,
    /// The releases within its availability that do not have it.
    pub gaps: &'static [ReleaseBounds],
    /// The releases in which only clients that opted into the experimental API have it.
    pub experimental: &'static [ReleaseBounds],
    /// The schema.
    pub schema: SchemaOf,
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

    /// The releases of a member, variant or value of this type, given by its wire name; gaps
    /// included.
    pub fn availability(&self, name: &str) -> Option<ReleaseBounds> {
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
                .or_else(|| tags.iter().find(|(key, _)| *key == name).map(|(_, l)| *l)),
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
                .or_else(|| (name == *tag || name == *content).then_some(ReleaseBounds::ALWAYS)),
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
