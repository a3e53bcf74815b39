//! Checks the marks between the items of a session file without an envelope.

use super::evidence::{EARLY, files};
use super::line::{Kind, RolloutLine};
use crate::rule_macros::rules;
use crate::violation::{Broken, MessageRef, Violation};

/// The last line of such a file.
#[derive(Debug, Default)]
pub(super) struct Early {
    last: Kind,
    message_ref: MessageRef,
}

impl Early {
    /// A line could not be read.
    pub(super) fn lost(&mut self) {
        self.last = Kind::Unknown;
    }

    /// Takes a line.
    pub(super) fn line(&mut self, line: &RolloutLine<'_>, out: &mut Vec<Violation>) {
        let before = std::mem::replace(&mut self.last, line.kind);
        let message_ref = std::mem::replace(&mut self.message_ref, line.message_ref);
        let fits = match (before, line.kind) {
            (Kind::Unknown, _) | (_, Kind::State | Kind::Header) => true,
            (Kind::Header | Kind::UserItem, _) | (_, Kind::UserItem) => before == Kind::State,
            // The items of one response, and the outputs of its calls.
            (Kind::Output, kind) => matches!(kind, Kind::Call | Kind::Output),
            _ => true,
        };
        if !fits {
            let violation = StateLineMissing.at("");
            out.push(violation.earlier(message_ref, "the line before is here"));
        }
    }
}

rules! {
    ROLLOUT_STATE_LINE {
        summary: "a `state` line stands behind the header, around each message of the user, and behind \
            the outputs of a response",
        id: "sequence/rollout-state-line",
        about: EARLY,
        explanation: "Codex writes such a line for each batch of items. It says nothing, but where it is \
            missing, a line was lost or moved.",
        evidence: files!("34 of them are of releases without an envelope; all have these lines."),
    } => {
        StateLineMissing: "a `state` line is missing before this one",
    }
}
