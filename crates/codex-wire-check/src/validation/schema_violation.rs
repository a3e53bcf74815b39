//! Defines a violation of a schema before it becomes a finding, and compares lists of them.
//!
//! When several releases are possible, the one with the fewest violations explains a message. A
//! release that does not know the tag comes last: it did not look at the rest of the message.

use std::ops::Range;

use codex_wire_base::shape::ReleaseBounds;
use codex_wire_schema::ir::Text;
use serde_json::Value;

use crate::inference::unspoken::WRONG_RELEASE;
use crate::phrasing::{Joined, subject};
use crate::rule::EVERY_MESSAGE_FITS;
use crate::rule::Rule;
use crate::rule_macros::{broken, rules};
use crate::violation::{At, Broken, Place, Violation, Wording};

/// What is wrong with a message, before anyone looks up where its text stands.
#[derive(Debug)]
pub(crate) struct SchemaViolation {
    pub(crate) rule: &'static Rule,
    pub(crate) pointer: String,
    /// How the schema is broken: a [`Broken`], or no words where it is only counted.
    pub(super) how: Box<dyn Wording>,
    pub(crate) help: Option<String>,
    pub(crate) releases: Option<ReleaseBounds>,
    /// Whether it is about a member that is there but should not be, which the open profile
    /// lets pass.
    pub(crate) undeclared: bool,
    /// Whether it is about the name of a member rather than its value.
    pub(crate) of_name: bool,
    /// Whether it is about a tag that other releases have, so that nothing behind the tag was
    /// examined.
    pub(crate) hides: bool,
}

impl SchemaViolation {
    pub(crate) fn new<B: Broken>(how: B, pointer: impl Into<String>) -> Self {
        Self::of_rule(B::RULE, Box::new(how), pointer.into())
    }

    /// A violation that is only counted, without words.
    pub(crate) fn counted(rule: &'static Rule, pointer: impl Into<String>) -> Self {
        Self::of_rule(rule, Box::new(""), pointer.into())
    }

    fn of_rule(rule: &'static Rule, how: Box<dyn Wording>, pointer: String) -> Self {
        SchemaViolation {
            rule,
            pointer,
            how,
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
            ..Violation::of_rule(self.rule, self.how, At::Message(place))
        }
    }

    /// What tells it from others.
    pub(crate) fn key(&self) -> (&'static str, &str, String) {
        (self.rule.id, &self.pointer, self.how.to_string())
    }

    /// A number that no reader holds as it is written.
    pub(crate) fn beyond(pointer: &str) -> Self {
        let subject = subject(pointer);
        SchemaViolation::new(Beyond { subject }, pointer)
    }

    /// A fault about something that belongs to other releases, in one range or several.
    pub(crate) fn elsewhere<B: Broken>(
        pointer: impl Into<String>,
        ranges: Vec<ReleaseBounds>,
        how: impl FnOnce(Joined<ReleaseBounds>) -> B,
    ) -> Self {
        SchemaViolation {
            releases: ranges.last().copied(),
            ..SchemaViolation::new(how(Joined(ranges)), pointer)
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
    } => {
        Beyond { subject: String }: "{subject} is beyond all floating-point numbers",
        Below { subject: String, limit: Value }: "{subject} is below {limit}",
        Above { subject: String, limit: Value }: "{subject} is above {limit}",
    }
}

broken! {
    WRONG_RELEASE KindElsewhere { union: Text, of: &'static str, tag: Text, releases: Joined<ReleaseBounds> }
    "{union}{of} `{tag}` belongs to {releases}"
}

broken! {
    WRONG_RELEASE FormElsewhere { union: Text, kind: Text, releases: Joined<ReleaseBounds> }
    "{union} `{kind}`, so written, belongs to {releases}"
}

broken! {
    WRONG_RELEASE MemberElsewhere { name: String, holder: &'static str, releases: Joined<ReleaseBounds> }
    "{name} of {holder} belongs to {releases}"
}

broken! {
    WRONG_RELEASE ValueElsewhere { value: Text, subject: String, releases: Joined<ReleaseBounds> }
    "the value `{value}` of {subject} belongs to {releases}"
}

broken! {
    WRONG_RELEASE OtherSpelling { spelling: Text, releases: ReleaseBounds, key: Text }
    "the tag is spelt `{spelling}`, as in {releases}, not `{key}`"
}
