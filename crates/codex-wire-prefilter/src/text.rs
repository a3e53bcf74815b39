//! Decodes escapes in strings.

/// The place behind the escape whose backslash stands at `at`; of a surrogate pair, behind its
/// second half. Fails with the place of the backslash.
#[inline(always)]
pub(crate) fn escape(line: &[u8], at: usize) -> Result<usize, usize> {
    match line.get(at + 1) {
        Some(b'n' | b'"' | b'\\' | b't' | b'r' | b'/' | b'b' | b'f') => Ok(at + 2),
        Some(b'u') => unicode(line, at),
        _ => Err(at),
    }
}

fn unicode(line: &[u8], at: usize) -> Result<usize, usize> {
    match hex(line, at + 2).ok_or(at)? {
        0xd800..=0xdbff => {
            if line.get(at + 6..at + 8) != Some(b"\\u") {
                return Err(at);
            }
            match hex(line, at + 8).ok_or(at)? {
                0xdc00..=0xdfff => Ok(at + 12),
                _ => Err(at),
            }
        }
        0xdc00..=0xdfff => Err(at),
        _ => Ok(at + 6),
    }
}

/// Four hexadecimal digits.
#[inline(always)]
fn hex(line: &[u8], at: usize) -> Option<u32> {
    let digits: &[u8; 4] = line.get(at..)?.first_chunk()?;
    let [a, b, c, d] = digits.map(|digit| u32::from(DIGITS[usize::from(digit)]));
    let is_digits = (a | b | c | d) < 0x10;
    is_digits.then_some(a << 12 | b << 8 | c << 4 | d)
}

/// What each byte means as a hexadecimal digit, or more than any.
const DIGITS: [u8; 256] = {
    let mut digits = [u8::MAX; 256];
    let mut value = 0;
    while value < 16 {
        digits[b"0123456789abcdef"[value] as usize] = value as u8;
        digits[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    digits
};

/// The longest name or value of the schema that is recognised where it is written with escapes.
pub(crate) const LONGEST: usize = 256;

/// The text of a string that [`escape`] has found nothing wrong with, without its quotes. `None`
/// if it is longer than [`LONGEST`] bytes.
pub(crate) fn plain<'b>(string: &[u8], buffer: &'b mut [u8; LONGEST]) -> Option<&'b [u8]> {
    let (mut at, mut length) = (0, 0);
    while let Some(byte) = string.get(at) {
        let mut utf8 = [*byte, 0, 0, 0];
        let (next, size) = match (byte, string.get(at + 1)) {
            (b'\\', Some(b'u')) => {
                let next = unicode(string, at).ok()?;
                let code = code(string, at)?;
                (next, char::from_u32(code)?.encode_utf8(&mut utf8).len())
            }
            (b'\\', Some(escaped)) => {
                utf8[0] = named(*escaped);
                (at + 2, 1)
            }
            _ => (at + 1, 1),
        };
        buffer
            .get_mut(length..length + size)?
            .copy_from_slice(&utf8[..size]);
        (at, length) = (next, length + size);
    }
    buffer.get(..length)
}

/// The text of a string, written without its quotes. `None` if an escape is wrong.
pub(crate) fn decoded(written: &str) -> Option<String> {
    let bytes = written.as_bytes();
    // It is never longer than what is written.
    let mut text = String::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(run) = memchr::memchr(b'\\', &bytes[at..]) {
        let backslash = at + run;
        text.push_str(&written[at..backslash]);
        at = escape(bytes, backslash).ok()?;
        text.push(match bytes[backslash + 1] {
            b'u' => char::from_u32(code(bytes, backslash)?)?,
            escaped => char::from(named(escaped)),
        });
    }
    text.push_str(&written[at..]);
    Some(text)
}

/// What a letter behind a backslash stands for; other characters stand for themselves.
fn named(escaped: u8) -> u8 {
    match escaped {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'f' => 12,
        itself => itself,
    }
}

/// The character of an escape that [`unicode`] has found nothing wrong with.
fn code(line: &[u8], at: usize) -> Option<u32> {
    Some(match hex(line, at + 2)? {
        first @ 0xd800..=0xdbff => {
            0x10000 + ((first - 0xd800) << 10) + (hex(line, at + 8)? - 0xdc00)
        }
        code => code,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_serde_json_reads() {
        for text in [
            r#""type""#,
            r#""ty\u0070e""#,
            r#""\"\\\/\b\f\n\r\t""#,
            r#""\u00e9\ud83d\ude00é""#,
            r#""""#,
        ] {
            let expected: String = serde_json::from_str(text).expect("a string");
            let mut buffer = [0; LONGEST];
            let found = plain(&text.as_bytes()[1..text.len() - 1], &mut buffer);
            assert_eq!(found, Some(expected.as_bytes()), "{text}");
            assert_eq!(decoded(&text[1..text.len() - 1]), Some(expected), "{text}");
        }
        for wrong in [
            "\\",
            "\\x",
            "\\u12",
            "\\ud83d",
            "\\ud83d\\n",
            "\\ude00",
            "\\ud83d\\u0041",
        ] {
            assert_eq!(decoded(wrong), None, "{wrong}");
            assert!(serde_json::from_str::<String>(&format!("\"{wrong}\"")).is_err());
        }
        let mut buffer = [0; LONGEST];
        assert_eq!(plain(&[b'a'; LONGEST + 1], &mut buffer), None);
        assert!(plain(&[b'a'; LONGEST], &mut buffer).is_some());
    }
}
