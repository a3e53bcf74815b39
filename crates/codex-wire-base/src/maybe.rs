//! A member with three states: left out, `null`, or a value.

use serde::ser::SerializeMap;

use crate::error::Error;
use crate::json::Cursor;
use crate::wire::Wire;

/// The three states of a member the wire does not always fill.
///
/// Codex tells them apart, so the types do too: `exit_code` is absent while a command runs up
/// to 0.50.0, `null` from 0.51.0, and a number once it has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Maybe<T> {
    /// The member is not there.
    #[default]
    Absent,
    /// The member is there and is `null`.
    Null,
    /// The member has a value.
    Value(T),
}

impl<T> Maybe<T> {
    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Maybe::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The value, if there is one, taken out.
    pub fn into_value(self) -> Option<T> {
        match self {
            Maybe::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Whether the member is not there at all.
    pub fn is_absent(&self) -> bool {
        matches!(self, Maybe::Absent)
    }

    /// Whether the member is there and is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Maybe::Null)
    }
}

impl<T> Maybe<T> {
    /// A reference to the value, keeping the state.
    pub fn as_ref(&self) -> Maybe<&T> {
        match self {
            Maybe::Absent => Maybe::Absent,
            Maybe::Null => Maybe::Null,
            Maybe::Value(value) => Maybe::Value(value),
        }
    }

    /// Another value in the same state.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Maybe<U> {
        match self {
            Maybe::Absent => Maybe::Absent,
            Maybe::Null => Maybe::Null,
            Maybe::Value(value) => Maybe::Value(change(value)),
        }
    }
}

impl<T> From<T> for Maybe<T> {
    fn from(value: T) -> Self {
        Maybe::Value(value)
    }
}

impl<T: Wire> Maybe<T> {
    /// Reads a member that is present.
    #[doc(hidden)]
    #[inline]
    pub fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        if cursor.null()? {
            return Ok(Maybe::Null);
        }
        T::read(cursor).map(Maybe::Value)
    }
}

impl<T: serde::Serialize> Maybe<T> {
    /// Writes the member into a map that is being serialised, unless it is absent.
    #[doc(hidden)]
    #[inline]
    pub fn entry<M: SerializeMap>(&self, key: &'static str, map: &mut M) -> Result<(), M::Error> {
        match self {
            Maybe::Absent => Ok(()),
            Maybe::Null => map.serialize_entry(key, &()),
            Maybe::Value(value) => map.serialize_entry(key, value),
        }
    }
}
