//! Makes the texts of a conversation fit to print: as a terminal would have shown them, without what steers it.

use std::ops::Range;

use anstyle_parse::{Parser, Perform, Utf8Parser};

use crate::escape::escaped;

/// The lines of a text as a terminal would have shown them: without colours, after what overwrote them.
pub(super) fn lines(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().map(line)
}

/// Which of so many lines are left out of the middle, if so many of the beginning and of the end are shown.
pub(super) fn left_out(lines: usize, (first, last): (usize, usize), full: bool) -> Range<usize> {
    match lines.saturating_sub(first + last) {
        // Leaving out one line saves nothing.
        more @ 2.. if !full => first..first + more,
        _ => 0..0,
    }
}

/// A line as a terminal would have shown it.
fn line(text: &str) -> String {
    let plain;
    let text = match text.contains('\u{1b}') {
        true => {
            plain = without_escapes(text);
            &*plain
        }
        false => text,
    };
    // A carriage return goes back to the beginning: a progress bar leaves its last state.
    let shown = text.trim_end_matches('\r').rsplit('\r').next();
    let shown = shown.unwrap_or_default().replace('\t', "    ");
    escaped(&shown).into_owned()
}

/// A text without the sequences that steer a terminal.
fn without_escapes(text: &str) -> String {
    struct Plain(String);

    impl Perform for Plain {
        fn print(&mut self, c: char) {
            self.0.push(c);
        }

        fn execute(&mut self, byte: u8) {
            self.0.push(char::from(byte));
        }
    }

    let mut plain = Plain(String::with_capacity(text.len()));
    let mut parser = Parser::<Utf8Parser>::new();
    for byte in text.bytes() {
        parser.advance(&mut plain, byte);
    }
    plain.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_a_terminal_shows_them() {
        let all = |text: &str| lines(text).collect::<Vec<_>>();
        assert_eq!(all("a\r\nb"), ["a", "b"]);
        assert_eq!(all("\u{1b}[31mred\u{1b}[0m\tx"), ["red    x"]);
        assert_eq!(all("10%\r50%\r100%\r\ndone"), ["100%", "done"]);
        // What could still steer the terminal is written as an escape.
        assert_eq!(all("a\u{8}b\u{202e}c"), ["a\\u{8}b\\u{202e}c"]);
    }
}
