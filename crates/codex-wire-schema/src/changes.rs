//! What each release added, changed and removed, read off the annotations.

use codex_wire::shape::Lifetime;
use codex_wire::{Release, Surface};
use serde_json::{Map, Value};

use crate::annotations::{life_of, lifetime_in};
use crate::document::annotated;

/// Everything one release changed.
#[derive(Clone, Debug)]
pub struct ReleaseChanges {
    /// The release.
    pub release: Release,
    /// The changes, in the order of their places.
    pub changes: Vec<Change>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// What is changed: `Usage.reasoning_output_tokens`, `ThreadItem collab_tool_call`,
    /// `CommandExecutionStatus = declined`.
    pub place: String,
    /// How.
    pub kind: ChangeKind,
    /// What it means, in a sentence.
    pub detail: String,
}

/// The kinds of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// It is there from this release on.
    Added,
    /// It is no longer there.
    Removed,
    /// It may be left out or be `null`, or no longer.
    Changed,
}

impl ChangeKind {
    /// The word in listings.
    pub fn as_str(self) -> &'static str {
        match self {
            ChangeKind::Added => "added",
            ChangeKind::Removed => "removed",
            ChangeKind::Changed => "changed",
        }
    }
}

/// What each release changed, oldest first. Releases that changed nothing are left out; the
/// first release is where the protocol begins and changes nothing either.
pub fn changes(surface: impl Into<Surface>) -> Vec<ReleaseChanges> {
    let surface = surface.into();
    let document = annotated(surface);
    let mut log = Log {
        releases: surface.timeline().releases(),
        definitions: document["$defs"].as_object(),
        found: Vec::new(),
    };
    let title = document["title"].as_str().unwrap_or_default();
    log.definition(title, document);
    for (name, definition) in log.definitions.into_iter().flatten() {
        log.definition(name, definition);
    }
    log.found.sort();
    let mut out: Vec<ReleaseChanges> = Vec::new();
    for (release, change) in log.found {
        match out.last_mut() {
            Some(last) if last.release == release => last.changes.push(change),
            _ => out.push(ReleaseChanges {
                release,
                changes: vec![change],
            }),
        }
    }
    out
}

struct Log {
    releases: &'static [Release],
    definitions: Option<&'static Map<String, Value>>,
    found: Vec<(Release, Change)>,
}

impl Log {
    fn definition(&mut self, name: &str, schema: &Value) {
        if let Some(Value::Object(properties)) = schema.get("properties") {
            for (member, property) in properties {
                match property {
                    // The tag of a variant; the union tells of its spellings once for all.
                    Value::Object(property) if !property.contains_key("const") => {
                        self.member(&format!("{name}.{member}"), property);
                    }
                    _ => {}
                }
            }
        }
        if let Some(Value::Object(tags)) = schema.get("x-tags") {
            for (tag, life) in tags {
                self.life(
                    &format!("{name}.{tag}"),
                    lifetime_in(life),
                    "The tag of every kind.",
                );
            }
        }
        for keyword in ["oneOf", "anyOf"] {
            if let Some(Value::Array(arms)) = schema.get(keyword) {
                arms.iter().for_each(|arm| self.arm(name, arm));
            }
        }
        if let Some(Value::Object(values)) = schema.get("x-values") {
            for (value, about) in values {
                let detail = first_sentence(about.get("description"));
                self.life(&format!("{name} = {value}"), lifetime_in(about), &detail);
            }
        }
        if let Some(items) = schema.get("items") {
            self.definition(name, items);
        }
    }

    fn member(&mut self, place: &str, property: &Map<String, Value>) {
        let life = life_of(property);
        self.life(place, life, &first_sentence(property.get("description")));
        for (key, gains, loses) in [
            ("x-optional", "may be left out", "is always there"),
            ("x-nullable", "may be `null`", "is no longer `null`"),
        ] {
            let Some(span) = property.get(key) else {
                continue;
            };
            let span = lifetime_in(span);
            // Where it begins or ends with the member itself there is no change to tell.
            if let Some(since) = span.since.filter(|since| Some(*since) != life.since) {
                self.push(since, place, ChangeKind::Changed, gains);
            }
            if let Some(next) = span.until.and_then(|until| self.after(until)) {
                self.push(next, place, ChangeKind::Changed, loses);
            }
        }
        if let Some(Value::Object(second)) = property.get("x-second") {
            let detail = "the key is written twice, with the second value of its own";
            self.life(&format!("{place} (second)"), life_of(second), detail);
        }
    }

    fn arm(&mut self, name: &str, arm: &Value) {
        let Value::Object(arm) = arm else { return };
        let kind = arm.get("x-tag").or_else(|| arm.get("x-kind"));
        let (place, detail) = match kind.and_then(Value::as_str) {
            Some(kind) => (format!("{name} {kind}"), self.about(arm)),
            None => (name.to_owned(), shape_in_words(arm)),
        };
        self.life(&place, life_of(arm), &detail);
    }

    /// What the definition that an arm refers to says of itself.
    fn about(&self, arm: &Map<String, Value>) -> String {
        let name = arm
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|r| r.rsplit('/').next());
        let definition = name.and_then(|name| self.definitions?.get(name));
        first_sentence(definition.and_then(|definition| definition.get("description")))
    }

    fn life(&mut self, place: &str, life: Lifetime, detail: &str) {
        if let Some(since) = life.since {
            self.push(since, place, ChangeKind::Added, detail);
        }
        if let Some(next) = life.until.and_then(|until| self.after(until)) {
            self.push(next, place, ChangeKind::Removed, detail);
        }
    }

    fn push(&mut self, release: Release, place: &str, kind: ChangeKind, detail: &str) {
        if release == self.releases[0] {
            return;
        }
        let change = Change {
            place: place.to_owned(),
            kind,
            detail: detail.to_owned(),
        };
        self.found.push((release, change));
    }

    /// The first listed release after `release`.
    fn after(&self, release: Release) -> Option<Release> {
        self.releases
            .iter()
            .copied()
            .find(|listed| *listed > release)
    }
}

/// An alternative that no tag names: the definition it is, or its JSON type.
fn shape_in_words(arm: &Map<String, Value>) -> String {
    let text = |key: &str| arm.get(key).and_then(Value::as_str);
    match (text("$ref"), text("type")) {
        (Some(reference), _) => {
            format!("as {}", reference.rsplit('/').next().unwrap_or(reference))
        }
        (None, Some(kind)) => format!("as {kind}"),
        (None, None) => "as any value".to_owned(),
    }
}

fn first_sentence(description: Option<&Value>) -> String {
    let text = description.and_then(Value::as_str).unwrap_or_default();
    let paragraph = text
        .split("\n\n")
        .next()
        .unwrap_or_default()
        .replace('\n', " ");
    match paragraph.split_once(". ") {
        Some((first, _)) => format!("{first}."),
        None => paragraph,
    }
}
