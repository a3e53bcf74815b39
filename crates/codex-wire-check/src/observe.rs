//! Lets a caller observe every line while an input is checked.

use std::io::{self, BufRead};

use codex_wire_base::lines::Lines;

use crate::checker::Checker;
use crate::finding::{Finding, Writer};
use crate::outcome::{Outcome, Verdict};
use crate::pipeline::observed::ObservedLine;
pub use crate::pipeline::observed::{Answered, Event};
use crate::stream::Stream;

/// A line on its way through the checker.
#[derive(Debug)]
#[non_exhaustive]
pub struct Step<'a> {
    /// The number of the line. At the end it is that of the last line.
    pub line: u64,
    /// The bytes of the line, without the newline; of a line over the limit its beginning. Of a
    /// recorded run of a hook, the first step has them.
    pub bytes: &'a [u8],
    /// Whether the line is over the limit, so that `bytes` has only its beginning.
    pub is_cut_off: bool,
    /// What the line contains.
    pub event: Event<'a>,
    /// Milliseconds since the recording began, if the recording says so.
    pub ms: Option<u64>,
    /// The number of the connection, if the recording has several.
    pub connection: Option<u32>,
    /// The side that wrote it: as the recording says, or else inferred from the message.
    pub writer: Option<Writer>,
    /// The findings of this line.
    pub findings: &'a [Finding],
    /// Whether the input is known to be a transcript: a message has shown it, or the user says so.
    /// Otherwise it may turn out to be something else, and then the rest is not checked.
    pub recognized: bool,
}

impl Checker {
    /// Checks an input like [`Checker::check`]. Calls `each` with every line and its findings, as soon as
    /// the line is read; for a recorded run of a hook, which holds two messages, twice. If the severity of a
    /// finding depends on the release, it may still change until the end; the outcome has the final one.
    ///
    /// # Errors
    /// When `each` fails.
    pub fn observe(
        &self,
        path: &str,
        input: impl BufRead,
        each: impl FnMut(&Step<'_>) -> io::Result<()>,
    ) -> io::Result<Outcome> {
        self.walk(self.stream(path), input, ObservedLine::default, each)
    }

    /// Reads an input without checking its messages: calls `each` with every line, as [`observe`](Self::observe)
    /// does, once it is known which protocol a message is of, who wrote it and which request it answers. Findings
    /// are about lines that hold no message, and the outcome has nothing else.
    ///
    /// # Errors
    /// When `each` fails.
    pub fn read(
        &self,
        path: &str,
        input: impl BufRead,
        each: impl FnMut(&Step<'_>) -> io::Result<()>,
    ) -> io::Result<Outcome> {
        self.walk(
            Stream::reading(self, path),
            input,
            ObservedLine::default,
            each,
        )
    }

    /// Checks an input like [`observe`](Self::observe), for somebody who does not look at the messages: they
    /// are `null`.
    pub(crate) fn observe_writers(
        &self,
        path: &str,
        input: impl BufRead,
        each: impl FnMut(&Step<'_>) -> io::Result<()>,
    ) -> io::Result<Outcome> {
        self.walk(self.stream(path), input, ObservedLine::without_trees, each)
    }

    fn walk(
        &self,
        mut stream: Stream<'_>,
        input: impl BufRead,
        observed: fn() -> ObservedLine,
        mut each: impl FnMut(&Step<'_>) -> io::Result<()>,
    ) -> io::Result<Outcome> {
        let mut lines = Lines::new(input, self.options.limits.line_bytes).or_array();
        let mut last = 0;
        loop {
            let line = match lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => return Ok(stream.pipeline.broken(&error)),
            };
            last = line.number;
            stream.pipeline.observe_next(observed());
            let from = stream.pipeline.findings().len();
            stream.given_up = stream.pipeline.line(&line, None);
            stream.reported = stream.pipeline.findings().len();
            let Some((ms, parts)) = stream.pipeline.observed() else {
                break;
            };
            let recognized = stream.pipeline.is_recognized();
            let findings = &stream.pipeline.findings()[from..];
            let several = parts.len();
            for (number, part) in (1..).zip(parts) {
                let is_last = number == several;
                each(&Step {
                    line: last,
                    bytes: if number == 1 { line.bytes } else { &[] },
                    is_cut_off: line.is_cut_off(),
                    event: part.event,
                    ms,
                    connection: part.connection,
                    writer: part.writer,
                    findings: if is_last { findings } else { &[] },
                    recognized,
                })?;
            }
            if stream.given_up.is_some() {
                break;
            }
        }
        let (outcome, rest) = stream.finish();
        each(&Step {
            line: last,
            bytes: &[],
            is_cut_off: false,
            event: Event::End,
            ms: None,
            connection: None,
            writer: None,
            findings: &rest,
            recognized: outcome.verdict != Verdict::Unreadable,
        })?;
        Ok(outcome)
    }
}
