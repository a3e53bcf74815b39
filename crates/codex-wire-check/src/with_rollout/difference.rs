//! Defines what a comparison finds.

use crate::rule::Rule;
use crate::violation::{Broken, Wording};

/// A difference between the two sides.
#[derive(Debug)]
pub(super) struct Difference {
    pub(super) rule: &'static Rule,
    /// How the rule is broken: a [`Broken`].
    pub(super) how: Box<dyn Wording>,
    /// The kind of item it is about, as exceptions of the rule call it.
    pub(super) of: Option<&'static str>,
    /// The line of the stream.
    pub(super) line: u64,
    /// The line of the session file, if it has one.
    pub(super) file_line: Option<u64>,
}

impl Difference {
    /// A difference that is seen at a line of the stream.
    pub(super) fn at<B: Broken>(line: u64, how: B) -> Self {
        Difference {
            rule: B::RULE,
            how: Box::new(how),
            of: None,
            line,
            file_line: None,
        }
    }

    /// The same, about an item of that kind.
    pub(super) fn of(self, kind: &'static str) -> Self {
        Difference {
            of: Some(kind),
            ..self
        }
    }

    /// The same, with the line of the session file that says otherwise.
    pub(super) fn in_file(self, line: impl Into<Option<u64>>) -> Self {
        Difference {
            file_line: line.into(),
            ..self
        }
    }
}
