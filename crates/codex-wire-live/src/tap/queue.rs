//! The queue of data to check, bounded by bytes.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use codex_wire_check::Writer;

/// The size of an event besides its bytes.
const OVERHEAD: usize = 64;

/// An event of the traffic.
#[derive(Debug)]
pub(crate) enum Event {
    /// A side wrote these bytes. Standard input and output are connection 0.
    Bytes {
        connection: u32,
        writer: Writer,
        at: Instant,
        bytes: Vec<u8>,
    },
    /// A side closed its stream.
    Ended {
        connection: u32,
        writer: Writer,
        at: Instant,
    },
    /// Everything that ends from now on is ended by us.
    Stopped,
    /// Codex exited, with this status or because of this signal.
    Exit {
        at: Instant,
        status: Option<i32>,
        signal: Option<String>,
    },
}

impl Event {
    fn size(&self) -> usize {
        match self {
            Event::Bytes { bytes, .. } => OVERHEAD + bytes.len(),
            Event::Ended { .. } | Event::Stopped | Event::Exit { .. } => OVERHEAD,
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
    events: VecDeque<Event>,
    size: usize,
    /// Whether no more events will come.
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

    /// Adds an event. Waits while the queue is full.
    pub(crate) fn push(&self, event: Event) {
        let mut state = self.lock();
        while state.size >= self.limit && !state.abandoned {
            state = self.wait(state);
        }
        if state.abandoned {
            return;
        }
        state.size += event.size();
        state.events.push_back(event);
        drop(state);
        self.changed.notify_all();
    }

    /// Marks that no more events will come.
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
    /// The next event, if there is one already.
    pub(crate) fn ready(&self) -> Option<Event> {
        let state = self.0.lock();
        self.take(state)
    }

    /// Waits for the next event; `None` if no more will come.
    pub(crate) fn next(&self) -> Option<Event> {
        let mut state = self.0.lock();
        while state.events.is_empty() && !state.closed {
            state = self.0.wait(state);
        }
        self.take(state)
    }

    fn take(&self, mut state: MutexGuard<'_, State>) -> Option<Event> {
        let event = state.events.pop_front()?;
        state.size -= event.size();
        drop(state);
        self.0.changed.notify_all();
        Some(event)
    }
}

impl Drop for Consumer {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.abandoned = true;
        state.events.clear();
        drop(state);
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn bytes(length: usize) -> Event {
        Event::Bytes {
            connection: 0,
            writer: Writer::Codex,
            at: Instant::now(),
            bytes: vec![0; length],
        }
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
