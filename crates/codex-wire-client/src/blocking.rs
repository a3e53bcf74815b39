//! Waits for lines with threads: whoever waits for something reads for all, one at a time, and wakes the others.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use codex_wire::app_server::{ClientRequestParams, ClientSide, Request};

use crate::connection::{Connection, Driver, End, State};
use crate::error::Error;
use crate::inbox::Inbox;
use crate::options::Options;
use crate::transport::{FromCodex, LINES, Transport};

/// Threads that move lines.
#[derive(Debug)]
pub(crate) struct Threads {
    // Dropped first: then the thread that reads finds nobody there, and Codex ends.
    lines: Mutex<Receiver<FromCodex>>,
    transport: Mutex<Transport>,
    /// Whether somebody waits for a line. It changes only while the state of the connection is locked.
    is_reading: AtomicBool,
    changed: Condvar,
}

impl Driver for Threads {
    fn send(&self, line: String) {
        self.transport().send(line);
    }
}

impl Threads {
    fn transport(&self) -> MutexGuard<'_, Transport> {
        self.transport
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The next line, if it comes in time.
    fn next(&self, left: Option<Duration>) -> Option<FromCodex> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(left) = left else {
            return Some(lines.recv().unwrap_or(FromCodex::End));
        };
        match lines.recv_timeout(left) {
            Ok(next) => Some(next),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(FromCodex::End),
        }
    }

    /// Why nothing comes after this.
    fn end(&self, next: &FromCodex) -> Option<End> {
        let mut transport = self.transport();
        match next {
            FromCodex::Line(_) => None,
            FromCodex::End => {
                let status = transport.status();
                Some(End::Ended(status, transport.stderr()))
            }
            FromCodex::Unreadable(error) => {
                Some(End::Unreadable(error.to_string(), transport.stderr()))
            }
            FromCodex::Unwritable(error) => {
                Some(End::Unwritable(error.to_string(), transport.stderr()))
            }
        }
    }
}

impl Connection<Threads> {
    pub(crate) fn with_threads(
        (transport, lines): (Transport, Receiver<FromCodex>),
        options: &Options,
    ) -> Self {
        let threads = Threads {
            lines: Mutex::new(lines),
            transport: Mutex::new(transport),
            is_reading: AtomicBool::new(false),
            changed: Condvar::new(),
        };
        Connection::new(threads, options)
    }

    /// Sends a request and waits for its answer. `then` sees the inbox before any further message is read.
    pub(crate) fn request<M, T>(
        &self,
        params: M::Params,
        then: impl FnOnce(&mut Inbox, M::Result) -> T,
    ) -> Result<T, Error>
    where
        M: Request<Sender = ClientSide, Call = ClientRequestParams>,
    {
        let mut asked = self.ask::<M>(params)?;
        let mut then = Some(then);
        let awaited = format!("the answer to {}", M::NAME);
        self.wait(&awaited, self.timeout(), |inbox| {
            asked.take(inbox, |inbox, result| {
                let then = then.take().expect("there is one answer");
                then(inbox, result)
            })
        })?
    }

    /// Reads until there is what is awaited.
    pub(crate) fn wait<T>(
        &self,
        awaited: &str,
        timeout: Option<Duration>,
        mut take: impl FnMut(&mut Inbox) -> Option<T>,
    ) -> Result<T, Error> {
        // One beyond the end of time is none.
        let deadline = timeout.and_then(|after| Some((after, Instant::now().checked_add(after)?)));
        let left = || deadline.map(|(_, at)| at.saturating_duration_since(Instant::now()));
        // What is there is taken without time, too, but not all that keeps coming.
        let mut late = LINES;
        let mut state = self.state();
        loop {
            if let Some(found) = state.take(awaited, &mut take) {
                return found;
            }
            let is_reading = self.driver().is_reading.load(Ordering::Relaxed);
            if let Some((after, at)) = deadline
                && Instant::now() >= at
            {
                if is_reading || late == 0 {
                    return Err(Error::Timeout {
                        awaited: awaited.to_owned(),
                        after,
                    });
                }
                late -= 1;
            }
            if is_reading {
                state = self.sleep(state, left());
            } else {
                let came;
                (state, came) = self.read(state, left());
                if !came {
                    late = 0;
                }
            }
        }
    }

    /// Waits until somebody else has read.
    fn sleep<'a>(
        &self,
        state: MutexGuard<'a, State>,
        left: Option<Duration>,
    ) -> MutexGuard<'a, State> {
        let changed = &self.driver().changed;
        match left {
            None => changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some(left) => {
                let waited = changed.wait_timeout(state, left);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        }
    }

    /// Reads a line, for all, and says whether one came in time.
    fn read<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        left: Option<Duration>,
    ) -> (MutexGuard<'a, State>, bool) {
        let driver = self.driver();
        driver.is_reading.store(true, Ordering::Relaxed);
        drop(state);
        let next = driver.next(left);
        let end = next.as_ref().and_then(|next| driver.end(next));
        let mut state = self.state();
        driver.is_reading.store(false, Ordering::Relaxed);
        if let Some(FromCodex::Line(line)) = &next {
            let refusals = state.inbox.take(line);
            self.send_all(refusals);
        }
        state.end = state.end.take().or(end);
        driver.changed.notify_all();
        (state, next.is_some())
    }
}
