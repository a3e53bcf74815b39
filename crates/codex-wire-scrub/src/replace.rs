//! Replaces parts of lines: strings with their escapes, and what stands outside strings.

use std::ops::Range;

use crate::cipher::{Chain, Key};
use crate::role::MARKS;
use crate::tokens::{NO_CHARACTER, Part, encode, parts, tokens};

/// Where a byte of a string stands in the string with its escapes.
pub(crate) fn place_in(raw: &[u8], at: usize) -> usize {
    let (mut read, mut written) = (0, 0);
    for part in parts(raw) {
        let (bytes, stands_for) = match part {
            Part::Bytes(bytes) => (bytes, bytes.len()),
            Part::Escape(bytes, character) => (bytes, character.unwrap_or(NO_CHARACTER).len_utf8()),
        };
        if read + stands_for > at {
            return written
                + if matches!(part, Part::Bytes(_)) {
                    at - read
                } else {
                    0
                };
        }
        read += stands_for;
        written += bytes.len();
    }
    written
}

/// Replaces an escaped string. Escapes stay escapes.
pub(crate) fn escaped(chain: &mut Chain, raw: &[u8], out: &mut Vec<u8>) {
    for part in parts(raw) {
        match part {
            Part::Bytes(bytes) => chain.push(bytes, out),
            Part::Escape(written, character) => {
                let mut text = [0; 4];
                // What is not a character stays: that has no other placeholder.
                let character = character.unwrap_or(NO_CHARACTER);
                let text = character.encode_utf8(&mut text).as_bytes();
                let mut new = Vec::with_capacity(4);
                chain.push(text, &mut new);
                escape(written, text, &new, out);
            }
        }
    }
}

/// The same, except for [`marks`].
pub(crate) fn around_marks(chain: &mut Chain, raw: &[u8], text: &[u8], out: &mut Vec<u8>) {
    let mut new = Vec::with_capacity(text.len());
    let mut done = 0;
    for mark in marks(text) {
        chain.push(&text[done..mark.start], &mut new);
        done = mark.end;
        let mark = &text[mark];
        mark.iter().for_each(|byte| chain.absorb(*byte));
        new.extend_from_slice(mark);
    }
    chain.push(&text[done..], &mut new);
    with_escapes_of(raw, &new, out);
}

/// Appends what replaces the text of an escaped string: with its escapes if all has its place there, so that everything
/// stands where it stood. A number may have got another width.
pub(crate) fn escaped_as(raw: &[u8], text: &[u8], new: &[u8], out: &mut Vec<u8>) {
    let mut pairs = text.iter().zip(new);
    match text.len() == new.len() && pairs.all(|(one, other)| is_in_place(*one, *other)) {
        true => with_escapes_of(raw, new, out),
        false => encode(new, out),
    }
}

/// Whether a byte can have the escape of another one.
fn is_in_place(one: u8, other: u8) -> bool {
    let is_quote = |byte| matches!(byte, b'"' | b'\\');
    let is_rest = |byte: u8| byte & 0xc0 == 0x80;
    one == other
        || !one.is_ascii_control()
            && !other.is_ascii_control()
            && is_quote(one) == is_quote(other)
            && is_rest(one) == is_rest(other)
}

/// Appends what replaces the text of an escaped string, with escapes where that has them. The two are
/// equally long, with characters of the same length, and quotes and backslashes are where there are some.
pub(crate) fn with_escapes_of(raw: &[u8], mut new: &[u8], out: &mut Vec<u8>) {
    for part in parts(raw) {
        let mut text = [0; 4];
        let (written, text) = match part {
            Part::Bytes(bytes) => (bytes, bytes),
            Part::Escape(written, character) => {
                let character = character.unwrap_or(NO_CHARACTER);
                (written, character.encode_utf8(&mut text).as_bytes())
            }
        };
        let (here, rest) = new.split_at(text.len().min(new.len()));
        new = rest;
        match part {
            Part::Bytes(_) => out.extend_from_slice(here),
            Part::Escape(..) => escape(written, text, here, out),
        }
    }
}

/// Appends the character that replaces another one, as an escape of the same kind if it has one.
fn escape(written: &[u8], text: &[u8], new: &[u8], out: &mut Vec<u8>) {
    match new {
        _ if text == new => out.extend_from_slice(written),
        _ if written.get(1) == Some(&b'u') => {
            let new = str::from_utf8(new).ok().and_then(|new| new.chars().next());
            let Some(new) = new else {
                return out.extend_from_slice(written);
            };
            for unit in new.encode_utf16(&mut [0; 2]) {
                out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
            }
        }
        [byte @ (b'"' | b'\\')] => out.extend([b'\\', *byte]),
        new => out.extend_from_slice(new),
    }
}

/// Where marks stand in a text by which Codex knows what not to show. They stay in session files,
/// where texts are whole.
pub(crate) fn marks(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let begins = memchr::memchr_iter(b'<', text);
    begins.filter_map(|at| {
        let mark = MARKS.iter().find(|mark| text[at..].starts_with(mark))?;
        Some(at..at + mark.len())
    })
}

/// Letters of words that are not JSON. None of them begins a literal.
const LETTERS: &[u8] = b"ABCDGHJKLMOPQRSUVWXYZ";

/// Replaces what stands outside strings: numbers that are payload, and words that are no literals.
pub(crate) fn bare(key: Key, raw: &[u8], is_payload: bool, out: &mut Vec<u8>) {
    let is_literal = [&b"true"[..], b"false", b"null"]
        .iter()
        .any(|literal| literal.starts_with(raw));
    let is_number = raw.iter().any(u8::is_ascii_digit)
        && raw
            .iter()
            .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte));
    if is_literal || is_number && !is_payload {
        return out.extend_from_slice(raw);
    }
    let mut chain = key.chain();
    // A zero stays, and no number begins with one that did not; powers of ten stay.
    let mut leads = true;
    let mut is_power = false;
    for byte in raw {
        let new = match byte {
            b'0' if is_number && leads => b'0',
            b'0'..=b'9' if is_number && is_power => *byte,
            b'0'..=b'9' => {
                let first = u8::from(is_number && leads);
                leads = false;
                let size = 10 - first;
                let moved = u64::from(byte - b'0').wrapping_sub(first.into());
                b'0' + first + ((moved + chain.number(size.into())) % u64::from(size)) as u8
            }
            b'e' | b'E' if is_number => {
                is_power = true;
                *byte
            }
            byte if byte.is_ascii_alphabetic() => {
                LETTERS[chain.number(LETTERS.len() as u64) as usize]
            }
            byte if byte.is_ascii() => *byte,
            byte => {
                out.push(chain.next(*byte));
                continue;
            }
        };
        chain.absorb(*byte);
        out.push(new);
    }
}

/// Whether a line is JSON, or may have been: other lines are text.
pub(crate) fn is_json(line: &[u8]) -> bool {
    let first = line.iter().find(|byte| !byte.is_ascii_whitespace());
    match first {
        None | Some(b'{' | b'[' | b'"') => true,
        _ => tokens(line, 0).nth(1).is_none(),
    }
}

/// Whether a string is a JSON object or array.
pub(crate) fn is_value(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'{' | b'[')) && is_complete(text)
}

/// Whether a string is JSON.
pub(crate) fn is_complete(text: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok()
}

/// Whether a text has nothing but white space.
pub(crate) fn is_blank(text: &[u8]) -> bool {
    text.trim_ascii().is_empty()
}

/// Whether a text begins as a JSON object or array does.
pub(crate) fn is_open(text: &[u8]) -> bool {
    matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// What the type of a data URL begins with.
const MEDIA: [&[u8]; 6] = [
    b"application",
    b"audio",
    b"font",
    b"image",
    b"text",
    b"video",
];

/// Where the data begins in a data URL in base64, which has nothing else than a type and data. Parameters, such as the
/// name of a file, are private: what has some is text.
pub(crate) fn data_url(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"data:")?;
    let comma = memchr::memchr(b',', &rest[..rest.len().min(100)])?;
    let (head, data) = (&rest[..comma], &rest[comma + 1..]);
    let media = head.strip_suffix(b";base64")?;
    let slash = memchr::memchr(b'/', media)?;
    let is_media = MEDIA.contains(&&media[..slash])
        && media[slash + 1..]
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b".+-".contains(byte));
    let symbols = data.iter().rposition(|byte| *byte != b'=');
    let is_data = data[..symbols.map_or(0, |at| at + 1)]
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(byte));
    (is_media && is_data).then_some(text.len() - data.len())
}
