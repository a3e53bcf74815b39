//! Reads objects and unions member by member; the output of the derive calls this module.
//!
//! There are more than a thousand types. What they have in common is done here behind trait objects
//! (`dyn` [`Fields`]), so that it is compiled once and not once per type.
//!
//! If a key is repeated, the first value fills the member. The next value fills the next member of
//! that name, if the type has one (web searches do); otherwise it goes to the extra members.

use std::borrow::Cow;
use std::mem;

use serde::ser::SerializeMap;

use crate::error::{Error, ErrorKind};
use crate::json::{Cursor, Extra, Kind, Raw};
use crate::maybe::Maybe;
use crate::shape::{AdjacentVariant, ReleaseBounds, Variant};
use crate::values::Unknown;
use crate::wire::Wire;

/// The members of an object read so far.
///
/// Reading goes through this as a trait object: what is done for every member of every object
/// is then compiled once and not once per type.
pub trait Fields {
    /// Reads the member `key` if the type names it and has no value for it yet.
    fn member(&mut self, key: &str, cursor: &mut Cursor<'_>) -> Result<bool, Error>;

    /// The first member that is not there and has to be.
    fn missing(&self) -> Option<&'static str> {
        None
    }
}

/// No members.
impl Fields for () {
    fn member(&mut self, _: &str, _: &mut Cursor<'_>) -> Result<bool, Error> {
        Ok(false)
    }
}

/// An object type, read member by member.
pub trait Members: Sized {
    /// The members read so far.
    type Partial: Default + Fields;

    /// The value, once the object that began at `start` has been read.
    fn finish(partial: Self::Partial, extra: Extra, start: usize) -> Result<Self, Error>;

    /// Writes the members.
    fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;

    /// Writes the tag of the union it is in, and the members.
    fn tagged_entries<M: SerializeMap>(
        &self,
        (key, tag): (&'static str, &str),
        map: &mut M,
    ) -> Result<(), M::Error> {
        map.serialize_entry(key, tag)?;
        self.entries(map)
    }
}

/// A tagged union, read once its tag is known.
pub trait Variants: Sized {
    /// Reads the members of the variant the tag chooses.
    fn read(tag: &str, object: Object<'_>, cursor: &mut Cursor<'_>) -> Result<Self, Error>;

    /// The tag as written on the wire.
    fn tag(&self) -> &str;

    /// Writes the members, without the tag.
    fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;

    /// Writes the members and, under that key, the tag.
    fn tagged_entries<M: SerializeMap>(
        &self,
        key: &'static str,
        map: &mut M,
    ) -> Result<(), M::Error>;
}

/// A union whose content stands beside the tag.
pub trait Contents: Sized {
    /// The name of the tag member.
    const TAG: &'static str;

    /// The name of the member that holds the content.
    const CONTENT: &'static str;

    /// The kinds, in the order of the type.
    const VARIANTS: &'static [AdjacentVariant];

    /// Reads the content that a tag asks for into `to`; where it asks for none, nothing is read.
    /// Contents are large, and returning one would copy it.
    fn with_content(tag: &str, cursor: &mut Cursor<'_>, to: &mut Option<Self>)
    -> Result<(), Error>;

    /// The value of a tag without content; `None` if it asks for some.
    fn without_content(tag: &str) -> Option<Self>;

    /// The tag as written on the wire.
    fn tag(&self) -> &str;

    /// Writes the tag and the content.
    fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;
}

/// The variants of a tagged union with their availabilities.
pub trait VariantShapes {
    /// In the order of the type.
    const VARIANTS: &'static [Variant];
}

/// The spellings a tag member has had, where it was renamed.
pub trait TagKeys: Copy {
    /// The spellings with the releases that used them.
    const KEYS: &'static [(&'static str, ReleaseBounds)];

    /// The spelling at an index of [`TagKeys::KEYS`].
    fn at(index: usize) -> Self;

    /// The index in [`TagKeys::KEYS`].
    fn index(self) -> usize;
}

/// Reads `"kind"`, or an object with the kind as its only member.
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

/// An object about to be read: what its members are besides those of the type that reads it.
pub struct Object<'o> {
    /// The member that was read ahead.
    tag: Option<&'static str>,
    /// The members of the type that embeds the one to be read.
    base: Option<&'o mut dyn Fields>,
}

impl<'o> Object<'o> {
    /// An object that is nothing but what reads it.
    pub fn plain() -> Self {
        Object {
            tag: None,
            base: None,
        }
    }

    /// An object with a tag and members of its own.
    pub fn embedding(tag: &'static str, base: &'o mut dyn Fields) -> Self {
        Object {
            tag: Some(tag),
            base: Some(base),
        }
    }

    /// Reads it as a struct.
    pub fn read<T: Members>(self, cursor: &mut Cursor<'_>) -> Result<T, Error> {
        let mut partial = T::Partial::default();
        let (extra, start) = self.members(&mut partial, cursor)?;
        T::finish(partial, extra, start)
    }

    /// Keeps it whole.
    pub fn read_unknown(self, tag: &str, cursor: &mut Cursor<'_>) -> Result<Unknown, Error> {
        cursor.met_unknown();
        Ok(Unknown {
            tag: tag.to_owned(),
            members: self.members(&mut (), cursor)?.0,
        })
    }

    /// Reads all members and returns those that no field names, and where the object began.
    fn members(
        self,
        own: &mut dyn Fields,
        cursor: &mut Cursor<'_>,
    ) -> Result<(Extra, usize), Error> {
        let start = object_start(cursor)?;
        let Object { mut tag, mut base } = self;
        let mut extra = Extra::new();
        cursor.object(|cursor, key| {
            if tag == Some(key) {
                tag = None;
                return cursor.skip();
            }
            if let Some(base) = &mut base
                && base.member(key, cursor).map_err(|e| e.in_member(key))?
            {
                return Ok(());
            }
            if own.member(key, cursor).map_err(|e| e.in_member(key))? {
                return Ok(());
            }
            keep(&mut extra, key, cursor)
        })?;
        match base {
            Some(base) if base.missing().is_some() => Err(missing(base, start)),
            _ => Ok((extra, start)),
        }
    }
}

/// Reads a tagged union whose tag is the member `tag`.
pub fn read_union<T: Variants>(tag: &'static str, cursor: &mut Cursor<'_>) -> Result<T, Error> {
    let found = peek_tag(tag, cursor)?;
    let object = Object {
        tag: Some(tag),
        base: None,
    };
    T::read(&found, object, cursor)
}

/// Reads an object with a tag, the content it asks for into `value`, and the members of `base`;
/// returns the others. Where there is no value then, [`no_content`] says so.
pub fn read_beside<T: Contents>(
    cursor: &mut Cursor<'_>,
    base: &mut dyn Fields,
    start: usize,
    value: &mut Option<T>,
) -> Result<Extra, Error> {
    let tag = peek_tag(T::TAG, cursor)?;
    let (mut tag_seen, mut extra) = (false, Extra::new());
    cursor.object(|cursor, key| {
        if !tag_seen && key == T::TAG {
            tag_seen = true;
            return cursor.skip();
        }
        if value.is_none() && key == T::CONTENT {
            T::with_content(&tag, cursor, value).map_err(|e| e.in_member(key))?;
            if value.is_some() {
                return Ok(());
            }
        } else if base.member(key, cursor).map_err(|e| e.in_member(key))? {
            return Ok(());
        }
        keep(&mut extra, key, cursor)
    })?;
    if base.missing().is_some() {
        return Err(missing(base, start));
    }
    if value.is_none() {
        *value = T::without_content(&tag);
    }
    Ok(extra)
}

/// That there is no content in the object that began at `start`.
#[cold]
pub fn no_content<T: Contents>(start: usize) -> Error {
    Error::at(ErrorKind::Missing(T::CONTENT), start)
}

/// Reads a union from its tag and its content.
pub fn from_parts<T: Contents>(tag: &str, content: Option<&Raw>) -> Result<T, Error> {
    let text = content.map(Raw::get).unwrap_or_default();
    let mut value = None;
    let read = match content {
        Some(_) => T::with_content(tag, &mut Cursor::new(text), &mut value)
            .map_err(|e| e.in_member(T::CONTENT)),
        None => Ok(()),
    };
    read.and_then(|()| {
        value
            .or_else(|| T::without_content(tag))
            .ok_or_else(|| Error::at(ErrorKind::Missing(T::CONTENT), 0))
    })
    .map_err(|error| error.placed(text.as_bytes(), 1))
}

/// The shapes a value may have, tried one after the other.
///
/// Types read much that they do not know, so more than one shape may fit: an enumeration takes
/// any string. The shape of the value is the one that leaves the least unknown, and of several
/// alike the first.
pub struct Attempts<'a, T> {
    start: Cursor<'a>,
    best: Option<(usize, T, Cursor<'a>)>,
}

impl<'a, T> Attempts<'a, T> {
    /// No shape tried yet on the value that comes next.
    pub fn new(cursor: &Cursor<'a>) -> Self {
        Attempts {
            start: cursor.clone(),
            best: None,
        }
    }

    /// Tries a shape, unless one has fitted without a rest.
    pub fn shape<A: Wire>(&mut self, make: fn(A) -> T) {
        let least = self
            .best
            .as_ref()
            .map_or(usize::MAX, |(unknown, ..)| *unknown);
        let mut ahead = self.start.clone();
        if least > 0
            && let Ok(value) = A::read(&mut ahead)
        {
            let unknown = ahead.unknown() - self.start.unknown();
            if unknown < least {
                self.best = Some((unknown, make(value), ahead));
            }
        }
    }

    /// Tries a shape that fits any value, unless another has fitted.
    pub fn otherwise<A: Wire>(&mut self, make: fn(A) -> T) {
        if self.best.is_none() {
            self.shape(make);
        }
    }

    /// The value, with the cursor behind it; nothing if no shape fitted.
    pub fn best(self, cursor: &mut Cursor<'a>) -> Option<T> {
        let (_, value, behind) = self.best?;
        *cursor = behind;
        Some(value)
    }
}

/// Reads a member that is always there, unless it has been read.
pub fn fill<T: Wire>(slot: &mut Option<T>, cursor: &mut Cursor<'_>) -> Result<bool, Error> {
    if slot.is_some() {
        return Ok(false);
    }
    let value = T::read(cursor)?;
    // There is nothing to drop, and no code for it to compile.
    mem::forget(slot.replace(value));
    Ok(true)
}

/// Reads a member with three states, unless it has been read.
pub fn fill_maybe<T: Wire>(slot: &mut Maybe<T>, cursor: &mut Cursor<'_>) -> Result<bool, Error> {
    if !slot.is_absent() {
        return Ok(false);
    }
    let value = if cursor.null()? {
        Maybe::Null
    } else {
        Maybe::Value(T::read(cursor)?)
    };
    mem::forget(mem::replace(slot, value));
    Ok(true)
}

/// The name of the first member that is not there.
pub fn first_missing(there: &[bool], names: &'static [&'static str]) -> Option<&'static str> {
    let first = there.iter().position(|there| !there)?;
    names.get(first).copied()
}

/// That a member is missing from the object that began at `start`.
#[cold]
pub fn missing(fields: &dyn Fields, start: usize) -> Error {
    let name = fields.missing().unwrap_or_default();
    Error::at(ErrorKind::Missing(name), start)
}

/// Whether two texts are the same, for constants.
pub const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Finds which spelling of its tag an object uses, and the tag.
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
#[inline]
pub fn peek_tag<'a>(key: &'static str, cursor: &mut Cursor<'a>) -> Result<Cow<'a, str>, Error> {
    let start = object_start(cursor)?;
    cursor
        .peek_tag(key)?
        .ok_or_else(|| Error::at(ErrorKind::Missing(key), start))
}

/// Demands an object and returns the offset of its brace.
#[inline]
pub fn object_start(cursor: &mut Cursor<'_>) -> Result<usize, Error> {
    cursor.expect_kind(Kind::Object)?;
    Ok(cursor.offset())
}

/// Keeps a member that no field names.
fn keep(extra: &mut Extra, key: &str, cursor: &mut Cursor<'_>) -> Result<(), Error> {
    cursor.met_unknown();
    let raw = Raw::read(cursor).map_err(|e| e.in_member(key))?;
    extra.push(key, raw);
    Ok(())
}
