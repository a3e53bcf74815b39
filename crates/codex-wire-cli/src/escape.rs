//! Makes text safe to print: names and values come from files and may contain anything.

use std::borrow::Cow;
use std::fmt::Write as _;

pub(crate) use codex_wire_report::escaped as plain;
use codex_wire_report::is_terminal_control;

/// Text of several lines, in which characters that steer a terminal become escapes.
pub(crate) fn page(text: &str) -> Cow<'_, str> {
    let is_unsafe = |c: char| c != '\n' && is_terminal_control(c);
    with_escapes(text, is_unsafe, |out, c| {
        let _ = write!(out, "{}", c.escape_default());
    })
}

/// JSON, in which characters that steer a terminal become escapes, so its value stays the same. They
/// occur in strings only, and the writer has escaped those that JSON forbids.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    let is_unsafe = |c: char| c >= '\u{7f}' && is_terminal_control(c);
    with_escapes(text, is_unsafe, |out, c| {
        let mut units = [0; 2];
        for unit in c.encode_utf16(&mut units) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

fn with_escapes(
    text: &str,
    is_escaped: impl Fn(char) -> bool,
    escape: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_escaped(c) {
            escape(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\x1b[31m\u{61c}b\u{9b}c\u{2028}d\u{202e}e\u{7f}\nü";

    #[test]
    fn nothing_steers() {
        assert_eq!(
            plain(HOSTILE),
            "a\\u{1b}[31m\\u{61c}b\\u{9b}c\\u{2028}d\\u{202e}e\\u{7f}\\nü"
        );
        assert!(page(HOSTILE).ends_with("\nü"));
        assert!(matches!(plain("plain …"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_means_the_same() {
        let value = serde_json::json!({ HOSTILE: [HOSTILE] });
        let text = format!("{value:#}");
        let safe = json(&text);
        assert!(
            !safe.contains(|c| c != '\n' && is_terminal_control(c)),
            "{safe}"
        );
        let read: serde_json::Value = serde_json::from_str(&safe).unwrap();
        assert_eq!(read, value);
    }
}
