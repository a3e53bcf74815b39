//! Runs of `codex exec --json` for tasks.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use codex_wire::exec::Event;
use futures_core::Stream;
use tokio::time::{Sleep, sleep};

use crate::connection::End;
use crate::error::Error;
use crate::exec::{Completed, Exec, LIMIT, Progress, SchemaFile};
use crate::tokio::transport::{FromCodex, Lines, Transport};

/// A run, from [`Exec::run_async`]. As a stream it gives its events; one that does not succeed gives an
/// error as the last one. If it is dropped, Codex ends as with a [`Client`](crate::tokio::Client).
#[derive(Debug)]
pub struct Run {
    // Dropped first: then the task that reads finds nobody there.
    lines: Lines,
    transport: Transport,
    after: Option<Duration>,
    /// Since the run says nothing.
    silence: Option<Pin<Box<Sleep>>>,
    progress: Progress,
    /// Why nothing comes any more.
    end: Option<End>,
    /// It goes with the run: a Codex that is left is ended.
    _schema: Option<SchemaFile>,
}

impl Exec {
    /// Starts it for a task. Codex reads the prompt from its standard input.
    ///
    /// # Errors
    /// If the program cannot be started, a schema cannot be written to a file, or no runtime runs.
    pub fn run_async(self, prompt: impl Into<String>) -> Result<Run, Error> {
        let after = self.silence;
        let (command, schema) = self.command()?;
        let (transport, lines) = Transport::spawn(command, LIMIT, "")?;
        transport.send(prompt.into());
        transport.close_input();
        Ok(Run {
            lines,
            transport,
            after,
            silence: None,
            progress: Progress::default(),
            end: None,
            _schema: schema,
        })
    }
}

impl Run {
    /// The next event; nothing once the run has ended. If the future is dropped, nothing is lost.
    ///
    /// # Errors
    /// [`Error::Line`] for a line that cannot be read, and [`Error::Timeout`] if the run is [silent](Exec::silence), after
    /// which it goes on; [`Error::TurnFailed`]; [`Error::Ended`] if Codex ended without `turn.completed`, or if its exit status says that
    /// it did not succeed. After one of the last two there is nothing.
    pub async fn next_event(&mut self) -> Result<Option<Event>, Error> {
        poll_fn(|context| self.poll_next_event(context))
            .await
            .transpose()
    }

    fn poll_next_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Event, Error>>> {
        if self.end.is_some() {
            return Poll::Ready(None);
        }
        if let Poll::Ready(received) = self.lines.poll_recv(context) {
            self.silence = None;
            return Poll::Ready(match received {
                Some(FromCodex::Line(line)) => {
                    Some(self.progress.event(&line).map_err(Error::Line))
                }
                Some(FromCodex::End(end)) => self.ends(end),
                None => self.ends(self.transport.process().gone()),
            });
        }
        let Some(after) = self.after else {
            return Poll::Pending;
        };
        let sleep = self.silence.get_or_insert_with(|| Box::pin(sleep(after)));
        sleep.as_mut().poll(context).map(|()| {
            self.silence = None;
            Some(Err(Error::Timeout {
                awaited: "the next event of the run".to_owned(),
                after,
            }))
        })
    }

    /// What the end of the output means.
    fn ends(&mut self, end: End) -> Option<Result<Event, Error>> {
        let result = self.result(&end);
        self.end = Some(end);
        result.err().map(Err)
    }

    fn result(&self, end: &End) -> Result<(), Error> {
        match end {
            End::Ended(status, stderr) => self.progress.end(*status, stderr.clone()),
            end => Err(end.error("the end of the turn")),
        }
    }

    /// Reads the run to its end.
    ///
    /// # Errors
    /// As [`next_event`](Self::next_event).
    pub async fn finish(mut self) -> Result<Completed, Error> {
        while self.next_event().await?.is_some() {}
        // Whoever read its events before may have passed over the error.
        self.end.iter().try_for_each(|end| self.result(end))?;
        let Run { progress, .. } = self;
        Ok(progress.completed())
    }
}

impl Stream for Run {
    type Item = Result<Event, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_next_event(context)
    }
}
