//! What a release does not know.

use std::fmt;
use std::ops::Range;

use crate::availability::Availability;

/// A part of a value that a release does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unsupported {
    /// Where it is, as a JSON Pointer (RFC 6901) from the value.
    pub pointer: String,
    /// What it is.
    pub part: PartKind,
    /// Its name on the wire: of the member, the method or the kind, or the value itself.
    pub name: String,
    /// The releases that have it; `None` if no release that this crate knows has it.
    pub availability: Option<Availability>,
    /// What a release makes of it that does not know it.
    pub effect: Effect,
    /// The bytes of the smallest member or element around it that may be left out.
    pub(super) cut: Option<Range<usize>>,
}

/// What kind of part a release does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PartKind {
    /// A member of an object.
    Member,
    /// A method.
    Method,
    /// A kind: what the tag of a union selects, such as a type of input.
    Kind,
    /// A value of a list of strings.
    Value,
    /// A form of a value that may have several, such as text or an object.
    Form,
}

/// What a release makes of a part that it does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Effect {
    /// The release reads the rest as if the part were not there.
    Ignored,
    /// The release refuses the whole message.
    Refused,
}

impl fmt::Display for Unsupported {
    /// Such as ``the member `serviceTier` at /serviceTier (0.90.0 or later)``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = match self.part {
            PartKind::Member => "member",
            PartKind::Method => "method",
            PartKind::Kind => "kind",
            PartKind::Value => "value",
            PartKind::Form => "form",
        };
        // Names may come from others: they must neither steer a terminal nor flood it.
        let shown = |text: &str| -> String {
            let short = text.chars().take(200);
            short.flat_map(char::escape_debug).collect()
        };
        write!(f, "the {part}")?;
        if !self.name.is_empty() {
            write!(f, " `{}`", shown(&self.name))?;
        }
        match self.pointer.as_str() {
            "" => {}
            pointer => write!(f, " at {}", shown(pointer))?,
        }
        match &self.availability {
            Some(availability) => write!(f, " ({availability})"),
            None => f.write_str(" (in no known release)"),
        }
    }
}
