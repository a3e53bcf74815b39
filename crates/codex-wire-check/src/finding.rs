//! Defines what a finding is: what is wrong, where, and how severe it is.

use std::borrow::Cow;
use std::ops::Range;

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
    /// Its severity, after the options of the user.
    pub severity: Severity,
    /// Where it is.
    pub place: Location,
    /// What is wrong, in a few words without a full stop. It can contain names of members, kinds and
    /// values, but no payload text.
    pub message: String,
    /// How to read it, or what to do about it.
    pub help: Option<String>,
    /// The releases in which the message would be valid, if there are any.
    pub releases: Option<ReleaseBounds>,
    /// The side that wrote the line, if the recording says so.
    pub writer: Option<Writer>,
    /// The invalid part of the line.
    pub excerpt: Option<Excerpt>,
    /// An earlier message that explains it, such as the start of an item that ends twice.
    pub earlier: Option<Earlier>,
    /// Why it is expected, if a [`baseline`](crate::baseline) lists it.
    pub expected: Option<String>,
}

impl Finding {
    /// The longest message and help, in bytes. Longer texts are cut. The longest list of known values is
    /// shorter.
    pub(crate) const TEXT_BYTES: usize = 4096;

    /// A violation of `rule` at `place`, without help and excerpt.
    pub fn new(
        rule: &'static Rule,
        severity: Severity,
        place: Location,
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

    /// Adds a help.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the releases in which it would be valid.
    #[must_use]
    pub fn with_releases(mut self, releases: ReleaseBounds) -> Self {
        self.releases = Some(releases);
        self
    }

    /// Cuts texts that are longer than [`Finding::TEXT_BYTES`].
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

    /// Adds the invalid part of the line.
    #[must_use]
    pub fn with_excerpt(mut self, excerpt: Excerpt) -> Self {
        self.excerpt = Some(excerpt);
        self
    }
}

/// An earlier message that explains a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Earlier {
    /// Its line, from 1.
    pub line: u64,
    /// Its number in the input, from 1.
    pub message: u64,
    /// The byte within the input at which the message begins; in a recording that holds it as a string,
    /// the byte at which the line begins.
    pub offset: u64,
    /// Its length in bytes, or that of the line.
    pub length: u64,
    /// What it is: a clause such as "the item started here".
    pub what: &'static str,
}

impl Earlier {
    /// A message in that line, which begins at a byte of the input and has so many bytes.
    pub fn new(line: u64, message: u64, bytes: Range<u64>, what: &'static str) -> Self {
        Earlier {
            line,
            message,
            offset: bytes.start,
            length: bytes.end.saturating_sub(bytes.start),
            what,
        }
    }
}

/// A place in an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The line, from 1.
    pub line: u64,
    /// The byte within the line, from 1.
    pub column: u64,
    /// The byte within the input, from 0.
    pub offset: u64,
    /// Its length in bytes; 0 for a point.
    pub length: u64,
    /// The JSON Pointer into the message; empty for the message itself.
    pub pointer: String,
    /// The number of the message in the input, from 1; `None` if the line has no message.
    pub message: Option<u64>,
    /// Column and length in characters; `None` if the line is not valid UTF-8.
    pub characters: Option<Characters>,
}

impl Location {
    /// A byte of a line, both from 1.
    pub fn new(line: u64, column: u64) -> Self {
        Location {
            line,
            column,
            ..Location::default()
        }
    }
}

/// A part of a line, counted in characters (Unicode scalar values, as editors count) instead of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Characters {
    /// The character within the line, from 1.
    pub column: u64,
    /// Its length in characters; 0 for a point.
    pub length: u64,
}

/// A part of the invalid line, cut to a readable length. `…` replaces payload text, unless the user
/// asked for values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text, without control characters.
    pub text: String,
    /// The byte of `text` where the invalid part begins.
    pub start: usize,
    /// The byte of `text` after its end; equal to `start` for a point.
    pub end: usize,
}
