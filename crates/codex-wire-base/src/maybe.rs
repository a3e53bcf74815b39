//! A member with three states: left out, `null`, or a value.

use std::ops::Deref;

use serde::ser::SerializeMap;

use crate::error::Error;
use crate::json::Cursor;
use crate::wire::Wire;

/// The three states of a member the wire does not always fill.
///
/// Codex tells them apart, so the types do too: `exit_code` is absent while a command runs up
/// to 0.50.0, `null` from 0.51.0, and a number once it has ended.
///
/// Who does not care why there is no value reads it as an `Option`: [`value`](Maybe::value), or a method called as
/// that of `Option`.
///
/// ```
/// use codex_wire_base::Maybe;
///
/// let model: Maybe<String> = "gpt-5".into();
/// assert_eq!(model.as_deref().unwrap_or("the default"), "gpt-5");
/// assert_eq!(Maybe::from(Some(3)), Maybe::Value(3));
/// let limit: Option<u32> = Maybe::Null.into();
/// assert_eq!(limit, None);
/// ```
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
    /// Whether there is a value.
    pub fn is_some(&self) -> bool {
        matches!(self, Maybe::Value(_))
    }

    /// Whether there is a value, and it meets a condition.
    pub fn is_some_and(&self, condition: impl FnOnce(&T) -> bool) -> bool {
        self.value().is_some_and(condition)
    }

    /// The value, if there is one, to be changed.
    pub fn value_mut(&mut self) -> Option<&mut T> {
        match self {
            Maybe::Value(value) => Some(value),
            _ => None,
        }
    }

    /// A reference to the value, keeping the state.
    pub fn as_ref(&self) -> Maybe<&T> {
        match self {
            Maybe::Absent => Maybe::Absent,
            Maybe::Null => Maybe::Null,
            Maybe::Value(value) => Maybe::Value(value),
        }
    }

    /// A reference to what the value stands for (`&str` of a `String`, a slice of a list), keeping the state.
    pub fn as_deref(&self) -> Maybe<&T::Target>
    where
        T: Deref,
    {
        self.as_ref().map(Deref::deref)
    }

    /// Another value in the same state.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Maybe<U> {
        match self {
            Maybe::Absent => Maybe::Absent,
            Maybe::Null => Maybe::Null,
            Maybe::Value(value) => Maybe::Value(change(value)),
        }
    }

    /// The value, or another one where it is absent or `null`.
    pub fn unwrap_or(self, other: T) -> T {
        self.into_value().unwrap_or(other)
    }

    /// The value, or one that is made where it is absent or `null`.
    pub fn unwrap_or_else(self, make: impl FnOnce() -> T) -> T {
        self.into_value().unwrap_or_else(make)
    }

    /// The value, or the default of its type where it is absent or `null`.
    pub fn unwrap_or_default(self) -> T
    where
        T: Default,
    {
        self.into_value().unwrap_or_default()
    }
}

impl<T: Clone> Maybe<&T> {
    /// The value itself instead of a reference, in the same state.
    pub fn cloned(self) -> Maybe<T> {
        self.map(T::clone)
    }
}

/// `None` is absent. Give [`Maybe::Null`] where `null` is meant.
impl<T> From<Option<T>> for Maybe<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Maybe::Absent, Maybe::Value)
    }
}

/// Absent and `null` are both `None`.
impl<T> From<Maybe<T>> for Option<T> {
    fn from(member: Maybe<T>) -> Self {
        member.into_value()
    }
}

impl From<&str> for Maybe<String> {
    fn from(value: &str) -> Self {
        Maybe::Value(value.to_owned())
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
