//! Defines a violation: a rule that a message breaks, before it becomes a finding.
//!
//! The stages `rpc` and `sequence` make violations, and also `inference`. `diagnostics` turns each
//! into a [`Finding`](crate::Finding): it adds the line and column, the level and the excerpt.

use codex_wire_base::shape::ReleaseBounds;

use crate::rule::Rule;
use crate::writer::Writer;

/// A violation of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Violation {
    /// The rule.
    pub(crate) rule: &'static Rule,
    /// The kind of item or message it is about. An [`Exception`](crate::Exception) of the rule may
    /// name kinds; then it applies to violations of these only.
    pub(crate) of: Option<String>,
    /// The JSON Pointer of the wrong part within the message; empty for the whole message. At the
    /// end of the input it is not used.
    pub(crate) pointer: String,
    /// What is wrong, in a few words without a full stop. It must not hold text of the user or the
    /// model.
    pub(crate) message: String,
    /// A hint on how to read it, or what to do.
    pub(crate) help: Option<String>,
    /// The releases in which the message would be valid.
    pub(crate) releases: Option<ReleaseBounds>,
    /// An earlier message that explains it.
    pub(crate) earlier: Option<MessageRef>,
    /// The side at fault. `None`: the side that wrote the message.
    pub(crate) blame: Option<Writer>,
}

impl Violation {
    /// A violation of `rule` by this message, at `pointer`.
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

    /// Names the kind of item or message it is about.
    #[must_use]
    pub(crate) fn of(mut self, kind: impl Into<String>) -> Self {
        self.of = Some(kind.into());
        self
    }

    /// Adds a hint.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the earlier message that explains it.
    #[must_use]
    pub(crate) fn earlier(mut self, message_ref: MessageRef) -> Self {
        self.earlier = Some(message_ref);
        self
    }

    /// Names the side at fault, if it is not the writer of this message.
    #[must_use]
    pub(crate) fn blame(mut self, writer: Writer) -> Self {
        self.blame = Some(writer);
        self
    }
}

/// The position of a message in its input, kept to refer to it from a later message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MessageRef {
    /// The number of its line, counted from 1.
    pub(crate) line: u64,
    /// The number of the message among the messages of the input, counted from 1. Lines without a
    /// message are not counted.
    pub(crate) message: u64,
}
