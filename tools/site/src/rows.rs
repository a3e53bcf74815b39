//! What is shown of a part on the page of what it stands in.

use codex_wire_base::{MessageSet, Protocol, ReleaseBounds};
use codex_wire_diff::asked_about;
use codex_wire_schema::find::{Part, PartKind};
use codex_wire_schema::ir::Availability;
use serde::Serialize;

use crate::markdown;
use crate::model::FamilyModel;
use crate::ranges::{Bar, Chip, chips, for_script, in_words, line};
use crate::spelling::{Piece, holds};

/// What is shown of a part.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) anchor: String,
    pub(crate) name: String,
    pub(crate) what: &'static str,
    /// What it holds.
    pub(crate) holds: Vec<Piece>,
    pub(crate) about: String,
    /// The releases, for the script.
    pub(crate) ranges: String,
    pub(crate) when: String,
    pub(crate) chips: Vec<Chip>,
    pub(crate) line: Vec<Bar>,
    pub(crate) steps: usize,
    /// What releases answered that were sent it.
    pub(crate) answers: Vec<Answer>,
}

/// What releases answered when they were sent a message.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Answer {
    pub(crate) sent: String,
    pub(crate) said: Vec<String>,
}

/// The row of a part on the page of its owner.
pub(crate) fn row(model: &FamilyModel, at: usize) -> Row {
    let part = &model.index.parts[at];
    let ranges = ranges_of(part.availability, part.message_set);
    let mut held = part.schema.map(|schema| holds(model, schema));
    if let Some(definition) = part.definition {
        held = Some(vec![Piece {
            text: definition.to_owned(),
            page: model.page_of_definition(definition).unwrap_or_default(),
        }]);
    }
    let mut held = held.unwrap_or_default();
    if part
        .member
        .is_some_and(|member| !member.nullable.is_empty())
    {
        held.push(Piece {
            text: " or null".to_owned(),
            page: String::new(),
        });
    }
    let way = &model.index.ways[at];
    let name = match way.names.as_slice() {
        [] | [_] => part.name.to_owned(),
        names => names.join(" / "),
    };
    Row {
        anchor: model.anchors[at].clone(),
        name,
        what: part.kind.as_str(),
        holds: held,
        about: markdown::text(part.about),
        ranges: for_script(&ranges),
        when: in_words(&ranges, part.message_set),
        chips: chips(part.availability, part.member, part.message_set),
        line: line(part.availability, &model.releases),
        steps: model.releases.len(),
        answers: answers(part),
    }
}

/// The releases that have something.
pub(crate) fn ranges_of(
    availability: &Availability,
    message_set: MessageSet,
) -> Vec<ReleaseBounds> {
    availability.ranges(message_set.release_list().releases())
}

/// What releases answered that were sent a part; only the app-server was asked.
pub(crate) fn answers(part: &Part) -> Vec<Answer> {
    if part.message_set.protocol() != Protocol::AppServer {
        return Vec::new();
    }
    let name = match part.kind {
        PartKind::Message | PartKind::Type => part.name.to_owned(),
        PartKind::Member => format!("{}.{}", part.owner, part.name),
        PartKind::Kind | PartKind::Value => format!("{} {}", part.owner, part.name),
    };
    let asked = asked_about(&name).into_iter().map(|asked| Answer {
        sent: asked.sent.to_owned(),
        said: asked
            .answers
            .iter()
            .map(|(since, refused)| match refused {
                Some(why) => format!("from {since} on refused: {why}"),
                None => format!("from {since} on it is read"),
            })
            .collect(),
    });
    asked.collect()
}
