//! Makes texts of a transcript fit for HTML: nothing in them is markup.

use crate::conversation::clean;
pub(super) use crate::html::push;

/// A text on one line, without what steers a reader, in which nothing is markup.
pub(super) fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, line) in clean::lines(text).enumerate() {
        if at > 0 {
            out.push(' ');
        }
        push(&mut out, &line);
    }
    out
}

/// The beginning of a text on one line, in which nothing is markup.
pub(super) fn beginning(text: &str, most: usize) -> String {
    let line = clean::lines(text).find(|line| !line.trim().is_empty());
    let line = line.unwrap_or_default();
    let line = line.trim().trim_start_matches(['#', ' ']);
    let line = line.replace("**", "").replace('`', "");
    let mut out = String::new();
    let mut rest = line.chars();
    push(&mut out, &rest.by_ref().take(most).collect::<String>());
    if rest.next().is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup() {
        let hostile = "a<b>\"'&\u{0}\u{1b}[31m\u{202e}\nü";
        let shown = "a&lt;b&gt;&quot;&#39;&amp;\\u{0}\\u{202e} ü";
        assert_eq!(one_line(hostile), shown);
        assert_eq!(beginning("\n## A `b` **c** <d>", 7), "A b c &lt;…");
    }
}
