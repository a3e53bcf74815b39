//! Makes the texts of a conversation fit to print: as a terminal would have shown them, without what steers it.

use crate::escape::escaped;

/// The lines of a text as a terminal would have shown them: without colours, after what overwrote them.
pub(super) fn lines(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().map(line)
}

/// A line as a terminal would have shown it.
fn line(text: &str) -> String {
    let plain;
    let text = match text.contains('\u{1b}') {
        true => {
            plain = anstream::adapter::strip_str(text).to_string();
            &*plain
        }
        false => text,
    };
    // A carriage return goes back to the beginning: a progress bar leaves its last state.
    let shown = text.trim_end_matches('\r').rsplit('\r').next();
    let shown = shown.unwrap_or_default().replace('\t', "    ");
    escaped(&shown).into_owned()
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
