//! Traits that read and write wire values; the derive implements them.
//!
//! `#[derive(Wire)]` understands these types, which are all that the protocols use:
//!
//! - a struct is an object: named members in wire order, and one `#[wire(extra)]` member that
//!   keeps the rest;
//! - an enum whose variants carry a struct is a tagged union: the tag selects the struct, and
//!   one `#[wire(unknown)]` variant keeps what no release has written yet;
//! - an enum with a tag and a `content` is a union whose content is one member beside the tag;
//! - an enum of plain variants is a string, again with one `#[wire(unknown)]` variant;
//! - an enum marked `externally_tagged` is written `{"kind": …}` or `"kind"`;
//! - an enum marked `untagged` has no tag. That is how a member that changed its type is one
//!   type here: `ExecOutputChunk` is a byte array up to 0.29.0 and base64 from 0.30.0.
//!
//! Writing keeps the order of the wire, so recorded lines come back byte for byte.
//!
//! A struct may embed a tagged union (`#[wire(variant)]`): the tag and the members of the
//! chosen struct then stand beside its own, as `id` stands beside every item's payload. With a
//! `content` the chosen value is one member, as `params` stands beside every `method`.

use serde::Serialize;
use serde::ser::SerializeMap;

use crate::error::{Error, ErrorKind};
use crate::json::{Cursor, Extra, Kind, Raw};
use crate::shape::Shape;

pub use codex_wire_derive::Wire;

/// A value that can be read from JSON text.
pub trait Wire: Sized {
    /// Reads the value that comes next and leaves the cursor behind it.
    ///
    /// # Errors
    /// When the text is malformed or cannot be read as this type; the error names the place.
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error>;
}

/// A type with a description: its members and their releases.
pub trait Described {
    /// The description.
    const SHAPE: &'static Shape;
}

/// A message, item or action of an unknown kind: the tag as it came, and every member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// The tag.
    pub tag: String,
    /// All other members.
    pub members: Extra,
}

/// A message with an unknown method: the tag as it came, and its content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnknownCall {
    /// The tag.
    pub tag: String,
    /// The content, `null` included; nothing where the member is not there.
    pub content: Option<Raw>,
}

impl UnknownCall {
    /// Makes one without content.
    pub fn bare(tag: impl Into<String>) -> Self {
        UnknownCall {
            tag: tag.into(),
            content: None,
        }
    }

    #[doc(hidden)]
    pub fn read_content(tag: &str, cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        Ok(UnknownCall {
            tag: tag.to_owned(),
            content: Some(Raw::read(cursor)?),
        })
    }
}

/// The params of a method that has none. Releases write `null` or nothing there; whatever came is
/// kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoParams(Raw);

impl NoParams {
    /// What came.
    pub fn raw(&self) -> &Raw {
        &self.0
    }
}

impl Wire for NoParams {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        Raw::read(cursor).map(NoParams)
    }
}

impl Serialize for NoParams {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// `null` as a variant of an untagged union.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Null;

impl Wire for Null {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        if cursor.null()? {
            return Ok(Null);
        }
        cursor.expect_kind(Kind::Null).map(|()| Null)
    }
}

impl Serialize for Null {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

/// An unknown variant of an externally tagged union: `{"kind": …}` or `"kind"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownExternal {
    tag: String,
    value: Option<Raw>,
}

impl UnknownExternal {
    /// A bare kind.
    pub fn bare(tag: &str) -> Self {
        UnknownExternal {
            tag: tag.to_owned(),
            value: None,
        }
    }

    /// A kind with a value.
    pub fn with_value(tag: impl Into<String>, value: Raw) -> Self {
        UnknownExternal {
            tag: tag.into(),
            value: Some(value),
        }
    }

    /// The kind.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// What it holds; nothing for a bare kind.
    pub fn value(&self) -> Option<&Raw> {
        self.value.as_ref()
    }

    #[doc(hidden)]
    pub fn read_value(tag: &str, cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        Ok(Self::with_value(
            tag,
            Raw::read(cursor).map_err(|e| e.in_member(tag))?,
        ))
    }
}

impl Serialize for UnknownExternal {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.value {
            None => serializer.serialize_str(&self.tag),
            Some(value) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry(&self.tag, value)?;
                map.end()
            }
        }
    }
}

impl Wire for String {
    #[inline]
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        cursor.string().map(Into::into)
    }
}

impl Wire for bool {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        cursor.bool()
    }
}

type EachElement<'e> = dyn FnMut(&mut Cursor<'_>) -> Result<(), Error> + 'e;
type EachEntry<'e> = dyn FnMut(&mut Cursor<'_>, &str) -> Result<(), Error> + 'e;

/// Reads an array. Compiled once, where the cursor's own function is once per use.
fn elements(cursor: &mut Cursor<'_>, element: &mut EachElement<'_>) -> Result<(), Error> {
    cursor.array(|cursor, index| element(cursor).map_err(|e| e.in_element(index)))
}

/// Reads an object whose names are data; compiled once as well.
fn entries(cursor: &mut Cursor<'_>, entry: &mut EachEntry<'_>) -> Result<(), Error> {
    cursor.object(|cursor, key| entry(cursor, key).map_err(|e| e.in_member(key)))
}

impl<T: Wire> Wire for Vec<T> {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let mut out = Vec::new();
        elements(cursor, &mut |cursor| {
            out.push(T::read(cursor)?);
            Ok(())
        })?;
        Ok(out)
    }
}

impl<T: Wire> Wire for Box<T> {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        T::read(cursor).map(Box::new)
    }
}

macro_rules! integers {
    ($($ty:ty),*) => {$(
        impl Wire for $ty {
            #[inline]
            fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
                let text = cursor.number()?;
                if let Ok(value) = text.parse() {
                    return Ok(value);
                }
                whole(text)
                    .and_then(|value| <$ty>::try_from(value).ok())
                    .ok_or_else(|| {
                        Error::at(
                            ErrorKind::OutOfRange {
                                min: <$ty>::MIN.into(),
                                max: <$ty>::MAX.into(),
                            },
                            cursor.offset() - text.len(),
                        )
                    })
            }
        }
    )*};
}

integers!(u8, u16, u32, u64, i32, i64);

impl Wire for std::num::NonZeroU64 {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let text = cursor.number()?;
        let value = text.parse().ok().or_else(|| whole(text)?.try_into().ok());
        value.and_then(std::num::NonZeroU64::new).ok_or_else(|| {
            let kind = ErrorKind::OutOfRange {
                min: 1,
                max: u64::MAX.into(),
            };
            Error::at(kind, cursor.offset() - text.len())
        })
    }
}

/// The whole number a JSON number stands for when it is not spelt as one: `1.0`, `-0`, `1e3`.
/// JSON Schema takes these for integers, so the types do too. Worked out in decimal: through a
/// float some numbers would become their neighbours.
#[cold]
fn whole(text: &str) -> Option<i128> {
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (negative, digits) = match digits.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, digits),
    };
    let (before, behind) = digits.split_once('.').unwrap_or((digits, ""));
    let behind = behind.trim_end_matches('0');
    let mut value: i128 = format!("{before}{behind}").parse().ok()?;
    let scale = exponent.checked_sub(i32::try_from(behind.len()).ok()?)?;
    for _ in 0..scale.unsigned_abs() {
        if value == 0 {
            break;
        }
        value = if scale < 0 {
            (value % 10 == 0).then_some(value / 10)?
        } else {
            value.checked_mul(10)?
        };
    }
    Some(if negative { -value } else { value })
}

/// A JSON object used as a map: names are data, order is kept, and duplicate names stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map<T>(Vec<(String, T)>);

impl<T> Default for Map<T> {
    fn default() -> Self {
        Map(Vec::new())
    }
}

impl<T> Map<T> {
    /// An empty map.
    pub const fn new() -> Self {
        Map(Vec::new())
    }

    /// The first value under `key`.
    pub fn get(&self, key: &str) -> Option<&T> {
        self.iter().find(|(k, _)| *k == key).map(|(_, value)| value)
    }

    /// All entries in the order of the wire.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds an entry behind the others.
    pub fn push(&mut self, key: impl Into<String>, value: T) {
        self.0.push((key.into(), value));
    }
}

impl<T> FromIterator<(String, T)> for Map<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(entries: I) -> Self {
        Map(entries.into_iter().collect())
    }
}

impl<T: Wire> Wire for Map<T> {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let mut out = Vec::new();
        entries(cursor, &mut |cursor, key| {
            out.push((key.to_owned(), T::read(cursor)?));
            Ok(())
        })?;
        Ok(Map(out))
    }
}

impl<T: Serialize> Serialize for Map<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}
