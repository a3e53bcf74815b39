//! Values with a form that their placeholder keeps: UUIDs, times, and names with a release in them.

use crate::cipher::Key;
use crate::words::is_release;

/// The form of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// It says nothing private: a release, or the number of something.
    Open,
    Uuid,
    Time,
    Plain,
}

/// What ids that are counted begin with. The model has no place for it.
const COUNTED: [&str; 2] = ["item_", "auto-compact-"];

/// How many digits an id has at most that is only a number, as clients choose them.
const SMALL: usize = 3;

/// The form of a text. `is_id`: whether its member holds an id.
pub(crate) fn of(text: &[u8], is_id: bool) -> Shape {
    if is_id && is_counted(text) {
        return Shape::Open;
    }
    if is_uuid(text) {
        return Shape::Uuid;
    }
    if time(text).is_some() {
        return Shape::Time;
    }
    let digit = text.first().is_some_and(u8::is_ascii_digit);
    match digit && text.len() < 24 && str::from_utf8(text).is_ok_and(is_release) {
        true => Shape::Open,
        false => Shape::Plain,
    }
}

fn is_counted(text: &[u8]) -> bool {
    let digits = |text: &[u8], most: usize| {
        (1..=most).contains(&text.len()) && text.iter().all(u8::is_ascii_digit)
    };
    digits(text, SMALL)
        || COUNTED.iter().any(|begin| {
            text.strip_prefix(begin.as_bytes())
                .is_some_and(|rest| digits(rest, 9))
        })
}

fn is_uuid(text: &[u8]) -> bool {
    let is_lower = !text.iter().any(u8::is_ascii_uppercase);
    let is_upper = !text.iter().any(u8::is_ascii_lowercase);
    text.len() == 36
        && (is_lower || is_upper)
        && text.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Replaces a UUID by another one of the same version.
pub(crate) fn uuid(key: Key, text: &[u8], out: &mut Vec<u8>) {
    let symbols: &[u8; 16] = match text.iter().any(u8::is_ascii_uppercase) {
        true => b"0123456789ABCDEF",
        false => b"0123456789abcdef",
    };
    let mut chain = key.chain();
    for (at, byte) in text.iter().enumerate() {
        let place = symbols.iter().position(|symbol| symbol == byte);
        // The version, and what says that there is one.
        let stays = matches!(at, 14 | 19);
        out.push(match place.filter(|_| !stays) {
            Some(place) => symbols[(place + chain.number(16) as usize) % 16],
            None => *byte,
        });
        chain.absorb(*byte);
    }
}

/// A part of a time: where it begins, how many digits it has, its first value, how many values it
/// has.
type Field = (usize, usize, u64, u64);

/// The parts of a time as RFC 3339 has it that are replaced; `None` if it is no time.
fn time(text: &[u8]) -> Option<Vec<Field>> {
    let fixed = b"0000-00-00T00:00:00";
    let begin = text.get(..fixed.len())?;
    let fits = begin.iter().zip(fixed).all(|(byte, form)| match form {
        b'0' => byte.is_ascii_digit(),
        form => byte == form,
    });
    if !fits {
        return None;
    }
    let mut end = fixed.len();
    if text.get(end) == Some(&b'.') {
        let digits = text[end + 1..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit());
        end += 1 + digits.count();
    }
    let zone = &text[end..];
    let is_offset = zone.len() == 6
        && matches!(zone[0], b'+' | b'-')
        && zone[3] == b':'
        && [1, 2, 4, 5].iter().all(|at| zone[*at].is_ascii_digit());
    if !(zone.is_empty() || zone == b"Z" || is_offset) {
        return None;
    }
    let mut fields: Vec<Field> = vec![(11, 2, 0, 24), (14, 2, 0, 60), (17, 2, 0, 60)];
    // Other months may be too short for the last days.
    if number(text, (8, 2, 1, 28)).is_some() {
        fields.splice(..0, [(5, 2, 1, 12), (8, 2, 1, 28)]);
    }
    fields.extend((fixed.len() + 1..end).map(|at| (at, 1, 0, 10)));
    Some(fields)
}

/// The value of a part, counted from its first one; `None` if it has none of its values.
fn number(text: &[u8], (at, digits, first, size): Field) -> Option<u64> {
    let value = text[at..at + digits]
        .iter()
        .fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
    value.checked_sub(first).filter(|value| *value < size)
}

/// Replaces month, day and time of day.
pub(crate) fn moved(key: Key, text: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(text);
    let new = &mut out[start..];
    let mut chain = key.chain();
    let mut before = 0;
    for field in time(text).unwrap_or_default() {
        let (at, digits, first, size) = field;
        text[before..at].iter().for_each(|byte| chain.absorb(*byte));
        before = at;
        let Some(value) = number(text, field) else {
            continue;
        };
        let mut value = first + (value + chain.number(size)) % size;
        for place in (at..at + digits).rev() {
            new[place] = b'0' + (value % 10) as u8;
            value /= 10;
        }
    }
}

/// Where the release stands in what a Codex calls itself: `client/0.169.0 (Debian 12; x86_64)`. The
/// end is behind what must follow it.
pub(crate) fn release_in(agent: &[u8]) -> Option<std::ops::Range<usize>> {
    let text = str::from_utf8(agent).ok()?;
    let (name, mark) = match text.find(" (") {
        Some(end) => (&text[..end], 2),
        None => (text, 0),
    };
    let start = name.rfind('/')?;
    is_release(name[start + 1..].trim()).then_some(start..name.len() + mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: fn() -> Key = || Key::new([3; 16]);

    #[test]
    fn a_placeholder_has_the_shape_of_its_value() {
        for (text, shape) in [
            ("01a1f986-0ff1-73d0-8aea-c2f1b1dec124", Shape::Uuid),
            ("2026-02-28T23:59:59Z", Shape::Time),
            ("2026-01-31T23:59:60.123456+01:00", Shape::Time),
        ] {
            assert_eq!(of(text.as_bytes(), false), shape);
            let mut out = Vec::new();
            match shape {
                Shape::Uuid => uuid(KEY(), text.as_bytes(), &mut out),
                _ => moved(KEY(), text.as_bytes(), &mut out),
            }
            assert_eq!(of(&out, false), shape);
            assert_eq!(out.len(), text.len());
            assert_ne!(out, text.as_bytes());
        }
        for (text, is_id, shape) in [
            ("item_12", true, Shape::Open),
            ("item_12", false, Shape::Plain),
            ("0", true, Shape::Open),
            ("1234", true, Shape::Plain),
            ("0.169.0", false, Shape::Open),
            ("2026-13-31", false, Shape::Plain),
        ] {
            assert_eq!(of(text.as_bytes(), is_id), shape, "{text}");
        }
    }

    #[test]
    fn a_release_is_found_in_a_name() {
        let agent = b"rig/0.169.0 (Debian 12.0.0; x86_64) dumb (rig; 1.0.0)";
        assert_eq!(release_in(agent), Some(3..13));
        assert_eq!(release_in(b"rig"), None);
    }
}
