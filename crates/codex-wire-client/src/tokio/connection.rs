//! Waits for lines with tasks: whoever is polled reads for all, and whoever waits is woken by each line.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use codex_wire::app_server::{ClientRequestParams, ClientSide, Request};

use crate::connection::{Connection, Driver};
use crate::error::Error;
use crate::inbox::Inbox;
use crate::options::Options;
use crate::tokio::transport::{FromCodex, Lines, Transport};

/// Tasks that move lines.
#[derive(Debug)]
pub(crate) struct Tasks {
    lines: Mutex<Lines>,
    transport: Transport,
    waiting: Arc<Waiting>,
    /// Wakes all who wait.
    waker: Waker,
}

/// Who waits for lines. A channel wakes only the one who asked it last, who may be gone when a line comes: so it wakes all.
#[derive(Debug, Default)]
struct Waiting {
    wakers: Mutex<BTreeMap<u64, Waker>>,
    next: AtomicU64,
}

/// One who waits. When it is dropped, it no longer does.
#[derive(Debug)]
pub(crate) struct Waiter {
    id: u64,
    waiting: Arc<Waiting>,
}

impl Driver for Tasks {
    fn send(&self, line: String) {
        self.transport.send(line);
    }
}

impl Tasks {
    pub(crate) fn transport(&self) -> &Transport {
        &self.transport
    }

    pub(crate) fn waiter(&self) -> Waiter {
        Waiter {
            id: self.waiting.next.fetch_add(1, Ordering::Relaxed),
            waiting: self.waiting.clone(),
        }
    }

    /// The next line, if there is one. Otherwise all who wait are woken when it comes.
    fn poll_line(&self) -> Poll<FromCodex> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let next = lines.poll_recv(&mut Context::from_waker(&self.waker));
        // The connection was closed, or the runtime ends.
        let gone = || FromCodex::End(self.transport.process().gone());
        next.map(|next| next.unwrap_or_else(gone))
    }
}

impl Waiting {
    fn wakers(&self) -> MutexGuard<'_, BTreeMap<u64, Waker>> {
        self.wakers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Waiting {
    fn wake(self: Arc<Self>) {
        let wakers = std::mem::take(&mut *self.wakers());
        wakers.into_values().for_each(Waker::wake);
    }
}

impl Waiter {
    fn waits(&self, context: &Context<'_>) {
        let before = self
            .waiting
            .wakers()
            .insert(self.id, context.waker().clone());
        // Whatever that drops may wait too, and takes this lock.
        drop(before);
    }

    fn waits_no_longer(&self) {
        let before = self.waiting.wakers().remove(&self.id);
        drop(before);
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.waits_no_longer();
    }
}

impl Connection<Tasks> {
    pub(crate) fn with_tasks((transport, lines): (Transport, Lines), options: &Options) -> Self {
        let waiting = Arc::new(Waiting::default());
        let tasks = Tasks {
            lines: Mutex::new(lines),
            transport,
            waker: waiting.clone().into(),
            waiting,
        };
        Connection::new(tasks, options)
    }

    /// Sends a request and waits for its answer. `then` sees the inbox before any further message is read.
    pub(crate) async fn request<M, T>(
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
        })
        .await?
    }

    /// Reads until there is what is awaited. If it is dropped, nothing that came is lost.
    pub(crate) async fn wait<T>(
        &self,
        awaited: &str,
        timeout: Option<Duration>,
        mut take: impl FnMut(&mut Inbox) -> Option<T>,
    ) -> Result<T, Error> {
        let waiter = self.driver().waiter();
        let found = poll_fn(|context| self.poll(context, &waiter, awaited, &mut take));
        let Some(after) = timeout else {
            return found.await;
        };
        let timed = tokio::time::timeout(after, found).await;
        timed.unwrap_or_else(|_| {
            Err(Error::Timeout {
                awaited: awaited.to_owned(),
                after,
            })
        })
    }

    /// Reads what is there, for all, until there is what is awaited.
    pub(crate) fn poll<T>(
        &self,
        context: &Context<'_>,
        waiter: &Waiter,
        awaited: &str,
        mut take: impl FnMut(&mut Inbox) -> Option<T>,
    ) -> Poll<Result<T, Error>> {
        let driver = self.driver();
        let mut state = self.state();
        loop {
            if let Some(found) = state.take(awaited, &mut take) {
                drop(state);
                waiter.waits_no_longer();
                return Poll::Ready(found);
            }
            waiter.waits(context);
            // What is for others is there when they are polled: the line woke them, too.
            match driver.poll_line() {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(FromCodex::Line(line)) => {
                    let refusals = state.inbox.take(&line);
                    self.send_all(refusals);
                }
                Poll::Ready(FromCodex::End(end)) => {
                    state.end.get_or_insert(end);
                }
            }
        }
    }
}
