//! A turn as its reader sees it: events until its end, and the end as a result.

use std::time::Duration;

use codex_wire::app_server::methods::client_requests::TurnInterrupt;
use codex_wire::app_server::{ServerNotification, ThreadItem, TurnInterruptParams};

use crate::connection::Connection;
use crate::error::{Error, LineError};
use crate::inbox::{Incoming, Next, TurnKey};
use crate::outcome::{Completed, MessageDelta, Outcome, Progress, Step};
use crate::question::{Approval, Question};

/// What happens in a turn.
#[derive(Debug)]
#[non_exhaustive]
pub enum TurnEvent {
    /// Text was added to a message of the agent.
    MessageDelta(MessageDelta),
    /// An item began.
    ItemStarted(Box<ThreadItem>),
    /// An item ended.
    ItemCompleted(Box<ThreadItem>),
    /// Codex asks whether it may run a command or change files. If it is dropped, it is declined.
    Approval(Approval),
    /// Codex asks something else. If it is dropped, it is refused.
    Question(Question),
    /// Any other notification of the turn.
    Notification(Box<ServerNotification>),
    /// A line of the turn that cannot be read.
    Unreadable(LineError),
}

/// A turn that is read. Iterating over it gives its events until it ends; a turn that fails or is interrupted gives
/// an error as the last one, so that it cannot be taken for one that completed.
///
/// Several turns can be read at once, from several threads too. A handle that is dropped leaves the turn to itself:
/// it goes on, and what was asked and not answered is declined.
#[derive(Debug)]
pub struct TurnHandle {
    connection: Connection,
    key: TurnKey,
    progress: Progress,
    outcome: Option<Outcome>,
    /// Whether an error said that nothing comes any more.
    is_over: bool,
}

impl TurnHandle {
    /// Of a turn whose messages are kept from here on.
    pub(crate) fn new(connection: &Connection, key: TurnKey) -> Self {
        TurnHandle {
            connection: connection.clone(),
            key,
            progress: Progress::default(),
            outcome: None,
            is_over: false,
        }
    }

    /// The id of the turn, which is unique within its thread.
    pub fn id(&self) -> &str {
        &self.key.turn
    }

    /// The id of its thread.
    pub fn thread_id(&self) -> &str {
        &self.key.thread
    }

    /// The next event; nothing once the turn has completed.
    ///
    /// # Errors
    /// If the turn failed or was interrupted, Codex ended, messages were dropped because this turn was not read, or it was
    /// [silent](crate::Options::silence) for too long.
    pub fn next_event(&mut self) -> Result<Option<TurnEvent>, Error> {
        self.next_event_in(self.connection.silence())
    }

    /// The next event, for which Codex has so much time. After [`Error::Timeout`] waiting can go on.
    ///
    /// # Errors
    /// As [`next_event`](Self::next_event), and [`Error::Timeout`].
    pub fn next_within(&mut self, timeout: Duration) -> Result<Option<TurnEvent>, Error> {
        self.next_event_in(Some(timeout))
    }

    fn next_event_in(&mut self, timeout: Option<Duration>) -> Result<Option<TurnEvent>, Error> {
        if let Some(outcome) = &self.outcome {
            return outcome.result().map(|_| None);
        }
        let (key, awaited) = (&self.key, "the next event of the turn");
        let next = self.connection.wait(awaited, timeout, |inbox| {
            Some((inbox.of_turn(key)?, inbox.release(), inbox.limit()))
        })?;
        let (message, release) = match next {
            (Next::Message(message), release, _) => (message, release),
            (Next::Lost(lost), _, limit) => return Err(Error::Overrun { limit, lost }),
        };
        Ok(Some(match self.progress.step(message, release) {
            Step::Delta(delta) => TurnEvent::MessageDelta(delta),
            Step::Started(item) => TurnEvent::ItemStarted(item),
            Step::Ended(item) => TurnEvent::ItemCompleted(item),
            Step::Request(request, item) => match Approval::of(&self.connection, request, item) {
                Ok(approval) => TurnEvent::Approval(approval),
                Err(request) => TurnEvent::Question(Question::new(&self.connection, request)),
            },
            Step::Other(Incoming::Notification(notification)) => {
                TurnEvent::Notification(notification)
            }
            Step::Other(Incoming::Unreadable(error)) => TurnEvent::Unreadable(error),
            // A request is a step of its own, and the others are of no turn.
            Step::Other(Incoming::Request(_) | Incoming::Refused(_) | Incoming::Unasked(_)) => {
                return self.next_event_in(timeout);
            }
            Step::End(outcome) => {
                let outcome = self.outcome.insert(outcome);
                return outcome.result().map(|_| None);
            }
        }))
    }

    /// Reads the turn to its end. What Codex asks meanwhile is declined.
    ///
    /// # Errors
    /// As [`next_event`](Self::next_event).
    pub fn finish(mut self) -> Result<Completed, Error> {
        loop {
            if self.next_event()?.is_none() {
                let outcome = self.outcome.as_ref();
                return outcome.expect("a turn without events ended").result();
            }
        }
    }

    /// Interrupts the turn. It still has to be read to its end, which is an error then.
    ///
    /// # Errors
    /// If Codex refuses, or ended.
    pub fn interrupt(&self) -> Result<(), Error> {
        let params = TurnInterruptParams::new(self.thread_id(), self.id());
        self.connection
            .request::<TurnInterrupt, ()>(params, |_, _| ())
    }
}

impl Iterator for TurnHandle {
    type Item = Result<TurnEvent, Error>;

    /// The next event. After an error that ends the turn, or Codex, there is nothing.
    fn next(&mut self) -> Option<Self::Item> {
        if self.outcome.is_some() || self.is_over {
            return None;
        }
        let next = self.next_event();
        self.is_over = matches!(&next, Err(error) if !matches!(error, Error::Overrun { .. }));
        next.transpose()
    }
}

impl Drop for TurnHandle {
    fn drop(&mut self) {
        for request in self.connection.inbox(|inbox| inbox.leave(&self.key)) {
            // Dropped at once, it is declined or refused.
            match Approval::of(&self.connection, Box::new(request), None) {
                Ok(approval) => drop(approval),
                Err(request) => drop(Question::new(&self.connection, request)),
            }
        }
    }
}
