//! Compares a live stream with the session file (rollout) of the same run.
//!
//! Codex says what happens in a thread twice: to the program that started it, and in the session
//! file. [`StreamFacts`] and [`RolloutFacts`] are what the two sides say: turns with their messages, commands, file changes,
//! tool calls, tokens and end. [`Checker::check_for_rollout`] and [`RolloutFacts::read`] collect it,
//! and [`Checker::compare_with_rollout`] adds a finding to the outcome of the stream for each difference.
//!
//! Only what is equal in every recording is compared; the pages of the rules `with-rollout/…` say what that
//! is. Texts are kept as hashes, so that memory depends on the number of items and not on their size.

mod calls;
mod compare;
mod core_items;
mod difference;
mod evidence;
mod facts;
mod session_file;
mod stream;
mod turn;

use std::io::BufRead;

use codex_wire_base::{Protocol, Release};

use crate::checker::Checker;
use crate::error::Error;
use crate::finding::{Finding, Location};
use crate::observe::Event;
use crate::options::{Limits, Options};
use crate::outcome::{Outcome, Verdict};
use crate::pipeline::observed::ObservedLine;
use crate::step::Step;
use crate::writer::Writer;
use difference::Difference;
use facts::Thread;
use session_file::Rollout;
use stream::Stream;

crate::rule_macros::rule_files!(compare, turn);

/// What a live stream says of its threads.
#[derive(Debug, Default)]
pub struct StreamFacts(Stream);

impl StreamFacts {
    /// The ids of the threads it names. `codex exec` up to 0.42.0 names none.
    pub fn thread_ids(&self) -> impl Iterator<Item = &str> {
        let ids = self.0.threads.iter();
        ids.filter_map(|(id, _)| id.as_deref())
    }
}

/// What a session file says of its thread.
#[derive(Debug, Default)]
pub struct RolloutFacts(Rollout);

impl RolloutFacts {
    /// Reads a session file. Nothing is reported of it.
    ///
    /// # Errors
    /// [`Error::UnreadableSessionFile`] or [`Error::NotASessionFile`]. `path` is its name in these.
    pub fn read(path: &str, input: impl BufRead, limits: Limits) -> Result<Self, Error> {
        let options = Options::new().protocol(Protocol::Rollout).limits(limits);
        let checker = Checker::new(options)?;
        let mut file = Rollout::default();
        let mut line = 0;
        let stream = checker.stream(path);
        let walked = checker.walk(stream, input, ObservedLine::default, |step| {
            line = step.line;
            if let Event::Message { message, .. } = &step.event {
                file.read(message, step.line);
            }
            Ok(())
        });
        let path = path.to_owned();
        let (outcome, failed) = walked.unwrap_or_else(|error| (Outcome::new(""), Some(error)));
        match (failed, outcome.error) {
            (Some(source), _) => Err(Error::UnreadableSessionFile { path, line, source }),
            (None, None) if file.thread_id.is_some() => Ok(RolloutFacts(file)),
            (None, found) => Err(Error::NotASessionFile { path, found }),
        }
    }

    /// The id of the thread, if the file names it.
    pub fn thread_id(&self) -> Option<&str> {
        self.0.thread_id.as_deref()
    }

    /// Adds what another file of the same thread says: `thread/revert` begins a new one.
    #[must_use]
    pub fn and(mut self, other: RolloutFacts) -> Self {
        self.0.thread.append(other.0.thread);
        self
    }
}

impl Checker {
    /// Checks a live stream like [`Checker::check`], and collects what it says of its threads.
    pub fn check_for_rollout(&self, path: &str, input: impl BufRead) -> (Outcome, StreamFacts) {
        self.observe_for_rollout(path, input, |_| {})
    }

    /// The same, and calls `each` with every line, as [`Checker::observe`] does.
    pub fn observe_for_rollout(
        &self,
        path: &str,
        input: impl BufRead,
        mut each: impl FnMut(&Step<'_>),
    ) -> (Outcome, StreamFacts) {
        let mut facts = Stream::default();
        let outcome = self.observe(path, input, |step| {
            each(step);
            match &step.event {
                Event::Message { message, .. } if step.writer == Some(Writer::Client) => {
                    stream::read_client(&mut facts, message);
                }
                Event::Message {
                    message, answers, ..
                } => {
                    let method = answers.and_then(|request| request.method.as_deref());
                    stream::read(&mut facts, message, method, step.line);
                }
                _ => {}
            }
            Ok(())
        });
        let outcome = outcome.unwrap_or_else(|error| Outcome::unreadable(path, error.to_string()));
        (outcome, StreamFacts(facts))
    }

    /// Adds a finding to the outcome of a stream for each difference between it and the session file
    /// of its thread.
    ///
    /// # Errors
    /// [`Error::OtherThread`] or [`Error::TooManyItems`].
    pub fn compare_with_rollout(
        &self,
        outcome: &mut Outcome,
        stream: &StreamFacts,
        rollout: &RolloutFacts,
    ) -> Result<(), Error> {
        let file = &rollout.0;
        if stream.0.threads.is_empty() || stream.0.is_partial {
            return Ok(());
        }
        let Some(thread) = thread_of(stream, rollout) else {
            return Err(Error::OtherThread {
                stream: stream.thread_ids().map(str::to_owned).collect(),
                session_file: rollout.thread_id().unwrap_or("none").to_owned(),
            });
        };
        if thread.is_cut() || file.thread.is_cut() {
            return Err(Error::TooManyItems);
        }
        let releases = self.writers(outcome, file);
        for difference in compare::compare(thread, &file.thread) {
            self.report(outcome, difference, &releases);
        }
        outcome.findings.sort_by_key(|finding| finding.place.line);
        if outcome.verdict != Verdict::Unreadable {
            outcome.settle_verdict();
        }
        Ok(())
    }

    /// The releases that can have written both. The file says which one created it, but an older or
    /// newer one may have gone on with it.
    fn writers(&self, outcome: &Outcome, file: &Rollout) -> Vec<Release> {
        let (Some(protocol), Some(range)) = (outcome.protocol, outcome.releases) else {
            return Vec::new();
        };
        let listed = protocol.release_list().releases().iter().copied();
        let possible: Vec<Release> = listed.filter(|release| range.contains(*release)).collect();
        let created: Option<Release> = file.release.as_deref().and_then(|text| text.parse().ok());
        match created.filter(|release| possible.contains(release)) {
            Some(release) => vec![release],
            None => possible,
        }
    }

    fn report(&self, outcome: &mut Outcome, difference: Difference, releases: &[Release]) {
        let rule = difference.rule;
        let own = rule.level_among(releases.iter().copied(), difference.of);
        let Some(severity) = self.options.levels.of(rule, own) else {
            return;
        };
        let place = Location {
            line: difference.line,
            column: 1,
            ..Location::default()
        };
        let mut finding = Finding::new(rule, severity, place, difference.how.to_string());
        if let Some(line) = difference.file_line {
            finding = finding.with_help(format!("it is line {line} of the session file"));
        }
        self.keep(outcome, finding);
    }

    /// Counts a finding, and keeps it if there are not too many.
    pub(crate) fn keep(&self, outcome: &mut Outcome, finding: Finding) {
        outcome.counts.add(finding.severity);
        if outcome.findings.len() < self.options.limits.findings {
            outcome.findings.push(finding);
        }
    }
}

/// The thread of the session file. A stream that names no thread is of the one the user says.
fn thread_of<'s>(stream: &'s StreamFacts, rollout: &RolloutFacts) -> Option<&'s Thread> {
    let threads = &stream.0.threads;
    let mut named = threads.iter().filter(|(id, _)| id.is_some()).peekable();
    if named.peek().is_none() {
        return threads.first().map(|(_, thread)| thread);
    }
    let own = rollout.thread_id();
    named
        .find(|(id, _)| id.as_deref() == own)
        .map(|(_, thread)| thread)
}
