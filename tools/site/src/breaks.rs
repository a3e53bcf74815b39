//! What releases broke of each type and message, with a message that proves it.

use std::collections::BTreeMap;

use codex_wire_base::Protocol;
use codex_wire_diff::{Difference, Verdict};
use serde::Serialize;

use crate::changes::Histories;
use crate::markdown;
use crate::model::FamilyModel;

/// What broke, newest first.
pub(crate) struct Breaks {
    /// By the definition that it is of.
    of_definitions: BTreeMap<String, Vec<Break>>,
    /// By the message that it is in.
    of_messages: BTreeMap<String, Vec<Break>>,
}

/// A change that breaks clients.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Break {
    release: String,
    place: String,
    page: String,
    /// What changed and in which messages, as HTML.
    sentence: String,
    reach: String,
    example: String,
    basis: String,
}

impl Breaks {
    pub(crate) fn of(model: &FamilyModel, histories: &Histories) -> Self {
        let mut breaks = Breaks {
            of_definitions: BTreeMap::new(),
            of_messages: BTreeMap::new(),
        };
        let mut protocols: Vec<Protocol> = Vec::new();
        for protocol in model.index.message_sets.iter().map(|set| set.protocol()) {
            if !protocols.contains(&protocol) {
                protocols.push(protocol);
            }
        }
        for protocol in protocols {
            let steps = histories.of(protocol).iter().rev();
            for step in steps {
                for difference in &step.differences {
                    if difference.verdict() == Verdict::Breaking {
                        breaks.add(model, &step.after, difference);
                    }
                }
            }
        }
        breaks
    }

    fn add(&mut self, model: &FamilyModel, release: &str, difference: &Difference) {
        let found = described(model, release, difference);
        let end = difference.place.find(['.', ' ']);
        let definition = &difference.place[..end.unwrap_or(difference.place.len())];
        let list = self.of_definitions.entry(definition.to_owned());
        push(list.or_default(), &found);
        for message in &difference.messages {
            let list = self.of_messages.entry(message.name.clone());
            push(list.or_default(), &found);
        }
    }

    /// What broke of a definition.
    pub(crate) fn of_definition(&self, name: &str) -> &[Break] {
        self.of_definitions
            .get(name)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// What broke in a message.
    pub(crate) fn of_message(&self, name: &str) -> &[Break] {
        self.of_messages
            .get(name)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }
}

/// Two message sets may share a definition.
fn push(list: &mut Vec<Break>, found: &Break) {
    if !list.contains(found) {
        list.push(found.clone());
    }
}

fn described(model: &FamilyModel, release: &str, difference: &Difference) -> Break {
    let basis = difference.evidence().map(codex_wire_diff::Evidence::basis);
    Break {
        release: release.to_owned(),
        place: difference.place.clone(),
        page: model.page_of_place(&difference.place).unwrap_or_default(),
        sentence: markdown::text(&difference.sentence()),
        reach: markdown::text(&difference.reach()),
        example: difference.example().unwrap_or_default(),
        basis: basis.unwrap_or_default(),
    }
}
