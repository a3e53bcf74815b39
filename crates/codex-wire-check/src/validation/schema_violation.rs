//! Defines a violation of a schema before it becomes a finding, and compares lists of them.
//!
//! When several releases are possible, the one with the fewest violations explains a message. A
//! release that does not know the tag comes last: it did not look at the rest of the message.

use std::ops::Range;

use codex_wire_base::shape::ReleaseBounds;

use crate::inference::unspoken::WRONG_RELEASE;
use crate::phrasing::subject;
use crate::rule::EVERY_MESSAGE_FITS;
use crate::rule::Rule;
use crate::rule_macros::rules;
use crate::violation::{At, Place, Violation};

/// What is wrong with a message, before anyone looks up where its text stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SchemaViolation {
    pub(crate) rule: &'static Rule,
    pub(crate) pointer: String,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) releases: Option<ReleaseBounds>,
    /// Whether it is about a member that is there but should not be, which the open profile
    /// lets pass.
    pub(crate) undeclared: bool,
    /// Whether it is about the name of a member rather than its value.
    pub(crate) of_name: bool,
    /// Whether it is about a tag that other releases have, so that nothing behind the tag was
    /// looked at.
    pub(crate) hides: bool,
}

impl SchemaViolation {
    pub(crate) fn new(rule: &'static Rule, pointer: impl Into<String>, message: String) -> Self {
        SchemaViolation {
            rule,
            pointer: pointer.into(),
            message,
            help: None,
            releases: None,
            undeclared: false,
            of_name: false,
            hides: false,
        }
    }

    /// Says that nothing after the tag was checked.
    pub(crate) fn hiding(self) -> Self {
        SchemaViolation {
            hides: true,
            ..self
        }
    }

    /// How much faults weigh, to find the release that finds least to fault: one that does not
    /// know the tag has not looked at the rest.
    pub(crate) fn weight(faults: &[SchemaViolation]) -> (usize, usize) {
        let hiding = faults.iter().filter(|fault| fault.hides);
        (hiding.count(), faults.len())
    }

    /// The violation as it is reported, by what its pointer leads to: of duplicate keys the first or the
    /// last. `range` is where that stands, if it is known.
    pub(crate) fn into_violation(self, is_first: bool, range: Option<Range<usize>>) -> Violation {
        let place = Place {
            is_first,
            is_name: self.of_name,
            range,
            ..Place::last(self.pointer)
        };
        Violation {
            releases: self.releases,
            is_undeclared: self.undeclared,
            ..Violation::of_rule(self.rule, Box::new(self.message), At::Message(place))
        }
    }

    /// What tells it from others.
    pub(crate) fn key(&self) -> (&'static str, &str, &str) {
        (self.rule.id, &self.pointer, &self.message)
    }

    /// A number that no reader holds as it is written.
    pub(crate) fn beyond(pointer: &str) -> Self {
        let text = format!("{} is beyond all floating-point numbers", subject(pointer));
        SchemaViolation::new(&OUT_OF_RANGE, pointer, text)
    }

    /// A fault about something that belongs to other releases, in one range or several.
    pub(crate) fn elsewhere(
        pointer: impl Into<String>,
        message: String,
        ranges: &[ReleaseBounds],
    ) -> Self {
        let releases: Vec<_> = ranges.iter().map(ReleaseBounds::to_string).collect();
        let releases = releases.join(" and ");
        SchemaViolation {
            releases: ranges.last().copied(),
            ..SchemaViolation::new(
                &WRONG_RELEASE,
                pointer,
                format!("{message} belongs to {releases}"),
            )
        }
    }
}

rules! {
    OUT_OF_RANGE {
        summary: "a number fits the integer type that the release uses for it",
        id: "schema/out-of-range",
        explanation: "Codex uses integers of a fixed size. A larger number overflows clients that \
            use the same types.",
        evidence: EVERY_MESSAGE_FITS,
    }
}
