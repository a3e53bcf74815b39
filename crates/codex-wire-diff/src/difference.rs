//! Defines a difference: the change, its place, and its verdict for each direction.

use std::fmt;

use serde_json::Value;

use crate::change::{Change, Direction, Verdict};
use crate::evidence::Evidence;
use crate::rules::Rule;

/// One change between two sides.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Difference {
    /// The kind of change.
    pub change: Change,
    /// The place: `Usage.reasoning_output_tokens`, `ThreadItem`, `item/started`.
    pub place: String,
    /// The same place in the names of the older side.
    pub former_place: String,
    /// What it was before: a name, a value, or a type in words. `None` if it is new.
    pub before: Option<String>,
    /// What it is now. `None` if it was removed.
    pub after: Option<String>,
    /// The judgement for each direction in which a message reaches the place.
    pub judgements: Vec<Judgement>,
    /// The messages that contain the place, sorted by message set and name; for a new or removed
    /// message, the message itself.
    pub messages: Vec<Message>,
    /// The first of the shortest paths from a message to the place: the message, then members, `[]`
    /// for items of an array, `*` for values under any key, tags in angle brackets. Empty if every
    /// message changed in the same way.
    pub path: Vec<String>,
    /// Whether an observed message contains the place.
    pub(crate) is_observed: bool,
}

impl Difference {
    /// The worst of its verdicts.
    pub fn verdict(&self) -> Verdict {
        let verdicts = self.judgements.iter().map(|judgement| judgement.verdict);
        verdicts.max().unwrap_or(Verdict::Unknown)
    }
}

/// What a change means for the reader in one direction.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Judgement {
    /// The direction.
    pub direction: Direction,
    /// The rule that applies.
    pub rule: &'static Rule,
    /// The verdict: that of the rule, or the result of a proof if the rule requires one.
    pub verdict: Verdict,
    /// A message that proves it.
    pub counterexample: Option<Counterexample>,
    /// Why the verdict differs from that of the rule.
    pub remark: Option<String>,
    /// What a verdict between two releases rests on that is breaking, or would be by our description alone.
    pub evidence: Option<Evidence>,
}

impl Judgement {
    /// What the rule says.
    pub(crate) fn new(direction: Direction, rule: &'static Rule) -> Self {
        Judgement {
            direction,
            rule,
            verdict: rule.verdict,
            counterexample: None,
            remark: None,
            evidence: None,
        }
    }
}

/// A message that one side accepts and the other refuses, both tried with a validator.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Counterexample {
    /// The message, as small as possible.
    pub value: Value,
    /// The side whose description accepts it.
    pub accepted_by: Which,
    /// Whether this holds only if undeclared members are allowed.
    pub undeclared: bool,
}

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Which {
    /// The older one, given first.
    Before,
    /// The newer one, given second.
    After,
}

impl Which {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Which {
        match self {
            Which::Before => Which::After,
            Which::After => Which::Before,
        }
    }
}

/// The name of a message, with the message set or file it is in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Message {
    /// The message set, or the file.
    pub part: String,
    /// Its tag or method.
    pub name: String,
}

impl Message {
    /// A message of a part.
    pub fn new(part: impl Into<String>, name: impl Into<String>) -> Self {
        Message {
            part: part.into(),
            name: name.into(),
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
