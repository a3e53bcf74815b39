//! Says where copied lines begin, which are not held to everything.

use super::evidence::{LINES, kept};
use super::line::{Kind, RolloutLine};
use crate::rule::{Exception, Status};
use crate::rule_macros::rules;
use crate::sequence::machine::Observed;
use crate::severity::Severity;
use crate::violation::{Broken, Violation};

/// What to know about copied lines.
const RELAXED: &str =
    "members that copied lines lack, and members that are `null`, are not reported";

/// Whether copied lines were seen.
#[derive(Debug, Default)]
pub(super) struct Copies {
    is_reported: bool,
    /// Whether a line was seen.
    has_lines: bool,
}

impl Copies {
    /// Takes a line.
    pub(super) fn line(
        &mut self,
        line: &RolloutLine<'_>,
        seen: &Observed<'_>,
        out: &mut Vec<Violation>,
    ) {
        let is_first = !std::mem::replace(&mut self.has_lines, true);
        if !seen.is_copied || std::mem::replace(&mut self.is_reported, true) {
            return;
        }
        let violation = match line.kind {
            // A file is a copy from its first line on only if it was migrated.
            Kind::Header if is_first => Migrated.at(line.pointer("cli_version")),
            Kind::Header => Copied.at(line.pointer("id")),
            _ => Copied.at(line.at),
        };
        out.push(violation.help(RELAXED));
    }
}

rules! {
    ROLLOUT_COPIES {
        summary: "the lines of a session file were written by its own thread",
        id: "sequence/rollout-copies",
        about: LINES,
        level: Severity::Note,
        status: Status::Advisory,
        exceptions: &[Exception::everywhere(
            Severity::Note,
            "a fork of a legacy thread copies the lines of its parent, and a migration writes a \
                legacy file again",
        )],
        explanation: "This is reported once for each file. The release that copies lines reads them and \
            writes them again: they have members that their first writer did not know, and lack what the \
            copier could not know. So copied lines are checked for what they have, and not for what they \
            lack, also with `--release` and `--profile exact`. A `session_meta` of another thread begins \
            them; a paginated file whose `cli_version` is before 0.147.0, such as `0.0.0`, is a copy as a \
            whole. If nothing was copied here, such a line switches a part of the check off.",
        evidence: kept!("Only forks and migrations among them have such lines."),
    } => {
        Copied: "from this line on, lines of another thread are copied",
        Migrated: "the file is paginated, but `cli_version` is of a release before that: its lines are copies",
    }
}
