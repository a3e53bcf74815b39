//! Finds the named parts of all protocols by words: messages, kinds, members, values and types.
//!
//! ```
//! use codex_wire_base::Release;
//! use codex_wire_schema::find::find;
//!
//! let hits = find(&["turn/completed", "durationMs"]);
//! let place = &hits[0].places[0];
//! assert_eq!(place.kind, "turn/completed");
//! assert_eq!(place.pointer, "/params/turn/durationMs");
//! assert_eq!(place.bounds.since, Some(Release::new(0, 120, 0)));
//! ```
//!
//! A word names a part, or something that the part stands in. `find(&["turn/completed", "durationMs"])` finds the
//! members `durationMs` that a message `turn/completed` leads to. Case, `_` and `-` make no difference.

mod graph;
mod parts;
mod place;
mod words;

use std::cmp::Reverse;

use codex_wire_base::{MessageSet, ReleaseBounds, pointer};

use self::graph::Graph;
use self::place::both;
use self::words::{Fit, Words};
use crate::documents::{Family, annotated};
use crate::ir::{Kind, Member, Schema};

pub use self::graph::{Edge, Index, Way, index};
pub use self::parts::{Part, PartKind};
pub use self::place::Place;

/// A part that the words name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Hit {
    /// The part.
    pub part: Part,
    /// Where it stands, once for each message that leads to it by the words: the shortest way of each. Message sets of
    /// today come first, then short ways.
    pub places: Vec<Place>,
    fit: Fit,
}

impl Hit {
    /// Whether each word is a whole name; otherwise some word is a part of one, or stands in the documentation.
    pub fn is_exact(&self) -> bool {
        self.fit == Fit::Whole
    }
}

/// A part of a message, seen from the message.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Below {
    /// Where it stands.
    pub pointer: String,
    /// The member.
    pub member: &'static Member,
    /// The releases in which it stands there.
    pub bounds: ReleaseBounds,
}

/// The parts that all words name, the best first. Nothing if there are no words.
pub fn find(words: &[&str]) -> Vec<Hit> {
    let words = Words::new(words);
    if words.is_empty() {
        return Vec::new();
    }
    let mut hits: Vec<Hit> = families()
        .flat_map(|family| hits_of(family, &words))
        .collect();
    // What only the documentation says is of interest where no name fits.
    if hits.iter().any(|hit| hit.fit < Fit::Text) {
        hits.retain(|hit| hit.fit < Fit::Text);
    }
    hits.sort_by_key(|hit| {
        let first = hit.places.first();
        let current = first.is_some_and(|place| place.message_set.is_current());
        let len = first.map_or(usize::MAX, |place| place.pointer.matches('/').count());
        (hit.fit, Reverse(current), hit.part.kind, len)
    });
    hits
}

/// The names of all parts, some of them several times.
pub fn names() -> impl Iterator<Item = &'static str> {
    families().flat_map(|family| Graph::of(family).parts().iter().map(|part| part.name))
}

/// Those that releases of Codex write, in the order in which they are looked through.
pub fn families() -> impl Iterator<Item = Family> {
    let all = Family::ALL.into_iter();
    all.filter(|family| *family != Family::Transcript)
}

fn hits_of(family: Family, words: &Words) -> Vec<Hit> {
    let graph = Graph::of(family);
    let marks = graph.marks(words);
    let hit = |index: usize, part: &Part| {
        let own = words.fit(part)?;
        let (fit, places) = graph.places(index, words, &own, &marks)?;
        Some(Hit {
            part: part.clone(),
            places,
            fit,
        })
    };
    let parts = graph.parts().iter().enumerate();
    parts.filter_map(|(index, part)| hit(index, part)).collect()
}

/// The members of a message, with those of what it holds, down to unions and lists; `deep` levels of objects.
pub fn members_of(message_set: MessageSet, definition: &str, deep: usize) -> Vec<Below> {
    let mut out = Vec::new();
    let document = annotated(message_set);
    if let Some(schema) = document.schema(definition) {
        walk(
            message_set,
            schema,
            "",
            ReleaseBounds::ALWAYS,
            deep,
            &mut out,
        );
    }
    out
}

fn walk(
    message_set: MessageSet,
    schema: &'static Schema,
    pointer: &str,
    bounds: ReleaseBounds,
    deep: usize,
    out: &mut Vec<Below>,
) {
    let Kind::Object(object) = &annotated(message_set).resolve(schema).kind else {
        return;
    };
    for member in object
        .members
        .iter()
        .filter(|member| !member.is_plain_tag())
    {
        let Some(bounds) = both(bounds, member.availability.range) else {
            continue;
        };
        let mut pointer = pointer.to_owned();
        pointer::push(&mut pointer, &member.name);
        out.push(Below {
            pointer: pointer.clone(),
            member,
            bounds,
        });
        if deep > 1 {
            walk(message_set, &member.schema, &pointer, bounds, deep - 1, out);
        }
    }
}
