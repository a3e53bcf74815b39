//! A turn as its reader sees it: events until its end, and the end as a result.

use std::sync::Arc;
use std::time::Duration;

use codex_wire::app_server::TurnInterruptParams;
use codex_wire::app_server::methods::client_requests::TurnInterrupt;

use crate::blocking::Threads;
use crate::connection::Connection;
use crate::error::Error;
use crate::event::{AWAITED, TurnEvent, TurnReader};
use crate::inbox::TurnKey;
use crate::outcome::Completed;

/// A turn that is read. Iterating over it gives its events until it ends; a turn that fails or is interrupted gives
/// an error as the last one, so that it cannot be taken for one that completed.
///
/// Several turns can be read at once, from several threads too. A handle that is dropped leaves the turn to itself:
/// it goes on, and what was asked and not answered is declined.
#[derive(Debug)]
pub struct TurnHandle {
    connection: Arc<Connection<Threads>>,
    reader: TurnReader,
}

impl TurnHandle {
    /// Of a turn whose messages are kept from here on.
    pub(crate) fn new(connection: &Arc<Connection<Threads>>, key: TurnKey) -> Self {
        TurnHandle {
            connection: connection.clone(),
            reader: TurnReader::new(connection.clone(), key),
        }
    }

    /// The id of the turn, which is unique within its thread.
    pub fn id(&self) -> &str {
        &self.reader.key().turn
    }

    /// The id of its thread.
    pub fn thread_id(&self) -> &str {
        &self.reader.key().thread
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
        let reader = &mut self.reader;
        self.connection
            .wait(AWAITED, timeout, |inbox| reader.take(inbox))?
    }

    /// Reads the turn to its end. What Codex asks meanwhile is declined.
    ///
    /// # Errors
    /// As [`next_event`](Self::next_event).
    pub fn finish(mut self) -> Result<Completed, Error> {
        while self.next_event()?.is_some() {}
        self.reader.completed()
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
        if self.reader.is_over() {
            return None;
        }
        let next = self.next_event();
        self.reader.given(next)
    }
}
