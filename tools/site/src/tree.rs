//! What a message leads to, member by member.

use codex_wire_base::{MessageSet, ReleaseBounds, pointer};
use codex_wire_schema::ir::{Availability, Kind, Member, Schema};
use serde::Serialize;

use crate::model::{FamilyModel, escaped};
use crate::ranges::{Chip, chips, for_script, in_words, shared};
use crate::spelling::{Piece, holds};

/// How many members deep a message is shown.
pub(crate) const DEEP: usize = 3;
/// How many members a message is shown with; beyond that, the types have them.
const MOST: usize = 400;

/// A member below a message.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Leaf {
    /// Where it stands in the message, with `*` for elements.
    pub(crate) pointer: String,
    /// The same, or nothing if another message of the page has it.
    pub(crate) anchor: String,
    pub(crate) name: String,
    pub(crate) depth: usize,
    /// Where it is described: a type with an anchor.
    pub(crate) page: String,
    pub(crate) holds: Vec<Piece>,
    pub(crate) ranges: String,
    pub(crate) when: String,
    pub(crate) chips: Vec<Chip>,
    /// Whether some release has the message without it.
    pub(crate) is_not_always: bool,
}

/// The members of a message, with those of what it holds.
pub(crate) fn of_message(
    model: &FamilyModel,
    message_set: MessageSet,
    definition: &str,
    message: &Availability,
) -> Vec<Leaf> {
    let mut walk = Walk {
        model,
        message_set,
        within: message.range,
        out: Vec::new(),
    };
    if let Some(schema) = model.document.schema(definition) {
        walk.schema(schema, definition, "", "", message.range, 1);
    }
    walk.out
}

struct Walk<'m> {
    model: &'m FamilyModel,
    message_set: MessageSet,
    within: ReleaseBounds,
    out: Vec<Leaf>,
}

impl Walk<'_> {
    /// `owner` is the definition whose page has what is in the schema, below the anchor `inside`.
    fn schema(
        &mut self,
        schema: &'static Schema,
        owner: &str,
        inside: &str,
        at: &str,
        bounds: ReleaseBounds,
        depth: usize,
    ) {
        match &schema.kind {
            Kind::Array(each) | Kind::Map(each) => {
                self.schema(each, owner, inside, &format!("{at}/*"), bounds, depth);
            }
            Kind::Reference(name) => {
                if let Some(target) = self.model.document.schema(name) {
                    self.schema(target, name, "", at, bounds, depth);
                }
            }
            Kind::Untagged(variants) => {
                for variant in variants {
                    if let Some(bounds) = shared(bounds, variant.availability.range) {
                        self.schema(&variant.schema, owner, inside, at, bounds, depth);
                    }
                }
            }
            Kind::Object(object) => {
                for member in object
                    .members
                    .iter()
                    .filter(|member| !member.is_plain_tag())
                {
                    self.member(member, owner, inside, at, bounds, depth);
                }
            }
            _ => {}
        }
    }

    fn member(
        &mut self,
        member: &'static Member,
        owner: &str,
        inside: &str,
        at: &str,
        bounds: ReleaseBounds,
        depth: usize,
    ) {
        let Some(bounds) = shared(bounds, member.availability.range) else {
            return;
        };
        let mut pointer = at.to_owned();
        pointer::push(&mut pointer, &member.name);
        if self.out.len() >= MOST || self.out.iter().any(|leaf| leaf.pointer == pointer) {
            return;
        }
        let anchor = match inside {
            "" => member.name.to_string(),
            inside => format!("{inside}/{}", member.name),
        };
        let page = self.model.page_of_definition(owner);
        let page = page.map(|page| format!("{page}#{}", escaped(&anchor)));
        let mut held = holds(self.model, &member.schema);
        if !member.nullable.is_empty() {
            held.push(Piece {
                text: " or null".to_owned(),
                page: String::new(),
            });
        }
        let releases = self.message_set.release_list().releases();
        let mut availability = member.availability.clone();
        availability.range = bounds;
        let ranges = availability.ranges(releases);
        self.out.push(Leaf {
            name: member.name.to_string(),
            depth,
            page: page.unwrap_or_default(),
            holds: held,
            ranges: for_script(&ranges),
            when: if ranges == [self.within] {
                String::new()
            } else {
                in_words(&ranges, self.message_set)
            },
            chips: chips(&availability, Some(member), self.message_set),
            is_not_always: ranges != [self.within],
            pointer: pointer.clone(),
            anchor: pointer.replace(char::is_whitespace, "_"),
        });
        if depth < DEEP {
            self.schema(&member.schema, owner, &anchor, &pointer, bounds, depth + 1);
        }
    }
}
