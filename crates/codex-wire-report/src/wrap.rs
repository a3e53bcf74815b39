//! Wraps texts about rules, faults and parts of messages into lines.

/// The text in lines of at most 88 columns, each with a margin of this many spaces and a newline at the end. Only a word that is
/// longer makes a longer line. White space between words counts as one space.
pub fn wrapped(text: &str, margin: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > WIDTH {
            out.push('\n');
            column = 0;
        }
        if column == 0 {
            out += &" ".repeat(margin);
            column = margin;
        } else {
            out.push(' ');
            column += 1;
        }
        out += word;
        column += width;
    }
    if column > 0 {
        out.push('\n');
    }
    out
}

/// The width of lines.
const WIDTH: usize = 88;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("", 2), "");
        assert_eq!(wrapped("one  two\nthree", 2), "  one two three\n");
        let text = wrapped(&"word ".repeat(40), 4);
        assert_eq!(text.lines().count(), 3);
        assert!(
            text.lines()
                .all(|line| line.len() <= WIDTH && line.starts_with("    word"))
        );
    }
}
