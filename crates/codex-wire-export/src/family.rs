//! Which threads of a session are the sub-agents of which.

use std::collections::HashMap;

use codex_wire_session::Session;

/// The threads of a session by their ids, and the parents of each.
pub(crate) struct Family<'a> {
    by_id: HashMap<&'a str, usize>,
    parents: Vec<Option<&'a str>>,
}

impl<'a> Family<'a> {
    pub(crate) fn of(session: &'a Session) -> Self {
        let mut by_id: HashMap<&str, usize> = HashMap::new();
        let mut started: HashMap<&str, &str> = HashMap::new();
        for (number, thread) in session.threads.iter().enumerate() {
            let Some(id) = &thread.id else { continue };
            by_id.entry(id).or_insert(number);
            for child in &thread.children {
                started.entry(child).or_insert(id);
            }
        }
        // Some sources say it of the child, others of the parent.
        let parents = session.threads.iter().map(|thread| {
            let id = thread.id.as_deref();
            let parent = thread.lineage.parent.as_deref();
            let parent = parent.or_else(|| started.get(id?).copied());
            // A thread that is its own parent has none.
            parent.filter(|parent| Some(*parent) != id)
        });
        let parents = parents.collect();
        Family { by_id, parents }
    }

    /// The id of the parent of a thread.
    pub(crate) fn parent(&self, number: usize) -> Option<&'a str> {
        self.parents[number]
    }

    /// The number of the parent of a thread, if it is in the session.
    pub(crate) fn parent_here(&self, number: usize) -> Option<usize> {
        self.by_id.get(self.parents[number]?).copied()
    }

    /// Whether a thread is the one with its id. A session may have an id twice.
    pub(crate) fn is_first(&self, number: usize, id: &str) -> bool {
        self.by_id.get(id) == Some(&number)
    }
}
