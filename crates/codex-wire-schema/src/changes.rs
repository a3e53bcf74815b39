//! Lists what each release added, changed and removed, with the documentation of each part.
//!
//! This module compares nothing: in the annotated document every fact has its releases beside it.
//! So it answers *since when*, for one message set, without a verdict. `codex-wire-diff` answers
//! *whom does it break*: it compares two descriptions of any origin, and gives each difference a
//! verdict for the reader. Code for a new kind of annotation belongs here; what a change means to a
//! reader belongs to the rules of `codex-wire-diff`.

use std::collections::BTreeMap;

use codex_wire_base::shape::ReleaseBounds;
use codex_wire_base::{MessageSet, Release};

use crate::documents::{Document, annotated};
use crate::ir::{Availability, Choice, Kind, Member, Schema, Text};

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
#[non_exhaustive]
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

/// Lists what each release changed in any of some message sets of one protocol, oldest first. A change of a definition that
/// several of them share is listed once.
pub fn changes_of_all(message_sets: &[MessageSet]) -> Vec<ReleaseChanges> {
    let mut found: BTreeMap<Release, Vec<Change>> = BTreeMap::new();
    for message_set in message_sets {
        for ReleaseChanges { release, changes } in changes(*message_set) {
            found.entry(release).or_default().extend(changes);
        }
    }
    let several = message_sets.len() > 1;
    let whole = |(release, mut changes): (Release, Vec<Change>)| {
        if several {
            changes.sort();
            changes.dedup();
        }
        ReleaseChanges { release, changes }
    };
    found.into_iter().map(whole).collect()
}

/// Lists what each release changed, oldest first. Releases without changes are left out, and so is
/// the first release, where the protocol begins.
pub fn changes(message_set: impl Into<MessageSet>) -> Vec<ReleaseChanges> {
    let message_set = message_set.into();
    changes_of(
        annotated(message_set),
        message_set.release_list().releases(),
    )
}

fn changes_of(document: &'static Document, releases: &[Release]) -> Vec<ReleaseChanges> {
    let mut log = Log {
        releases,
        document,
        found: Vec::new(),
    };
    let title = document.root().title.as_deref().unwrap_or_default();
    log.schema(title, document.root());
    for (name, schema) in document.schemas() {
        log.schema(name, schema);
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
    fn schema(&mut self, name: &str, schema: &'static Schema) {
        match &schema.kind {
            Kind::Object(object) => {
                for member in &object.members {
                    // The tag of a variant; its union reports the spellings once for all.
                    if !matches!(member.schema.kind, Kind::Constant(_)) {
                        self.member(&format!("{name}.{}", member.name), member);
                    }
                }
                for choice in &object.choices {
                    self.choice(name, choice);
                }
            }
            Kind::Tagged(union) => {
                for spelling in &union.spellings {
                    let place = format!("{name}.{}", spelling.name);
                    self.part(&place, &spelling.availability, "The tag of every kind.");
                }
                for variant in &union.variants {
                    let about = self.about(&variant.definition);
                    let place = format!("{name} {}", variant.tag);
                    self.part(&place, &variant.availability, &about);
                }
            }
            Kind::External(variants) => {
                for variant in variants {
                    let about = self.about(&variant.definition);
                    let place = format!("{name} {}", variant.kind);
                    self.part(&place, &variant.availability, &about);
                }
            }
            Kind::Untagged(variants) => {
                for variant in variants {
                    self.part(name, &variant.availability, &phrase(&variant.schema));
                }
            }
            Kind::Enum(values) => {
                for value in values {
                    let about = first_sentence(value.description.as_deref());
                    let place = format!("{name} = {}", value.value);
                    self.part(&place, &value.availability, &about);
                }
            }
            Kind::Array(items) => self.schema(name, items),
            _ => {}
        }
    }

    /// When an object begins and ceases to have one of several sets of members.
    fn choice(&mut self, name: &str, choice: &Choice) {
        let members = |set: &Vec<Text>| -> String {
            let names: Vec<_> = set.iter().map(|name| format!("`{name}`")).collect();
            names.join(" with ")
        };
        let sets = choice.any.iter().map(members).collect::<Vec<_>>();
        let sets = sets.join(" or ");
        let (gains, loses) = (format!("has {sets}"), format!("need not have {sets}"));
        let ranges = choice.availability.ranges(self.releases);
        self.states(name, ReleaseBounds::ALWAYS, &ranges, &gains, &loses);
    }

    fn member(&mut self, place: &str, member: &Member) {
        let about = first_sentence(member.schema.description.as_deref());
        self.part(place, &member.availability, &about);
        for (ranges, gains, loses) in [
            (&member.optional, "may be left out", "is always there"),
            (&member.nullable, "may be `null`", "is no longer `null`"),
        ] {
            self.states(place, member.availability.range, ranges, gains, loses);
        }
        if let Some(second) = &member.second {
            let detail = "the key is written twice, with the second value of its own";
            self.part(&format!("{place} (second)"), &second.availability, detail);
        }
    }

    /// The first sentence of a definition's documentation.
    fn about(&self, definition: &str) -> String {
        let schema = self.document.schema(definition);
        first_sentence(schema.and_then(|schema| schema.description.as_deref()))
    }

    /// A part of the document that comes and goes.
    fn part(&mut self, place: &str, availability: &Availability, detail: &str) {
        let ranges = availability.ranges(self.releases);
        for range in &ranges {
            if let Some(since) = range.since {
                self.push(since, place, ChangeKind::Added, detail);
            }
            if let Some(next) = range.until.and_then(|until| self.after(until)) {
                self.push(next, place, ChangeKind::Removed, detail);
            }
        }
        let whole = ReleaseBounds {
            since: ranges.first().and_then(|first| first.since),
            until: ranges.last().and_then(|last| last.until),
        };
        let gains = "only for clients that opted into the experimental API";
        let experimental = &availability.experimental;
        self.states(place, whole, experimental, gains, "for every client");
    }

    /// What `gains` begins to hold and no longer holds at the ends of some ranges. Where those begin
    /// or end with the part itself, nothing changes.
    fn states(
        &mut self,
        place: &str,
        part: ReleaseBounds,
        ranges: &[ReleaseBounds],
        gains: &str,
        loses: &str,
    ) {
        for range in ranges {
            if let Some(since) = range.since.filter(|since| Some(*since) != part.since) {
                self.push(since, place, ChangeKind::Changed, gains);
            }
            let until = range.until.filter(|until| Some(*until) != part.until);
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

/// A variant that no tag names: the definition it is, or its JSON type.
fn phrase(variant: &Schema) -> String {
    match (&variant.kind, variant.json_type()) {
        (Kind::Reference(name), _) => format!("as {name}"),
        (_, Some(kind)) => format!("as {kind}"),
        (_, None) => "as any value".to_owned(),
    }
}

fn first_sentence(description: Option<&str>) -> String {
    let text = description.unwrap_or_default();
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
