//! Defines a violation: a rule that a line breaks, before it becomes a finding.
//!
//! Each stage returns the violations it has found. `diagnostics` makes a [`Finding`](crate::Finding)
//! of each: it adds line and column, level and excerpt, and puts it into words.
//!
//! How a rule is broken is a type with fields, which `rules!` declares beside the rule. It
//! implements [`Broken`]: `AfterEnd { tag, end }.at("/type")` is a violation.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use codex_wire_base::shape::ReleaseBounds;

use crate::rule::Rule;
use crate::writer::Writer;

/// One way to break a rule. It displays as what is wrong, in a few words without a full stop, and
/// without text of the user or the model.
pub(crate) trait Broken: fmt::Display + fmt::Debug + Send + Sized + 'static {
    /// The rule.
    const RULE: &'static Rule;

    /// The violation by what a JSON Pointer of the message leads to; the empty pointer is the whole
    /// message. Of duplicate keys the first is meant.
    fn at(self, pointer: impl Into<Cow<'static, str>>) -> Violation {
        Violation::new(self, At::Message(Place::first(pointer)))
    }

    /// The same, but of duplicate keys the last is meant.
    fn at_last(self, pointer: impl Into<Cow<'static, str>>) -> Violation {
        Violation::new(self, At::Message(Place::last(pointer)))
    }

    /// The violation by a part of the message.
    fn at_place(self, place: Place) -> Violation {
        Violation::new(self, At::Message(place))
    }

    /// The violation by bytes of a line, which has no message for it. They are counted from the
    /// beginning of the line.
    fn in_line(self, bytes: Range<usize>) -> Violation {
        Violation::new(self, At::Line(bytes))
    }

    /// The violation by something that no message shows, such as the end of the input.
    fn between(self) -> Violation {
        Violation::new(self, At::Between)
    }
}

/// A violation of a rule.
#[derive(Debug)]
pub(crate) struct Violation {
    /// The rule.
    pub(crate) rule: &'static Rule,
    /// How it is broken: a [`Broken`].
    pub(crate) how: Box<dyn Wording>,
    /// Which part of the line breaks it.
    pub(crate) at: At,
    /// The kind of item or message it is about. An [`Exception`](crate::Exception) of the rule may
    /// name kinds; then it applies to violations of these only.
    pub(crate) of: Option<String>,
    /// A hint on how to read it, or what to do.
    pub(crate) help: Option<Cow<'static, str>>,
    /// The releases in which the message would be valid.
    pub(crate) releases: Option<ReleaseBounds>,
    /// An earlier message that explains it.
    pub(crate) earlier: Option<Earlier>,
    /// The side at fault. `None`: the side that wrote the message.
    pub(crate) blame: Option<Writer>,
    /// Whether it is about a member that no release has, which readers ignore.
    pub(crate) is_undeclared: bool,
    /// How many more of the same are counted without being reported.
    pub(crate) further: u64,
}

/// What can be put into words.
pub(crate) trait Wording: fmt::Display + fmt::Debug + Send {}

impl<T: fmt::Display + fmt::Debug + Send> Wording for T {}

/// The part of a line that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// Bytes of the line, from its beginning. It has no message, or none that matters.
    Line(Range<usize>),
    /// A part of the message.
    Message(Place),
    /// No part of a message.
    Between,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The JSON Pointer of a value; empty for the message itself.
    pub(crate) pointer: Cow<'static, str>,
    /// Which of duplicate keys is meant.
    pub(crate) is_first: bool,
    /// Whether the name of the member is meant, and not its value.
    pub(crate) is_name: bool,
    /// Where it stands in the text, if that is known.
    pub(crate) range: Option<Range<usize>>,
}

impl Place {
    /// A value, the first where a key occurs twice.
    pub(crate) fn first(pointer: impl Into<Cow<'static, str>>) -> Self {
        Place {
            is_first: true,
            ..Place::last(pointer)
        }
    }

    /// A value, the last where a key occurs twice.
    pub(crate) fn last(pointer: impl Into<Cow<'static, str>>) -> Self {
        Place {
            pointer: pointer.into(),
            is_first: false,
            is_name: false,
            range: None,
        }
    }
}

impl Violation {
    fn new<B: Broken>(how: B, at: At) -> Self {
        Self::of_rule(B::RULE, Box::new(how), at)
    }

    /// A violation whose words are known.
    pub(crate) fn of_rule(rule: &'static Rule, how: Box<dyn Wording>, at: At) -> Self {
        Violation {
            rule,
            how,
            at,
            of: None,
            help: None,
            releases: None,
            earlier: None,
            blame: None,
            is_undeclared: false,
            further: 0,
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
    pub(crate) fn help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the earlier message that explains it, if there is one, and says what that is.
    #[must_use]
    pub(crate) fn earlier(
        mut self,
        message_ref: impl Into<Option<MessageRef>>,
        what: &'static str,
    ) -> Self {
        let message_ref = message_ref.into();
        self.earlier = message_ref.map(|message_ref| Earlier { message_ref, what });
        self
    }

    /// Names the side at fault, if it is not the writer of this message.
    #[must_use]
    pub(crate) fn blame(mut self, writer: Writer) -> Self {
        self.blame = Some(writer);
        self
    }

    /// Adds the releases in which the message would be valid.
    #[must_use]
    pub(crate) fn valid_in(mut self, releases: Option<ReleaseBounds>) -> Self {
        self.releases = releases;
        self
    }
}

/// An earlier message that explains a violation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Earlier {
    pub(crate) message_ref: MessageRef,
    /// What it is: a clause such as "the item started here".
    pub(crate) what: &'static str,
}

/// The position of a message in its input, kept to refer to it from a later message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MessageRef {
    /// The number of its line, counted from 1.
    pub(crate) line: u64,
    /// The number of the message among the messages of the input, counted from 1. Lines without a
    /// message are not counted.
    pub(crate) message: u64,
    /// The byte of the input at which its line begins.
    pub(crate) offset: u64,
    /// How many bytes the line has.
    pub(crate) length: u64,
}
