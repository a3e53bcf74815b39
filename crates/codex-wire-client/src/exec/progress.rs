//! What is known of a run, event by event, and whether it succeeded. Without input and output.

use std::process::ExitStatus;

use codex_wire::app_server::TurnError;
use codex_wire::exec::{Event, ThreadItemDetails, Usage};
use codex_wire::lines::{Line, Splitter};
use codex_wire::{ErrorKind, from_slice};

use crate::error::{Error, LineError};

/// How long a line may be.
pub(crate) const LIMIT: usize = 64 << 20;

/// What the run is awaited for.
const AWAITED: &str = "the end of the turn";

/// A run that succeeded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Completed {
    /// The thread, by which the run can be resumed.
    pub thread_id: Option<String>,
    /// The last message of the agent.
    pub message: Option<String>,
    /// The tokens of the turn.
    pub usage: Option<Usage>,
}

/// Reads the events of a run as its bytes come, for whoever runs Codex otherwise: in a container, or with another runtime.
///
/// ```
/// use codex_wire_client::exec::EventReader;
///
/// let mut reader = EventReader::new();
/// assert!(reader.feed(b"{\"type\":\"turn.sta").is_empty());
/// let events = reader.feed(
///     b"rted\"}\n{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1,\"cached_input_tokens\":0,\"output_tokens\":2}}\n",
/// );
/// assert_eq!(events.len(), 2);
/// assert!(reader.finish().is_none());
/// assert!(reader.completed(None, "").is_ok());
/// ```
#[derive(Debug)]
pub struct EventReader {
    splitter: Splitter,
    limit: usize,
    progress: Progress,
}

/// What is known of a run so far.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    number: u64,
    completed: Completed,
    end: Option<TurnEnd>,
}

/// How the turn of a run ended.
#[derive(Debug)]
enum TurnEnd {
    Completed,
    /// With this message.
    Failed(String),
}

impl EventReader {
    /// Of lines of up to 64 MiB.
    pub fn new() -> Self {
        Self::with_limit(LIMIT)
    }

    /// Of lines of up to so many bytes. No more of a line is kept.
    pub fn with_limit(bytes: usize) -> Self {
        EventReader {
            splitter: Splitter::new(bytes),
            limit: bytes,
            progress: Progress::default(),
        }
    }

    /// The events whose lines end in these bytes. A line that cannot be read, or is too long, is an error in its place.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Result<Event, LineError>> {
        let mut events = Vec::new();
        let (progress, limit) = (&mut self.progress, self.limit);
        self.splitter
            .feed(bytes, |line| events.push(progress.line(line, limit)));
        events
    }

    /// The event of the last line, if it has no end. Nothing is fed after it.
    pub fn finish(&mut self) -> Option<Result<Event, LineError>> {
        let mut last = None;
        let (progress, limit) = (&mut self.progress, self.limit);
        self.splitter
            .finish(|line| last = Some(progress.line(line, limit)));
        last
    }

    /// What became of the run, once it has ended: with which status, if it was a process that exited, and with which last words on its
    /// standard error.
    ///
    /// # Errors
    /// [`Error::TurnFailed`]; [`Error::Ended`] if there was no `turn.completed`, or the status says that it did not succeed.
    pub fn completed(
        self,
        status: Option<ExitStatus>,
        stderr: impl Into<String>,
    ) -> Result<Completed, Error> {
        self.progress.end(status, stderr.into())?;
        Ok(self.progress.completed())
    }
}

impl Default for EventReader {
    fn default() -> Self {
        Self::new()
    }
}

impl Progress {
    /// The event of the next line.
    pub(crate) fn event(&mut self, line: &[u8]) -> Result<Event, LineError> {
        self.number += 1;
        let event: Event = from_slice(line).map_err(|source| self.error(line, source))?;
        self.observe(&event);
        Ok(event)
    }

    /// The event of the next line, of which no more than the limit is there.
    fn line(&mut self, line: &Line<'_>, limit: usize) -> Result<Event, LineError> {
        if line.is_cut_off() {
            self.number += 1;
            let source = codex_wire::Error::at(ErrorKind::LineTooLong { limit }, limit);
            return Err(self.error(line.bytes, source));
        }
        self.event(line.bytes)
    }

    fn error(&self, line: &[u8], source: codex_wire::Error) -> LineError {
        LineError {
            number: self.number,
            text: String::from_utf8_lossy(line).into_owned(),
            source,
        }
    }

    fn observe(&mut self, event: &Event) {
        if let Some(thread) = event.thread_id() {
            self.completed.thread_id = Some(thread.to_owned());
        }
        match event {
            Event::ItemCompleted(completed) => {
                if let ThreadItemDetails::AgentMessage(message) = &completed.item.details {
                    self.completed.message = Some(message.text.clone());
                }
            }
            Event::TurnCompleted(turn) => {
                self.completed.usage = Some(turn.usage.clone());
                self.end = Some(TurnEnd::Completed);
            }
            Event::TurnFailed(failed) => {
                self.end = Some(TurnEnd::Failed(failed.error.message.clone()));
            }
            _ => {}
        }
    }

    /// What the end of the output means.
    pub(crate) fn end(&self, status: Option<ExitStatus>, stderr: String) -> Result<(), Error> {
        let failed = status.is_some_and(|status| !status.success());
        match &self.end {
            Some(TurnEnd::Failed(message)) => Err(Error::TurnFailed {
                error: Box::new(TurnError::new(message)),
            }),
            Some(TurnEnd::Completed) if !failed => Ok(()),
            _ => Err(Error::Ended {
                awaited: AWAITED.to_owned(),
                status,
                stderr,
            }),
        }
    }

    /// What the run has brought.
    pub(crate) fn completed(self) -> Completed {
        self.completed
    }
}
