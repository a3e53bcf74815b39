//! Lists everything a document declares, and where it was seen.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use codex_wire::Release;
use codex_wire::shape::ReleaseBounds;
use codex_wire_schema::Document;
use codex_wire_schema::ir::{Availability, ExternalVariant, Kind, Member, Schema, UntaggedVariant};

use super::description::Description;
use super::source::Source;

/// Something a document declares.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// An alternative of a union: the union and the tag, or the alternative's name.
    Kind(String, String),
    /// A member with a value: the definition and the member.
    Member(String, String),
    /// The same member a second time in one object.
    Second(String, String),
    /// A member that is `null`.
    Null(String, String),
    /// A member that is left out.
    LeftOut(String, String),
    /// The second member of a name that is left out while the first is there.
    SecondLeftOut(String, String),
    /// A string of an enumeration: the enumeration and the string.
    Value(String, String),
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Feature::Kind(union, kind) => write!(f, "{union} `{kind}`"),
            Feature::Member(of, name) => write!(f, "`{of}.{name}`"),
            Feature::Second(of, name) => write!(f, "`{of}.{name}`, second time"),
            Feature::Null(of, name) => write!(f, "`{of}.{name}`: `null`"),
            Feature::LeftOut(of, name) => write!(f, "`{of}.{name}`: left out"),
            Feature::SecondLeftOut(of, name) => write!(f, "`{of}.{name}`, second time: left out"),
            Feature::Value(of, value) => write!(f, "{of} `{value}`"),
        }
    }
}

/// Where a feature exists and where it was seen.
#[derive(Debug)]
pub struct Row {
    /// The feature.
    pub feature: Feature,
    /// The releases that have it.
    pub exists: BTreeSet<Release>,
    /// The releases it was recorded from.
    pub recorded: BTreeSet<Release>,
    /// The releases for which it was written by hand.
    pub synthetic: BTreeSet<Release>,
}

/// Everything a document declares, in the order in which it is reached from the root.
#[derive(Debug, Default)]
pub struct Inventory {
    /// The features.
    pub rows: Vec<Row>,
    index: BTreeMap<Feature, usize>,
    /// Definitions already declared, with the releases they were declared for.
    reached: BTreeMap<String, BTreeSet<Release>>,
}

impl Inventory {
    /// Lists what a description declares for any of `releases`.
    pub fn new(description: &Description, releases: &[Release]) -> Self {
        let mut out = Inventory::default();
        out.extend(description, releases);
        out
    }

    /// Adds what a description declares for any of `releases`. Definitions of one name are one.
    pub fn extend(&mut self, description: &Description, releases: &[Release]) {
        let releases = releases.iter().copied().collect();
        self.declare(
            description,
            description.root,
            description.document.root(),
            &releases,
        );
    }

    /// Whether a message of `release` may carry the definition called `name`.
    pub fn reaches(&self, name: &str, release: Release) -> bool {
        self.reached
            .get(name)
            .is_some_and(|releases| releases.contains(&release))
    }

    /// Notes that a feature was seen in a stream of `release`, whose protocol is that of the
    /// listed release `speaks`. False if that release does not have it.
    pub fn mark(
        &mut self,
        feature: &Feature,
        speaks: Release,
        release: Release,
        source: Source,
    ) -> bool {
        let Some(&index) = self.index.get(feature) else {
            return false;
        };
        let row = &mut self.rows[index];
        let exists = row.exists.contains(&speaks);
        if exists {
            match source {
                Source::Recorded => row.recorded.insert(release),
                Source::Synthetic => row.synthetic.insert(release),
            };
        }
        exists
    }

    fn add(&mut self, feature: Feature, exists: &BTreeSet<Release>) {
        if exists.is_empty() {
            return;
        }
        if let Some(&index) = self.index.get(&feature) {
            self.rows[index].exists.extend(exists);
            return;
        }
        self.index.insert(feature.clone(), self.rows.len());
        self.rows.push(Row {
            feature,
            exists: exists.clone(),
            recorded: BTreeSet::new(),
            synthetic: BTreeSet::new(),
        });
    }

    /// Lists what the definition called `name` declares for the releases `releases`.
    fn declare_definition(&mut self, at: &Description, name: &str, releases: &BTreeSet<Release>) {
        if releases.is_empty() {
            return;
        }
        let reached = self.reached.entry(name.to_owned()).or_default();
        // Releases are independent of each other, so only new ones are to be examined.
        let releases: BTreeSet<Release> = releases.difference(reached).copied().collect();
        reached.extend(&releases);
        if let Some(schema) = at.document.schema(name) {
            self.declare(at, name, schema, &releases);
        }
    }

    /// Lists what `schema`, which goes by `name`, declares for the releases `releases`.
    fn declare(
        &mut self,
        at: &Description,
        name: &str,
        schema: &'static Schema,
        releases: &BTreeSet<Release>,
    ) {
        if releases.is_empty() {
            return;
        }
        match &schema.kind {
            Kind::Reference(definition) => self.declare_definition(at, definition, releases),
            Kind::Tagged(union) => {
                for variant in &union.variants {
                    let releases = having(releases, &variant.availability);
                    let kind = variant.tag.clone().into_owned();
                    self.add(Feature::Kind(name.to_owned(), kind), &releases);
                    match framed(at, schema, &variant.definition) {
                        Some(frame) => self.declare(at, name, frame, &releases),
                        None => self.declare_definition(at, &variant.definition, &releases),
                    }
                }
            }
            Kind::External(variants) => {
                for variant in variants {
                    let releases = having(releases, &variant.availability);
                    self.add(external(at.document, name, variant), &releases);
                    match payload(at.document, variant) {
                        Some(inner) => self.declare(at, name, inner, &releases),
                        None => self.declare_definition(at, &variant.definition, &releases),
                    }
                }
            }
            Kind::Untagged(variants) => {
                for variant in variants {
                    let releases = having(releases, &variant.availability);
                    self.add(untagged(name, variant), &releases);
                    self.declare(at, name, &variant.schema, &releases);
                }
            }
            Kind::Object(object) => {
                for member in &object.members {
                    if member.is_plain_tag() {
                        continue;
                    }
                    let releases = having(releases, &member.availability);
                    self.declare_member(at.written, name, member, &releases);
                    let name = format!("{name}.{}", member.name);
                    self.declare(at, &name, &member.schema, &releases);
                }
            }
            Kind::Array(element) | Kind::Map(element) => self.declare(at, name, element, releases),
            Kind::Enum(values) => {
                let mut values: Vec<_> = values.iter().collect();
                values.sort_by_key(|value| &value.value);
                for value in values {
                    let feature = Feature::Value(name.to_owned(), value.value.clone().into_owned());
                    let releases = having(releases, &value.availability);
                    self.add(feature, &releases);
                }
            }
            _ => {}
        }
    }

    fn declare_member(
        &mut self,
        written: bool,
        of: &str,
        member: &Member,
        releases: &BTreeSet<Release>,
    ) {
        let names = || (of.to_owned(), member.name.clone().into_owned());
        let mut add = |feature: fn(String, String) -> Feature, releases: &BTreeSet<Release>| {
            let (of, member) = names();
            self.add(feature(of, member), releases);
        };
        add(Feature::Member, releases);
        let mut null = during(releases, &member.nullable);
        let mut left_out = during(releases, &member.optional);
        if written {
            let always = during(releases, &member.written);
            left_out.retain(|release| !always.contains(release));
        } else if member.has_default {
            left_out.clone_from(releases);
        } else {
            left_out.extend(&null);
            null.clone_from(&left_out);
        }
        add(Feature::Null, &null);
        add(Feature::LeftOut, &left_out);
        if let Some(second) = &member.second {
            let releases = having(releases, &second.availability);
            add(Feature::Second, &releases);
            add(Feature::SecondLeftOut, &during(&releases, &second.optional));
        }
    }
}

/// The feature that a variant of the externally tagged union `of` is.
pub(super) fn external(
    document: &'static Document,
    of: &str,
    variant: &'static ExternalVariant,
) -> Feature {
    let kind = &variant.kind;
    let is_bare = document
        .schema(&variant.definition)
        .is_some_and(|schema| matches!(schema.kind, Kind::Constant(_)));
    let name = if is_bare {
        format!("\"{kind}\"")
    } else {
        kind.clone().into_owned()
    };
    Feature::Kind(of.to_owned(), name)
}

/// The feature that a variant of the untagged union `of` is: by its definition, or by the JSON type
/// of its values.
pub(super) fn untagged(of: &str, variant: &UntaggedVariant) -> Feature {
    let schema = &variant.schema;
    let name = schema.reference().or_else(|| schema.json_type());
    Feature::Kind(of.to_owned(), name.unwrap_or("any value").to_owned())
}

/// The frame that a variant of a root is, which goes by the root's name.
pub(super) fn framed(
    at: &Description,
    union: &'static Schema,
    definition: &str,
) -> Option<&'static Schema> {
    let is_frame = at.frames && std::ptr::eq(union, at.document.root());
    at.document.schema(definition).filter(|_| is_frame)
}

/// What follows the kind of a variant: of `{"add": …}` what the member holds. `None` for the
/// bare `"delete"`.
pub(super) fn payload(
    document: &'static Document,
    variant: &'static ExternalVariant,
) -> Option<&'static Schema> {
    let member = document
        .schema(&variant.definition)?
        .member(&variant.kind)?;
    Some(&member.schema)
}

/// Those of the releases that have a part of the document.
fn having(releases: &BTreeSet<Release>, availability: &Availability) -> BTreeSet<Release> {
    within(releases, |release| availability.contains(release))
}

/// Those of the releases that lie in one of some ranges.
fn during(releases: &BTreeSet<Release>, ranges: &[ReleaseBounds]) -> BTreeSet<Release> {
    within(releases, |release| {
        ranges.iter().any(|range| range.contains(release))
    })
}

fn within(releases: &BTreeSet<Release>, holds: impl Fn(Release) -> bool) -> BTreeSet<Release> {
    releases.iter().copied().filter(|r| holds(*r)).collect()
}
