//! Takes down what both sides write, before it is passed on.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use codex_wire_check::Writer;

use crate::tap::queue::{Consumer, Entry, Queue};

/// An event of the traffic.
#[derive(Debug)]
pub(crate) enum Event<'b> {
    /// A side wrote these bytes. Standard input and output are connection 0.
    Bytes {
        connection: u32,
        writer: Writer,
        at: Instant,
        bytes: &'b [u8],
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

/// Somebody to whom traffic is told before it is passed on.
pub(crate) trait Take {
    fn take(&self, event: Event<'_>);
}

/// Records traffic, and says what of it is to be checked.
pub(crate) trait Keep: Send {
    /// Takes an event. What it completes is recorded when this returns.
    fn event(&mut self, event: Event<'_>, entries: &mut Vec<Entry>);

    /// The traffic is over.
    fn end(&mut self, entries: &mut Vec<Entry>);

    /// Ends the recording. Returns whether everything was recorded and can be checked.
    fn finish(self: Box<Self>) -> bool;
}

/// Where the threads that pass bytes on meet. What is taken first is recorded first, and checked first.
pub(crate) struct Intake {
    keep: Mutex<Option<Box<dyn Keep>>>,
    queue: Arc<Queue>,
}

impl Intake {
    /// An intake before a queue of about that many bytes.
    pub(crate) fn new(keep: impl Keep + 'static, limit: usize) -> (Arc<Self>, Consumer) {
        let queue = Arc::new(Queue::new(limit));
        let consumer = Queue::consumer(&queue);
        let keep = Mutex::new(Some(Box::new(keep) as Box<dyn Keep>));
        (Arc::new(Intake { keep, queue }), consumer)
    }

    /// The traffic is over.
    pub(crate) fn close(&self) {
        {
            let mut keep = self.lock();
            let mut entries = Vec::new();
            if let Some(keep) = &mut *keep {
                keep.end(&mut entries);
            }
            self.queue.push(entries);
        }
        self.queue.close();
    }

    /// Ends the recording. Returns whether everything was recorded and can be checked. The consumer has to be gone:
    /// whoever waits for room in the queue holds the recording.
    pub(crate) fn finish(&self) -> bool {
        let keep = self.lock().take();
        keep.is_some_and(Keep::finish)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<dyn Keep>>> {
        // What was taken down is whole after a panic, too.
        self.keep.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Take for Intake {
    /// Takes an event. Waits while much is to be checked.
    fn take(&self, event: Event<'_>) {
        let mut keep = self.lock();
        if let Some(keep) = &mut *keep {
            let mut entries = Vec::new();
            keep.event(event, &mut entries);
            self.queue.push(entries);
        }
    }
}

impl fmt::Debug for Intake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Intake").finish_non_exhaustive()
    }
}
