//! Cuts a line into tokens, whether it is JSON or not.
//!
//! What stands between tokens (braces, commas, quotes, white space) is kept as it is. So a line that
//! is not JSON stays none, in the same way.

use std::borrow::Cow;

use memchr::memchr2;

/// A token, and its bytes. Of a string they are without the quotes, and escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `{`
    Object,
    /// `[`
    Array,
    /// `}` or `]`
    Close,
    /// A string before a colon.
    Key,
    String,
    /// A string without its last quote: the line ends in it.
    Cut,
    /// Anything else: a number, a literal, or what is not JSON.
    Bare,
}

impl Token {
    /// Its bytes.
    pub(crate) fn of(self, line: &[u8]) -> &[u8] {
        &line[self.start..self.end]
    }
}

/// Appends the tokens of a line to `out`.
pub(crate) fn tokens(line: &[u8], out: &mut Vec<Token>) {
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        let start = at;
        at += 1;
        let kind = match byte {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'}' | b']' => Kind::Close,
            b'"' => {
                let (kind, end) = string(line, at);
                out.push(Token {
                    kind,
                    start: at,
                    end,
                });
                at = end + usize::from(kind != Kind::Cut);
                continue;
            }
            byte if is_between(*byte) => continue,
            _ => {
                let is_end = |byte: &u8| is_between(*byte) || b"{}[]\"".contains(byte);
                let rest = &line[at..];
                at += rest.iter().position(is_end).unwrap_or(rest.len());
                Kind::Bare
            }
        };
        out.push(Token {
            kind,
            start,
            end: at,
        });
    }
}

/// What the string is that begins there, and where it ends.
fn string(line: &[u8], start: usize) -> (Kind, usize) {
    let mut at = start;
    loop {
        let Some(found) = line.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) else {
            return (Kind::Cut, line.len());
        };
        at += found;
        if line[at] == b'"' {
            break;
        }
        at += 2;
    }
    let behind = line[at + 1..].iter().find(|byte| !is_space(**byte));
    match behind {
        Some(b':') => (Kind::Key, at),
        _ => (Kind::String, at),
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_between(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b',' | b':')
}

/// A part of a string: bytes as they are, or an escape.
pub(crate) enum Part<'a> {
    Bytes(&'a [u8]),
    /// An escape, and the character that it stands for. Half a pair of surrogates and what is no
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
                let (length, stands_for) = escape(raw);
                (Part::Escape(&raw[..length], stands_for), length)
            }
            plain => (Part::Bytes(&raw[..plain]), plain),
        };
        raw = &raw[length..];
        Some(part)
    })
}

/// The length of the escape that begins there, and what it stands for.
fn escape(raw: &[u8]) -> (usize, Option<char>) {
    let simple = match raw.get(1) {
        None => return (1, None),
        Some(b'u') => None,
        Some(b'n') => Some('\n'),
        Some(b't') => Some('\t'),
        Some(b'r') => Some('\r'),
        Some(b'b') => Some('\u{8}'),
        Some(b'f') => Some('\u{c}'),
        Some(byte @ (b'"' | b'\\' | b'/')) => Some(char::from(*byte)),
        Some(byte) if byte.is_ascii() => return (2, None),
        // The backslash alone: a character must not be cut.
        Some(_) => return (1, None),
    };
    if simple.is_some() {
        return (2, simple);
    }
    let hex = |at: usize| {
        let digits = raw.get(at..at + 4)?;
        let text = str::from_utf8(digits).ok()?;
        let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
        is_hex.then(|| u32::from_str_radix(text, 16).ok())?
    };
    let Some(first) = hex(2) else {
        let digits = raw[2..].iter().take(4);
        let digits = digits.take_while(|byte| byte.is_ascii_hexdigit()).count();
        return (2 + digits, None);
    };
    if (0xd800..0xdc00).contains(&first)
        && raw.get(6..8) == Some(b"\\u")
        && let Some(second @ 0xdc00..0xe000) = hex(8)
    {
        let pair = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        return (12, char::from_u32(pair));
    }
    (6, char::from_u32(first))
}

/// A string without its escapes.
pub(crate) fn decoded(raw: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', raw).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut out = Vec::with_capacity(raw.len());
    for part in parts(raw) {
        match part {
            Part::Bytes(bytes) | Part::Escape(bytes, None) => out.extend_from_slice(bytes),
            Part::Escape(_, Some(character)) => {
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
    Cow::Owned(out)
}

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

    #[test]
    fn what_is_no_json_has_tokens() {
        let line = br#"{"a" :1,"b":[tru "c"#;
        let mut found = Vec::new();
        tokens(line, &mut found);
        let found: Vec<_> = found
            .iter()
            .map(|token| (token.kind, token.of(line)))
            .collect();
        assert_eq!(
            found,
            [
                (Kind::Object, &b"{"[..]),
                (Kind::Key, b"a"),
                (Kind::Bare, b"1"),
                (Kind::Key, b"b"),
                (Kind::Array, b"["),
                (Kind::Bare, b"tru"),
                (Kind::Cut, b"c"),
            ]
        );
    }
}
