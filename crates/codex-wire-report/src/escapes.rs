//! Writes JSON that is safe to print: characters that steer a terminal become escapes, so the value
//! stays the same.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter};

use crate::plain::steers;

/// Writes a value as JSON on one line.
///
/// # Errors
/// When writing fails.
pub fn write_json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, Escaping);
    value.serialize(&mut serializer).map_err(io::Error::from)
}

struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| steers(*c)) {
            CompactFormatter.write_string_fragment(writer, &rest[..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &rest[at + c.len_utf8()..];
        }
        CompactFormatter.write_string_fragment(writer, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_the_same() {
        let hostile = "a\u{1b}[31m\u{202e}\u{2028}b\u{9b}\u{61c}\u{7f}ü\"\\\n😀";
        let mut out = Vec::new();
        write_json(&mut out, &[hostile]).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "[\"a\\u001b[31m\\u202e\\u2028b\\u009b\\u061c\\u007fü\\\"\\\\\\n😀\"]"
        );
        let back: Vec<String> = serde_json::from_str(&text).unwrap();
        assert_eq!(back, [hostile]);
    }
}
