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

use crate::availability::Availability;
use crate::cursor::Cursor;
use crate::error::{Error, ErrorKind};
use crate::kind::Kind;
use crate::shape::{Shape, ValueShape};

pub use codex_wire_derive::Wire;

/// A value that can be read from JSON text.
pub trait Wire: Sized {
    /// Reads the value that comes next and leaves the cursor behind it.
    ///
    /// # Errors
    /// When the text is malformed or cannot be read as this type; the error names the place.
    #[doc(hidden)]
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error>;

    /// What its values look like.
    #[doc(hidden)]
    const VALUE: ValueShape = ValueShape::Any;
}

/// What the values of a type look like; a function, because types hold themselves at some depth.
pub(crate) fn value_of<T: Wire>() -> ValueShape {
    T::VALUE
}

/// A type with a description: its members, kinds and values, and the releases that have them.
pub trait Described {
    /// The description.
    #[doc(hidden)]
    const SHAPE: &'static Shape;

    /// The releases that have a member, a kind or a value of this type, by its name on the wire;
    /// `None` if no release has it.
    ///
    /// A kind is a tag of a union, such as a type of items. Where a union has members of its own, a
    /// kind goes before a member of the same name.
    fn availability(name: &str) -> Option<Availability> {
        Self::SHAPE.availability(name)
    }
}

/// Reads one JSON text as a type that derives [`Wire`].
///
/// # Errors
/// When the text is malformed or cannot be read as the type; the error has line, column and path.
pub fn from_str<T: Wire>(text: &str) -> Result<T, Error> {
    let mut cursor = Cursor::new(text);
    // Messages are large: each way through a closure would copy one.
    let mut read = T::read(&mut cursor);
    if read.is_ok()
        && let Err(error) = cursor.end()
    {
        read = Err(error);
    }
    if let Err(error) = &mut read {
        error.place(text.as_bytes(), 1);
    }
    read
}

/// As [`from_str`], from bytes that should be UTF-8.
///
/// # Errors
/// As [`from_str`], and when the bytes are not UTF-8.
pub fn from_slice<T: Wire>(bytes: &[u8]) -> Result<T, Error> {
    match simdutf8::compat::from_utf8(bytes) {
        Ok(text) => from_str(text),
        Err(error) => Err(Error::at(ErrorKind::InvalidUtf8, error.valid_up_to()).placed(bytes, 1)),
    }
}

/// Writes a value as one line of JSON text, without the newline. A line break in a [`Raw`](crate::json::Raw) stands between
/// values, and becomes a space.
pub fn to_string<T: Wire + serde::Serialize>(value: &T) -> String {
    match serde_json::to_string(value) {
        Ok(text) if memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none() => text,
        Ok(text) => text.replace(['\n', '\r'], " "),
        Err(_) => unreachable!("the types of this crate have string keys only"),
    }
}

impl Wire for String {
    const VALUE: ValueShape = ValueShape::Scalar(Kind::String);

    #[inline]
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        cursor.string().map(Into::into)
    }
}

impl Wire for bool {
    const VALUE: ValueShape = ValueShape::Scalar(Kind::Bool);

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        cursor.bool()
    }
}

type EachElement<'e> = dyn FnMut(&mut Cursor<'_>) -> Result<(), Error> + 'e;
pub(crate) type EachEntry<'e> = dyn FnMut(&mut Cursor<'_>, &str) -> Result<(), Error> + 'e;

/// Reads an array. Compiled once, where the cursor's own function is once per use.
fn elements(cursor: &mut Cursor<'_>, element: &mut EachElement<'_>) -> Result<(), Error> {
    cursor.array(|cursor, index| element(cursor).map_err(|e| e.in_element(index)))
}

/// Reads an object whose names are data; compiled once as well.
pub(crate) fn entries(cursor: &mut Cursor<'_>, entry: &mut EachEntry<'_>) -> Result<(), Error> {
    cursor.object(|cursor, key| entry(cursor, key).map_err(|e| e.in_member(key)))
}

impl<T: Wire> Wire for Vec<T> {
    const VALUE: ValueShape = ValueShape::List(value_of::<T>);

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
    const VALUE: ValueShape = T::VALUE;

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        T::read(cursor).map(Box::new)
    }
}

macro_rules! integers {
    ($($ty:ty),*) => {$(
        impl Wire for $ty {
            const VALUE: ValueShape = ValueShape::Scalar(Kind::Number);

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
    const VALUE: ValueShape = ValueShape::Scalar(Kind::Number);

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
pub(crate) fn whole(text: &str) -> Option<i128> {
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
