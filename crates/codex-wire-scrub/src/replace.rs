//! Replaces parts of lines: strings with their escapes, and what stands outside strings.

use std::ops::Range;

use crate::cipher::{Chain, Key};
use crate::role::MARKS;
use crate::tokens::{Part, Token, decoded, parts};

/// Where a byte of a string stands in the string with its escapes.
pub(crate) fn place_in(raw: &[u8], at: usize) -> usize {
    let (mut read, mut written) = (0, 0);
    for part in parts(raw) {
        let (bytes, stands_for) = match part {
            Part::Bytes(bytes) => (bytes, bytes.len()),
            Part::Escape(bytes, Some(character)) => (bytes, character.len_utf8()),
            Part::Escape(bytes, None) => (bytes, bytes.len()),
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
    around(chain, raw, |_| Vec::new(), out);
}

/// The same, except for [`marks`].
pub(crate) fn around_marks(chain: &mut Chain, raw: &[u8], out: &mut Vec<u8>) {
    around(chain, raw, |text| marks(text).collect(), out);
}

fn around(
    chain: &mut Chain,
    raw: &[u8],
    kept: impl Fn(&[u8]) -> Vec<Range<usize>>,
    out: &mut Vec<u8>,
) {
    for part in parts(raw) {
        let (written, character) = match part {
            Part::Bytes(bytes) => {
                let mut done = 0;
                for mark in kept(bytes) {
                    chain.push(&bytes[done..mark.start], out);
                    done = mark.end;
                    let mark = &bytes[mark];
                    mark.iter().for_each(|byte| chain.absorb(*byte));
                    out.extend_from_slice(mark);
                }
                chain.push(&bytes[done..], out);
                continue;
            }
            Part::Escape(written, None) => {
                written.iter().for_each(|byte| chain.absorb(*byte));
                out.extend_from_slice(written);
                continue;
            }
            Part::Escape(written, Some(character)) => (written, character),
        };
        let mut new = Vec::with_capacity(4);
        chain.push(character.encode_utf8(&mut [0; 4]).as_bytes(), &mut new);
        match &new[..] {
            _ if written[1] == b'u' => {
                let new = str::from_utf8(&new).ok().and_then(|new| new.chars().next());
                let new = new.unwrap_or(character);
                for unit in new.encode_utf16(&mut [0; 2]) {
                    out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                }
            }
            [byte @ (b'"' | b'\\')] => out.extend([b'\\', *byte]),
            _ => out.extend_from_slice(written),
        }
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
pub(crate) fn is_json(line: &[u8], tokens: &[Token]) -> bool {
    let first = line.iter().find(|byte| !byte.is_ascii_whitespace());
    match first {
        None | Some(b'{' | b'[' | b'"') => true,
        _ => tokens.len() == 1,
    }
}

/// Whether a string is a JSON object or array.
pub(crate) fn is_value(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'{' | b'['))
        && serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok()
}

/// Whether a string has nothing but white space, which may be escaped.
pub(crate) fn is_blank(raw: &[u8]) -> bool {
    decoded(raw).trim_ascii().is_empty()
}

/// Whether a text begins as a JSON object or array does.
pub(crate) fn is_open(text: &[u8]) -> bool {
    matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// Where the data begins in a data URL in base64.
pub(crate) fn data_url(raw: &[u8]) -> Option<usize> {
    let mark = b";base64,";
    let begin = raw.get(..raw.len().min(100))?;
    if !begin.starts_with(b"data:") || raw.contains(&b'\\') {
        return None;
    }
    let at = begin
        .windows(mark.len())
        .position(|window| window == mark)?;
    Some(at + mark.len())
}
