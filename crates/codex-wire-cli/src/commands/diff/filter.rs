//! Implements `--only`, `--side` and `--message`: which changes are shown, and counted by `--fail-on`.

use clap::Args;
use clap::builder::TypedValueParser;
use codex_wire_check::Writer;
use codex_wire_diff::{Comparison, Direction, EvidenceKind, Verdict};

use crate::flags::values::{named, side};
use crate::inputs::Glob;

/// Which changes to show. What they leave out is counted at the end.
#[derive(Debug, Args)]
pub(super) struct Filter {
    /// Show only changes with this verdict; `unknown` counts as `maybe`; can be given several times
    #[arg(long, value_name = "VERDICT", value_parser = verdict(), value_delimiter = ',')]
    only: Vec<Verdict>,

    /// Show only breaking changes that rest on this evidence; can be given several times
    ///
    /// `probed`: the program of the reader's release was sent such a message, and refused it. `official`: the
    /// official schemas of both releases say so. `inferred`: only our description says so.
    #[arg(long, value_name = "EVIDENCE", value_parser = evidence(), value_delimiter = ',')]
    evidence: Vec<EvidenceKind>,

    /// Show only changes in messages that this side writes, with the verdict for the other side
    #[arg(long, value_name = "SIDE", value_parser = side())]
    side: Option<Writer>,

    /// Show only changes in messages, methods or items of this name; can be given several times
    ///
    /// `*` stands for anything, `?` for one character, and `{a,b}` for either.
    #[arg(long, value_name = "GLOB", value_parser = Glob::of_names)]
    message: Vec<Glob>,
}

impl Filter {
    /// Whether everything is shown.
    pub(super) fn is_empty(&self) -> bool {
        self.only.is_empty()
            && self.evidence.is_empty()
            && self.side.is_none()
            && self.message.is_empty()
    }

    /// The part of a comparison that the user asked for.
    pub(super) fn apply(&self, mut comparison: Comparison) -> Comparison {
        // First: without the other side, a change may have another verdict.
        match self.side {
            Some(Writer::Codex) => {
                comparison = comparison.only_written_by(Direction::CodexWrites);
            }
            Some(Writer::Client) => {
                comparison = comparison.only_written_by(Direction::ClientWrites);
            }
            _ => {}
        }
        if !self.message.is_empty() {
            let matches = |name: &str| self.message.iter().any(|glob| glob.is_match(name));
            comparison = comparison.only_named(matches);
        }
        if !self.evidence.is_empty() {
            comparison = comparison.only_evidence(&self.evidence);
        }
        if !self.only.is_empty() {
            let mut verdicts = self.only.clone();
            // An undecided change may be breaking: it is not hidden from those who look for that.
            if verdicts.contains(&Verdict::Maybe) {
                verdicts.push(Verdict::Unknown);
            }
            comparison = comparison.only_verdicts(&verdicts);
        }
        comparison
    }
}

/// Reads a verdict that matters to a reader.
pub(super) fn verdict() -> impl TypedValueParser<Value = Verdict> {
    named([Verdict::Breaking, Verdict::Maybe], Verdict::as_str)
}

fn evidence() -> impl TypedValueParser<Value = EvidenceKind> {
    named(EvidenceKind::ALL, EvidenceKind::as_str)
}
