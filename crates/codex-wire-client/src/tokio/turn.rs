//! A turn as a task reads it.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use codex_wire::app_server::TurnInterruptParams;
use codex_wire::app_server::methods::client_requests::TurnInterrupt;
use futures_core::Stream;
use tokio::time::{Sleep, sleep};

use crate::connection::Connection;
use crate::error::Error;
use crate::event::{AWAITED, TurnEvent, TurnReader};
use crate::inbox::TurnKey;
use crate::outcome::Completed;
use crate::tokio::connection::{Tasks, Waiter};

/// A turn that is read. Its events come until it ends; a turn that fails or is interrupted gives an error as the last
/// one, so that it cannot be taken for one that completed.
///
/// Several turns can be read at once, in several tasks too. A handle that is dropped leaves the turn to itself:
/// it goes on, and what was asked and not answered is declined.
#[derive(Debug)]
pub struct TurnHandle {
    reader: TurnReader,
    waiter: Waiter,
    /// Since the turn says nothing.
    silence: Option<Pin<Box<Sleep>>>,
    connection: Arc<Connection<Tasks>>,
}

impl TurnHandle {
    /// Of a turn whose messages are kept from here on.
    pub(crate) fn new(connection: &Arc<Connection<Tasks>>, key: TurnKey) -> Self {
        TurnHandle {
            reader: TurnReader::new(connection.clone(), key),
            waiter: connection.driver().waiter(),
            silence: None,
            connection: connection.clone(),
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
    pub async fn next_event(&mut self) -> Result<Option<TurnEvent>, Error> {
        let silence = self.connection.silence();
        poll_fn(|context| self.poll_next_event(context, silence)).await
    }

    /// The next event, for which Codex has so much time. After [`Error::Timeout`] waiting can go on.
    ///
    /// # Errors
    /// As [`next_event`](Self::next_event), and [`Error::Timeout`].
    pub async fn next_within(&mut self, timeout: Duration) -> Result<Option<TurnEvent>, Error> {
        let next = poll_fn(|context| self.poll_next_event(context, None));
        let timed = tokio::time::timeout(timeout, next).await;
        timed.unwrap_or_else(|_| Err(silent(timeout)))
    }

    fn poll_next_event(
        &mut self,
        context: &mut Context<'_>,
        silence: Option<Duration>,
    ) -> Poll<Result<Option<TurnEvent>, Error>> {
        let reader = &mut self.reader;
        let next = self
            .connection
            .poll(context, &self.waiter, AWAITED, |inbox| reader.take(inbox));
        if let Poll::Ready(next) = next {
            self.silence = None;
            return Poll::Ready(next?);
        }
        let Some(after) = silence else {
            self.silence = None;
            return Poll::Pending;
        };
        let sleep = self.silence.get_or_insert_with(|| Box::pin(sleep(after)));
        sleep.as_mut().poll(context).map(|()| {
            self.silence = None;
            Err(silent(after))
        })
    }

    /// Reads the turn to its end. What Codex asks meanwhile is declined.
    ///
    /// # Errors
    /// As [`next_event`](Self::next_event).
    pub async fn finish(mut self) -> Result<Completed, Error> {
        while self.next_event().await?.is_some() {}
        self.reader.completed()
    }

    /// Interrupts the turn. It still has to be read to its end, which is an error then.
    ///
    /// # Errors
    /// If Codex refuses, or ended.
    pub async fn interrupt(&self) -> Result<(), Error> {
        let params = TurnInterruptParams::new(self.thread_id(), self.id());
        self.connection
            .request::<TurnInterrupt, ()>(params, |_, _| ())
            .await
    }
}

impl Stream for TurnHandle {
    type Item = Result<TurnEvent, Error>;

    /// The next event. After an error that ends the turn, or Codex, there is nothing.
    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.reader.is_over() {
            return Poll::Ready(None);
        }
        let silence = self.connection.silence();
        self.poll_next_event(context, silence)
            .map(|next| self.reader.given(next))
    }
}

fn silent(after: Duration) -> Error {
    Error::Timeout {
        awaited: AWAITED.to_owned(),
        after,
    }
}
