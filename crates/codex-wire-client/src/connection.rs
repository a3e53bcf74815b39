//! A connection that several turns and threads use: whoever waits for something reads for all, one at a time, and
//! wakes the others.

use std::io::{Read, Write};
use std::process::{Command, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use codex_wire::Release;
use codex_wire::app_server::{
    ClientNotificationParams, ClientRequestParams, ClientSide, ErrorObject, Id, Method, Request,
    ServerRequestParams, ServerSide,
};

use crate::error::Error;
use crate::inbox::Inbox;
use crate::options::Options;
use crate::transport::{FromCodex, Transport};

/// A connection, shared by all who use it. It ends when the last of them is gone.
#[derive(Clone, Debug)]
pub(crate) struct Connection(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    // Dropped first: then the thread that reads finds nobody there, and Codex ends.
    lines: Mutex<Receiver<FromCodex>>,
    transport: Mutex<Transport>,
    state: Mutex<State>,
    changed: Condvar,
    timeout: Option<Duration>,
    silence: Option<Duration>,
}

#[derive(Debug)]
struct State {
    inbox: Inbox,
    /// Whether somebody waits for a line.
    is_reading: bool,
    end: Option<End>,
}

/// Why nothing comes any more.
#[derive(Clone, Debug)]
enum End {
    Ended(Option<ExitStatus>, String),
    Unreadable(String, String),
    Unwritable(String, String),
}

impl End {
    fn error(&self, awaited: &str) -> Error {
        // An error of the system cannot be copied, and each who waits gets one.
        match self.clone() {
            End::Ended(status, stderr) => Error::Ended {
                awaited: awaited.to_owned(),
                status,
                stderr,
            },
            End::Unreadable(error, stderr) => Error::Read {
                source: std::io::Error::other(error),
                stderr,
            },
            End::Unwritable(error, stderr) => Error::Write {
                source: std::io::Error::other(error),
                stderr,
            },
        }
    }
}

impl Connection {
    /// Starts a program and talks to it.
    pub(crate) fn spawn(command: Command, options: &Options) -> Result<Self, Error> {
        let (transport, lines) = Transport::spawn(command, options.limit)?;
        Ok(Self::new(transport, lines, options))
    }

    /// Talks to whoever is at the other end.
    pub(crate) fn connect(
        reader: impl Read + Send + 'static,
        writer: impl Write + Send + 'static,
        options: &Options,
    ) -> Self {
        let (transport, lines) = Transport::connect(reader, writer, options.limit);
        Self::new(transport, lines, options)
    }

    fn new(transport: Transport, lines: Receiver<FromCodex>, options: &Options) -> Self {
        Connection(Arc::new(Shared {
            lines: Mutex::new(lines),
            transport: Mutex::new(transport),
            state: Mutex::new(State {
                inbox: Inbox::new(options),
                is_reading: false,
                end: None,
            }),
            changed: Condvar::new(),
            timeout: options.timeout,
            silence: options.silence,
        }))
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
        let (ticket, line) = self.state().inbox.session.request::<M>(params);
        self.send(line);
        let mut then = Some(then);
        let awaited = format!("the answer to {}", M::NAME);
        let answered = self.wait(&awaited, self.0.timeout, |inbox| {
            let answer = inbox.answer(ticket.id())?;
            Some(ticket.result(&answer).map(|result| {
                let then = then.take().expect("there is one answer");
                then(inbox, result)
            }))
        });
        if answered.is_err() {
            self.state().inbox.forget(&ticket);
        }
        // What came before the answer is of no turn that anybody reads.
        let refusals = self.state().inbox.settle();
        self.send_all(refusals);
        answered?
    }

    /// Sends a notification.
    pub(crate) fn notify<M>(&self, params: M::Params)
    where
        M: Method<Sender = ClientSide, Call = ClientNotificationParams>,
    {
        let line = self.state().inbox.session.notify::<M>(params);
        self.send(line);
    }

    /// Answers a request of Codex.
    pub(crate) fn answer<M>(&self, id: &Id<ServerSide>, result: &M::Result) -> Result<(), Error>
    where
        M: Request<Sender = ServerSide, Call = ServerRequestParams>,
    {
        let line = self.state().inbox.session.answer::<M>(id, result)?;
        self.send(line);
        Ok(())
    }

    /// Refuses a request of Codex.
    pub(crate) fn refuse(&self, id: &Id<ServerSide>, error: ErrorObject) -> Result<(), Error> {
        let line = self.state().inbox.session.refuse(id, error)?;
        self.send(line);
        Ok(())
    }

    /// The release of Codex, once it is known.
    pub(crate) fn release(&self) -> Option<Release> {
        self.state().inbox.release()
    }

    /// How long a turn may say nothing.
    pub(crate) fn silence(&self) -> Option<Duration> {
        self.0.silence
    }

    /// Does something with the messages that came.
    pub(crate) fn inbox<T>(&self, act: impl FnOnce(&mut Inbox) -> T) -> T {
        act(&mut self.state().inbox)
    }

    /// Reads until there is what is awaited.
    pub(crate) fn wait<T>(
        &self,
        awaited: &str,
        timeout: Option<Duration>,
        mut take: impl FnMut(&mut Inbox) -> Option<T>,
    ) -> Result<T, Error> {
        let deadline = timeout.map(|timeout| (timeout, Instant::now() + timeout));
        let left = || deadline.map(|(_, at)| at.saturating_duration_since(Instant::now()));
        let mut state = self.state();
        loop {
            if let Some(found) = take(&mut state.inbox) {
                return Ok(found);
            }
            if let Some(end) = &state.end {
                return Err(end.error(awaited));
            }
            if let Some((after, at)) = deadline
                && Instant::now() >= at
            {
                return Err(Error::Timeout {
                    awaited: awaited.to_owned(),
                    after,
                });
            }
            state = if state.is_reading {
                self.sleep(state, left())
            } else {
                self.read(state, left())
            };
        }
    }

    /// Waits until somebody else has read.
    fn sleep<'a>(
        &self,
        state: MutexGuard<'a, State>,
        left: Option<Duration>,
    ) -> MutexGuard<'a, State> {
        match left {
            None => self
                .0
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner),
            Some(left) => {
                let waited = self.0.changed.wait_timeout(state, left);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        }
    }

    /// Reads a line, for all.
    fn read<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        left: Option<Duration>,
    ) -> MutexGuard<'a, State> {
        state.is_reading = true;
        drop(state);
        let next = {
            let lines = self.0.lines.lock().unwrap_or_else(PoisonError::into_inner);
            match left {
                None => Some(lines.recv().unwrap_or(FromCodex::End)),
                Some(left) => match lines.recv_timeout(left) {
                    Ok(next) => Some(next),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => Some(FromCodex::End),
                },
            }
        };
        let end = next.as_ref().and_then(|next| self.end(next));
        let mut state = self.state();
        state.is_reading = false;
        if let Some(FromCodex::Line(line)) = &next {
            let refusals = state.inbox.take(line);
            self.send_all(refusals);
        }
        state.end = state.end.take().or(end);
        self.0.changed.notify_all();
        state
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

    fn send(&self, line: String) {
        self.transport().send(line);
    }

    fn send_all(&self, lines: Vec<String>) {
        for line in lines {
            self.send(line);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn transport(&self) -> MutexGuard<'_, Transport> {
        self.0
            .transport
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
