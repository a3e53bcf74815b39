//! Lists what each release added, changed and removed, with the documentation of each part.
//!
//! This module compares nothing: in the annotated document every fact has its releases beside it.
//! So it answers *since when*, for one message set, and judges nothing. `codex-wire-diff` answers
//! *whom does it break*: it compares two descriptions of any origin, and gives each difference a
//! verdict for the reader. Code for a new kind of annotation belongs here; what a change means to a
//! reader belongs to the rules of `codex-wire-diff`.

use codex_wire_base::shape::Lifetime;
use codex_wire_base::{Release, Surface};
use serde_json::{Map, Value};

use crate::annotations::{
    lifetime_beside, lifetime_in, lifetimes_in, stretches_beside, stretches_in,
};
use crate::documents::{Document, annotated};

/// All changes of one release.
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
    /// The part that changed: `Usage.reasoning_output_tokens`, `ThreadItem collab_tool_call`,
    /// `CommandExecutionStatus = declined`.
    pub place: String,
    /// The kind of change.
    pub kind: ChangeKind,
    /// What it means, in a sentence.
    pub detail: String,
}

/// The kinds of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// It exists from this release on.
    Added,
    /// It no longer exists.
    Removed,
    /// Whether it may be left out or `null` changed.
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

/// Lists what each release changed, oldest first. Releases without changes are left out, and so is
/// the first release, where the protocol begins.
pub fn changes(surface: impl Into<Surface>) -> Vec<ReleaseChanges> {
    let surface = surface.into();
    changes_of(annotated(surface), surface.timeline().releases())
}

fn changes_of(document: &'static Document, releases: &[Release]) -> Vec<ReleaseChanges> {
    let mut log = Log {
        releases,
        document,
        found: Vec::new(),
    };
    let title = document.top()["title"].as_str().unwrap_or_default();
    log.definition(title, document.top());
    for (name, definition) in document.definitions() {
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

struct Log<'d> {
    releases: &'d [Release],
    document: &'static Document,
    found: Vec<(Release, Change)>,
}

impl Log<'_> {
    fn definition(&mut self, name: &str, schema: &Value) {
        if let Some(Value::Object(properties)) = schema.get("properties") {
            for (member, property) in properties {
                match property {
                    // The tag of a variant; the union tells of its spellings once for all.
                    Value::Object(inside) if !inside.contains_key("const") => {
                        self.member(&format!("{name}.{member}"), property);
                    }
                    _ => {}
                }
            }
        }
        if let Some(Value::Object(tags)) = schema.get("x-tags") {
            for (tag, life) in tags {
                self.lives(
                    &format!("{name}.{tag}"),
                    &[lifetime_in(life)],
                    None,
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
                self.lives(
                    &format!("{name} = {value}"),
                    &stretches_in(about, self.releases),
                    about.get("experimental"),
                    &detail,
                );
            }
        }
        for choice in schema["x-choices"].as_array().into_iter().flatten() {
            self.choice(name, choice);
        }
        if let Some(items) = schema.get("items") {
            self.definition(name, items);
        }
    }

    /// When an object begins and ceases to have one of several sets of members.
    fn choice(&mut self, name: &str, choice: &Value) {
        let members = |set: &Value| -> String {
            let names = set.as_array().into_iter().flatten();
            let names: Vec<_> = names
                .filter_map(Value::as_str)
                .map(|n| format!("`{n}`"))
                .collect();
            names.join(" with ")
        };
        let sets = choice["any"].as_array().into_iter().flatten();
        let sets = sets.map(members).collect::<Vec<_>>().join(" or ");
        let (gains, loses) = (format!("has {sets}"), format!("need not have {sets}"));
        let spans = stretches_in(choice, self.releases);
        self.intervals(name, Lifetime::ALWAYS, &spans, &gains, &loses);
    }

    fn member(&mut self, place: &str, property: &Value) {
        let life = lifetime_beside(property);
        self.node(
            place,
            property,
            &first_sentence(property.get("description")),
        );
        for (key, gains, loses) in [
            ("x-optional", "may be left out", "is always there"),
            ("x-nullable", "may be `null`", "is no longer `null`"),
        ] {
            let Some(span) = property.get(key) else {
                continue;
            };
            self.states(place, life, span, gains, loses);
        }
        if let Some(second) = property.get("x-second") {
            let detail = "the key is written twice, with the second value of its own";
            self.node(&format!("{place} (second)"), second, detail);
        }
    }

    fn arm(&mut self, name: &str, arm: &Value) {
        let Value::Object(inside) = arm else { return };
        let kind = arm.get("x-tag").or_else(|| arm.get("x-kind"));
        let (place, detail) = match kind.and_then(Value::as_str) {
            Some(kind) => (format!("{name} {kind}"), self.about(inside)),
            None => (name.to_owned(), shape_in_words(inside)),
        };
        self.node(&place, arm, &detail);
    }

    /// What the definition that an arm refers to says of itself.
    fn about(&self, arm: &Map<String, Value>) -> String {
        let name = arm
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|r| r.rsplit('/').next());
        let definition = name.and_then(|name| self.document.definition(name));
        first_sentence(definition.and_then(|definition| definition.get("description")))
    }

    /// A member or an alternative.
    fn node(&mut self, place: &str, node: &Value, detail: &str) {
        let stretches = stretches_beside(node, self.releases);
        self.lives(place, &stretches, node.get("x-experimental"), detail);
    }

    fn lives(
        &mut self,
        place: &str,
        stretches: &[Lifetime],
        experimental: Option<&Value>,
        detail: &str,
    ) {
        for life in stretches {
            if let Some(since) = life.since {
                self.push(since, place, ChangeKind::Added, detail);
            }
            if let Some(next) = life.until.and_then(|until| self.after(until)) {
                self.push(next, place, ChangeKind::Removed, detail);
            }
        }
        let whole = Lifetime {
            since: stretches.first().and_then(|first| first.since),
            until: stretches.last().and_then(|last| last.until),
        };
        if let Some(spans) = experimental {
            let gains = "only for clients that opted into the experimental API";
            self.states(place, whole, spans, gains, "for every client");
        }
    }

    /// What `gains` begins to hold and no longer holds at the ends of some intervals. Where those
    /// begin or end with the thing itself there is no change to tell.
    fn states(&mut self, place: &str, life: Lifetime, spans: &Value, gains: &str, loses: &str) {
        self.intervals(place, life, &lifetimes_in(spans), gains, loses);
    }

    /// As [`Self::states`], of intervals.
    fn intervals(
        &mut self,
        place: &str,
        life: Lifetime,
        spans: &[Lifetime],
        gains: &str,
        loses: &str,
    ) {
        for span in spans {
            if let Some(since) = span.since.filter(|since| Some(*since) != life.since) {
                self.push(since, place, ChangeKind::Changed, gains);
            }
            let until = span.until.filter(|until| Some(*until) != life.until);
            if let Some(next) = until.and_then(|until| self.after(until)) {
                self.push(next, place, ChangeKind::Changed, loses);
            }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_comes_back_is_added_again() {
        let document = Document::of(&json!({"title": "Thread", "properties": {
            "git": {
                "x-since": "0.2.0",
                "x-gaps": [{"since": "0.4.0", "until": "0.5.0"}],
                "x-experimental": [{"since": "0.2.0", "until": "0.2.0"}, {"since": "0.7.0"}],
                "x-optional": [{"since": "0.3.0", "until": "0.3.0"}, {"since": "0.8.0"}],
            },
        }, "x-choices": [{"any": [["url"], ["file", "name"]], "since": "0.6.0", "until": "0.6.0"}]}));
        let releases: Vec<Release> = (1..9).map(|minor| Release::new(0, minor, 0)).collect();
        let found: Vec<String> = changes_of(document, &releases)
            .into_iter()
            .flat_map(|release| {
                let line = move |change: Change| {
                    let kind = change.kind.as_str();
                    format!("{} {kind} {}", release.release, change.detail)
                };
                release.changes.into_iter().map(line)
            })
            .collect();
        assert_eq!(
            found,
            [
                "0.2.0 added ",
                "0.3.0 changed for every client",
                "0.3.0 changed may be left out",
                "0.4.0 removed ",
                "0.4.0 changed is always there",
                "0.6.0 changed has `url` or `file` with `name`",
                "0.6.0 added ",
                "0.7.0 changed need not have `url` or `file` with `name`",
                "0.7.0 changed only for clients that opted into the experimental API",
                "0.8.0 changed may be left out",
            ]
        );
    }
}
