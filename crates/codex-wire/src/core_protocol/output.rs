//! What a running command writes, as bytes.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::Wire;
use crate::error::Error;
use crate::json::{Cursor, Raw};

/// Where a command writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum ExecOutputStream {
    /// Its standard output.
    Stdout,
    /// Its standard error.
    Stderr,
    /// A value this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// What a command writes: an array of numbers up to 0.29.0, base64 from 0.30.0.
///
/// The two never stand for each other. Readers made for the early form take a string too and
/// store its characters, so they misread base64 without a word.
///
/// ```
/// use codex_wire::core_protocol::ExecOutputChunk;
///
/// let early: ExecOutputChunk = codex_wire::from_str("[104,105]")?;
/// let late: ExecOutputChunk = codex_wire::from_str(r#""aGk=""#)?;
/// assert_eq!(early.bytes()?, late.bytes()?);
/// assert_ne!(early, late);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(untagged)]
#[non_exhaustive]
pub enum ExecOutputChunk {
    /// The bytes one by one.
    ///
    /// Until 0.29.0.
    #[wire(until = "0.29.0")]
    Bytes(Vec<u8>),
    /// The bytes in base64.
    ///
    /// Since 0.30.0.
    #[wire(since = "0.30.0")]
    Base64(Base64),
    /// A shape this crate does not know.
    #[wire(unknown)]
    Unknown(Raw),
}

impl ExecOutputChunk {
    /// The bytes, whichever way they are written.
    ///
    /// # Errors
    /// When the base64 is bad, or the chunk is written in neither way.
    pub fn bytes(&self) -> Result<Cow<'_, [u8]>, Base64Error> {
        match self {
            ExecOutputChunk::Bytes(bytes) => Ok(Cow::Borrowed(bytes)),
            ExecOutputChunk::Base64(text) => text.decode().map(Cow::Owned),
            ExecOutputChunk::Unknown(_) => Err(Base64Error::NotBytes),
        }
    }
}

/// Bytes as base64 text, kept as it came: standard alphabet, padded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base64(String);

impl Base64 {
    /// The text of these bytes.
    pub fn encode(bytes: &[u8]) -> Self {
        Base64(STANDARD.encode(bytes))
    }

    /// The text, whether it is good base64 or not.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The bytes.
    ///
    /// # Errors
    /// When the text is not base64: a foreign character, a missing or stray `=`, bits left over.
    pub fn decode(&self) -> Result<Vec<u8>, Base64Error> {
        STANDARD.decode(&self.0).map_err(|error| match error {
            base64::DecodeError::InvalidByte(at, _)
            | base64::DecodeError::InvalidLastSymbol(at, _) => Base64Error::Symbol { at },
            base64::DecodeError::InvalidLength(_) | base64::DecodeError::InvalidPadding => {
                Base64Error::Length
            }
        })
    }
}

/// Bytes cannot be had from a chunk of output.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Base64Error {
    /// A character that base64 does not have, or not in that place.
    #[error("invalid base64 at byte {at}")]
    Symbol {
        /// The character's place in the text, counted from zero.
        at: usize,
    },
    /// The text breaks off, or its padding is wrong.
    #[error("base64 of a wrong length or padding")]
    Length,
    /// The chunk is neither an array of bytes nor a string.
    #[error("neither an array of bytes nor base64")]
    NotBytes,
}

impl Wire for Base64 {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        String::read(cursor).map(Base64)
    }
}

impl serde::Serialize for Base64 {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Base64 {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Base64".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "contentEncoding": "base64",
            // The last symbol before the padding must leave no bits over.
            "pattern": "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$",
        })
    }
}

#[cfg(feature = "proptest")]
impl crate::generate::Generate for Base64 {
    fn generate(_: crate::generate::Recipe) -> crate::generate::Strategy<Self> {
        use proptest::prelude::*;
        proptest::collection::vec(any::<u8>(), 0..9)
            .prop_map(|bytes| Base64::encode(&bytes))
            .boxed()
    }
}
