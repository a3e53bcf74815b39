//! Defines what a finding is: what is wrong, where, and how severe it is.

use std::borrow::Cow;

use codex_wire_base::shape::ReleaseBounds;

use crate::pointer::{begin, bounded};
use crate::rule::Rule;
pub use crate::severity::Severity;
pub use crate::writer::Writer;

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// How severe it is here, after the user's settings.
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// What is wrong, in a few words without a full stop. Holds names of members, kinds and
    /// values, never payload text.
    pub message: String,
    /// What to do about it or how to read it.
    pub help: Option<String>,
    /// The releases in which it would be right, where it would be right in any.
    pub releases: Option<ReleaseBounds>,
    /// Who wrote the line, where a recording says so.
    pub writer: Option<Writer>,
    /// The offending part of the line.
    pub excerpt: Option<Excerpt>,
    /// The line of an earlier message it refers to, such as the start of what ends twice.
    pub earlier: Option<u64>,
    /// Why it is no surprise, where a [`baseline`](crate::baseline) lists it.
    pub expected: Option<String>,
}

impl Finding {
    /// How many bytes a message has at most, and a help: what is longer is cut. The longest lists of
    /// known values are shorter.
    pub(crate) const TEXT_BYTES: usize = 4096;

    /// A violation of `rule` at `place`, with nothing yet to help the reader.
    pub fn new(
        rule: &'static Rule,
        severity: Severity,
        place: Place,
        message: impl Into<String>,
    ) -> Self {
        Finding {
            rule,
            severity,
            place,
            message: message.into(),
            help: None,
            releases: None,
            writer: None,
            excerpt: None,
            earlier: None,
            expected: None,
        }
    }

    /// Says what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says in which releases it would be right.
    #[must_use]
    pub fn with_releases(mut self, releases: ReleaseBounds) -> Self {
        self.releases = Some(releases);
        self
    }

    /// Cuts what it says where that is longer than anybody reads.
    pub(crate) fn bound(&mut self) {
        let texts = [Some(&mut self.message), self.help.as_mut()];
        for text in texts.into_iter().flatten() {
            if text.len() > Finding::TEXT_BYTES {
                *text = format!("{}…", begin(text, Finding::TEXT_BYTES));
            }
        }
        if let Cow::Owned(cut) = bounded(&self.place.pointer) {
            self.place.pointer = cut;
        }
    }

    /// Shows the offending part of the line.
    #[must_use]
    pub fn with_excerpt(mut self, excerpt: Excerpt) -> Self {
        self.excerpt = Some(excerpt);
        self
    }
}

/// A place in an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: u64,
    /// The byte within the line, from 1.
    pub column: u64,
    /// The byte within the input, from 0.
    pub offset: u64,
    /// How many bytes from there on are meant; 0 for a point.
    pub length: u64,
    /// The place within the message as a JSON Pointer; empty for the message itself.
    pub pointer: String,
    /// Which message of the input it is, from 1; `None` where the line holds none.
    pub message: Option<u64>,
    /// Column and length in characters; `None` where the line is no UTF-8 text.
    pub characters: Option<Characters>,
}

/// A part of a line in characters rather than bytes: Unicode scalar values, as editors count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Characters {
    /// The character within the line, from 1.
    pub column: u64,
    /// How many characters from there on are meant; 0 for a point.
    pub length: u64,
}

/// A window on the offending line, cut to a readable length. Payload text is replaced by `…`
/// unless the user asked for values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text. Holds no control characters.
    pub text: String,
    /// The byte of `text` where the offending part begins.
    pub start: usize,
    /// The byte of `text` behind its end; equal to `start` for a point.
    pub end: usize,
}
