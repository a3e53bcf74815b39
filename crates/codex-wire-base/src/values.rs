//! The types that stand for what has no type of its own: unknown kinds, `null`, and objects with
//! names that are data.

use serde::Serialize;
use serde::ser::SerializeMap;

use crate::error::{Error, ErrorKind};
use crate::json::{Cursor, Extra, Kind, Raw};
use crate::shape::ValueShape;
use crate::wire::{Wire, entries, value_of, whole};

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

impl Unknown {
    /// Reads the members as a type of one's own. The tag is not among them, as it is not in the types of known kinds.
    ///
    /// ```
    /// # use codex_wire_base::{Unknown, json::Raw};
    /// let mut unknown = Unknown { tag: "poem".to_owned(), ..Unknown::default() };
    /// unknown.members.push("lines", Raw::new("14")?);
    /// // `lines` of a struct that derives `Wire`, or of a map:
    /// let poem: codex_wire_base::Map<u32> = unknown.parse()?;
    /// assert_eq!(poem.get("lines"), Some(&14));
    /// # Ok::<(), codex_wire_base::Error>(())
    /// ```
    ///
    /// # Errors
    /// When they cannot be read as `T`.
    pub fn parse<T: Wire>(&self) -> Result<T, Error> {
        self.members.parse()
    }
}

/// Writes the members, without the tag: [`parse`](Unknown::parse) reads the same. What name the tag has is known to the
/// union, which writes both.
impl Serialize for Unknown {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.members.serialize(serializer)
    }
}

impl UnknownCall {
    /// Makes one without content.
    pub fn bare(tag: impl Into<String>) -> Self {
        UnknownCall {
            tag: tag.into(),
            content: None,
        }
    }

    /// Reads the content as a type of one's own; `None` where there is none.
    ///
    /// # Errors
    /// When it cannot be read as `T`.
    pub fn parse<T: Wire>(&self) -> Result<Option<T>, Error> {
        self.content.as_ref().map(Raw::parse).transpose()
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
    /// `null`, as most releases write it.
    pub fn new() -> Self {
        NoParams(Raw::of(&Null))
    }

    /// What came.
    pub fn raw(&self) -> &Raw {
        &self.0
    }
}

impl Default for NoParams {
    fn default() -> Self {
        Self::new()
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
    const VALUE: ValueShape = ValueShape::Scalar(Kind::Null);

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

/// The whole number `N` and no other, such as the version of an answer's form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Exactly<const N: u8>;

impl<const N: u8> Wire for Exactly<N> {
    const VALUE: ValueShape = ValueShape::Scalar(Kind::Number);

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let text = cursor.number()?;
        let (min, max) = (N.into(), N.into());
        match whole(text) {
            Some(value) if value == min => Ok(Exactly),
            _ => Err(Error::at(
                ErrorKind::OutOfRange { min, max },
                cursor.offset() - text.len(),
            )),
        }
    }
}

impl<const N: u8> Serialize for Exactly<N> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(N)
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

    /// Reads what it holds as a type of one's own; `None` for a bare kind.
    ///
    /// # Errors
    /// When it cannot be read as `T`.
    pub fn parse<T: Wire>(&self) -> Result<Option<T>, Error> {
        self.value.as_ref().map(Raw::parse).transpose()
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

impl<K: Into<String>, V: Into<T>, T, const N: usize> From<[(K, V); N]> for Map<T> {
    fn from(entries: [(K, V); N]) -> Self {
        let entries = entries.into_iter();
        entries.map(|(k, v)| (k.into(), v.into())).collect()
    }
}

impl<T: Wire> Wire for Map<T> {
    const VALUE: ValueShape = ValueShape::Map(value_of::<T>);

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
