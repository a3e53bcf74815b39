//! Validates messages against the exact schema of one release range.
//!
//! A validator takes the exact projection apart by kind of message. For each kind it makes a compiled
//! schema and a validator of the `jsonschema` crate when the first such message comes (`part.rs`).

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use codex_wire_base::{MessageSet, Release};
use codex_wire_prefilter::{Tape, View};
use codex_wire_schema::{
    Document, Draft, Parts, Profile, ReleaseRange, Stability, annotated, project,
};
use foldhash::fast::RandomState;
use serde_json::Value;

use super::explanation::Explanation;
use super::part::{Origin, Part};
use super::schema_walk::mapping;
use super::violation::SchemaViolation;
use crate::validation::explanation::{NULL, WRONG_TYPE};

/// The exact projection of one range of releases, taken apart: what a message of each kind is
/// held against is made when the first such message comes.
pub(crate) struct MessageValidator {
    /// What all releases write.
    pub(super) document: &'static Document,
    /// The releases there are.
    releases: &'static [Release],
    /// That the releases do not do what they should not, in words.
    refusal: String,
    /// Where parts are projected from; otherwise they are cut out of `top`.
    source: Option<Arc<Parts>>,
    /// The union of all messages without its definitions; the whole schema where it is no union
    /// that a tag tells apart.
    pub(super) top: Value,
    /// By definition, in order; the empty name stands for the whole schema where it is no tagged
    /// union.
    parts: Vec<(String, OnceLock<Part>)>,
    /// Which part a tag stands for, where messages are told apart by one.
    by_tag: Option<HashMap<String, usize, RandomState>>,
}

impl MessageValidator {
    pub(crate) fn new(message_set: MessageSet, range: ReleaseRange) -> Self {
        let verb = match message_set.is_written() {
            true => "write",
            false => "read",
        };
        let refusal = match range.since == range.until {
            true => format!("{} does not {verb}", range.since),
            false => format!("{} to {} do not {verb}", range.since, range.until),
        };
        let (document, releases) = (
            annotated(message_set),
            message_set.release_list().releases(),
        );
        if document.top().get("x-tags").is_some() {
            let (profile, stability) = (Profile::Exact, Stability::Experimental);
            let parts = Parts::new(message_set, range.since, profile, stability);
            let top = parts.top();
            let validator = Self::of_document(document, releases, top, refusal);
            return MessageValidator {
                source: Some(Arc::new(parts)),
                ..validator
            };
        }
        let schema = project(
            message_set,
            range.since,
            Profile::Exact,
            Draft::Draft202012,
            Stability::Experimental,
        );
        Self::of_document(document, releases, schema, refusal)
    }

    fn of_document(
        document: &'static Document,
        releases: &'static [Release],
        top: Value,
        refusal: String,
    ) -> Self {
        let mapping = mapping(&top);
        let names: BTreeSet<String> = mapping.values().cloned().chain([String::new()]).collect();
        let names: Vec<String> = names.into_iter().collect();
        let by_tag = mapping
            .into_iter()
            .filter_map(|(tag, name)| Some((tag, names.binary_search(&name).ok()?)));
        let is_tagged = top.get("discriminator").is_some();
        let by_tag = is_tagged.then(|| by_tag.collect());
        MessageValidator {
            document,
            releases,
            refusal,
            source: None,
            top,
            parts: names
                .into_iter()
                .map(|name| (name, OnceLock::new()))
                .collect(),
            by_tag,
        }
    }

    /// What is wrong with `message`; nothing if the release writes such messages. Where violations are
    /// only counted, no words are found for them.
    pub(crate) fn violations(&self, message: &Value, is_brief: bool) -> Vec<SchemaViolation> {
        let part = match self.part_for(message, is_brief) {
            Ok(part) => part,
            Err(violation) => return vec![*violation],
        };
        let mut violations = Vec::new();
        let explanation = Explanation {
            is_brief,
            ..self.explanation(part.schema())
        };
        for error in part.validator().iter_errors(message) {
            explanation.explain(&error, message, &mut violations);
        }
        // A value of the wrong type breaks several keywords at once; once said is enough.
        let mut reported = BTreeSet::new();
        violations.retain(|violation| {
            let about_type = *violation.rule == WRONG_TYPE || *violation.rule == NULL;
            !about_type || reported.insert(violation.pointer.clone())
        });
        violations
    }

    /// A line, if it is surely what the release writes, whichever value of a repeated key is
    /// kept; and whether a key may stand there twice. The tag is that of the message, or the
    /// method of the request it answers. `None` tells nothing.
    pub(crate) fn accepts<'a>(
        &self,
        tag: Option<&str>,
        text: &'a str,
        tape: &'a mut Tape,
    ) -> Option<(View<'a>, bool)> {
        let place = match &self.by_tag {
            Some(by_tag) => *by_tag.get(tag?)?,
            // The whole schema has no name, so it is the first.
            None => 0,
        };
        self.part(place).program()?.view(text, tape).ok()
    }

    /// What all releases say of the members of an object.
    pub(crate) fn members(&self, message: &Value, object: &str) -> Option<&'static Value> {
        let part = self.part_for(message, true).ok()?;
        self.explanation(part.schema()).members(message, object)
    }

    pub(super) fn explanation<'j>(&'j self, schema: &'j Value) -> Explanation<'j> {
        Explanation {
            document: self.document,
            releases: self.releases,
            refusal: &self.refusal,
            schema,
            is_brief: false,
        }
    }

    /// What a message is to be held against, by its tag.
    pub(super) fn part_for(
        &self,
        message: &Value,
        is_brief: bool,
    ) -> Result<&Part, Box<SchemaViolation>> {
        let explanation = Explanation {
            is_brief,
            ..self.explanation(&self.top)
        };
        let chosen = match &self.by_tag {
            Some(_) => explanation.choose("", &self.top, self.document.top(), message)?,
            None => String::new(),
        };
        let place = self.parts.binary_search_by(|(name, _)| name.cmp(&chosen));
        Ok(self.part(place.expect("a tag is mapped to one of the parts")))
    }

    fn part(&self, place: usize) -> &Part {
        let (name, part) = &self.parts[place];
        part.get_or_init(|| self.make(name))
    }

    fn make(&self, definition: &str) -> Part {
        Part::new(match &self.source {
            Some(parts) => Origin::Projection(Arc::clone(parts), definition.to_owned()),
            None => Origin::Schema(self.top.clone()),
        })
    }
}

#[cfg(test)]
mod tests;
