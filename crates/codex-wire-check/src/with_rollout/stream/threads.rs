//! Holds the threads of a live stream.

use std::collections::HashMap;

use crate::with_rollout::facts::{Fact, Fingerprint, Thread};

/// How many threads of a stream are kept, and how many calls that have not ended.
const MOST_THREADS: usize = 4096;

/// The threads of a live stream.
#[derive(Debug, Default)]
pub(in crate::with_rollout) struct Stream {
    /// The threads with their ids. Older streams name none.
    pub(in crate::with_rollout) threads: Vec<(Option<String>, Thread)>,
    indexes: HashMap<String, usize>,
    /// Whether the client did not want to hear of everything, or there are too many threads.
    pub(in crate::with_rollout) is_partial: bool,
    /// Where the messages belong that name no thread.
    current: usize,
    /// What the beginnings of calls say and their ends do not.
    begun: HashMap<Fingerprint, Fingerprint>,
}

impl Stream {
    /// The thread with that id, which exists from now on.
    pub(super) fn named(&mut self, id: &str) -> &mut Thread {
        let index = match self.indexes.get(id) {
            Some(index) => *index,
            None if self.threads.len() >= MOST_THREADS => {
                self.is_partial = true;
                self.current
            }
            None => {
                self.indexes.insert(id.to_owned(), self.threads.len());
                self.threads.push((Some(id.to_owned()), Thread::default()));
                self.threads.len() - 1
            }
        };
        self.current = index;
        &mut self.threads[index].1
    }

    /// The thread at hand.
    pub(super) fn at_hand(&mut self) -> &mut Thread {
        if self.threads.is_empty() {
            self.threads.push((None, Thread::default()));
        }
        &mut self.threads[self.current].1
    }

    /// A call begins.
    pub(super) fn begin_call(&mut self, call: Fingerprint, what: Fingerprint) {
        if self.begun.len() < MOST_THREADS {
            self.begun.insert(call, what);
        }
    }

    /// A call ends. Returns what its beginning had.
    pub(super) fn end_call(&mut self, call: Fingerprint) -> Option<Fingerprint> {
        self.begun.remove(&call)
    }

    /// Keeps the facts of an item.
    pub(super) fn keep(&mut self, facts: Vec<Fact>, line: u64) {
        let thread = self.at_hand();
        for fact in facts {
            if !thread.is_full() {
                thread.last(line).facts.push(fact);
            }
        }
    }
}
