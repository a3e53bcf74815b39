//! Values with a form that their placeholder keeps: UUIDs, times, and names with a release in them.

use chrono::{Datelike as _, NaiveDateTime, TimeDelta};

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
const COUNTED: [&str; 4] = ["item_", "auto-compact-", "item-", "rollout-"];

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

/// Replaces a UUID by another one of the same version. One of version 7 begins with a time, which moves as
/// far as all times do, so that the order of ids stays: rules compare them.
pub(crate) fn uuid(key: Key, text: &[u8], out: &mut Vec<u8>) {
    let symbols: &[u8; 16] = match text.iter().any(u8::is_ascii_uppercase) {
        true => b"0123456789ABCDEF",
        false => b"0123456789abcdef",
    };
    let mut chain = key.chain();
    let time = moved_time(key, text);
    for (at, byte) in text.iter().enumerate() {
        if let Some(time) = time
            && at < TIME_IN_UUID
        {
            // The dash is not a digit of the time.
            let digit = at - usize::from(at > 8);
            out.push(match at {
                8 => b'-',
                _ => symbols[(time >> (44 - 4 * digit)) as usize % 16],
            });
            chain.absorb(*byte);
            continue;
        }
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

/// How many characters of a UUID of version 7 are its time, with a dash.
const TIME_IN_UUID: usize = 13;

/// The milliseconds that a UUID of version 7 begins with, moved.
fn moved_time(key: Key, text: &[u8]) -> Option<u64> {
    if text[14] != b'7' {
        return None;
    }
    let digits = text[..8].iter().chain(&text[9..TIME_IN_UUID]);
    let time = digits.fold(0, |time, digit| {
        time * 16 + u64::from(char::from(*digit).to_digit(16).unwrap_or(0))
    });
    let (seconds, part) = offset(key);
    let ms = seconds * 1000 + (part / 10u64.pow(DIGITS as u32 - 3)) as i64;
    Some(time.wrapping_add_signed(ms) % (1 << 48))
}

/// How far times move: seconds, and a part of one in units of the last digit that moves.
fn offset(key: Key) -> (i64, u64) {
    let mut chain = key.chain();
    let seconds = chain.number(2 * FARTHEST);
    chain.absorb(b'.');
    let part = chain.number(10u64.pow(DIGITS as u32));
    let seconds = match seconds.checked_sub(FARTHEST) {
        Some(later) => later as i64 + 1,
        None => -(seconds as i64) - 1,
    };
    (seconds, part)
}

/// The form of a time as RFC 3339 has it, up to the second.
const TIME: &str = "%Y-%m-%dT%H:%M:%S";

/// How many bytes that is.
const TO_SECOND: usize = 19;

/// How many digits of a fraction move.
const DIGITS: usize = 9;

/// How far times move at most, in seconds: about half a year.
const FARTHEST: u64 = 180 * 24 * 3600;

/// A time as RFC 3339 has it: what it says up to the second, and where its fraction ends, which
/// begins behind the point. `None` if it is not a time.
fn time(text: &[u8]) -> Option<(NaiveDateTime, usize)> {
    let begin = text.get(..TO_SECOND)?;
    // Nearly all texts are none, and parsing takes long.
    if !begin[0].is_ascii_digit() || begin[10] != b'T' || begin[13] != b':' {
        return None;
    }
    let begin = str::from_utf8(begin).ok()?;
    let time = NaiveDateTime::parse_from_str(begin, TIME).ok()?;
    // Only texts of this very form; a leap second has no place among the others.
    if time.format(TIME).to_string() != begin || begin.ends_with(":60") {
        return None;
    }
    let mut end = TO_SECOND;
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
    (zone.is_empty() || zone == b"Z" || is_offset).then_some((time, end))
}

/// Moves a time. All times move equally far, so that their order stays.
pub(crate) fn moved(key: Key, text: &[u8], out: &mut Vec<u8>) {
    let Some((time, end)) = time(text) else {
        return out.extend_from_slice(text);
    };
    let (seconds, part) = offset(key);
    let seconds = TimeDelta::seconds(seconds);
    let fraction = text.get(TO_SECOND + 1..end).unwrap_or_default();
    let (fraction, rest) = fraction.split_at(fraction.len().min(DIGITS));
    let size = 10u64.pow(fraction.len() as u32);
    let value = fraction
        .iter()
        .fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
    let value = value + part / 10u64.pow((DIGITS - fraction.len()) as u32);
    let mut new = time + seconds + TimeDelta::seconds((value / size) as i64);
    // A year has four digits.
    if !(0..=9999).contains(&new.year()) {
        new = time - seconds + TimeDelta::seconds((value / size) as i64);
    }
    out.extend_from_slice(new.format(TIME).to_string().as_bytes());
    if end > TO_SECOND {
        out.push(b'.');
        let width = fraction.len();
        if width > 0 {
            out.extend_from_slice(format!("{:0width$}", value % size).as_bytes());
        }
        out.extend_from_slice(rest);
    }
    out.extend_from_slice(&text[end..]);
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

/// How long the beginning is by which a path of Windows is absolute: `C:\` or `C:/`, or the `\\` of a share.
/// It stays, as the slash of other paths does.
pub(crate) fn drive(text: &[u8]) -> usize {
    match text {
        [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic() => 3,
        [b'\\', b'\\', ..] => 2,
        _ => 0,
    }
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
            ("2026-01-31T23:59:59.123456+01:00", Shape::Time),
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
    fn times_keep_their_order() {
        let times = [
            "2025-12-31T23:59:59.999Z",
            "2026-01-01T00:00:00.000Z",
            "2026-01-01T00:00:00.001Z",
            "2026-02-28T12:00:00.000Z",
            "2026-03-01T11:59:59.999Z",
        ];
        for number in 0..50 {
            let new: Vec<String> = times
                .iter()
                .map(|time| {
                    let mut out = Vec::new();
                    moved(Key::new([number; 16]), time.as_bytes(), &mut out);
                    String::from_utf8(out).expect("digits and signs")
                })
                .collect();
            assert!(new.is_sorted_by(|one, other| one < other), "{new:?}");
            assert!(new.iter().zip(times).all(|(new, time)| new != time));
        }
        let ids = [
            "01a20fd6-0ade-76f0-8de9-1a442854c1d8",
            "01a20fd6-0aeb-79e1-924b-4893f4c9870b",
            "01a20fd6-ffff-7000-8000-000000000000",
            "01a20fd7-0000-7000-8000-000000000000",
        ];
        for number in 0..50 {
            let new = ids.map(|id| {
                let mut out = Vec::new();
                uuid(Key::new([number; 16]), id.as_bytes(), &mut out);
                String::from_utf8(out).expect("digits and dashes")
            });
            let times = new.each_ref().map(|id| &id[..TIME_IN_UUID]);
            assert!(times.is_sorted_by(|one, other| one < other), "{new:?}");
        }
        for time in ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59.9Z"] {
            for number in 0..50 {
                let mut out = Vec::new();
                moved(Key::new([number; 16]), time.as_bytes(), &mut out);
                assert_eq!(out.len(), time.len());
            }
        }
    }

    #[test]
    fn a_release_is_found_in_a_name() {
        let agent = b"rig/0.169.0 (Debian 12.0.0; x86_64) dumb (rig; 1.0.0)";
        assert_eq!(release_in(agent), Some(3..13));
        assert_eq!(release_in(b"rig"), None);
    }
}
