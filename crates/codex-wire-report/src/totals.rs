//! Adds up the outcomes of all inputs.

use codex_wire_check::{Counts, Outcome, Verdict};
use serde::{Serialize, Serializer};

use crate::object::object;

/// Totals over all inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Totals {
    /// Inputs.
    pub inputs: u64,
    /// Their messages.
    pub messages: u64,
    /// Inputs that conform.
    pub conforms: u64,
    /// Inputs with findings at error level.
    pub findings: u64,
    /// Inputs without messages.
    pub not_exercised: u64,
    /// Inputs that could not be read.
    pub unreadable: u64,
    /// Findings by severity.
    #[serde(flatten, serialize_with = "write_counts")]
    pub counts: Counts,
    /// Stale entries of a baseline.
    pub stale: u64,
}

impl Totals {
    /// Adds an input.
    pub fn add(&mut self, outcome: &Outcome) {
        self.inputs += 1;
        self.messages += outcome.messages;
        self.counts.merge(outcome.counts);
        match outcome.verdict {
            Verdict::Conforms => self.conforms += 1,
            Verdict::Findings => self.findings += 1,
            Verdict::NotExercised => self.not_exercised += 1,
            Verdict::Unreadable => self.unreadable += 1,
        }
    }

    /// Inputs that were checked: they conform or have findings.
    pub fn checked(&self) -> u64 {
        self.conforms + self.findings
    }

    /// What the report says in the first place.
    pub(crate) fn verdict(&self) -> &'static str {
        if self.unreadable > 0 || self.checked() == 0 {
            "could not check everything"
        } else if self.counts.error > 0 || self.stale > 0 {
            "does not conform"
        } else {
            "conforms"
        }
    }
}

/// [`Counts`] as JSON.
pub(crate) fn counts(counts: &Counts) -> impl Serialize {
    object! {
        error: counts.error,
        warning: counts.warning,
        note: counts.note,
        expected: counts.expected,
    }
}

fn write_counts<S: Serializer>(of: &Counts, serializer: S) -> Result<S::Ok, S::Error> {
    counts(of).serialize(serializer)
}
