//! Which messages lead to a place, and by what way.

use std::collections::{BTreeSet, VecDeque};

use crate::compare::{Graph, Step};

/// How a pair of definitions is reached.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reached<'d> {
    /// The messages, by their place among the entries.
    pub(crate) messages: BTreeSet<usize>,
    /// The entry of a shortest way.
    pub(crate) entry: Option<usize>,
    /// The steps of that way after the entry's own.
    pub(crate) steps: Vec<Step<'d>>,
}

/// How every owner of a graph is reached.
pub(crate) fn reach<'d>(graph: &Graph<'d>) -> Vec<Reached<'d>> {
    let mut out: Vec<Reached<'d>> = vec![Reached::default(); graph.owners.len()];
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
        for (steps, to) in &graph.owners[owner].edges {
            if !seen[*to] {
                seen[*to] = true;
                let mut way = out[owner].steps.clone();
                way.extend(steps.iter().cloned());
                out[*to].entry = out[owner].entry;
                out[*to].steps = way;
                waiting.push_back(*to);
            }
        }
    }
    for (index, entry) in graph.entries.iter().enumerate() {
        let mut waiting = vec![entry.owner];
        while let Some(owner) = waiting.pop() {
            if out[owner].messages.insert(index) {
                waiting.extend(graph.owners[owner].edges.iter().map(|(_, to)| *to));
            }
        }
    }
    // What stands beside the union of messages is in all of them.
    for owner in &graph.common {
        out[*owner].messages = (0..graph.entries.len()).collect();
    }
    out
}

/// A way in words: members, `[]`, `*`, and variants in angle brackets.
pub(crate) fn words(steps: &[Step<'_>]) -> Vec<String> {
    let word = |step: &Step<'_>| match step {
        Step::Member(name) => (*name).to_owned(),
        Step::Item => "[]".to_owned(),
        Step::Key => "*".to_owned(),
        Step::Arm { label, .. } => format!("<{label}>"),
    };
    steps.iter().map(word).collect()
}
