//! Reads escapes in strings.

/// An escape, and what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Escape {
    /// How many bytes it has.
    pub length: usize,
    /// The character that it stands for. Half of a surrogate pair and what is not an escape stand for none.
    pub character: Option<char>,
}

/// The escape whose backslash `text` begins with. Of what is not an escape, `length` has the part that could
/// be the beginning of one, and never a part of a character.
#[inline]
pub fn escape(text: &[u8]) -> Escape {
    let of = |length, character| Escape { length, character };
    match text.get(1) {
        None => of(1, None),
        Some(b'u') => unicode(text),
        Some(b'n') => of(2, Some('\n')),
        Some(b't') => of(2, Some('\t')),
        Some(b'r') => of(2, Some('\r')),
        Some(b'b') => of(2, Some('\u{8}')),
        Some(b'f') => of(2, Some('\u{c}')),
        Some(byte @ (b'"' | b'\\' | b'/')) => of(2, Some(char::from(*byte))),
        Some(byte) if byte.is_ascii() => of(2, None),
        // The backslash alone: a character must not be cut.
        Some(_) => of(1, None),
    }
}

/// The number that four hexadecimal digits stand for.
#[inline]
pub(crate) fn hex(text: &[u8], at: usize) -> Option<u32> {
    let digits = text.get(at..at + 4)?;
    digits.iter().try_fold(0, |code, digit| {
        Some(code * 16 + char::from(*digit).to_digit(16)?)
    })
}

fn unicode(text: &[u8]) -> Escape {
    let of = |length, character| Escape { length, character };
    let Some(first) = hex(text, 2) else {
        let digits = text[2..].iter().take(4);
        let digits = digits.take_while(|byte| byte.is_ascii_hexdigit()).count();
        return of(2 + digits, None);
    };
    if (0xd800..0xdc00).contains(&first)
        && text.get(6..8) == Some(b"\\u")
        && let Some(second @ 0xdc00..0xe000) = hex(text, 8)
    {
        let pair = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        return of(12, char::from_u32(pair));
    }
    of(6, char::from_u32(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read() {
        let of = |text: &str| {
            let escape = escape(text.as_bytes());
            (escape.length, escape.character)
        };
        assert_eq!(of(r"\nx"), (2, Some('\n')));
        assert_eq!(of(r"\/"), (2, Some('/')));
        assert_eq!(of(r"\u00e9a"), (6, Some('é')));
        assert_eq!(of(r"\uD83E\udd80a"), (12, Some('\u{1f980}')));
        for (broken, length) in [
            ("\\", 1),
            (r"\x", 2),
            ("\\é", 1),
            (r"\u", 2),
            (r"\u12g4", 4),
            (r"\ud83e", 6),
            (r"\udd80", 6),
            (r"\ud83e\n", 6),
            (r"\ud83e\ud83e", 6),
        ] {
            assert_eq!(of(broken), (length, None), "{broken}");
        }
    }
}
