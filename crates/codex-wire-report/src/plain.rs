//! Makes text safe to print: names and paths come from the input and may contain anything.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::Totals;

/// Text in which characters that steer a terminal are written as escapes.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if steers(c) {
            // Writing to a string cannot fail.
            let _ = write!(out, "{}", c.escape_default());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Text in which each character that steers a terminal is replaced by one of width 1, so that
/// a line below it can point at places in it.
pub(crate) fn replaced(text: &str) -> Cow<'_, str> {
    if text.contains(steers) {
        Cow::Owned(text.replace(steers, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether a character moves the cursor, changes colours, ends a line or reverses the direction of
/// writing.
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// A number with its thousands set apart: `1,234`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with the noun it counts, in the singular or the plural.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    let noun = if number == 1 { one } else { many };
    format!("{} {noun}", grouped(number))
}

/// The sums of a run, plainly.
pub(crate) fn sums(totals: &Totals) -> String {
    let counts = totals.counts;
    let mut parts = vec![
        counted(totals.inputs, "input", "inputs"),
        counted(totals.messages, "message", "messages"),
    ];
    let several = [
        (totals.conforms, "conforms", "conform"),
        (totals.findings, "does not conform", "do not conform"),
        (
            totals.not_exercised,
            "holds no messages",
            "hold no messages",
        ),
        (totals.unreadable, "unreadable", "unreadable"),
        (counts.error, "error", "errors"),
        (counts.warning, "warning", "warnings"),
        (counts.note, "note", "notes"),
        (counts.expected, "expected", "expected"),
        (
            totals.stale,
            "stale entry in the baseline",
            "stale entries in the baseline",
        ),
    ];
    for (number, one, many) in several {
        if number > 0 {
            parts.push(counted(number, one, many));
        }
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (12_345, "12,345"),
            (123_456, "123,456"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn steering_characters_do_not_get_through() {
        let hostile = "a\x1b[31m\u{202e}b\u{9b}ü";
        assert_eq!(escaped(hostile), "a\\u{1b}[31m\\u{202e}b\\u{9b}ü");
        assert_eq!(replaced(hostile), "a\u{fffd}[31m\u{fffd}b\u{fffd}ü");
        assert_eq!(
            escaped("\u{61c}\u{2028}\u{2069}"),
            "\\u{61c}\\u{2028}\\u{2069}"
        );
        assert!(matches!(escaped("plain …"), Cow::Borrowed(_)));
    }
}
