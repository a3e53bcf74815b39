//! Says what a breaking verdict rests on: a program that was asked, official schemas, or our description.

use std::fmt;

use codex_wire_base::Release;

/// What a verdict rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Evidence {
    /// The program of the reader's release was sent a message like the counterexample. It refused it, so that
    /// the change is breaking, or read it, so that it is not.
    Probed(Probed),
    /// The official schemas of both releases say the same as our description.
    Official,
    /// Only our description says so: no official schema describes it, or the official one is corrected.
    Inferred {
        /// Why the official schema of one of the releases is corrected, if it is.
        correction: Option<&'static str>,
    },
}

/// What the program of a release answered to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Probed {
    /// The release.
    pub release: Release,
    /// The line that was sent.
    pub sent: &'static str,
    /// What the release said is wrong with it; `None` if it read it.
    pub refused: Option<&'static str>,
}

/// A kind of evidence, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EvidenceKind {
    /// [`Evidence::Probed`].
    Probed,
    /// [`Evidence::Official`].
    Official,
    /// [`Evidence::Inferred`].
    Inferred,
}

impl EvidenceKind {
    /// All, the best first.
    pub const ALL: [EvidenceKind; 3] = [
        EvidenceKind::Probed,
        EvidenceKind::Official,
        EvidenceKind::Inferred,
    ];

    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            EvidenceKind::Probed => "probed",
            EvidenceKind::Official => "official",
            EvidenceKind::Inferred => "inferred",
        }
    }
}

impl fmt::Display for EvidenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Evidence {
    /// Its kind.
    pub fn kind(&self) -> EvidenceKind {
        match self {
            Evidence::Probed(_) => EvidenceKind::Probed,
            Evidence::Official => EvidenceKind::Official,
            Evidence::Inferred { .. } => EvidenceKind::Inferred,
        }
    }
    /// It in a sentence.
    pub fn basis(&self) -> String {
        match self {
            Evidence::Probed(probed) => match probed.refused {
                Some(answer) => format!("{} answered this: {answer}", probed.release),
                None => format!("{} reads this all the same", probed.release),
            },
            Evidence::Official => "the official schemas of both releases say so".to_owned(),
            Evidence::Inferred { correction: None } => "no official schema describes it".to_owned(),
            Evidence::Inferred {
                correction: Some(reason),
            } => format!("the official schema is corrected: {reason}"),
        }
    }
}
