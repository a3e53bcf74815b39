//! Makes events of the messages of one turn, whichever way they are waited for.

use codex_wire::app_server::{ServerNotification, ThreadItem};

use crate::connection::Shared;
use crate::error::{Error, LineError};
use crate::inbox::{Inbox, Incoming, Next, TurnKey};
use crate::outcome::{Completed, MessageDelta, Outcome, Progress, Step};
use crate::question::{Approval, Question};

/// What the reader of a turn waits for.
pub(crate) const AWAITED: &str = "the next event of the turn";

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
    /// A line of the turn that cannot be read. If Codex asks with it, it was refused.
    Unreadable(LineError),
}

/// Reads one turn. When it is dropped, what was asked and not read is declined.
#[derive(Debug)]
pub(crate) struct TurnReader {
    connection: Shared,
    key: TurnKey,
    progress: Progress,
    outcome: Option<Outcome>,
    /// Whether an error said that nothing comes any more.
    is_broken: bool,
}

impl TurnReader {
    /// Of a turn whose messages are kept from here on.
    pub(crate) fn new(connection: Shared, key: TurnKey) -> Self {
        TurnReader {
            connection,
            key,
            progress: Progress::default(),
            outcome: None,
            is_broken: false,
        }
    }

    pub(crate) fn key(&self) -> &TurnKey {
        &self.key
    }

    /// The next event, if it came; nothing once the turn has completed.
    pub(crate) fn take(&mut self, inbox: &mut Inbox) -> Option<Result<Option<TurnEvent>, Error>> {
        loop {
            if let Some(outcome) = &self.outcome {
                return Some(outcome.result().map(|_| None));
            }
            let message = match inbox.of_turn(&self.key)? {
                Next::Message(message) => message,
                Next::Lost(lost) => {
                    let limit = inbox.limit();
                    return Some(Err(Error::Overrun { limit, lost }));
                }
            };
            if let Some(event) = self.event(message, inbox) {
                return Some(Ok(Some(event)));
            }
        }
    }

    /// The event that a message is. One that ends the turn is none.
    fn event(&mut self, message: Incoming, inbox: &Inbox) -> Option<TurnEvent> {
        Some(match self.progress.step(message, inbox.release()) {
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
                return None;
            }
            Step::End(outcome) => {
                self.outcome = Some(outcome);
                return None;
            }
        })
    }

    /// How a turn ended that has no further events.
    pub(crate) fn completed(&self) -> Result<Completed, Error> {
        let outcome = self.outcome.as_ref();
        outcome.expect("a turn without events ended").result()
    }

    /// Whether the last event was given, or an error that ends the turn, or Codex.
    pub(crate) fn is_over(&self) -> bool {
        self.outcome.is_some() || self.is_broken
    }

    /// The next event as that of an iterator.
    pub(crate) fn given(
        &mut self,
        next: Result<Option<TurnEvent>, Error>,
    ) -> Option<Result<TurnEvent, Error>> {
        let goes_on =
            |error: &Error| matches!(error, Error::Overrun { .. } | Error::Timeout { .. });
        self.is_broken = next.as_ref().is_err_and(|error| !goes_on(error));
        next.transpose()
    }
}

impl Drop for TurnReader {
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
