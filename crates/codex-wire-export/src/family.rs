//! Which threads of a session are the sub-agents of which.

use std::collections::HashMap;

use codex_wire_session::{Session, Thread};

/// The threads of a session by their ids, and the parents of each. It may grow while the session is read.
#[derive(Debug, Default)]
pub(crate) struct Family {
    by_id: HashMap<String, usize>,
    members: Vec<Member>,
    /// The parents of threads, as these say it.
    started: HashMap<String, String>,
}

/// What is known of a thread.
#[derive(Debug, Default)]
struct Member {
    id: Option<String>,
    root: Option<String>,
    parent: Option<String>,
    /// How many of its children are among those that were started.
    children: usize,
}

impl Family {
    pub(crate) fn of(session: &Session) -> Self {
        let mut family = Family::default();
        for (number, thread) in session.threads.iter().enumerate() {
            family.update(number, thread);
        }
        family
    }

    /// This is known of a thread by now.
    pub(crate) fn update(&mut self, number: usize, thread: &Thread) {
        if self.members.len() <= number {
            self.members.resize_with(number + 1, Member::default);
        }
        let member = &mut self.members[number];
        let lineage = &thread.lineage;
        for (known, new) in [
            (&mut member.root, &lineage.root),
            (&mut member.parent, &lineage.parent),
        ] {
            if known != new {
                known.clone_from(new);
            }
        }
        let Some(id) = &thread.id else { return };
        if member.id.as_ref() != Some(id) {
            member.id = Some(id.clone());
            self.by_id.entry(id.clone()).or_insert(number);
        }
        for child in thread.children.iter().skip(member.children) {
            let parent = self.started.entry(child.clone());
            parent.or_insert_with(|| id.clone());
        }
        member.children = thread.children.len();
    }

    /// The id of the parent of a thread. Some sources say it of the child, others of the parent.
    pub(crate) fn parent(&self, number: usize) -> Option<&str> {
        let member = self.members.get(number)?;
        let id = member.id.as_deref();
        let started = || Some(self.started.get(id?)?.as_str());
        let parent = member.parent.as_deref().or_else(started);
        // A thread that is its own parent has none.
        parent.filter(|parent| Some(*parent) != id)
    }

    /// The number of the parent of a thread, if it is in the session.
    pub(crate) fn parent_here(&self, number: usize) -> Option<usize> {
        self.number(self.parent(number)?)
    }

    /// The number of the thread with that id.
    pub(crate) fn number(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The id of the first thread of the tree that a thread is in, as far as it is known: from parent to parent. None if
    /// that thread has no id.
    pub(crate) fn root(&self, number: usize) -> Option<&str> {
        let mut here = number;
        // A circle ends after one round.
        for _ in 0..self.members.len() {
            let member = self.members.get(here)?;
            if let Some(root) = &member.root {
                return Some(root);
            }
            match (self.parent(here), self.parent_here(here)) {
                (_, Some(parent)) => here = parent,
                (Some(parent), None) => return Some(parent),
                (None, None) => break,
            }
        }
        self.members.get(here)?.id.as_deref()
    }

    /// Whether a thread is the one with its id. A session may have an id twice.
    pub(crate) fn is_first(&self, number: usize, id: &str) -> bool {
        self.number(id) == Some(number)
    }
}
