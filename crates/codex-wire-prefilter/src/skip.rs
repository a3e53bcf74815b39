//! Steps over white space and whole values.

/// The place behind white space.
#[inline]
pub(crate) fn space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The place behind a string, from behind its opening quote.
#[inline]
pub(crate) fn skip_string(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        match bytes[at] {
            b'"' => return Some(at + 1),
            _ => at += 2,
        }
    }
}

/// The place behind a value; the end of the text, where there is none.
pub(crate) fn skip(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    loop {
        let Some(byte) = bytes.get(at) else {
            return bytes.len();
        };
        match byte {
            b'"' => {
                let Some(end) = skip_string(bytes, at + 1) else {
                    return bytes.len();
                };
                at = end;
                if depth == 0 {
                    return at;
                }
            }
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                at += 1;
                match depth {
                    0 => return at - 1,
                    1 => return at,
                    _ => depth -= 1,
                }
            }
            b',' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return at,
            _ => at += 1,
        }
    }
}
