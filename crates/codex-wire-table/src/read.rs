//! Reads a transcript into rows.

use std::io::{self, BufRead};

use codex_wire_base::Protocol;
use codex_wire_check::{Checker, Event, Options, Outcome, Step, Verdict, Writer};
use codex_wire_session::{Part, Parts, Thread, Time, Turn};

use crate::error::Error;
use crate::rows::{Partition, Place, Rows};
use crate::sessions::{self, Told};
use crate::tables::{FindingRow, TranscriptRow};
use crate::words;

/// How many bytes of lines may be kept of what can still change, unless the caller says otherwise.
const KEPT: u64 = 256 << 20;

/// Makes rows of transcripts.
#[derive(Debug)]
pub struct Tables {
    checker: Checker,
    kept: u64,
}

/// A transcript that is to be read.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Transcript<'a> {
    /// Its name.
    pub path: &'a str,
    /// SHA-256 of its bytes in hexadecimal, if they are known.
    pub digest: Option<&'a str>,
    /// How many bytes it has, if that is known.
    pub bytes: Option<u64>,
    /// Whether it has no rows if it turns out to be none, because no line is a message of Codex.
    pub is_lenient: bool,
}

impl<'a> Transcript<'a> {
    /// A transcript with that name, of which nothing else is known.
    pub fn new(path: &'a str) -> Self {
        Transcript {
            path,
            digest: None,
            bytes: None,
            is_lenient: false,
        }
    }

    /// The same, but it has no rows if it turns out not to be a transcript.
    #[must_use]
    pub fn lenient(mut self, is_lenient: bool) -> Self {
        self.is_lenient = is_lenient;
        self
    }

    /// The same, with that many bytes, of which this is SHA-256 in hexadecimal.
    #[must_use]
    pub fn contents(mut self, digest: &'a str, bytes: u64) -> Self {
        self.digest = Some(digest);
        self.bytes = Some(bytes);
        self
    }
}

/// What takes rows.
pub trait Sink {
    /// Where rows of a transcript go that is in this partition. It is the same until the transcript has ended.
    fn rows(&mut self, partition: Partition) -> &mut Rows;

    /// Rows were added, and more of the same transcript may come: those that are there may be taken out.
    ///
    /// # Errors
    /// If what was taken out cannot be written.
    fn added(&mut self, partition: Partition) -> Result<(), Error> {
        let _ = partition;
        Ok(())
    }
}

impl Tables {
    /// Tables of transcripts of any protocol, checked with default options.
    pub fn new() -> Self {
        let options = Options::new();
        // Without a protocol and a release there is nothing that could be wrong with the options.
        let checker = Checker::new(options).unwrap_or_else(|error| unreachable!("{error}"));
        Tables {
            checker,
            kept: KEPT,
        }
    }

    /// The same, but of what can still change no more than that many bytes of lines are kept: of a turn that goes on longer,
    /// and of what follows it, there are findings, but no further rows.
    #[must_use]
    pub fn keep_at_most(mut self, bytes: u64) -> Self {
        self.kept = bytes;
        self
    }

    /// Reads a transcript, and adds its rows. Whatever is wrong with it is in the rows. Returns what a check of it finds.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn read(
        &self,
        transcript: Transcript<'_>,
        input: impl BufRead,
        sink: &mut dyn Sink,
    ) -> Result<Outcome, Error> {
        let mut reading = Reading::new(transcript, self.kept);
        let mut failed = None;
        let outcome = self.checker.observe(transcript.path, input, |step| {
            reading.step(step, sink).map_err(|error| {
                failed = Some(error);
                io::Error::other("the sink")
            })
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let outcome = outcome?;
        if !(outcome.foreign && transcript.is_lenient) {
            reading.end(&outcome, sink)?;
        }
        Ok(outcome)
    }

    /// Adds the row of an input that could not be read.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn unreadable(
        &self,
        transcript: Transcript<'_>,
        error: &str,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        let outcome = Outcome::unreadable(transcript.path, error);
        Reading::new(transcript, self.kept).end(&outcome, sink)
    }
}

impl Default for Tables {
    fn default() -> Self {
        Tables::new()
    }
}

/// A transcript that is being read.
struct Reading<'a> {
    transcript: Transcript<'a>,
    /// Nothing once the session is not read any further.
    parts: Option<Parts>,
    partition: Option<Partition>,
    protocol: Option<Protocol>,
    /// How many bytes of lines came since something was handed out, and how many may.
    kept: u64,
    most_kept: u64,
    seen: Seen,
    /// Why the session is not read any further.
    error: Option<String>,
}

/// What is counted of a transcript.
#[derive(Default)]
struct Seen {
    lines: u64,
    unread: u64,
    turns: u64,
    /// By the number of the thread.
    threads: Vec<Told>,
    complete: u64,
    started: Option<Time>,
    ended: Option<Time>,
}

impl<'a> Reading<'a> {
    fn new(transcript: Transcript<'a>, most_kept: u64) -> Self {
        Reading {
            transcript,
            parts: Some(Parts::new(transcript.path)),
            partition: None,
            protocol: None,
            kept: 0,
            most_kept,
            seen: Seen::default(),
            error: None,
        }
    }

    fn step(&mut self, step: &Step<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
        self.seen.lines = self.seen.lines.max(step.line);
        match step.event {
            Event::Message { protocol, .. } => self.protocol = protocol.or(self.protocol),
            Event::End => return Ok(()),
            _ => {}
        }
        let Some(mut parts) = self.parts.take() else {
            return Ok(());
        };
        self.kept = self.kept.saturating_add(step.bytes.len() as u64);
        let mut is_added = false;
        parts.step(step, |part| is_added |= self.part(part, sink));
        if is_added {
            self.kept = 0;
            sink.added(self.partition.unwrap_or_default())?;
        }
        if self.kept > self.most_kept {
            self.error = Some(format!(
                "line {}: a turn has more than {} bytes: the session is read no further",
                step.line, self.most_kept
            ));
            return Ok(());
        }
        self.parts = Some(parts);
        Ok(())
    }

    fn end(mut self, outcome: &Outcome, sink: &mut dyn Sink) -> Result<(), Error> {
        self.protocol = outcome.protocol.or(self.protocol);
        let is_readable = outcome.verdict != Verdict::Unreadable;
        let has_session = is_readable
            && match self.parts.take() {
                // What holds no session, such as recorded hooks, has findings all the same.
                Some(parts) => {
                    let finished = parts.finish(|part| {
                        self.part(part, sink);
                    });
                    finished.is_ok()
                }
                None => true,
            };
        let partition = self.partition.unwrap_or(Partition {
            day: None,
            protocol: self.protocol.map(Protocol::as_str),
        });
        let (path, digest) = (self.transcript.path, self.transcript.digest);
        let place = Place {
            path,
            digest,
            partition,
        };
        let rows = sink.rows(partition);
        for finding in &outcome.findings {
            rows.add(
                &place,
                &FindingRow {
                    rule: Some(finding.rule.id),
                    severity: Some(finding.severity.as_str()),
                    line: Some(finding.place.line),
                    message_number: finding.place.message,
                    pointer: Some(&finding.place.pointer),
                    writer: finding.writer.map(Writer::as_str),
                    finding: Some(&finding.message),
                },
            );
        }
        let releases = outcome.releases.as_ref();
        let (oldest, newest) = match releases {
            Some(range) => (Some(range.since.to_string()), Some(range.until.to_string())),
            None => (None, None),
        };
        let seen = &self.seen;
        let of_session = |count: u64| has_session.then_some(count);
        let counted = |count: u64| is_readable.then_some(count);
        rows.add(
            &place,
            &TranscriptRow {
                bytes: self.transcript.bytes,
                verdict: Some(outcome.verdict.as_str()),
                error: outcome.error.as_deref().or(self.error.as_deref()),
                release_min: oldest.as_deref(),
                release_max: newest.as_deref(),
                lines: counted(seen.lines),
                messages: counted(outcome.messages),
                unread_lines: counted(seen.unread),
                errors: counted(outcome.counts.error),
                warnings: counted(outcome.counts.warning),
                notes: counted(outcome.counts.note),
                threads: of_session(seen.threads.len() as u64),
                turns: of_session(seen.turns),
                started_at: seen.started,
                ended_at: seen.ended,
            },
        );
        sink.added(partition)
    }

    /// Takes a part of the session. Whether rows were added.
    fn part(&mut self, part: Part<'_>, sink: &mut dyn Sink) -> bool {
        match part {
            Part::Turn(of, turn) => {
                self.protocol = of.protocol.or(self.protocol);
                let place = self.place(Some(&turn), of.thread);
                sessions::add_turn(sink.rows(place.partition), &place, of, &turn);
                self.seen.turn(of.thread_number, &turn);
                true
            }
            Part::RolledBack(of) => {
                let told = self.seen.thread(of.thread_number);
                let first = told.rolled_back_from.get_or_insert(of.number as u64);
                *first = (*first).min(of.number as u64);
                false
            }
            Part::Thread(thread) => {
                let place = self.place(None, &thread);
                let number = self.seen.complete;
                self.seen.complete += 1;
                let told = *self
                    .seen
                    .thread(usize::try_from(number).unwrap_or_default());
                let rows = sink.rows(place.partition);
                sessions::add_thread(rows, &place, number, &thread, told);
                true
            }
            Part::Unread(_) => {
                self.seen.unread += 1;
                false
            }
            _ => false,
        }
    }

    /// The place of rows. The first part says which day it is.
    fn place(&mut self, turn: Option<&Turn>, thread: &Thread) -> Place<'a> {
        let protocol = self.protocol;
        let partition = self.partition.get_or_insert_with(|| {
            let of_turn = turn.filter(|turn| !turn.is_copied);
            let of_turn = of_turn.and_then(|turn| turn.started);
            let of_id = || words::time_in_id(thread.id.as_deref()?);
            let begun = of_turn.or(thread.created).or_else(of_id);
            Partition {
                day: begun.and_then(words::day_of),
                protocol: protocol.map(Protocol::as_str),
            }
        });
        Place {
            path: self.transcript.path,
            digest: self.transcript.digest,
            partition: *partition,
        }
    }
}

impl Seen {
    fn thread(&mut self, number: usize) -> &mut Told {
        if self.threads.len() <= number {
            self.threads.resize_with(number + 1, Told::default);
        }
        &mut self.threads[number]
    }

    fn turn(&mut self, thread_number: usize, turn: &Turn) {
        self.turns += 1;
        let told = self.thread(thread_number);
        told.turns += 1;
        if turn.is_copied {
            return;
        }
        told.is_counted |= !turn.responses.is_empty();
        let first = [self.started, turn.started].into_iter().flatten().min();
        self.started = first;
        self.ended = self.ended.max(turn.ended);
    }
}
