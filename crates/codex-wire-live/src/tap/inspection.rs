//! What is done with the traffic on the thread of whoever wants the findings.

use std::sync::Arc;

use codex_wire_base::lines::Line;
use codex_wire_check::{Finding, Outcome, Stream};

use crate::tap::intake::Intake;
use crate::tap::queue::{Consumer, Entry, Place, Told};

/// What was found in the traffic, once it is over.
#[derive(Debug)]
#[non_exhaustive]
pub struct Inspected {
    /// The outcome, with all findings.
    pub outcome: Outcome,
    /// Those of its findings that were not given out before.
    pub rest: Vec<Finding>,
    /// Whether everything was recorded and checked.
    pub is_complete: bool,
}

/// What comes after the last entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The conversation is over: what is missing is a violation.
    Over,
    /// Codex goes on: what is missing may still come.
    GoesOn,
}

/// A check that goes on.
pub(crate) struct Inspection<'c> {
    stream: Stream<'c>,
    entries: Consumer,
    intake: Arc<Intake>,
    end: End,
}

impl<'c> Inspection<'c> {
    pub(crate) fn new(
        stream: Stream<'c>,
        entries: Consumer,
        intake: Arc<Intake>,
        end: End,
    ) -> Self {
        Inspection {
            stream,
            entries,
            intake,
            end,
        }
    }

    /// Waits for the next findings; `None` if the traffic is over.
    pub(crate) fn next(&mut self) -> Option<Vec<Finding>> {
        loop {
            let mut findings = Vec::new();
            for entry in self.entries.next()? {
                findings.extend(self.entry(entry));
            }
            if !findings.is_empty() {
                return Some(findings);
            }
        }
    }

    /// Waits for the end of the traffic.
    pub(crate) fn finish(mut self) -> Inspected {
        let mut rest = Vec::new();
        while let Some(findings) = self.next() {
            rest.extend(findings);
        }
        // Nobody waits for room in the queue any more.
        drop(self.entries);
        let is_complete = self.intake.finish();
        let (outcome, last) = match self.end {
            End::Over => self.stream.finish(),
            End::GoesOn => self.stream.leave(),
        };
        rest.extend(last);
        Inspected {
            outcome,
            rest,
            is_complete,
        }
    }

    fn entry(&mut self, entry: Entry) -> Vec<Finding> {
        match entry {
            Entry::Line(told) => self.line(&told),
            Entry::Record(record) => {
                let mut findings = self.stream.feed(&record).to_vec();
                findings.extend_from_slice(self.stream.feed(b"\n"));
                findings
            }
            Entry::Exit {
                status,
                signal,
                record,
            } => {
                let record = record.as_ref().map(|(bytes, place)| line(bytes, *place));
                self.stream.exit(status, signal.as_deref(), record.as_ref());
                Vec::new()
            }
        }
    }

    fn line(&mut self, told: &Told) -> Vec<Finding> {
        let own = Line {
            ended: told.ended,
            length: told.length,
            ..line(&told.bytes, told.place)
        };
        let findings = match told.is_recorded {
            true => {
                let record = line(&[], told.place);
                self.stream.recorded_line(told.writer, &own, &record)
            }
            false => self.stream.line(told.writer, &own),
        };
        findings.to_vec()
    }
}

fn line(bytes: &[u8], place: Place) -> Line<'_> {
    Line {
        bytes,
        number: place.number,
        offset: place.offset,
        ended: true,
        length: place.length,
        column: None,
    }
}
