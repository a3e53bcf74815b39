//! Finds which changes concern observed messages: those in members, variants and values that the
//! messages contain.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use crate::change::Change;
use crate::compare::{Found, Graph, Step};
use crate::difference::Message;
use crate::reach::Reached;
use crate::shapes::Object;

/// What observed messages contain.
pub(crate) struct Observed<'g, 'd> {
    /// The parts by name.
    graphs: Vec<(&'g str, &'g Graph<'d>)>,
    messages: BTreeSet<Message>,
    /// The addresses of changes.
    found: HashSet<usize>,
}

impl<'g, 'd: 'g> Observed<'g, 'd> {
    pub(crate) fn new(
        names: impl Iterator<Item = &'g str>,
        graphs: &'g [(Graph<'d>, Vec<Reached>)],
    ) -> Self {
        Observed {
            graphs: names.zip(graphs.iter().map(|(graph, _)| graph)).collect(),
            messages: BTreeSet::new(),
            found: HashSet::new(),
        }
    }

    /// Walks through a message, as far as there are changes.
    pub(crate) fn message(&mut self, message: &Message, value: &Value) {
        if !self.messages.contains(message) {
            self.messages.insert(message.clone());
        }
        for (name, graph) in &self.graphs {
            if *name != message.part {
                continue;
            }
            let mut waiting: Vec<(usize, &Value)> =
                graph.common.iter().map(|owner| (*owner, value)).collect();
            let entries = graph.entries.iter();
            for entry in entries.filter(|entry| entry.name == message.name) {
                // The last step is the choice of the message, which is known.
                let inside = inside(value, without_last_choice(&entry.steps));
                waiting.extend(inside.into_iter().map(|value| (entry.owner, value)));
            }
            walk(graph, waiting, &mut self.found);
        }
    }

    /// Whether a message of this part and name was observed.
    pub(crate) fn has_message(&self, part: &str, name: &str) -> bool {
        self.messages.contains(&Message::new(part, name))
    }

    /// Whether an observed message contains what changed.
    pub(crate) fn has(&self, part: &str, found: &Found<'d>) -> bool {
        match found.change {
            Change::MessageAdded | Change::MessageRemoved | Change::MessageRenamed => {
                // A removed message has its name in the place only.
                let texts = found.texts.iter().flatten();
                let mut names = found.place.iter().chain(texts);
                names.any(|name| self.has_message(part, name))
            }
            _ => self.found.contains(&address(found)),
        }
    }
}

fn address(found: &Found<'_>) -> usize {
    std::ptr::from_ref(found) as usize
}

fn walk(graph: &Graph<'_>, mut waiting: Vec<(usize, &Value)>, seen: &mut HashSet<usize>) {
    let mut walked: HashSet<(usize, usize)> = HashSet::new();
    while let Some((at, value)) = waiting.pop() {
        if !walked.insert((at, std::ptr::from_ref(value) as usize)) {
            continue;
        }
        let owner = &graph.owners[at];
        for found in &owner.found {
            if !seen.contains(&address(found)) && contains(value, found) {
                seen.insert(address(found));
            }
        }
        for (steps, to) in &owner.edges {
            waiting.extend(inside(value, steps).into_iter().map(|value| (*to, value)));
        }
    }
}

/// Whether a value of the owner contains what changed. What is new is not in the value: where it
/// would stand is.
fn contains(value: &Value, found: &Found<'_>) -> bool {
    // The last choice may stand for all variants, if all changed alike.
    let values = inside(value, without_last_choice(&found.steps));
    match found.change {
        Change::OptionalMemberRemoved
        | Change::RequiredMemberRemoved
        | Change::OptionalMemberRenamed
        | Change::RequiredMemberRenamed
        | Change::BecameOptional => values.iter().any(|value| {
            let mut names = found.subject.iter().flatten();
            names.any(|name| value.get(name).is_some())
        }),
        Change::VariantRemoved | Change::VariantRenamed => values.iter().any(|value| {
            let mut branches = found.branches.iter().flatten();
            branches.any(|branch| may_be(value, branch))
        }),
        Change::ValueRemoved => {
            let mut values = values.iter().map(|value| value.as_str());
            values.any(|value| value.is_some() && value == found.subject[0])
        }
        _ => !values.is_empty(),
    }
}

fn without_last_choice<'s, 'd>(steps: &'s [Step<'d>]) -> &'s [Step<'d>] {
    match steps {
        [before @ .., Step::Branch { .. }] => before,
        all => all,
    }
}

/// The values to which the steps lead.
fn inside<'v>(value: &'v Value, steps: &[Step<'_>]) -> Vec<&'v Value> {
    let mut values = vec![value];
    for step in steps {
        values = match step {
            Step::Member(name) => values.iter().filter_map(|value| value.get(name)).collect(),
            Step::Item => {
                let arrays = values.iter().filter_map(|value| value.as_array());
                arrays.flatten().collect()
            }
            Step::Key => {
                let objects = values.iter().filter_map(|value| value.as_object());
                objects.flat_map(serde_json::Map::values).collect()
            }
            Step::Branch { before, after, .. } => {
                values.retain(|value| may_be(value, before) || may_be(value, after));
                values
            }
        };
    }
    values
}

/// Whether a value is this variant, by its tags, or if it has none by what it requires.
fn may_be(value: &Value, object: &Object<'_>) -> bool {
    let Some(members) = value.as_object() else {
        return false;
    };
    let mut tags = object.tags().peekable();
    if tags.peek().is_none() {
        return object.required().all(|name| members.contains_key(name));
    }
    tags.all(|(name, tag)| members.get(name).and_then(Value::as_str) == Some(tag))
}
