//! The queue of data to check, bounded by bytes.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use codex_wire_check::Writer;

/// The size of an entry besides its bytes.
const OVERHEAD: usize = 64;

/// What is to be checked.
#[derive(Debug)]
pub(crate) enum Entry {
    /// A line of a conversation.
    Line(Told),
    /// A record of a transcript, without its newline.
    Record(Vec<u8>),
    /// Codex exited, with this status or because of this signal.
    Exit {
        status: Option<i32>,
        signal: Option<String>,
        /// The record that says so, without its newline, and where it stands, if there is a recording.
        record: Option<(Vec<u8>, Place)>,
    },
}

/// A line of a conversation, and where it stands.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) writer: Writer,
    pub(crate) bytes: Vec<u8>,
    pub(crate) ended: bool,
    pub(crate) length: u64,
    /// In the recording if it is recorded, else in the conversation.
    pub(crate) place: Place,
    pub(crate) is_recorded: bool,
}

/// Where a line stands: its number, from 1, the bytes before it, and its length.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub(crate) number: u64,
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

impl Entry {
    fn size(&self) -> usize {
        OVERHEAD
            + match self {
                Entry::Line(told) => told.bytes.len(),
                Entry::Record(bytes) => bytes.len(),
                Entry::Exit { .. } => 0,
            }
    }
}

/// A queue with several producers and one consumer.
pub(crate) struct Queue {
    limit: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    entries: VecDeque<Vec<Entry>>,
    size: usize,
    /// Whether no more entries will come.
    closed: bool,
    /// Whether the consumer is gone.
    abandoned: bool,
}

impl Queue {
    /// A queue of about that many bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Queue {
            limit,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// The consumer. Create only one.
    pub(crate) fn consumer(queue: &Arc<Queue>) -> Consumer {
        Consumer(Arc::clone(queue))
    }

    /// Adds entries. Waits while the queue is full.
    pub(crate) fn push(&self, entries: Vec<Entry>) {
        if entries.is_empty() {
            return;
        }
        let mut state = self.lock();
        while state.size >= self.limit && !state.abandoned {
            state = self.wait(state);
        }
        if state.abandoned {
            return;
        }
        state.size += size(&entries);
        state.entries.push_back(entries);
        drop(state);
        self.changed.notify_all();
    }

    /// Marks that no more entries will come.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is consistent even after a panic: nothing panics while it changes.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let state = self.changed.wait(state);
        state.unwrap_or_else(PoisonError::into_inner)
    }
}

/// The consumer of a queue. When it is dropped, producers no longer wait for room.
pub(crate) struct Consumer(Arc<Queue>);

impl Consumer {
    /// Waits for the next entries; `None` if no more will come.
    pub(crate) fn next(&self) -> Option<Vec<Entry>> {
        let mut state = self.0.lock();
        while state.entries.is_empty() && !state.closed {
            state = self.0.wait(state);
        }
        let entries = state.entries.pop_front()?;
        state.size -= size(&entries);
        drop(state);
        self.0.changed.notify_all();
        Some(entries)
    }
}

fn size(entries: &[Entry]) -> usize {
    entries.iter().map(Entry::size).sum()
}

impl Drop for Consumer {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.abandoned = true;
        state.entries.clear();
        drop(state);
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn bytes(length: usize) -> Vec<Entry> {
        vec![Entry::Record(vec![0; length])]
    }

    #[test]
    fn producers_wait_for_room() {
        let queue = Arc::new(Queue::new(1000));
        let consumer = Queue::consumer(&queue);
        let filler = {
            let queue = Arc::clone(&queue);
            thread::spawn(move || {
                (0..100).for_each(|_| queue.push(bytes(100)));
                queue.close();
            })
        };
        thread::sleep(Duration::from_millis(50));
        assert!(queue.lock().size < 1000 + 100 + OVERHEAD);
        let mut taken = 0;
        while consumer.next().is_some() {
            taken += 1;
        }
        assert_eq!(taken, 100);
        assert_eq!(queue.lock().size, 0);
        filler.join().unwrap();
    }

    #[test]
    fn producers_do_not_wait_for_a_consumer_that_is_gone() {
        let queue = Arc::new(Queue::new(10));
        let consumer = Queue::consumer(&queue);
        let filler = {
            let queue = Arc::clone(&queue);
            thread::spawn(move || (0..10).for_each(|_| queue.push(bytes(100))))
        };
        thread::sleep(Duration::from_millis(20));
        drop(consumer);
        filler.join().unwrap();
    }
}
