//! Compares a session file with the file in which its history begins.
//!
//! A fork or a segment of a paginated thread copies nothing. `history_base` in its header names a thread,
//! and where the history ends in the file of that thread: as a byte and as an ordinal. [`HistoryBase`] is
//! what the header says, and [`LineEnds`] is where the lines of another file end.

use std::io::{self, BufRead};

use codex_wire_base::lines::Lines;
use serde::Deserialize;

use crate::checker::Checker;
use crate::finding::{Finding, Location};
use crate::options::Limits;
use crate::outcome::{Outcome, Verdict};
use crate::rule_macros::rules;

/// Where the history of a session file begins, as its header says: in another file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct HistoryBase {
    thread_id: String,
    end_ordinal_exclusive: u64,
    end_byte_offset: u64,
}

impl HistoryBase {
    /// Reads it from the first line of a session file. `None` if the history begins in the file itself, or
    /// if the line is another one.
    pub fn of(first_line: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Header {
            payload: Payload,
        }
        #[derive(Deserialize)]
        struct Payload {
            history_base: HistoryBase,
        }
        let header: Header = serde_json::from_slice(first_line).ok()?;
        Some(header.payload.history_base)
    }

    /// The id of the thread whose file is the base.
    pub fn thread_id(&self) -> &str {
        &self.thread_id
    }

    /// What is wrong with it, if that file is the base.
    fn differs(&self, file: &LineEnds) -> Option<String> {
        let (end, next) = (self.end_byte_offset, self.end_ordinal_exclusive);
        let count = file.ends.partition_point(|(line, _)| *line <= end);
        let (before, behind) = file.ends.split_at(count);
        if before.last().map_or(0, |(line, _)| *line) != end {
            return Some(match behind {
                [] => format!("the history ends at byte {end} of the base, which is shorter"),
                _ => format!("the history ends at byte {end} of the base, within a line"),
            });
        }
        // Older releases add lines without ordinals.
        let is_sure = before.last().is_none_or(|(_, ordinal)| ordinal.is_some());
        let last = before.iter().rev().find_map(|(_, ordinal)| *ordinal);
        let first = behind.iter().find_map(|(_, ordinal)| *ordinal);
        match last.map(|last| last.saturating_add(1)).or(first) {
            Some(own) if own > next || is_sure && own < next => Some(format!(
                "the history ends before ordinal {next}, but byte {end} of the base is before {own}"
            )),
            _ => None,
        }
    }
}

/// Where the lines of a session file end.
#[derive(Clone, Debug, Default)]
pub struct LineEnds {
    thread_id: String,
    /// The byte behind each line that has an end, and its ordinal.
    ends: Vec<(u64, Option<u64>)>,
}

impl LineEnds {
    /// Reads a session file. `None` if it does not begin with the header of a thread.
    ///
    /// # Errors
    /// When reading fails.
    pub fn read(input: impl BufRead, limits: Limits) -> io::Result<Option<Self>> {
        #[derive(Deserialize)]
        struct Header {
            payload: Payload,
        }
        #[derive(Deserialize)]
        struct Payload {
            id: String,
        }
        #[derive(Deserialize)]
        struct WithOrdinal {
            ordinal: Option<u64>,
        }
        let mut lines = Lines::new(input, limits.line_bytes);
        let Some(first) = lines.next()? else {
            return Ok(None);
        };
        let Ok(header) = serde_json::from_slice::<Header>(first.bytes) else {
            return Ok(None);
        };
        let mut file = LineEnds {
            thread_id: header.payload.id,
            ends: Vec::new(),
        };
        let mut next = Some(first);
        while let Some(line) = next {
            if line.ended {
                let read = serde_json::from_slice::<WithOrdinal>(line.bytes).ok();
                let end = line.offset + line.length + 1;
                file.ends.push((end, read.and_then(|line| line.ordinal)));
            }
            next = lines.next()?;
        }
        Ok(Some(file))
    }
}

impl Checker {
    /// Adds a finding to the outcome of a session file if its history ends at none of the places that
    /// `base` names in the files of its thread. If none of the files is of that thread, nothing is
    /// compared.
    pub fn compare_with_base<'f>(
        &self,
        outcome: &mut Outcome,
        base: &HistoryBase,
        files: impl IntoIterator<Item = &'f LineEnds>,
    ) {
        let files = files.into_iter();
        let own = files.filter(|file| file.thread_id == base.thread_id);
        // A thread that was reverted has several files.
        let differences: Vec<Option<String>> = own.map(|file| base.differs(file)).collect();
        if differences.iter().any(Option::is_none) {
            return;
        }
        let Some(difference) = differences.into_iter().flatten().next() else {
            return;
        };
        let place = Location {
            line: 1,
            column: 1,
            pointer: "/payload/history_base".to_owned(),
            ..Location::default()
        };
        let rule = &ROLLOUT_BASE;
        let Some(severity) = self.options.levels.of(rule, Some(rule.level)) else {
            return;
        };
        self.keep(outcome, Finding::new(rule, severity, place, difference));
        outcome.findings.sort_by_key(|finding| finding.place.line);
        if outcome.verdict != Verdict::Unreadable {
            outcome.settle_verdict();
        }
    }
}

rules! {
    ROLLOUT_BASE {
        summary: "the history of a fork or a segment ends in its base where the header says",
        id: "with-rollout/base",
        explanation: "Checked if the base is among the inputs, for example in the same folder; it is found by \
            the id in its name. `history_base` says at which byte and before which ordinal the history ends \
            in the file of another thread, or in an earlier file of the same one. A line has to end there, \
            and its ordinal has to be the one before. If not, the base was changed or cut since, and Codex \
            reads another history or none.",
        evidence: "Checked on 18 recorded forks and segments of releases from 0.150.1 to 0.169.0 with their \
            bases, three of them of another release and two migrated, and on 19 that are not kept, from \
            0.148.0 on. Each ends where its header says.",
    }
}
