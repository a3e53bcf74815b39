//! Validates messages against the exact schema of one release range.
//!
//! A validator takes the exact projection apart by kind of message. For each kind it makes a compiled
//! schema and a validator of the `jsonschema` crate when the first such message comes (`part.rs`).

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use codex_wire_base::{MessageSet, Release};
use codex_wire_prefilter::{Tape, View};
use codex_wire_schema::ir::{Object, Text};
use codex_wire_schema::{Document, Parts, Profile, ReleaseRange, Stability, annotated};
use foldhash::fast::RandomState;
use serde_json::Value;

use super::explanation::{Explanation, TaggedUnion};
use super::part::Part;
use super::schema_violation::SchemaViolation;
use super::schema_walk::Node;
use crate::validation::explanation::{NULL, WRONG_TYPE};

/// The exact projection of one range of releases, taken apart: what a message of each kind is
/// checked against is made when the first such message comes.
pub(crate) struct MessageValidator {
    /// What all releases write.
    pub(super) document: &'static Document,
    /// The releases there are.
    releases: &'static [Release],
    /// That the releases do not do what they should not, in words.
    refusal: Arc<str>,
    /// What parts are made of.
    source: Arc<Parts>,
    /// Whether messages answer a request, whose method does not stand in the line.
    is_answer: bool,
    /// By definition, in order; none stands for all messages where no tag tells them apart.
    parts: Vec<(Option<Text>, OnceLock<Part>)>,
    /// Which part a tag stands for, where messages are told apart by one.
    by_tag: Option<HashMap<Text, usize, RandomState>>,
}

impl MessageValidator {
    /// With `requires_written`, a member is missing that Codex always writes, though its schema lets it
    /// be left out.
    pub(crate) fn new(
        message_set: MessageSet,
        range: ReleaseRange,
        requires_written: bool,
    ) -> Self {
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
        let (profile, stability) = (Profile::Exact, Stability::Experimental);
        let source = match requires_written {
            true => Parts::new(message_set, range.since, profile, stability),
            false => Parts::leaving_out(message_set, range.since, profile, stability),
        };
        let is_answer = matches!(
            message_set,
            MessageSet::AppServerServerResponses | MessageSet::AppServerClientResponses
        );
        MessageValidator {
            is_answer,
            ..Self::of_document(document, releases, source, refusal)
        }
    }

    fn of_document(
        document: &'static Document,
        releases: &'static [Release],
        source: Parts,
        refusal: String,
    ) -> Self {
        let union = source.root().tagged();
        let variants = union.into_iter().flat_map(|union| &union.variants);
        let definitions = variants.clone().map(|variant| Some(&variant.definition));
        let mut names: Vec<Option<&Text>> = definitions.chain([None]).collect();
        names.sort_unstable();
        names.dedup();
        let by_tag = union.map(|_| {
            let places = variants.filter_map(|variant| {
                let place = names.binary_search(&Some(&variant.definition)).ok()?;
                Some((variant.tag.clone(), place))
            });
            places.collect()
        });
        let parts = names.iter();
        let parts = parts.map(|name| (name.cloned(), OnceLock::new()));
        MessageValidator {
            parts: parts.collect(),
            by_tag,
            document,
            releases,
            refusal: refusal.into(),
            source: Arc::new(source),
            is_answer: false,
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
            ..self.explanation(part.root())
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
            // What has no name is the first.
            None => 0,
        };
        self.part(place).program()?.view(text, tape).ok()
    }

    /// What all releases say of an object in a message.
    pub(crate) fn object(&self, message: &Value, pointer: &str) -> Option<&'static Object> {
        let part = self.part_for(message, true).ok()?;
        self.explanation(part.root()).object(message, pointer)
    }

    /// The union of all messages, if a tag tells them apart.
    pub(super) fn tagged(&self) -> Option<TaggedUnion<'_>> {
        let root = self.source.root();
        Some(TaggedUnion {
            title: root.title.as_ref(),
            of_release: root.tagged()?,
            of_all: self.document.root().tagged(),
        })
    }

    pub(super) fn explanation<'j>(&'j self, root: Node<'j>) -> Explanation<'j> {
        Explanation {
            document: self.document,
            releases: self.releases,
            refusal: &self.refusal,
            root,
            definitions: &self.source,
            is_brief: false,
        }
    }

    /// What a message is to be checked against, by its tag.
    pub(super) fn part_for(
        &self,
        message: &Value,
        is_brief: bool,
    ) -> Result<&Part, Box<SchemaViolation>> {
        let Some(union) = self.tagged() else {
            return Ok(self.part(0));
        };
        let explanation = Explanation {
            is_brief,
            ..self.explanation(Node::of(self.source.root()))
        };
        let chosen = explanation.choose("", union, message)?;
        let named = |(name, _): &(Option<Text>, _)| name.as_deref().cmp(&Some(chosen));
        let place = self.parts.binary_search_by(named);
        Ok(self.part(place.expect("a tag is mapped to one of the parts")))
    }

    fn part(&self, place: usize) -> &Part {
        let (name, part) = &self.parts[place];
        part.get_or_init(|| Part::new(Arc::clone(&self.source), name.clone(), self.is_answer))
    }
}

#[cfg(test)]
mod tests;
