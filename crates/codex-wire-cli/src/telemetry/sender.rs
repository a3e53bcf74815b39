//! Sends documents from a queue that has an end, on a thread of its own.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::collector::Collector;

/// How many bytes wait to be sent. What comes while so many do is lost.
const MOST: usize = 16 << 20;

/// Sends documents to a collector, one after the other, each once.
pub(super) struct Sender {
    queue: Arc<Queue>,
}

/// What became of the documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sent {
    /// How many there were.
    pub(super) all: u64,
    /// How many were not sent, or not taken.
    pub(super) lost: u64,
    /// Why the first of them was not.
    pub(super) reason: Option<String>,
}

/// The documents that wait to be sent.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Vec<u8>>,
    /// How many bytes wait.
    bytes: usize,
    is_sending: bool,
    /// Whether nothing more is to be sent.
    is_over: bool,
    sent: Sent,
}

impl Sender {
    pub(super) fn of(collector: Collector) -> anyhow::Result<Self> {
        let queue = Arc::new(Queue::default());
        let own = Arc::clone(&queue);
        // It is never joined: it may wait for a collector at the end.
        let thread = thread::Builder::new().spawn(move || own.send_all(&collector));
        thread.context("cannot start a thread")?;
        Ok(Sender { queue })
    }

    /// Where documents go.
    pub(super) fn queue(&self) -> Arc<Queue> {
        Arc::clone(&self.queue)
    }

    /// Waits so long until everything was sent. What was not is lost.
    pub(super) fn finish(self, most: Duration) -> Sent {
        let end = Instant::now() + most;
        let mut state = self.queue.lock();
        while state.is_sending || !state.waiting.is_empty() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let seconds = most.as_secs();
                let reason = format!("the collector took longer than {seconds} s at the end");
                let left = state.waiting.len() as u64 + u64::from(state.is_sending);
                state.sent.lose(left, reason);
                break;
            }
            let waited = self.queue.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.is_over = true;
        state.sent.clone()
    }
}

impl Sent {
    fn lose(&mut self, count: u64, reason: String) {
        self.lost += count;
        self.reason.get_or_insert(reason);
    }
}

impl Queue {
    /// Adds a document. Never waits.
    pub(super) fn push(&self, body: Vec<u8>) {
        let mut state = self.lock();
        state.sent.all += 1;
        // One alone may be longer: it is there already.
        if !state.waiting.is_empty() && state.bytes + body.len() > MOST {
            let reason = format!("the collector is slow, and {MOST} bytes waited");
            return state.sent.lose(1, reason);
        }
        state.bytes += body.len();
        state.waiting.push_back(body);
        drop(state);
        self.changed.notify_all();
    }

    fn send_all(&self, collector: &Collector) {
        loop {
            let mut state = self.lock();
            while state.waiting.is_empty() && !state.is_over {
                let waited = self.changed.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
            }
            let body = match state.waiting.pop_front() {
                Some(body) if !state.is_over => body,
                _ => return,
            };
            state.bytes -= body.len();
            state.is_sending = true;
            drop(state);
            let sent = collector.send(&body);
            let mut state = self.lock();
            state.is_sending = false;
            if let Err(error) = sent {
                state.sent.lose(1, format!("{error:#}"));
            }
            drop(state);
            self.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole even after a panic: nothing panics while it changes.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
