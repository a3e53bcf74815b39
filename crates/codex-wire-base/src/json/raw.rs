//! Keeps JSON values and numbers as the text they were written with.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::cursor::Cursor;
use crate::error::{Error, ErrorKind};
use crate::kind::Kind;
use crate::shape::ValueShape;
use crate::wire::{Wire, from_str};

/// A JSON value kept as the text it was written with: white space, number spelling, key order and
/// duplicate keys included.
///
/// A member that is `null` is [`Maybe::Null`](crate::Maybe::Null) and not a `Raw` of that text:
/// read back, the two are the same.
///
/// It is used for values whose structure others decide (tool arguments, structured results), and
/// for whatever this crate does not know.
#[derive(Clone)]
pub struct Raw(Box<RawValue>);

impl Raw {
    /// Takes over a JSON text.
    ///
    /// # Errors
    /// When `text` is not one well-formed JSON value.
    pub fn new(text: impl Into<String>) -> Result<Self, Error> {
        let text = text.into();
        let mut cursor = Cursor::new(&text);
        cursor
            .skip()
            .and_then(|()| cursor.end())
            .map_err(|error| error.placed(text.as_bytes(), 1))?;
        Self::checked(text.trim_matches([' ', '\t', '\n', '\r']), 0)
    }

    /// The text a value is written as.
    pub fn of<T: Wire + Serialize>(value: &T) -> Self {
        Self::written(value)
    }

    /// The text of a value of this crate that is no [`Wire`].
    pub(crate) fn written<T: Serialize>(value: &T) -> Self {
        match serde_json::value::to_raw_value(value) {
            Ok(raw) => Raw(raw),
            Err(_) => unreachable!("the types of this crate have string keys only"),
        }
    }

    /// The text.
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// The value as a tree. Of duplicate keys the last one is kept, as always in serde_json.
    ///
    /// # Errors
    /// When the text holds what JSON allows and a tree cannot hold: a number beyond all
    /// floating-point numbers, or half of a surrogate pair.
    pub fn to_value(&self) -> Result<serde_json::Value, serde_json::Error> {
        serde_json::from_str(self.get())
    }

    /// Reads the value as a type of this crate.
    ///
    /// # Errors
    /// When the text cannot be read as `T`.
    pub fn parse<T: Wire>(&self) -> Result<T, Error> {
        from_str(self.get())
    }

    /// Takes over text whose grammar the cursor has checked.
    ///
    /// serde_json offers no unchecked constructor, so it checks once more. The two grammars
    /// are the same, which a property test holds; were they not, the error says so.
    fn checked(text: &str, offset: usize) -> Result<Self, Error> {
        RawValue::from_string(text.to_owned())
            .map(Raw)
            .map_err(|_| Error::at(ErrorKind::Syntax("not a JSON value"), offset))
    }
}

impl From<serde_json::Value> for Raw {
    fn from(value: serde_json::Value) -> Self {
        match serde_json::value::to_raw_value(&value) {
            Ok(raw) => Raw(raw),
            Err(_) => unreachable!("a tree of JSON values always has a text"),
        }
    }
}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl PartialEq for Raw {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for Raw {}

impl Wire for Raw {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let text = cursor.raw()?;
        Self::checked(text, cursor.offset() - text.len())
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Raw)
    }
}

/// A number kept as it was written. It is used for numbers that Codex passes through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number(Raw);

impl Number {
    /// The number as it was spelt.
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// The nearest floating-point number.
    pub fn as_f64(&self) -> f64 {
        // The text is a JSON number, and those are all within Rust's grammar of floats.
        self.get().parse().unwrap_or(f64::NAN)
    }
}

impl From<f64> for Number {
    /// A number that JSON cannot write (NaN, infinities) becomes zero.
    fn from(value: f64) -> Self {
        let number = serde_json::Number::from_f64(value).unwrap_or_else(|| 0.into());
        Number(Raw::from(serde_json::Value::Number(number)))
    }
}

impl Wire for Number {
    const VALUE: ValueShape = ValueShape::Scalar(Kind::Number);

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        cursor.expect_kind(Kind::Number)?;
        Raw::read(cursor).map(Number)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}
