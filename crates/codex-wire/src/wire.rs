//! Reading and writing wire values: the traits the derive fills in.
//!
//! `#[derive(Wire)]` understands these shapes, which are all the protocols use:
//!
//! - a struct is an object: named members in wire order, and one `#[wire(extra)]` member that
//!   keeps the rest;
//! - an enum whose variants carry a struct is a tagged union: the tag chooses the struct, and
//!   one `#[wire(unknown)]` variant keeps what no release has written yet;
//! - an enum of plain variants is a string, again with one `#[wire(unknown)]` variant;
//! - an enum marked `external` is `{"kind": …}` or `"kind"`;
//! - an enum marked `alternatives` is one of several shapes that no tag tells apart.
//!
//! A struct may embed a tagged union (`#[wire(variant)]`): the tag and the members of the
//! chosen struct then stand beside its own, as `id` stands beside every item's payload.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::SerializeMap;

use crate::error::{Error, ErrorKind};
use crate::json::{Cursor, Extra, Kind, Raw};
use crate::shape::{Lifetime, Shape, Variant};

pub use codex_wire_derive::Wire;

/// A value that can be read from JSON text.
pub trait Wire: Sized {
    /// Reads the value that comes next and leaves the cursor behind it.
    ///
    /// # Errors
    /// When the text is malformed or does not have this shape; the error names the place.
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error>;
}

/// A type with a published description: its members and their lifetimes.
pub trait Described {
    /// The description.
    const SHAPE: &'static Shape;
}

/// An object type, read member by member.
#[doc(hidden)]
pub trait Members: Sized {
    /// The members read so far.
    type Partial: Default;

    /// Reads the member `key` if the type names it and has no value for it yet.
    fn member(
        partial: &mut Self::Partial,
        key: &str,
        cursor: &mut Cursor<'_>,
    ) -> Result<bool, Error>;

    /// Keeps a member the type does not name.
    fn extra(partial: &mut Self::Partial) -> &mut Extra;

    /// The value, once the object that began at `start` has been read.
    fn finish(partial: Self::Partial, start: usize) -> Result<Self, Error>;

    /// Writes the members.
    fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;
}

/// A tagged union, read member by member once its tag is known.
#[doc(hidden)]
pub trait Variants: Sized {
    /// The members read so far of the variant the tag chose.
    type Partial;

    /// Chooses the variant.
    fn start(tag: &str) -> Self::Partial;

    /// As [`Members::member`].
    fn member(
        partial: &mut Self::Partial,
        key: &str,
        cursor: &mut Cursor<'_>,
    ) -> Result<bool, Error>;

    /// As [`Members::extra`].
    fn extra(partial: &mut Self::Partial) -> &mut Extra;

    /// As [`Members::finish`].
    fn finish(partial: Self::Partial, start: usize) -> Result<Self, Error>;

    /// The tag as written on the wire.
    fn tag(&self) -> &str;

    /// Writes the members, without the tag.
    fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;
}

/// The variants of a tagged union with their lifetimes.
#[doc(hidden)]
pub trait VariantShapes {
    /// In the order of the type.
    const VARIANTS: &'static [Variant];
}

/// The spellings a tag member has had, where it was renamed.
#[doc(hidden)]
pub trait TagKeys: Copy {
    /// The spellings with the releases that used them.
    const KEYS: &'static [(&'static str, Lifetime)];

    /// The spelling at an index of [`TagKeys::KEYS`].
    fn at(index: usize) -> Self;

    /// The index in [`TagKeys::KEYS`].
    fn index(self) -> usize;
}

/// A kind of message, item or action that no release known to this crate has written: the tag
/// as it came and every member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// The tag.
    pub tag: String,
    /// All other members.
    pub members: Extra,
}

/// A kind that no release known to this crate has written, where kinds are written as
/// `{"kind": …}` or `"kind"`.
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

/// Reads `"kind"`, or an object with the kind as its only member.
#[doc(hidden)]
pub fn read_external<T>(
    cursor: &mut Cursor<'_>,
    bare: impl FnOnce(&str) -> T,
    mut with_value: impl FnMut(&str, &mut Cursor<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    if cursor.kind()? == Kind::String {
        return Ok(bare(&cursor.string()?));
    }
    let start = object_start(cursor)?;
    let mut value = None;
    cursor.object(|cursor, key| {
        if value.is_some() {
            return Err(cursor.fault(ErrorKind::TwoKinds));
        }
        value = Some(with_value(key, cursor)?);
        Ok(())
    })?;
    value.ok_or_else(|| Error::at(ErrorKind::NoKind, start))
}

/// Reads a struct.
#[doc(hidden)]
#[inline]
pub fn read_object<T: Members>(cursor: &mut Cursor<'_>) -> Result<T, Error> {
    let mut partial = T::Partial::default();
    let start = object_start(cursor)?;
    cursor.object(|cursor, key| {
        if T::member(&mut partial, key, cursor).map_err(|e| e.in_member(key))? {
            return Ok(());
        }
        keep(T::extra(&mut partial), key, cursor)
    })?;
    T::finish(partial, start)
}

/// Reads a tagged union whose tag is the member `tag`.
#[doc(hidden)]
#[inline]
pub fn read_union<T: Variants>(tag: &'static str, cursor: &mut Cursor<'_>) -> Result<T, Error> {
    let start = object_start(cursor)?;
    let found = peek_tag(tag, cursor)?;
    let mut partial = T::start(&found);
    let mut tag_seen = false;
    cursor.object(|cursor, key| {
        if !tag_seen && key == tag {
            tag_seen = true;
            return cursor.skip();
        }
        if T::member(&mut partial, key, cursor).map_err(|e| e.in_member(key))? {
            return Ok(());
        }
        keep(T::extra(&mut partial), key, cursor)
    })?;
    T::finish(partial, start)
}

/// Finds which spelling of its tag an object uses, and the tag.
#[doc(hidden)]
#[inline]
pub fn peek_tag_key<'a, K: TagKeys>(cursor: &mut Cursor<'a>) -> Result<(K, Cow<'a, str>), Error> {
    let start = object_start(cursor)?;
    for (index, (key, _)) in K::KEYS.iter().enumerate() {
        if let Some(tag) = cursor.peek_tag(key)? {
            return Ok((K::at(index), tag));
        }
    }
    Err(Error::at(ErrorKind::Missing(K::KEYS[0].0), start))
}

/// Finds the tag of the object that comes next.
#[doc(hidden)]
#[inline]
pub fn peek_tag<'a>(key: &'static str, cursor: &mut Cursor<'a>) -> Result<Cow<'a, str>, Error> {
    let start = object_start(cursor)?;
    cursor
        .peek_tag(key)?
        .ok_or_else(|| Error::at(ErrorKind::Missing(key), start))
}

/// Demands an object and returns the offset of its brace.
#[doc(hidden)]
#[inline]
pub fn object_start(cursor: &mut Cursor<'_>) -> Result<usize, Error> {
    cursor.expect_kind(Kind::Object)?;
    Ok(cursor.offset())
}

/// Keeps a member nobody names.
#[doc(hidden)]
pub fn keep(extra: &mut Extra, key: &str, cursor: &mut Cursor<'_>) -> Result<(), Error> {
    let raw = Raw::read(cursor).map_err(|e| e.in_member(key))?;
    extra.push(key, raw);
    Ok(())
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

impl<T: Wire> Wire for Vec<T> {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let mut out = Vec::new();
        cursor.array(|cursor, index| {
            out.push(T::read(cursor).map_err(|e| e.in_element(index))?);
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

/// A JSON object used as a map: names are data, order is kept, a doubled name stays doubled.
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
        cursor.object(|cursor, key| {
            let value = T::read(cursor).map_err(|e| e.in_member(key))?;
            out.push((key.to_owned(), value));
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
