//! Finds the messages that lead to a place, and a shortest way there.

use std::collections::{BTreeSet, VecDeque};

use crate::compare::{Graph, Step};
use crate::limits::{DEEP, MENTIONS};

/// How a pair of definitions is reached.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reached {
    /// The messages, by their place among the entries.
    pub(crate) messages: BTreeSet<usize>,
    /// The entry of a shortest way.
    pub(crate) entry: Option<usize>,
    /// The owner before this one on that way, and which of its edges leads here.
    from: Option<(usize, usize)>,
    /// How many steps the way has after the entry's own.
    length: usize,
}

/// How every owner of a graph is reached.
pub(crate) fn reach(graph: &Graph<'_>) -> Vec<Reached> {
    let mut out: Vec<Reached> = vec![Reached::default(); graph.owners.len()];
    let mut waiting = VecDeque::new();
    let mut seen = vec![false; graph.owners.len()];
    for (index, entry) in graph.entries.iter().enumerate() {
        if !seen[entry.owner] {
            seen[entry.owner] = true;
            out[entry.owner].entry = Some(index);
            waiting.push_back(entry.owner);
        }
    }
    // All entries at once: whoever comes first came by a shortest way.
    while let Some(owner) = waiting.pop_front() {
        for (at, (steps, to)) in graph.owners[owner].edges.iter().enumerate() {
            if !seen[*to] {
                seen[*to] = true;
                out[*to].entry = out[owner].entry;
                out[*to].from = Some((owner, at));
                out[*to].length = out[owner].length + steps.len();
                waiting.push_back(*to);
            }
        }
    }
    let mut left = MENTIONS;
    for (index, entry) in graph.entries.iter().enumerate() {
        let mut waiting = vec![entry.owner];
        while let Some(owner) = waiting.pop() {
            if left > 0 && out[owner].messages.insert(index) {
                left -= 1;
                waiting.extend(graph.owners[owner].edges.iter().map(|(_, to)| *to));
            }
        }
    }
    // Where there are too many to name them all, the nearest is.
    for reached in out.iter_mut().filter(|reached| reached.messages.is_empty()) {
        reached.messages.extend(reached.entry);
    }
    // What stands beside the union of messages is in all of them.
    for owner in &graph.common {
        out[*owner].messages = (0..graph.entries.len()).collect();
    }
    out
}

impl Reached {
    /// The steps of the shortest way after the entry's own; `None` if there are too many to make
    /// a message of.
    pub(crate) fn way<'d>(&self, graph: &Graph<'d>, all: &[Reached]) -> Option<Vec<Step<'d>>> {
        // Choices are steps as well, but lead no deeper.
        if self.length > 2 * DEEP {
            return None;
        }
        let mut edges = Vec::new();
        let mut at = self.from;
        while let Some((owner, edge)) = at {
            edges.push((owner, edge));
            at = all[owner].from;
        }
        let mut steps = Vec::with_capacity(self.length);
        for (owner, edge) in edges.into_iter().rev() {
            steps.extend(graph.owners[owner].edges[edge].0.iter().cloned());
        }
        Some(steps)
    }
}

/// A way in words: members, `[]`, `*`, and variants in angle brackets.
pub(crate) fn path_texts(steps: &[Step<'_>]) -> Vec<String> {
    let word = |step: &Step<'_>| match step {
        Step::Member(name) => crate::limits::shown(name).into_owned(),
        Step::Item => "[]".to_owned(),
        Step::Key => "*".to_owned(),
        Step::Branch { label, .. } => format!("<{label}>"),
    };
    steps.iter().map(word).collect()
}
