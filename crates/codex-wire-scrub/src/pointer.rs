//! Places whose values stay.

use codex_wire_base::pointer::unescaped;
use thiserror::Error;

/// A JSON Pointer into messages, in which `*` stands for any member or element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer(Vec<Segment>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Any,
    Is(String),
}

/// A text that is not a pointer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a JSON Pointer: it begins with `/`, as in `/item/command`")]
pub struct ParsePointerError(String);

impl std::str::FromStr for Pointer {
    type Err = ParsePointerError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some(rest) = text.strip_prefix('/') else {
            return Err(ParsePointerError(text.to_owned()));
        };
        let segment = |text: &str| match text {
            "*" => Segment::Any,
            text => Segment::Is(unescaped(text).into_owned()),
        };
        Ok(Pointer(rest.split('/').map(segment).collect()))
    }
}

impl Pointer {
    /// How many members and elements deep it leads.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether its segment at a depth, from 0, is that member or element.
    pub(crate) fn is_at(&self, depth: usize, name: &[u8]) -> bool {
        match self.0.get(depth) {
            Some(Segment::Any) => true,
            Some(Segment::Is(text)) => text.as_bytes() == name,
            None => false,
        }
    }
}
