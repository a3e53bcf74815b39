//! Lets a caller observe every line while an input is checked.

use std::io::{self, BufRead};

use codex_wire_base::Protocol;
use codex_wire_base::lines::Lines;
use codex_wire_base::transcript::Record;
use serde_json::Value;

use crate::checker::Checker;
use crate::finding::{Finding, Writer};
use crate::outcome::{Outcome, Verdict};

/// A line on its way through the checker.
#[derive(Debug)]
#[non_exhaustive]
pub struct Step<'a> {
    /// The number of the line; at the end that of the last one.
    pub line: u64,
    /// What it holds.
    pub sight: Sight<'a>,
    /// Milliseconds since the recording began, where it says so.
    pub ms: Option<u64>,
    /// The connection, where a recording tells several apart.
    pub connection: Option<u32>,
    /// Who wrote it: as a recording says, or by the message's shape.
    pub writer: Option<Writer>,
    /// What was found with this line.
    pub findings: &'a [Finding],
    /// Whether the input is known to be a transcript by now: a message told, or the user says so.
    /// One that is not may still turn out to be something else, which is not looked at further.
    pub recognised: bool,
}

/// What a line holds.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Sight<'a> {
    /// A message. Of doubled keys it holds the last.
    Message {
        /// The message.
        message: &'a Value,
        /// The protocol of the stream, if it is known by now.
        protocol: Option<Protocol>,
        /// The request it answers, where it is an answer of the app-server.
        answers: Option<&'a Answered>,
    },
    /// A record of a transcript that holds no line.
    Record(&'a Record),
    /// Nothing that could be read; the findings say why.
    Nothing,
    /// The end of the input.
    End,
}

/// The request of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Its method, if it is known.
    pub method: Option<String>,
    /// Its line, if it is known.
    pub line: Option<u64>,
}

impl Checker {
    /// Checks an input like [`Checker::check`], and shows every line with what was found to
    /// `each`, as soon as it is read. The severity of a finding may still change until the end,
    /// where it depends on the release; the outcome has the last word.
    ///
    /// # Errors
    /// When `each` fails.
    pub fn watch(
        &self,
        path: &str,
        input: impl BufRead,
        mut each: impl FnMut(&Step<'_>) -> io::Result<()>,
    ) -> io::Result<Outcome> {
        let mut stream = self.stream(path);
        stream.run.watch();
        let mut lines = Lines::new(input, self.options.limits.line_bytes);
        let mut last = 0;
        loop {
            let line = match lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => return Ok(stream.run.broken(&error)),
            };
            last = line.number;
            stream.run.look_away();
            let from = stream.run.findings().len();
            stream.given_up = stream.run.line(&line, None);
            stream.told = stream.run.findings().len();
            let (sight, ms, connection, writer) = stream.run.sight();
            each(&Step {
                line: last,
                sight,
                ms,
                connection,
                writer,
                findings: &stream.run.findings()[from..],
                recognised: stream.run.is_recognised(),
            })?;
            if stream.given_up.is_some() {
                break;
            }
        }
        let (outcome, rest) = stream.finish();
        each(&Step {
            line: last,
            sight: Sight::End,
            ms: None,
            connection: None,
            writer: None,
            findings: &rest,
            recognised: outcome.verdict != Verdict::Unreadable,
        })?;
        Ok(outcome)
    }
}
