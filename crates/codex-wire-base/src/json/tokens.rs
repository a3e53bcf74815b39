//! Cuts a line into tokens, whether it is JSON or not.
//!
//! A [`Cursor`](super::Cursor) checks the grammar, and stops where a line is not JSON. Whoever shows a
//! line or scrubs it has to go on to its end: these tokens are what both of them see.

use memchr::memchr2;

/// A token, and where it stands. A string has its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its first byte.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// `{`
    Object,
    /// `[`
    Array,
    /// `}` or `]`
    Close,
    /// A comma, a colon, or one byte of white space.
    Between,
    /// A string before a colon.
    Key,
    /// Any other string.
    String,
    /// A string without its last quote: the line ends in it.
    Cut,
    /// Anything else: a number, a literal, or what is not JSON.
    Bare,
}

/// The token that begins at a place of a line; `None` at the end.
#[inline]
pub fn token(line: &[u8], start: usize) -> Option<Token> {
    let (kind, end) = match line.get(start)? {
        b'{' => (TokenKind::Object, start + 1),
        b'[' => (TokenKind::Array, start + 1),
        b'}' | b']' => (TokenKind::Close, start + 1),
        b'"' => string(line, start),
        byte if is_between(*byte) => (TokenKind::Between, start + 1),
        _ => {
            let is_end = |byte: &u8| is_between(*byte) || b"{}[]\"".contains(byte);
            let rest = &line[start + 1..];
            let length = rest.iter().position(is_end).unwrap_or(rest.len());
            (TokenKind::Bare, start + 1 + length)
        }
    };
    Some(Token { kind, start, end })
}

/// What the string is whose first quote stands there, and where it ends.
fn string(line: &[u8], start: usize) -> (TokenKind, usize) {
    let mut at = start + 1;
    loop {
        let Some(found) = line.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) else {
            return (TokenKind::Cut, line.len());
        };
        at += found;
        if line[at] == b'"' {
            break;
        }
        at += 2;
    }
    let behind = line[at + 1..].iter().find(|byte| !is_space(**byte));
    match behind {
        Some(b':') => (TokenKind::Key, at + 1),
        _ => (TokenKind::String, at + 1),
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_between(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b',' | b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_json_has_tokens() {
        let line = br#"{"a\"" :1,"b":[tru "c"#;
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(token) = token(line, at) {
            assert_eq!(token.start, at, "nothing is left out");
            at = token.end;
            if token.kind != TokenKind::Between {
                found.push((token.kind, &line[token.start..token.end]));
            }
        }
        assert_eq!(at, line.len());
        assert_eq!(
            found,
            [
                (TokenKind::Object, &b"{"[..]),
                (TokenKind::Key, br#""a\"""#),
                (TokenKind::Bare, b"1"),
                (TokenKind::Key, br#""b""#),
                (TokenKind::Array, b"["),
                (TokenKind::Bare, b"tru"),
                (TokenKind::Cut, br#""c"#),
            ]
        );
    }
}
