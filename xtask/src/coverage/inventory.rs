//! Lists everything a document declares, and where it was seen.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use codex_wire::Release;
use codex_wire::shape::Lifetime;
use codex_wire_schema::{alive_beside, alive_in, lifetime_beside, lifetimes_in};
use serde_json::Value;

use super::{Description, Source};

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
    pub fn new(description: &Description<'_>, releases: &[Release]) -> Self {
        let mut out = Inventory::default();
        out.extend(description, releases);
        out
    }

    /// Adds what a description declares for any of `releases`. Definitions of one name are one.
    pub fn extend(&mut self, description: &Description<'_>, releases: &[Release]) {
        let alive = releases.iter().copied().collect();
        self.declare(description, description.root, description.document, &alive);
    }

    /// Whether a message of `release` may carry the definition called `name`.
    pub fn reaches(&self, name: &str, release: Release) -> bool {
        self.reached
            .get(name)
            .is_some_and(|releases| releases.contains(&release))
    }

    /// What this has and `other` has not.
    pub(super) fn beyond(mut self, other: &Inventory) -> Vec<Row> {
        self.rows
            .retain(|row| !other.index.contains_key(&row.feature));
        self.rows
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

    /// Lists what `schema`, which goes by `name`, declares for the releases `alive`.
    fn declare(
        &mut self,
        at: &Description<'_>,
        name: &str,
        schema: &Value,
        alive: &BTreeSet<Release>,
    ) {
        if alive.is_empty() {
            return;
        }
        if let Some((name, definition)) = definition(at.document, schema) {
            let reached = self.reached.entry(name.to_owned()).or_default();
            // Releases are independent of each other, so only new ones are to be looked at.
            let alive: BTreeSet<Release> = alive.difference(reached).copied().collect();
            reached.extend(&alive);
            self.declare(at, name, definition, &alive);
            return;
        }
        for key in ["oneOf", "anyOf"] {
            for arm in list(schema, key) {
                let alive = having(alive, arm);
                self.add(kind(at.document, name, arm), &alive);
                let inner = match framed(at, schema, arm) {
                    Some(frame) => frame,
                    None => payload(at.document, arm),
                };
                self.declare(at, name, inner, &alive);
            }
        }
        for (member, property) in map(schema, "properties") {
            if is_plain_tag(property) {
                continue;
            }
            let alive = having(alive, property);
            self.declare_member(at.written, name, member, property, &alive);
            self.declare(at, &format!("{name}.{member}"), property, &alive);
        }
        for key in ["items", "additionalProperties"] {
            if let Some(element) = schema.get(key) {
                self.declare(at, name, element, alive);
            }
        }
        for (value, about) in map(schema, "x-values") {
            let feature = Feature::Value(name.to_owned(), value.clone());
            let alive = within(alive, |release| alive_in(about, release));
            self.add(feature, &alive);
        }
    }

    fn declare_member(
        &mut self,
        written: bool,
        of: &str,
        member: &str,
        property: &Value,
        alive: &BTreeSet<Release>,
    ) {
        let names = || (of.to_owned(), member.to_owned());
        let mut add = |feature: fn(String, String) -> Feature, alive: &BTreeSet<Release>| {
            let (of, member) = names();
            self.add(feature(of, member), alive);
        };
        add(Feature::Member, alive);
        let when = |key: &str| match property.get(key) {
            Some(spans) => during(alive, spans),
            None => BTreeSet::new(),
        };
        let (mut null, mut left_out) = (when("x-nullable"), when("x-optional"));
        if !written && property.get("x-default").is_some() {
            left_out.clone_from(alive);
        } else if !written {
            left_out.extend(&null);
            null.clone_from(&left_out);
        }
        add(Feature::Null, &null);
        add(Feature::LeftOut, &left_out);
        if let Some(second) = property.get("x-second") {
            let alive = having(alive, second);
            add(Feature::Second, &alive);
            if let Some(optional) = second.get("x-optional") {
                add(Feature::SecondLeftOut, &during(&alive, optional));
            }
        }
    }
}

/// The name and the definition a schema refers to.
pub(super) fn definition<'a>(
    document: &'a Value,
    schema: &'a Value,
) -> Option<(&'a str, &'a Value)> {
    let name = schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
    Some((name, &document["$defs"][name]))
}

/// The feature that an alternative of the union `of` is: by its tag, its definition, or the
/// JSON kind of its values.
pub(super) fn kind(document: &Value, of: &str, arm: &Value) -> Feature {
    let text = |key: &str| arm.get(key).and_then(Value::as_str);
    let name = match (text("x-tag"), text("x-kind"), text("$ref")) {
        (Some(tag), ..) => tag.to_owned(),
        (_, Some(kind), _) if is_bare(document, arm) => format!("\"{kind}\""),
        (_, Some(kind), _) => kind.to_owned(),
        (.., Some(reference)) => reference.trim_start_matches("#/$defs/").to_owned(),
        _ => text("type").unwrap_or("any value").to_owned(),
    };
    Feature::Kind(of.to_owned(), name)
}

/// The frame that an alternative of a root is, which goes by the root's name.
pub(super) fn framed<'a>(
    at: &Description<'a>,
    schema: &Value,
    arm: &'a Value,
) -> Option<&'a Value> {
    let is_frame = at.frames && std::ptr::eq(schema, at.document);
    let (_, definition) = definition(at.document, arm).filter(|_| is_frame)?;
    Some(definition)
}

/// Whether an alternative is a kind and nothing else: `"delete"`.
fn is_bare(document: &Value, arm: &Value) -> bool {
    definition(document, arm).is_some_and(|(_, definition)| definition.get("const").is_some())
}

/// What an alternative of a union holds: of `{"add": …}` what stands behind the kind, of all
/// others the alternative itself.
pub(super) fn payload<'a>(document: &'a Value, arm: &'a Value) -> &'a Value {
    let behind_kind = || {
        let kind = arm.get("x-kind")?.as_str()?;
        let (_, definition) = definition(document, arm)?;
        definition.get("properties")?.get(kind)
    };
    behind_kind().unwrap_or(arm)
}

/// Whether a property is the tag of its object in every release; what there is to know about
/// it is in the kinds.
pub(super) fn is_plain_tag(property: &Value) -> bool {
    property.get("const").is_some() && lifetime_beside(property) == Lifetime::ALWAYS
}

/// Those of the releases that have a member or an alternative.
fn having(alive: &BTreeSet<Release>, node: &Value) -> BTreeSet<Release> {
    match node.get("x-gaps") {
        Some(_) => within(alive, |release| alive_beside(node, release)),
        None => {
            let lifetime = lifetime_beside(node);
            within(alive, |release| lifetime.contains(release))
        }
    }
}

/// Those of the releases that lie in one of some intervals.
fn during(alive: &BTreeSet<Release>, spans: &Value) -> BTreeSet<Release> {
    let spans = lifetimes_in(spans);
    within(alive, |release| {
        spans.iter().any(|span| span.contains(release))
    })
}

fn within(alive: &BTreeSet<Release>, holds: impl Fn(Release) -> bool) -> BTreeSet<Release> {
    alive.iter().copied().filter(|r| holds(*r)).collect()
}

pub(super) fn list<'a>(schema: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    schema
        .get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

pub(super) fn map<'a>(
    schema: &'a Value,
    key: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    schema
        .get(key)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
}
