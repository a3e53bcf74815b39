//! Defines the outcome of a check of one input.

use codex_wire_base::{MessageSet, Protocol, Release, ReleaseRange};
use codex_wire_schema::{Draft, Profile, Stability, digest};

use crate::finding::{Finding, Severity};

/// What can be said of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It holds messages, and none breaks a rule at error level, but where a baseline expects it.
    Conforms,
    /// A rule at error level is broken.
    Findings,
    /// It holds no messages, so nothing was tried. This is not conformance.
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

/// What a check of one input found out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The input's path as it was given, `-` for standard input.
    pub path: String,
    /// The protocol it was checked as.
    pub protocol: Option<Protocol>,
    /// The releases that could have written it; the stated one if one was stated.
    pub releases: Option<ReleaseRange>,
    /// Whether the release was identified from the stream rather than stated.
    pub identified: bool,
    /// The schemas of the newest of these releases, one for each kind of message the protocol
    /// has. Where there are several releases, a message may also be as an older one writes it.
    pub schemas: Vec<SchemaUsed>,
    /// How many messages it holds: lines that are JSON objects.
    pub messages: u64,
    /// What can be said of it.
    pub verdict: Verdict,
    /// The findings, in the order of the input, up to the limit.
    pub findings: Vec<Finding>,
    /// How many findings there are of each severity, those beyond the limit included.
    pub counts: Counts,
    /// Why it is unreadable.
    pub error: Option<String>,
}

/// A schema that messages were held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaUsed {
    /// The messages it describes.
    pub message_set: MessageSet,
    /// A release that it is the schema of.
    pub release: Release,
    /// Its digest: SHA-256 in hexadecimal, as in the catalogue of published schemas.
    pub sha256: String,
}

impl SchemaUsed {
    /// The schema of a release that the checker holds messages against: the exact one, whatever
    /// the options let pass.
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

/// Numbers of findings by severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// At error level.
    pub error: u64,
    /// At warning level.
    pub warning: u64,
    /// At note level.
    pub note: u64,
    /// Of any level, but listed in a baseline; not counted as any of the others.
    pub expected: u64,
}

impl Counts {
    /// Counts one finding.
    pub fn add(&mut self, severity: Severity) {
        self.add_many(severity, 1);
    }

    /// Counts so many findings.
    pub(crate) fn add_many(&mut self, severity: Severity, times: u64) {
        match severity {
            Severity::Error => self.error += times,
            Severity::Warning => self.warning += times,
            Severity::Note => self.note += times,
        }
    }

    /// Counts a finding at another severity than before.
    pub(crate) fn replace(&mut self, before: Severity, after: Severity) {
        let counted = match before {
            Severity::Error => &mut self.error,
            Severity::Warning => &mut self.warning,
            Severity::Note => &mut self.note,
        };
        *counted = counted.saturating_sub(1);
        self.add(after);
    }

    /// Counts a finding as expected that was counted by its severity.
    pub(crate) fn expect(&mut self, severity: Severity) {
        let counted = match severity {
            Severity::Error => &mut self.error,
            Severity::Warning => &mut self.warning,
            Severity::Note => &mut self.note,
        };
        *counted = counted.saturating_sub(1);
        self.expected += 1;
    }

    /// Counts another input's findings.
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
    /// An input of which nothing is known yet: no messages, no findings.
    pub fn new(path: impl Into<String>) -> Self {
        Outcome {
            path: path.into(),
            protocol: None,
            releases: None,
            identified: false,
            schemas: Vec::new(),
            messages: 0,
            verdict: Verdict::NotExercised,
            findings: Vec::new(),
            counts: Counts::default(),
            error: None,
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

    /// What can be said of an input that was read, by what it holds and what was found.
    pub(crate) fn settle_verdict(&mut self) {
        self.verdict = if self.counts.error > 0 {
            Verdict::Findings
        } else if self.messages == 0 {
            Verdict::NotExercised
        } else {
            Verdict::Conforms
        };
    }

    /// How many findings are beyond the limit and only counted.
    pub fn dropped(&self) -> u64 {
        self.counts.total() - self.findings.len() as u64
    }
}
