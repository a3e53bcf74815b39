//! Makes texts fit for HTML: nothing in them is markup.

use codex_wire_check::{Outcome, Severity, Verdict};

use crate::escape::{escaped, html_entity};

/// Adds a text in which nothing is markup, in an element or in an attribute.
pub(crate) fn push(out: &mut String, text: &str) {
    for c in text.chars() {
        match html_entity(c) {
            Some(entity) => out.push_str(entity),
            None => out.push(c),
        }
    }
}

/// A text on one line as HTML. What steers a reader is written as escapes.
pub(crate) fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push(&mut out, &escaped(text));
    out
}

/// A message as HTML: what stands between backticks is code.
pub(crate) fn prose(message: &str) -> String {
    let parts: Vec<&str> = message.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return text(message);
    }
    let mut out = String::with_capacity(message.len());
    for (at, part) in parts.into_iter().enumerate() {
        match at % 2 {
            1 => out.extend(["<code>", &text(part), "</code>"]),
            _ => out.push_str(&text(part)),
        }
    }
    out
}

/// The class of what has a severity.
pub(crate) fn class_of(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "bad",
        Severity::Warning => "warning",
        Severity::Note => "plain",
    }
}

/// The class and the words of a verdict on an input.
pub(crate) fn verdict_of(outcome: &Outcome) -> (&'static str, &'static str) {
    match outcome.verdict {
        Verdict::Conforms => ("good", "conforms"),
        Verdict::Findings => ("bad", "does not conform"),
        Verdict::NotExercised if outcome.other_side => {
            ("warning", "holds no messages of the side to check")
        }
        Verdict::NotExercised => ("warning", "holds no messages"),
        Verdict::Unreadable => ("bad", "unreadable"),
    }
}

/// Names with their values, which are HTML.
pub(crate) fn facts(facts: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let rows = facts.into_iter();
    let rows = rows.map(|(name, value)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>"));
    format!("<dl class=\"facts\">{}</dl>", rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup() {
        assert_eq!(
            text("a<b>\"'&\u{1b}\u{202e}\nü"),
            "a&lt;b&gt;&quot;&#39;&amp;\\u{1b}\\u{202e}\\nü"
        );
        assert_eq!(prose("a `<b>` c"), "a <code>&lt;b&gt;</code> c");
        assert_eq!(prose("a ` <b>"), "a ` &lt;b&gt;");
    }
}
