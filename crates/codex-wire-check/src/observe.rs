//! Lets a caller observe every line while an input is checked.

use std::io::{self, BufRead};

use codex_wire_base::lines::Lines;

use crate::checker::Checker;
use crate::outcome::Outcome;
use crate::pipeline::observed::ObservedLine;
pub use crate::pipeline::observed::{Answered, Event};
use crate::step::{Step, step_of_end, steps_of_line};
use crate::stream::Stream;

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
        let walked = self.walk(self.stream(path), input, ObservedLine::default, each);
        Ok(walked?.0)
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
        let stream = Stream::reading(self, path);
        Ok(self.walk(stream, input, ObservedLine::default, each)?.0)
    }

    /// Checks an input like [`observe`](Self::observe), for somebody who does not look at the messages: they
    /// are `null`.
    pub(crate) fn observe_writers(
        &self,
        path: &str,
        input: impl BufRead,
        each: impl FnMut(&Step<'_>) -> io::Result<()>,
    ) -> io::Result<Outcome> {
        let walked = self.walk(self.stream(path), input, ObservedLine::without_trees, each);
        Ok(walked?.0)
    }

    /// The outcome, and why the input could not be read to its end.
    pub(crate) fn walk(
        &self,
        mut stream: Stream<'_>,
        input: impl BufRead,
        observed: fn() -> ObservedLine,
        mut each: impl FnMut(&Step<'_>) -> io::Result<()>,
    ) -> io::Result<(Outcome, Option<io::Error>)> {
        let mut lines = Lines::new(input, self.options.limits.line_bytes).or_array();
        let mut last = 0;
        loop {
            let line = match lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => return Ok((stream.pipeline.broken(&error), Some(error))),
            };
            last = line.number;
            stream.pipeline.observe_next(observed());
            let from = stream.pipeline.findings().len();
            stream.given_up = stream.pipeline.line(&line, None);
            stream.reported = stream.pipeline.findings().len();
            for step in steps_of_line(&stream.pipeline, &line, from) {
                each(&step)?;
            }
            if stream.given_up.is_some() {
                break;
            }
        }
        let (outcome, rest) = stream.finish();
        each(&step_of_end(last, &rest, &outcome))?;
        Ok((outcome, None))
    }
}
