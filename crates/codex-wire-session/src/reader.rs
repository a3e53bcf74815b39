//! Reads an input into a session.

use std::io::{self, BufRead};

use codex_wire_base::Protocol;
use codex_wire_check::{Checker, Event, Options, Step, Verdict, Writer};

use crate::app_server::Sender;
use crate::build::thread::{Finished, Here};
use crate::members::Members as _;
use crate::model::{Continues, Session, Thread, Time, Turn, Unread};
use crate::source::Source;

/// An input could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading failed.
    #[error("{source_name}: reading failed")]
    Read {
        /// The name of the input.
        source_name: String,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The input holds no messages of Codex, or those of a protocol without sessions, such as hooks.
    #[error("{source_name}: {reason}")]
    NoSession {
        /// The name of the input.
        source_name: String,
        /// Why.
        reason: NoSession,
    },
}

/// Why an input holds no session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoSession {
    /// It holds no messages.
    #[error("holds no messages of Codex")]
    NoMessages,
    /// It is of a protocol without sessions.
    #[error("{0} holds no session")]
    Protocol(Protocol),
    /// It is not a transcript, as [`Outcome::error`](codex_wire_check::outcome::Outcome::error) says.
    #[error("{0}")]
    Foreign(String),
    /// The checker could not read it, as [`Outcome::error`](codex_wire_check::outcome::Outcome::error) says.
    #[error("{0}")]
    Unreadable(String),
}

/// Reads inputs into sessions. One reader may read many.
#[derive(Debug)]
pub struct Reader {
    checker: Checker,
}

/// A part of a session that can no longer change.
#[derive(Debug)]
#[non_exhaustive]
pub enum Part<'a> {
    /// A turn.
    Turn(TurnOf<'a>, Box<Turn>),
    /// The user took back turns that were handed out before, from this number on.
    RolledBack(TurnOf<'a>),
    /// A thread is complete. Its turns were handed out.
    Thread(Box<Thread>),
    /// A line that holds no message.
    Unread(Unread),
}

/// Which turn it is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TurnOf<'a> {
    /// What is known of its thread by now. It has neither turns nor the final number of tokens.
    pub thread: &'a Thread,
    /// The number of the thread in the input, from 0.
    pub thread_number: usize,
    /// The number of the turn in the thread, from 0.
    pub number: usize,
    /// The protocol that the input is of.
    pub protocol: Option<Protocol>,
}

impl Reader {
    /// A reader for inputs of any protocol.
    pub fn new() -> Self {
        let options = Options::new();
        // Without a protocol and a release there is nothing that could be wrong with the options.
        let checker = Checker::new(options).unwrap_or_else(|error| unreachable!("{error}"));
        Reader { checker }
    }

    /// A reader for inputs of the protocol and the release that the options of a checker state. Nothing is
    /// checked.
    pub fn with(checker: Checker) -> Self {
        Reader { checker }
    }

    /// Reads an input: a stream, a recording, or a session file. `source` is its name in the session and in
    /// errors.
    ///
    /// # Errors
    /// If reading fails, or the input holds no session.
    pub fn read(&self, source: &str, input: impl BufRead) -> Result<Session, Error> {
        let mut reading = Reading::new(source);
        self.drive(input, &mut reading, |_| {})?;
        reading.session()
    }

    /// Reads a session file that may go on from another one. `base` is asked for the session of the other file,
    /// up to the place that it is given; [`is_base`](crate::is_base) says whether a file is the right one. Without
    /// it, counts that repeat those of the other file are told by where they stand.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_on(
        &self,
        source: &str,
        input: impl BufRead,
        mut base: impl FnMut(&Continues) -> Option<Session>,
    ) -> Result<Session, Error> {
        let mut reading = Reading::new(source);
        let mut is_asked = false;
        self.drive(input, &mut reading, |reading| {
            if let Some(source) = &mut reading.source
                && !std::mem::replace(&mut is_asked, true)
                && let Some(place) = source.continues()
                && let Some(base) = base(place)
            {
                source.continue_from(&base.end);
            }
        })?;
        reading.session()
    }

    /// Reads an input and hands out one part after the other, as soon as it can no longer change. A thread
    /// follows its turns.
    ///
    /// # Errors
    /// As [`read`](Self::read). What was read before is handed out all the same.
    pub fn each(
        &self,
        source: &str,
        input: impl BufRead,
        mut part: impl FnMut(Part<'_>),
    ) -> Result<Option<Protocol>, Error> {
        let mut parts = Parts::new(source);
        let driven = self.drive(input, &mut parts.reading, |reading| reading.take(&mut part));
        let finished = parts.finish(part);
        driven.and(finished)
    }

    fn drive(
        &self,
        input: impl BufRead,
        reading: &mut Reading,
        mut after: impl FnMut(&mut Reading),
    ) -> Result<(), Error> {
        let source_name = reading.session.source.clone();
        let outcome = self.checker.read(&source_name, input, |step| {
            reading.step(step);
            after(reading);
            Ok(())
        });
        let outcome = outcome.map_err(|error| Error::Read {
            source_name: source_name.clone(),
            error,
        })?;
        if outcome.verdict != Verdict::Unreadable {
            return Ok(());
        }
        let without_session = reading.protocol.filter(|_| reading.source.is_none());
        let reason = match (outcome.error, without_session) {
            (None, _) => NoSession::NoMessages,
            (Some(error), _) if outcome.foreign => NoSession::Foreign(error),
            (_, Some(protocol)) => NoSession::Protocol(protocol),
            (Some(error), None) => NoSession::Unreadable(error),
        };
        Err(Error::NoSession {
            source_name,
            reason,
        })
    }
}

impl Default for Reader {
    fn default() -> Self {
        Reader::new()
    }
}

/// The parts of an input that is checked at the same time.
///
/// The steps of a [`Checker`] go in, and out come the parts that [`Reader::each`] hands out.
///
/// ```
/// use codex_wire_check::{Checker, Options};
/// use codex_wire_session::{Part, Parts};
///
/// let stream = br#"{"type":"thread.started","thread_id":"t"}
/// {"type":"turn.started"}
/// {"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":1000,"output_tokens":34}}
/// "#;
/// let (mut parts, mut turns) = (Parts::new("run.jsonl"), 0);
/// let mut count = |part: Part<'_>| turns += u32::from(matches!(part, Part::Turn(..)));
/// let outcome = Checker::new(Options::new())?.observe("run.jsonl", &stream[..], |step| {
///     parts.step(step, &mut count);
///     Ok(())
/// })?;
/// parts.finish(&mut count)?;
/// assert_eq!((outcome.messages, turns), (3, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Parts {
    reading: Reading,
}

impl Parts {
    /// Nothing of an input with that name is read yet.
    pub fn new(source: &str) -> Self {
        Parts {
            reading: Reading::new(source),
        }
    }

    /// Takes the next step, and hands out what can no longer change.
    pub fn step(&mut self, step: &Step<'_>, mut part: impl FnMut(Part<'_>)) {
        self.reading.step(step);
        self.reading.take(&mut part);
    }

    /// The input is over: hands out the rest.
    ///
    /// # Errors
    /// If the input holds no session.
    pub fn finish(mut self, mut part: impl FnMut(Part<'_>)) -> Result<Option<Protocol>, Error> {
        self.reading.take(&mut part);
        let protocol = self.reading.protocol;
        for (thread_number, finished) in self.reading.threads()?.into_iter().enumerate() {
            let Finished { first, mut thread } = finished;
            let turns = std::mem::take(&mut thread.turns);
            for (number, turn) in (first..).zip(turns) {
                let of = TurnOf {
                    thread: &thread,
                    thread_number,
                    number,
                    protocol,
                };
                part(Part::Turn(of, Box::new(turn)));
            }
            part(Part::Thread(Box::new(thread)));
        }
        Ok(protocol)
    }
}

/// An input that is being read.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) session: Session,
    pub(crate) protocol: Option<Protocol>,
    pub(crate) source: Option<Source>,
    /// When lines are written that do not say it.
    pub(crate) now: Option<Time>,
}

impl Reading {
    pub(crate) fn new(source: &str) -> Self {
        Reading {
            session: Session::new(source),
            protocol: None,
            source: None,
            now: None,
        }
    }

    pub(crate) fn step(&mut self, step: &Step<'_>) {
        match step.event {
            Event::Message {
                message, protocol, ..
            } => {
                let Some(protocol) = protocol else { return };
                self.protocol = Some(protocol);
                if self.source.is_none() {
                    self.source = Source::of(protocol, message);
                }
                let emitted = message.int("emittedAtMs");
                let here = Here {
                    line: step.line,
                    at: emitted.and_then(Time::from_ms).or(self.now),
                };
                let from = Sender {
                    connection: step.connection.unwrap_or(0),
                    is_client: step.writer == Some(Writer::Client),
                };
                let Some(source) = &mut self.source else {
                    return;
                };
                match source.is_foreign(message) {
                    true => {
                        let problem = "a message of another protocol than the lines before";
                        let problem = problem.to_owned();
                        let line = step.line;
                        self.session.unread.push(Unread { line, problem });
                    }
                    false => source.message(here, from, message),
                }
            }
            Event::Nothing => {
                if let Some(finding) = step.findings.first()
                    && finding.rule.id != "framing/blank-line"
                {
                    self.session.unread.push(Unread {
                        line: step.line,
                        problem: finding.message.clone(),
                    });
                }
            }
            _ => {}
        }
    }

    /// Hands out what can no longer change.
    fn take(&mut self, part: &mut impl FnMut(Part<'_>)) {
        for unread in self.session.unread.drain(..) {
            part(Part::Unread(unread));
        }
        let Some(source) = &mut self.source else {
            return;
        };
        for (thread_number, taken) in source.take() {
            let Some(thread) = source.thread(thread_number) else {
                continue;
            };
            let of = |number| TurnOf {
                thread,
                thread_number,
                number,
                protocol: self.protocol,
            };
            for (number, turn) in (taken.first..).zip(taken.turns) {
                part(Part::Turn(of(number), Box::new(turn)));
            }
            if let Some(number) = taken.rolled_back {
                part(Part::RolledBack(of(number)));
            }
        }
    }

    fn session(mut self) -> Result<Session, Error> {
        let mut session = std::mem::replace(&mut self.session, Session::new(""));
        self.session.source.clone_from(&session.source);
        session.protocol = self.protocol.map(|protocol| protocol.to_string());
        session.end = self.source.as_ref().map(Source::end).unwrap_or_default();
        let threads = self.threads()?.into_iter();
        session.threads = threads.map(|finished| finished.thread).collect();
        Ok(session)
    }

    fn threads(self) -> Result<Vec<Finished>, Error> {
        match self.source {
            Some(source) => Ok(source.finish()),
            None => Err(Error::NoSession {
                source_name: self.session.source,
                reason: self
                    .protocol
                    .map_or(NoSession::NoMessages, NoSession::Protocol),
            }),
        }
    }
}
