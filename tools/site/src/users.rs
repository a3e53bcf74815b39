//! Which clients meet which part of a protocol, as their recordings in this repository show.

use std::collections::{BTreeMap, BTreeSet};

use crate::clients::{Clients, Meets, User};
use crate::model::FamilyModel;

/// The clients of a family.
pub(crate) struct Users<'c> {
    of_messages: BTreeMap<&'c str, Vec<User<'c>>>,
    /// The clients of each definition and message set.
    of_owners: Vec<BTreeSet<User<'c>>>,
}

impl<'c> Users<'c> {
    pub(crate) fn of(model: &FamilyModel, clients: &'c Clients) -> Self {
        let mut of_messages: BTreeMap<&str, Vec<User<'c>>> = BTreeMap::new();
        for Meets { user, messages } in clients.meet(model.family.as_str()) {
            for message in messages {
                of_messages.entry(message).or_default().push(user);
            }
        }
        let mut of_owners = vec![BTreeSet::new(); model.index.names.len()];
        let mut below = vec![Vec::new(); model.index.names.len()];
        for edge in model.index.edges {
            below[edge.way.from].push(edge.to);
        }
        for (message, users) in &of_messages {
            // What a message leads to, and what that leads to.
            let is_own = |edge: &&codex_wire_schema::find::Edge| {
                model.message_set(edge.way.from).is_some()
                    && edge.way.kinds.first() == Some(message)
            };
            let first = model.index.edges.iter().filter(is_own);
            let mut waiting: Vec<usize> = first.map(|edge| edge.to).collect();
            let mut seen: BTreeSet<usize> = waiting.iter().copied().collect();
            while let Some(owner) = waiting.pop() {
                let users: &Vec<User<'c>> = users;
                of_owners[owner].extend(users.iter().copied());
                waiting.extend(below[owner].iter().filter(|next| seen.insert(**next)));
            }
        }
        Users {
            of_messages,
            of_owners,
        }
    }

    /// The clients that write a message or get it.
    pub(crate) fn of_message(&self, name: &str) -> &[User<'c>] {
        self.of_messages
            .get(name)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// The clients with a message that leads to a definition.
    pub(crate) fn of_owner(&self, owner: usize) -> &BTreeSet<User<'c>> {
        &self.of_owners[owner]
    }
}
