//! A value of a column. A column of SQLite may hold any type, whatever it was declared as.

use serde_json::json;

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Real(f64),
    /// A text.
    Text(String),
    /// Bytes, or a text that is not UTF-8. No known column needs them, so only their number is kept.
    Bytes(u64),
    /// A text with more bytes than are read, and their number.
    TooLong(u64),
}

impl Value {
    /// What its type is called in findings.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Integer(_) => "an integer",
            Value::Real(_) => "a real number",
            Value::Text(_) => "a text",
            Value::Bytes(_) => "bytes",
            Value::TooLong(_) => "a text that is too long",
        }
    }

    /// The number, if it is a whole one.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Value::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The same in JSON. Bytes and long texts are objects with the number of bytes; so is a number that JSON does
    /// not have.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Value::Null => serde_json::Value::Null,
            Value::Integer(number) => (*number).into(),
            Value::Real(number) => serde_json::Number::from_f64(*number)
                .map_or_else(|| json!({"real": number.to_string()}), Into::into),
            Value::Text(text) => text.clone().into(),
            Value::Bytes(bytes) => json!({"bytes": bytes}),
            Value::TooLong(bytes) => json!({"text_bytes": bytes}),
        }
    }
}
