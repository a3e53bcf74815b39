//! Defines the outcome of a check of one input.

use codex_wire_base::{MessageSet, Protocol, Release, ReleaseRange};
use codex_wire_schema::{Draft, Profile, Stability, digest};

use crate::finding::{Finding, Severity};

/// The result of the check of one input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It has messages, and no finding at error level that the baseline does not expect.
    Conforms,
    /// It has a finding at error level.
    Findings,
    /// It has no messages, or none of the side that is checked, so nothing was checked. It does not count as
    /// conforming.
    #[default]
    NotExercised,
    /// It could not be read, or it is not a transcript of a known protocol.
    Unreadable,
}

impl Verdict {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Conforms => "conforms",
            Verdict::Findings => "findings",
            Verdict::NotExercised => "not-exercised",
            Verdict::Unreadable => "unreadable",
        }
    }
}

/// Everything that the check of one input found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Outcome {
    /// The path of the input as it was given; `-` for standard input.
    pub path: String,
    /// The protocol it was checked as.
    pub protocol: Option<Protocol>,
    /// The releases that could have written it, or the stated release.
    pub releases: Option<ReleaseRange>,
    /// Whether the release was inferred from the input, and not stated.
    pub identified: bool,
    /// The schemas of the newest of these releases, one for each message set. If several releases are
    /// possible, a message may also be valid in an older one.
    pub schemas: Vec<SchemaUsed>,
    /// The number of messages: lines that are JSON objects.
    pub messages: u64,
    /// The result.
    pub verdict: Verdict,
    /// The findings, in the order of the input, up to the limit.
    pub findings: Vec<Finding>,
    /// The number of findings of each severity, including those beyond the limit.
    pub counts: Counts,
    /// Why the input could not be read, if it could not.
    pub error: Option<String>,
    /// Whether it has lines, of which none is a message of Codex or its client: it is not a transcript.
    pub foreign: bool,
    /// Whether it has messages, of which none is of the side that is checked: nothing was checked.
    pub other_side: bool,
}

/// A schema that messages were checked against.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaUsed {
    /// The message set that it describes.
    pub message_set: MessageSet,
    /// A release that has this schema.
    pub release: Release,
    /// Its digest: SHA-256 in hexadecimal, as in the catalogue of published schemas.
    pub sha256: String,
}

impl SchemaUsed {
    /// The schema of a release: the exact one, also if the profile is open.
    pub fn of(message_set: MessageSet, release: Release) -> Self {
        SchemaUsed {
            message_set,
            release,
            sha256: digest(
                message_set,
                release,
                Profile::Exact,
                Draft::Draft202012,
                Stability::Experimental,
            ),
        }
    }
}

/// The number of findings of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// At error level.
    pub error: u64,
    /// At warning level.
    pub warning: u64,
    /// At note level.
    pub note: u64,
    /// Findings of any level that a baseline lists. They are not counted at their level.
    pub expected: u64,
}

impl Counts {
    /// Counts one finding.
    pub fn add(&mut self, severity: Severity) {
        self.add_many(severity, 1);
    }

    /// Counts several findings.
    pub(crate) fn add_many(&mut self, severity: Severity, times: u64) {
        match severity {
            Severity::Error => self.error += times,
            Severity::Warning => self.warning += times,
            Severity::Note => self.note += times,
        }
    }

    /// Moves a finding from one severity to another.
    pub(crate) fn replace(&mut self, before: Severity, after: Severity) {
        let counted = match before {
            Severity::Error => &mut self.error,
            Severity::Warning => &mut self.warning,
            Severity::Note => &mut self.note,
        };
        *counted = counted.saturating_sub(1);
        self.add(after);
    }

    /// Moves a finding from its severity to the expected findings.
    pub(crate) fn expect(&mut self, severity: Severity) {
        let counted = match severity {
            Severity::Error => &mut self.error,
            Severity::Warning => &mut self.warning,
            Severity::Note => &mut self.note,
        };
        *counted = counted.saturating_sub(1);
        self.expected += 1;
    }

    /// Adds the findings of another input.
    pub fn merge(&mut self, other: Counts) {
        self.error += other.error;
        self.warning += other.warning;
        self.note += other.note;
        self.expected += other.expected;
    }

    /// All findings.
    pub fn total(&self) -> u64 {
        self.error + self.warning + self.note + self.expected
    }
}

impl Outcome {
    /// An input that is not checked yet: no messages, no findings.
    pub fn new(path: impl Into<String>) -> Self {
        Outcome {
            path: path.into(),
            ..Outcome::default()
        }
    }

    /// An input that could not be read.
    pub fn unreadable(path: impl Into<String>, error: impl Into<String>) -> Self {
        Outcome {
            verdict: Verdict::Unreadable,
            error: Some(error.into()),
            ..Outcome::new(path)
        }
    }

    /// The result of an input that was read, from its messages and findings.
    pub(crate) fn settle_verdict(&mut self) {
        self.verdict = if self.counts.error > 0 {
            Verdict::Findings
        } else if self.messages == 0 || self.other_side {
            Verdict::NotExercised
        } else {
            Verdict::Conforms
        };
    }

    /// The number of findings beyond the limit, which are only counted.
    pub fn dropped(&self) -> u64 {
        self.counts.total() - self.findings.len() as u64
    }
}
