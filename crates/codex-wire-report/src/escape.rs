//! Makes text and JSON safe to print: names, paths and values come from the input and may contain
//! anything, such as characters that steer a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter};

/// Text in which characters that steer a terminal are written as escapes.
pub fn escaped(text: &str) -> Cow<'_, str> {
    with_escapes(text, is_terminal_control, escape)
}

/// Text of several lines, in which characters that steer a terminal are written as escapes, except for line feeds.
pub fn escaped_lines(text: &str) -> Cow<'_, str> {
    with_escapes(text, |c| c != '\n' && is_terminal_control(c), escape)
}

/// JSON text in which characters that steer a terminal are written as escapes of JSON, so its value stays the same. They occur in
/// strings only, and who wrote the text has escaped those that JSON forbids.
pub fn escaped_json(text: &str) -> Cow<'_, str> {
    let is_unsafe = |c: char| c >= '\u{7f}' && is_terminal_control(c);
    with_escapes(text, is_unsafe, |out, c| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

/// Text in which each character that steers a terminal is replaced by one of width 1, so that carets
/// in the line below point at the right characters.
pub(crate) fn replaced(text: &str) -> Cow<'_, str> {
    if text.contains(is_terminal_control) {
        Cow::Owned(text.replace(is_terminal_control, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether a character moves the cursor, changes colours, ends a line or reverses the direction of
/// writing.
pub fn is_terminal_control(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Writes a value as JSON on one line. Characters that steer a terminal become escapes, so the value
/// stays the same.
///
/// # Errors
/// When writing fails.
pub fn write_json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, Escaping);
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// Writes bytes as HTML in which nothing is markup. They may break off within a character.
#[cfg(feature = "timeline")]
pub(crate) fn write_html(out: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    let mut rest = bytes;
    while let Some(at) = rest
        .iter()
        .position(|byte| html_entity(char::from(*byte)).is_some())
    {
        out.write_all(&rest[..at])?;
        let entity = html_entity(char::from(rest[at])).unwrap_or_default();
        out.write_all(entity.as_bytes())?;
        rest = &rest[at + 1..];
    }
    out.write_all(rest)
}

/// What stands in HTML for a character that could be markup.
#[cfg(feature = "html")]
pub(crate) fn html_entity(c: char) -> Option<&'static str> {
    Some(match c {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        '\'' => "&#39;",
        _ => return None,
    })
}

/// Adds a character as an escape.
fn escape(out: &mut String, c: char) {
    // Writing to a string cannot fail.
    let _ = write!(out, "{}", c.escape_default());
}

fn with_escapes(
    text: &str,
    is_escaped: impl Fn(char) -> bool,
    escape: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_escaped(c) {
            escape(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_terminal_control(*c)) {
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

    #[cfg(feature = "timeline")]
    #[test]
    fn nothing_is_markup() {
        let mut out = Vec::new();
        write_html(&mut out, "<ü>&".as_bytes()).expect("a buffer");
        assert_eq!(out, "&lt;ü&gt;&amp;".as_bytes());
    }

    #[test]
    fn steering_characters_do_not_get_through() {
        let hostile = "a\x1b[31m\u{202e}b\u{9b}ü";
        assert_eq!(escaped(hostile), "a\\u{1b}[31m\\u{202e}b\\u{9b}ü");
        assert_eq!(replaced(hostile), "a\u{fffd}[31m\u{fffd}b\u{fffd}ü");
        assert_eq!(
            escaped("\u{61c}\u{2028}\u{2069}"),
            "\\u{61c}\\u{2028}\\u{2069}"
        );
        assert!(matches!(escaped("plain …"), Cow::Borrowed(_)));
        assert_eq!(escaped("a\nb"), "a\\nb");
        assert_eq!(escaped_lines("a\x7f\nb"), "a\\u{7f}\nb");
    }

    #[test]
    fn escaped_json_means_the_same() {
        let hostile = "a\x1b[31m\u{61c}b\u{9b}c\u{2028}d\u{202e}e\u{7f}\nü";
        let value = serde_json::json!({ hostile: [hostile] });
        let text = format!("{value:#}");
        let safe = escaped_json(&text);
        assert!(
            !safe.contains(|c| c != '\n' && is_terminal_control(c)),
            "{safe}"
        );
        let read: serde_json::Value = serde_json::from_str(&safe).unwrap();
        assert_eq!(read, value);
    }
}
