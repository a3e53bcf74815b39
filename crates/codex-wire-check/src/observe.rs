//! Lets a caller observe every line while an input is checked.

use std::io::{self, BufRead};

use codex_wire_base::lines::Lines;

use crate::checker::Checker;
use crate::finding::{Finding, Writer};
use crate::outcome::{Outcome, Verdict};
pub use crate::session::observed::{Answered, Event};

/// A line on its way through the checker.
#[derive(Debug)]
#[non_exhaustive]
pub struct Step<'a> {
    /// The number of the line; at the end that of the last one.
    pub line: u64,
    /// What it holds.
    pub event: Event<'a>,
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
    pub recognized: bool,
}

impl Checker {
    /// Checks an input like [`Checker::check`], and shows every line with what was found to
    /// `each`, as soon as it is read. The severity of a finding may still change until the end,
    /// where it depends on the release; the outcome has the last word.
    ///
    /// # Errors
    /// When `each` fails.
    pub fn observe(
        &self,
        path: &str,
        input: impl BufRead,
        mut each: impl FnMut(&Step<'_>) -> io::Result<()>,
    ) -> io::Result<Outcome> {
        let mut stream = self.stream(path);
        let mut lines = Lines::new(input, self.options.limits.line_bytes);
        let mut last = 0;
        loop {
            let line = match lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => return Ok(stream.session.broken(&error)),
            };
            last = line.number;
            stream.session.observe_next();
            let from = stream.session.findings().len();
            stream.given_up = stream.session.line(&line, None);
            stream.reported = stream.session.findings().len();
            let Some((observed, event)) = stream.session.observed() else {
                break;
            };
            each(&Step {
                line: last,
                event,
                ms: observed.ms,
                connection: observed.connection,
                writer: observed.writer,
                findings: &stream.session.findings()[from..],
                recognized: stream.session.is_recognized(),
            })?;
            if stream.given_up.is_some() {
                break;
            }
        }
        let (outcome, rest) = stream.finish();
        each(&Step {
            line: last,
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
