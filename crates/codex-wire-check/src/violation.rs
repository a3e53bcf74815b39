//! Defines a violation of a rule before it becomes a finding.

use codex_wire_base::shape::ReleaseBounds;

use crate::rule::Rule;
use crate::writer::Writer;

/// A violation of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Violation {
    /// The rule.
    pub(crate) rule: &'static Rule,
    /// The kind of item or message it is about, by which exceptions are chosen.
    pub(crate) of: Option<String>,
    /// The place within the message at hand; at the end of the input it means nothing.
    pub(crate) pointer: String,
    /// What is wrong, in a few words without a full stop. No payload text.
    pub(crate) message: String,
    /// How to read it.
    pub(crate) help: Option<String>,
    /// The releases in which it would be none.
    pub(crate) releases: Option<ReleaseBounds>,
    /// An earlier message it refers to.
    pub(crate) earlier: Option<MessageRef>,
    /// Who is to blame; whoever wrote the message at hand if not given.
    pub(crate) blame: Option<Writer>,
}

impl Violation {
    /// A violation of `rule` by the message at hand.
    pub(crate) fn new(
        rule: &'static Rule,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Violation {
            rule,
            of: None,
            pointer: pointer.into(),
            message: message.into(),
            help: None,
            releases: None,
            earlier: None,
            blame: None,
        }
    }

    /// Says which kind of item or message it is about.
    #[must_use]
    pub(crate) fn of(mut self, kind: impl Into<String>) -> Self {
        self.of = Some(kind.into());
        self
    }

    /// Says how to read it.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Refers to an earlier message.
    #[must_use]
    pub(crate) fn earlier(mut self, seat: MessageRef) -> Self {
        self.earlier = Some(seat);
        self
    }

    /// Blames a side other than the writer of the message at hand.
    #[must_use]
    pub(crate) fn blame(mut self, writer: Writer) -> Self {
        self.blame = Some(writer);
        self
    }
}

/// Where a message stands, to be told of later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MessageRef {
    /// The line, from 1.
    pub(crate) line: u64,
    /// Which message of the input it is, from 1.
    pub(crate) message: u64,
}
