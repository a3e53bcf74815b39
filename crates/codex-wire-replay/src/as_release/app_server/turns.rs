//! Names of turns: numbers in older releases, ids of their own in newer ones.

use std::collections::{BTreeMap, BTreeSet};

use crate::compose::ids::Ids;
use crate::compose::json::Node;
use crate::compose::observed::Observed;
use crate::names::table::{NameKind, kind_of};

/// How names are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    Same,
    /// Numbers become ids.
    Ids,
    /// Ids become numbers, of each thread by itself.
    Numbers,
    /// Numbers become numbers of the connection: the release does not say of which thread a turn is.
    OneCount,
}

/// Gives turns the names that a release would.
pub(super) struct Turns {
    naming: Naming,
    ids: Ids,
    names: BTreeMap<(String, String), String>,
    counts: BTreeMap<String, usize>,
    ended: BTreeSet<(String, String)>,
}

impl Turns {
    pub(super) fn new(was: Observed, is: Observed, ms: u64) -> Self {
        let naming = match (was.turns_have_ids(), is.turns_have_ids()) {
            (false, true) => Naming::Ids,
            _ if is.names_threads() && was.turns_have_ids() == is.turns_have_ids() => Naming::Same,
            _ if !is.names_threads() && was.names_threads() => Naming::OneCount,
            (true, false) => Naming::Numbers,
            _ => Naming::Same,
        };
        Turns {
            naming,
            ids: Ids::new(11, ms),
            names: BTreeMap::new(),
            counts: BTreeMap::new(),
            ended: BTreeSet::new(),
        }
    }

    /// Lets a turn have the name of another, in releases that number turns: there a review and what it
    /// starts are one.
    pub(super) fn join(&mut self, thread: &str, turn: &str, with: &str) {
        if matches!(self.naming, Naming::Numbers | Naming::OneCount) {
            let name = self.name(thread, with);
            self.names
                .insert((thread.to_owned(), turn.to_owned()), name);
        }
    }

    /// A turn has ended: its number may come again, and then means another turn.
    pub(super) fn end(&mut self, thread: &str, turn: &str) {
        self.ended.insert((thread.to_owned(), turn.to_owned()));
    }

    /// A turn begins under this name.
    pub(super) fn begin(&mut self, thread: &str, turn: &str) {
        let key = (thread.to_owned(), turn.to_owned());
        if self.ended.remove(&key) {
            self.names.remove(&key);
        }
    }

    /// Whether a recorded turn is the one of that name.
    pub(super) fn is(&self, thread: &str, recorded: &str, name: &str) -> bool {
        let known = self.names.get(&(thread.to_owned(), recorded.to_owned()));
        known.map_or(recorded, String::as_str) == name
    }

    /// Renames the turns of a message.
    pub(super) fn rename(&mut self, thread: &str, message: &mut Node) {
        if self.naming == Naming::Same {
            return;
        }
        if let Node::Object(members) = message {
            let relayed = members
                .iter()
                .any(|(name, value)| name == "method" && is_relay(value));
            for (name, value) in members {
                if relayed && name == "params" {
                    self.relayed(thread, value);
                }
                self.walk(thread, "", name, value);
            }
        }
    }

    /// Events of the core name the turn `id`.
    fn relayed(&mut self, thread: &str, params: &mut Node) {
        if let Node::Object(members) = params
            && let Some((_, Node::Text(id))) = members.iter_mut().find(|(name, _)| name == "id")
            && !id.is_empty()
        {
            *id = self.name(thread, id);
        }
    }

    fn walk(&mut self, thread: &str, parent: &str, member: &str, value: &mut Node) {
        match value {
            Node::Text(text) => {
                let is_turn = kind_of(parent, member) == Some(NameKind::Turn)
                    || parent == "turns" && member == "id";
                if is_turn && !text.is_empty() {
                    *text = self.name(thread, text);
                }
            }
            Node::List(list) => {
                for item in list {
                    self.walk(thread, parent, member, item);
                }
            }
            Node::Object(members) => {
                for (name, value) in members {
                    self.walk(thread, member, name, value);
                }
            }
            _ => {}
        }
    }

    /// The name of a recorded turn.
    pub(super) fn name(&mut self, thread: &str, turn: &str) -> String {
        if self.naming == Naming::Same {
            return turn.to_owned();
        }
        let key = (thread.to_owned(), turn.to_owned());
        if let Some(known) = self.names.get(&key) {
            return known.clone();
        }
        let counted = match self.naming {
            Naming::OneCount => "",
            _ => thread,
        };
        let name = match self.naming {
            Naming::Ids => self.ids.uuid(),
            _ => {
                let count = self.counts.entry(counted.to_owned()).or_default();
                *count += 1;
                (*count - 1).to_string()
            }
        };
        self.names.insert(key, name.clone());
        name
    }
}

fn is_relay(method: &Node) -> bool {
    method
        .as_str()
        .is_some_and(|method| method.starts_with("codex/event/"))
}
