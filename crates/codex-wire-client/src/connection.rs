//! A connection that several turns and threads, or tasks, use: what came and was not read yet, and the way to Codex.
//!
//! How lines move, and how one waits for them, is the matter of a [`Driver`]. Everything else is here, once for all
//! drivers: which answer is to which request, which message is of which turn, what nobody answers.

use std::process::ExitStatus;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use codex_wire::Release;
use codex_wire::app_server::{
    ClientNotificationParams, ClientRequestParams, ClientSide, ErrorObject, Id, Method, Request,
    ServerRequestParams, ServerSide,
};

use crate::error::Error;
use crate::inbox::Inbox;
use crate::options::Options;
use crate::session::Ticket;

/// Moves lines.
pub(crate) trait Driver: std::fmt::Debug + Send + Sync {
    /// Sends a line, without waiting. That it did not arrive is said by what comes from Codex. The state of the connection is
    /// locked meanwhile: lines are sent in the order in which they were made.
    fn send(&self, line: String);
}

/// A connection, shared by all who use it. It ends when the last of them is gone.
#[derive(Debug)]
pub(crate) struct Connection<D: ?Sized = dyn Driver> {
    state: Mutex<State>,
    timeout: Option<Duration>,
    silence: Option<Duration>,
    driver: D,
}

/// A connection, whichever way it waits: what turns and questions hold.
pub(crate) type Shared = Arc<Connection>;

/// What came from Codex.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) inbox: Inbox,
    pub(crate) end: Option<End>,
}

/// Why nothing comes any more.
#[derive(Clone, Debug)]
pub(crate) enum End {
    Ended(Option<ExitStatus>, String),
    Unreadable(String, String),
    Unwritable(String, String),
}

/// A request that was sent. If it is dropped, its answer is no longer waited for.
#[derive(Debug)]
pub(crate) struct Asked<'a, M, D: Driver + ?Sized> {
    connection: &'a Connection<D>,
    ticket: Ticket<M>,
    is_answered: bool,
}

impl End {
    pub(crate) fn error(&self, awaited: &str) -> Error {
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

impl State {
    /// What is awaited, if it came, or why it does not come.
    pub(crate) fn take<T>(
        &mut self,
        awaited: &str,
        take: impl FnOnce(&mut Inbox) -> Option<T>,
    ) -> Option<Result<T, Error>> {
        match take(&mut self.inbox) {
            Some(found) => Some(Ok(found)),
            None => Some(Err(self.end.as_ref()?.error(awaited))),
        }
    }

    /// Whether somebody may read an answer that was sent, as far as is known.
    fn is_read(&self) -> Result<(), Error> {
        let end = self
            .end
            .as_ref()
            .map(|end| end.error("the answer of the client"));
        end.map_or(Ok(()), Err)
    }
}

impl<D: Driver> Connection<D> {
    pub(crate) fn new(driver: D, options: &Options) -> Self {
        Connection {
            state: Mutex::new(State {
                inbox: Inbox::new(options),
                end: None,
            }),
            timeout: options.timeout,
            silence: options.silence,
            driver,
        }
    }
}

impl<D: Driver + ?Sized> Connection<D> {
    /// Sends a request.
    pub(crate) fn ask<M>(&self, params: M::Params) -> Result<Asked<'_, M, D>, Error>
    where
        M: Request<Sender = ClientSide, Call = ClientRequestParams>,
    {
        let mut state = self.state();
        let (ticket, line) = state.inbox.session.request::<M>(params)?;
        self.driver.send(line);
        drop(state);
        Ok(Asked {
            connection: self,
            ticket,
            is_answered: false,
        })
    }

    /// Sends a notification.
    pub(crate) fn notify<M>(&self, params: M::Params)
    where
        M: Method<Sender = ClientSide, Call = ClientNotificationParams>,
    {
        let state = self.state();
        self.driver.send(state.inbox.session.notify::<M>(params));
    }

    /// Answers a request of Codex.
    pub(crate) fn answer<M>(&self, id: &Id<ServerSide>, result: &M::Result) -> Result<(), Error>
    where
        M: Request<Sender = ServerSide, Call = ServerRequestParams>,
    {
        let mut state = self.state();
        let (line, _) = state.inbox.session.answer::<M>(id, result)?;
        self.driver.send(line);
        state.is_read()
    }

    /// Refuses a request of Codex.
    pub(crate) fn refuse(&self, id: &Id<ServerSide>, error: ErrorObject) -> Result<(), Error> {
        let mut state = self.state();
        let line = state.inbox.session.refuse(id, error)?;
        self.driver.send(line);
        state.is_read()
    }

    /// The release of Codex, once it is known.
    pub(crate) fn release(&self) -> Option<Release> {
        self.state().inbox.release()
    }

    /// Whether the release of Codex has a method.
    pub(crate) fn supports<M: Method>(&self) -> Option<bool> {
        self.state().inbox.session.supports::<M>()
    }

    /// How long a request may wait for its answer.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// How long a turn may say nothing.
    pub(crate) fn silence(&self) -> Option<Duration> {
        self.silence
    }

    /// Does something with the messages that came.
    pub(crate) fn inbox<T>(&self, act: impl FnOnce(&mut Inbox) -> T) -> T {
        act(&mut self.state().inbox)
    }

    pub(crate) fn driver(&self) -> &D {
        &self.driver
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends what the inbox says.
    pub(crate) fn send_all(&self, lines: Vec<String>) {
        for line in lines {
            self.driver.send(line);
        }
    }
}

impl<M, D> Asked<'_, M, D>
where
    M: Request<Sender = ClientSide, Call = ClientRequestParams>,
    D: Driver + ?Sized,
{
    /// The answer, if it came. `then` sees the inbox before any further message is read.
    pub(crate) fn take<T>(
        &mut self,
        inbox: &mut Inbox,
        then: impl FnOnce(&mut Inbox, M::Result) -> T,
    ) -> Option<Result<T, Error>> {
        let answer = inbox.answer(self.ticket.id())?;
        self.is_answered = true;
        let result = answer.map_err(Error::Line);
        let result = result.and_then(|answer| self.ticket.result(&answer));
        Some(result.map(|result| then(inbox, result)))
    }
}

impl<M, D: Driver + ?Sized> Drop for Asked<'_, M, D> {
    fn drop(&mut self) {
        let refusals = self.connection.inbox(|inbox| {
            if !self.is_answered {
                inbox.forget(&self.ticket);
            }
            // What came before the answer is of no turn that anybody reads.
            inbox.settle()
        });
        self.connection.send_all(refusals);
    }
}
