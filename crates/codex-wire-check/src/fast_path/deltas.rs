//! A shortcut for texts that arrive in deltas: line after line that differs only in the delta and,
//! from 0.145.0 on, in the time.
//!
//! After two such lines without a violation, the next line is compared with the bytes around the
//! last delta. If all else is equal, everything found about the last line holds for this one:
//! neither the schema nor the order of messages depends on the text or the time. Only the delta
//! itself is checked.
//!
//! The shortcut starts when the state machine has seen two deltas of one text, and ends with any
//! other line, so streams without such texts pay nothing.

use std::borrow::Cow;

use codex_wire_base::lines::Line;
use codex_wire_prefilter::View;

use crate::framing::frame::text_of;

/// Where the delta of a message stands.
const DELTA: &str = "/params/delta";

/// What stands before the time, where a message ends with that.
const TIME: &[u8] = b",\"emittedAtMs\":";

/// How many digits a time has at most: any number of so many is one that the schemas allow.
const DIGITS: usize = 15;

/// How many bytes around a delta are kept. Codex writes some three hundred.
const MOST: usize = 4096;

/// The bytes around the delta of the last line.
#[derive(Debug, Default)]
pub(crate) struct DeltaTemplate {
    /// Up to the quote that opens it; empty where the last line was not a delta.
    before: Vec<u8>,
    /// From the quote that closes it, up to the time.
    behind: Vec<u8>,
    /// Whether the message ends with the time.
    is_timed: bool,
}

/// What comes before the time, if a message ends with that.
fn untimed(message: &[u8]) -> Option<&[u8]> {
    let rest = message.strip_suffix(b"}")?;
    let digits = rest.iter().rev().take_while(|byte| byte.is_ascii_digit());
    let (rest, time) = rest.split_at(rest.len() - digits.count());
    let is_time = matches!(time, [b'0'] | [b'1'..=b'9', ..]) && time.len() <= DIGITS;
    rest.strip_suffix(TIME).filter(|_| is_time)
}

impl DeltaTemplate {
    /// The last line was not a delta.
    pub(crate) fn clear(&mut self) {
        self.before.clear();
    }

    /// Keeps what stands around the delta of a message, if it has one.
    pub(crate) fn keep(&mut self, text: &str, message: View<'_>) {
        let delta = message.pointer(DELTA).filter(|delta| delta.is_string());
        let Some(delta) = delta else { return };
        let written = delta.as_written();
        // It stands in the line.
        let start = written.as_ptr() as usize - text.as_ptr() as usize + 1;
        let end = start + written.len() - 2;
        if text.len() - (end - start) > MOST {
            return;
        }
        self.before.clear();
        self.before.extend_from_slice(&text.as_bytes()[..start]);
        let behind = &text.as_bytes()[end..];
        let without = untimed(behind);
        self.is_timed = without.is_some();
        self.behind.clear();
        self.behind.extend_from_slice(without.unwrap_or(behind));
    }

    /// The delta of a line, if everything else in it is the same.
    pub(crate) fn delta<'l>(&self, line: &Line<'l>) -> Option<Cow<'l, str>> {
        if self.before.is_empty() || line.is_cut_off() {
            return None;
        }
        let rest = line.bytes.strip_prefix(self.before.as_slice())?;
        let rest = if self.is_timed { untimed(rest)? } else { rest };
        let written = rest.strip_suffix(self.behind.as_slice())?;
        let is_special = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
        let special = written
            .iter()
            .fold(false, |any, byte| any | is_special(*byte));
        if !special {
            return text_of(written).ok().map(Cow::Borrowed);
        }
        let from = self.before.len() - 1;
        let quoted = &line.bytes[from..from + written.len() + 2];
        serde_json::from_slice(quoted).ok().map(Cow::Owned)
    }
}

#[cfg(test)]
mod tests {
    use codex_wire_prefilter::{Keys, Tape};

    use super::*;

    /// The delta in a line, after one with these bytes around a delta.
    fn delta(before: &str, line: &[u8]) -> Option<String> {
        let mut room = Tape::new();
        let view = View::of(before, &mut room, Keys::Last);
        let mut template = DeltaTemplate::default();
        template.keep(before, view);
        let line = Line {
            bytes: line,
            number: 2,
            offset: 0,
            ended: true,
            length: line.len() as u64,
            column: None,
        };
        template.delta(&line).map(Cow::into_owned)
    }

    #[test]
    fn nothing_but_the_piece_may_differ() {
        let before = r#"{"method":"a","params":{"delta":"one","itemId":"b"}}"#;
        for (written, expected) in [
            ("", Some("")),
            ("two", Some("two")),
            (r"\u00fc\ud83c\udf88\u2028", Some("\u{fc}\u{1f388}\u{2028}")),
            (r#"a\n\"\u0041"#, Some("a\n\"A")),
            (r#"a\x"#, None),
            (r#"\ud800"#, None),
            (r#"a\"#, None),
            (r#"a","delta":"b"#, None),
            (r#"a" "#, None),
            ("a\tb", None),
            ("a\u{0}b", None),
        ] {
            let line = before.replace("one", written);
            let found = delta(before, line.as_bytes());
            assert_eq!(found.as_deref(), expected, "{line}");
        }
        let line = before.replace("one", "two");
        for other in [
            line.replace("\"a\"", "\"aa\""),
            line.replace("\"b\"", "\"c\""),
            format!("{line} "),
            format!(" {line}"),
            line[..line.len() - 1].to_owned(),
            before[..30].to_owned(),
            String::new(),
        ] {
            assert_eq!(delta(before, other.as_bytes()), None, "{other}");
        }
        let mut line = line.into_bytes();
        line[34] = 0xff;
        assert_eq!(delta(before, &line), None);
    }

    #[test]
    fn the_time_may_differ() {
        let before = r#"{"params":{"delta":"one"},"emittedAtMs":1795187538928}"#;
        let with = |time: &str| before.replace("one", "two").replace("1795187538928", time);
        for time in ["0", "7", "1795187539009", "999999999999999"] {
            assert_eq!(
                delta(before, with(time).as_bytes()).as_deref(),
                Some("two"),
                "{time}"
            );
        }
        for time in [
            "",
            "-1",
            "00",
            "1.0",
            "1e3",
            "\"1\"",
            "1 ",
            " 1",
            "1000000000000000",
        ] {
            assert_eq!(delta(before, with(time).as_bytes()), None, "{time}");
        }
        let other = with("1").replace("emittedAtMs", "x");
        assert_eq!(delta(before, other.as_bytes()), None);
        // Without a time in the first there may be none.
        let untimed = before.replace(r#","emittedAtMs":1795187538928"#, "");
        assert_eq!(delta(&untimed, with("1").as_bytes()), None);
        // That is another member.
        let nested = r#"{"params":{"delta":"one","emittedAtMs":5}}"#;
        assert_eq!(delta(nested, nested.replace('5', "6").as_bytes()), None);
    }

    #[test]
    fn of_a_long_line_nothing_is_kept() {
        let long = "x".repeat(MOST);
        let before = format!(r#"{{"a":"{long}","params":{{"delta":"one"}}}}"#);
        assert_eq!(delta(&before, before.as_bytes()), None);
    }
}
