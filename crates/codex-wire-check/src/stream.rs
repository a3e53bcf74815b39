//! Checks an input while it is still being written: bytes are pushed in, new findings come out.

use std::fmt;

use codex_wire_base::lines::{Line, Splitter, without_mark};
use codex_wire_base::transcript::Exit;
use codex_wire_base::{Maybe, Protocol};
use codex_wire_prefilter::{Keys, Tape, View};

use crate::checker::Checker;
use crate::dialect::Dialect;
use crate::finding::{Finding, Location, Writer};
use crate::framing::scan::scan;
use crate::line::Told;
use crate::options::Limits;
use crate::outcome::Outcome;
use crate::pipeline::Pipeline;
use crate::pipeline::observed::ObservedLine;
use crate::step::{Step, step_of_end, steps_of_line};

impl Checker {
    /// Begins to check an input that is still being written. `path` is its name in the outcome. No file
    /// is opened.
    pub fn stream(&self, path: &str) -> Stream<'_> {
        Stream::of(self, Pipeline::new(self, path))
    }
}

/// An input that is still being written, on its way through the checker.
///
/// Findings come with the line that causes them, once the input is known to be a transcript. Missing
/// messages are reported at the end. If the severity of a finding depends on the release, it may still
/// change until then; the outcome has the final one.
///
/// ```
/// use codex_wire_check::{Checker, Options, Verdict};
///
/// let checker = Checker::new(Options::new())?;
/// let mut stream = checker.stream("live");
/// assert!(stream.feed(b"{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.st").is_empty());
/// assert_eq!(stream.feed(b"alled\"}\n").len(), 1);
/// let (outcome, _) = stream.finish();
/// assert_eq!(outcome.verdict, Verdict::Findings);
/// # Ok::<(), codex_wire_check::Error>(())
/// ```
pub struct Stream<'c> {
    pub(crate) pipeline: Pipeline<'c>,
    splitter: Splitter,
    /// How many of the findings were handed out.
    pub(crate) reported: usize,
    /// Why the input was given up.
    pub(crate) given_up: Option<String>,
    observer: Option<Observer<'c>>,
    /// How many of the findings the observer has seen.
    seen: usize,
    /// The number of the last line.
    last: u64,
}

/// Somebody who sees every line.
type Observer<'c> = Box<dyn FnMut(&Step<'_>) + Send + 'c>;

impl fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Stream");
        out.field("splitter", &self.splitter)
            .finish_non_exhaustive()
    }
}

impl<'c> Stream<'c> {
    fn of(checker: &'c Checker, pipeline: Pipeline<'c>) -> Self {
        Stream {
            pipeline,
            splitter: Splitter::new(checker.options.limits.line_bytes),
            reported: 0,
            given_up: None,
            observer: None,
            seen: 0,
            last: 0,
        }
    }

    /// Lets somebody see every line with its findings, as soon as it was checked, and at the end the findings that only
    /// the end has shown. The severity of a finding may change until then.
    #[must_use]
    pub fn observed_by(mut self, observer: impl FnMut(&Step<'_>) + Send + 'c) -> Self {
        self.observer = Some(Box::new(observer));
        self
    }

    /// Reads an input, and checks no messages.
    pub(crate) fn reading(checker: &'c Checker, path: &str) -> Self {
        Stream::of(checker, Pipeline::reading(checker, path))
    }

    /// Takes the next bytes of the input. An incomplete last line waits for its rest. Returns the new
    /// findings.
    pub fn feed(&mut self, bytes: &[u8]) -> &[Finding] {
        let mut splitter = std::mem::replace(&mut self.splitter, Splitter::new(0));
        splitter.feed(bytes, |line| self.next(line, None));
        self.splitter = splitter;
        self.news()
    }

    /// Takes the next line, and the side that wrote it. Findings have the number and offset of `line`.
    /// Returns the new findings.
    pub fn line(&mut self, writer: Writer, line: &Line<'_>) -> &[Finding] {
        let told = Told {
            writer,
            record: None,
        };
        self.told(line, told)
    }

    /// The same for a line that is kept in a recording: findings have the number and offset of `record`,
    /// the line of the recording. Then they are those that a check finds in the recording.
    pub fn recorded_line(
        &mut self,
        writer: Writer,
        line: &Line<'_>,
        record: &Line<'_>,
    ) -> &[Finding] {
        let line = Line {
            number: record.number,
            offset: record.offset,
            ..*line
        };
        let told = Told {
            writer,
            record: Some(record.length),
        };
        self.told(&line, told)
    }

    fn told(&mut self, line: &Line<'_>, told: Told) -> &[Finding] {
        self.next(line, Some(told));
        self.news()
    }

    /// Checks the next line.
    fn next(&mut self, line: &Line<'_>, told: Option<Told>) {
        if self.given_up.is_some() {
            return;
        }
        self.last = line.number;
        let Some(observer) = &mut self.observer else {
            self.given_up = self.pipeline.line(line, told);
            return;
        };
        self.pipeline.observe_next(ObservedLine::default());
        self.given_up = self.pipeline.line(line, told);
        for step in steps_of_line(&self.pipeline, line, self.seen) {
            observer(&step);
        }
        self.seen = self.pipeline.findings().len();
    }

    /// Codex exited with this status, or a signal ended it. Findings about the exit have the place of the
    /// end of `line`, if it is given.
    pub fn exit(&mut self, status: Option<i32>, signal: Option<&str>, line: Option<&Line<'_>>) {
        let mut exit = Exit::new();
        exit.status = status.map_or(Maybe::Absent, Maybe::Value);
        exit.signal = signal.map_or(Maybe::Absent, |name| Maybe::Value(name.to_owned()));
        self.pipeline.exit(&exit, line);
    }

    /// Whether nothing more can come: the transcript has recorded the exit of Codex, or the input is not
    /// a transcript.
    pub fn is_over(&self) -> bool {
        self.given_up.is_some() || self.pipeline.has_exited()
    }

    /// Ends the input. Checks its last line even if it has no line end. Returns the outcome, and the new
    /// findings.
    pub fn finish(mut self) -> (Outcome, Vec<Finding>) {
        let mut splitter = std::mem::replace(&mut self.splitter, Splitter::new(0));
        splitter.finish(|line| self.next(line, None));
        self.close(Pipeline::finish)
    }

    /// Stops before the end of the input. An incomplete last line is not checked, and missing messages
    /// are not reported. Returns the outcome, and the new findings.
    pub fn leave(self) -> (Outcome, Vec<Finding>) {
        self.close(Pipeline::leave)
    }

    fn close(mut self, close: impl FnOnce(Pipeline<'c>) -> Outcome) -> (Outcome, Vec<Finding>) {
        let reported = Reported::of(&self.pipeline, self.reported);
        let seen = Reported::of(&self.pipeline, self.seen);
        let outcome = match self.given_up {
            Some(reason) => self.pipeline.give_up(reason),
            None => close(self.pipeline),
        };
        if let Some(observer) = &mut self.observer {
            observer(&step_of_end(self.last, &seen.rest(&outcome), &outcome));
        }
        let rest = reported.rest(&outcome);
        (outcome, rest)
    }

    fn news(&mut self) -> &[Finding] {
        // If it may not be a transcript at all, there is one thing to say, at the end.
        if !self.pipeline.is_recognized() {
            return &[];
        }
        let findings = self.pipeline.findings();
        let from = std::mem::replace(&mut self.reported, findings.len());
        &findings[from..]
    }
}

/// Findings that were handed out before the end.
struct Reported(Vec<(&'static str, Location)>);

impl Reported {
    /// The first `count` findings.
    fn of(pipeline: &Pipeline<'_>, count: usize) -> Self {
        let findings = pipeline.findings()[..count].iter();
        let places = findings.map(|finding| (finding.rule.id, finding.place.clone()));
        let mut places: Vec<_> = places.collect();
        places.sort_by_key(|(_, place)| place.line);
        Reported(places)
    }

    /// Those of the outcome that are not among them. Others may stand in between, but those reported have the order
    /// of the outcome.
    fn rest(self, outcome: &Outcome) -> Vec<Finding> {
        let mut reported = self.0.into_iter().peekable();
        let rest = outcome.findings.iter().filter(|finding| {
            let same = |(rule, place): &(&str, Location)| {
                *rule == finding.rule.id && *place == finding.place
            };
            reported.next_if(same).is_none()
        });
        rest.cloned().collect()
    }
}

/// The protocol to which a single line seems to belong.
pub fn protocol_of(line: &[u8]) -> Option<Protocol> {
    // Of a byte order mark the check speaks.
    let line = str::from_utf8(without_mark(line)).ok()?;
    scan(line, Limits::DEEPEST).ok()?;
    let mut tape = Tape::new();
    let message = View::of(line, &mut tape, Keys::Last);
    let dialect = Dialect::of(message)?;
    dialect.is_sure_of(message).then(|| dialect.protocol())
}
