//! The tokens of a line, whether it is JSON or not, and the texts of strings.
//!
//! `codex-wire-base` finds the tokens, as it does for the excerpts of findings. What stands between them
//! (commas, colons, quotes, white space) is kept as it is. So a line that is not JSON stays none, in the
//! same way.

use std::borrow::Cow;

use codex_wire_base::json::tokens::{self as json, TokenKind, token};
use codex_wire_base::json::{Escape, escape};

/// A token, and its bytes. Of a string they are without the quotes, and escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Token {
    /// Its bytes.
    pub(crate) fn of(self, line: &[u8]) -> &[u8] {
        &line[self.start..self.end]
    }
}

/// The tokens of a line from a byte on, except for what stands between them. They are found as they are
/// asked for: a list of them would take more memory than the line.
pub(crate) fn tokens(line: &[u8], mut at: usize) -> impl Iterator<Item = Token> + '_ {
    std::iter::from_fn(move || {
        loop {
            let json::Token { kind, start, end } = token(line, at)?;
            at = end;
            let (start, end) = match kind {
                TokenKind::Between => continue,
                TokenKind::Key | TokenKind::String => (start + 1, end - 1),
                TokenKind::Cut => (start + 1, end),
                _ => (start, end),
            };
            return Some(Token { kind, start, end });
        }
    })
}

/// A part of a string: bytes as they are, or an escape.
pub(crate) enum Part<'a> {
    Bytes(&'a [u8]),
    /// An escape, and the character that it stands for. Half a pair of surrogates and what is not an
    /// escape stand for none.
    Escape(&'a [u8], Option<char>),
}

/// The parts of an escaped string.
pub(crate) fn parts(mut raw: &[u8]) -> impl Iterator<Item = Part<'_>> {
    std::iter::from_fn(move || {
        if raw.is_empty() {
            return None;
        }
        let plain = memchr::memchr(b'\\', raw).unwrap_or(raw.len());
        let (part, length) = match plain {
            0 => {
                let Escape { length, character } = escape(raw);
                (Part::Escape(&raw[..length], character), length)
            }
            plain => (Part::Bytes(&raw[..plain]), plain),
        };
        raw = &raw[length..];
        Some(part)
    })
}

/// Whether all escapes of a string stand for characters.
pub(crate) fn is_whole(raw: &[u8]) -> bool {
    parts(raw).all(|part| !matches!(part, Part::Escape(_, None)))
}

/// A string without its escapes. Those that stand for no character are [`NO_CHARACTER`].
pub(crate) fn decoded(raw: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', raw).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut out = Vec::with_capacity(raw.len());
    for part in parts(raw) {
        match part {
            Part::Bytes(bytes) => out.extend_from_slice(bytes),
            Part::Escape(_, character) => {
                let character = character.unwrap_or(NO_CHARACTER);
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
    Cow::Owned(out)
}

/// What an escape that stands for no character is read as.
pub(crate) const NO_CHARACTER: char = char::REPLACEMENT_CHARACTER;

/// Appends a string with the escapes that JSON requires, as Codex writes them.
pub(crate) fn encode(text: &[u8], out: &mut Vec<u8>) {
    for byte in text {
        let short = match byte {
            b'"' | b'\\' => *byte,
            b'\n' => b'n',
            b'\t' => b't',
            b'\r' => b'r',
            8 => b'b',
            12 => b'f',
            0..0x20 => {
                out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
                continue;
            }
            byte => {
                out.push(*byte);
                continue;
            }
        };
        out.extend([b'\\', short]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_read_and_written() {
        let raw = r#"a\"b\\c\nd\u00e9\ud83e\udd80\u0001"#;
        let text = decoded(raw.as_bytes());
        assert_eq!(&*text, "a\"b\\c\nd\u{e9}\u{1f980}\u{1}".as_bytes());
        let mut out = Vec::new();
        encode(&text, &mut out);
        assert_eq!(decoded(&out), text);
        for broken in [r"\ud83e", r"\u12", r"\x", "\\", "\\\u{e9}"] {
            let length: usize = parts(broken.as_bytes())
                .map(|part| match part {
                    Part::Bytes(bytes) | Part::Escape(bytes, _) => bytes.len(),
                })
                .sum();
            assert_eq!(length, broken.len(), "{broken}");
        }
    }
}
