//! Writes words of the protocols as people do, and phrases that several reports have.

use codex_wire_check::Outcome;

use crate::escape::escaped;

/// Why nothing was checked of an input that was read.
pub(crate) fn not_exercised(outcome: &Outcome) -> &'static str {
    match outcome.other_side {
        true => "holds no messages of the side to check, so nothing was checked",
        false => "holds no messages, so nothing was checked",
    }
}

/// Why an input was not read: that it cannot be read, or what went wrong after its first messages.
pub fn unreadable(outcome: &Outcome) -> String {
    unreadable_as(outcome, &escaped(&outcome.path))
}

/// The same, with the name as it is shown.
pub(crate) fn unreadable_as(outcome: &Outcome, name: &str) -> String {
    let cannot = match outcome.messages {
        0 => "cannot read ",
        _ => "",
    };
    let error = outcome.error.as_deref().unwrap_or("unreadable");
    format!("{cannot}{name}: {}", escaped(error))
}

/// `inProgress` and `in_progress` as `in progress`. Words in capitals stay as they are.
#[cfg(feature = "timeline")]
pub(crate) fn spaced(word: &str) -> String {
    let mut out = String::with_capacity(word.len() + 2);
    let mut before = None;
    let mut rest = word.chars().peekable();
    while let Some(c) = rest.next() {
        let is_capital = |c: char| c.is_ascii_uppercase();
        let next_is_small = rest.peek().is_some_and(char::is_ascii_lowercase);
        let begins = match before {
            Some(before) if is_capital(before) => is_capital(c) && next_is_small,
            Some(before) => is_capital(c) && before != '_',
            None => false,
        };
        match c {
            '_' => out.push(' '),
            c if begins => {
                out.push(' ');
                out.push(if next_is_small {
                    c.to_ascii_lowercase()
                } else {
                    c
                });
            }
            c => out.push(c),
        }
        before = Some(c);
    }
    out
}

#[cfg(all(test, feature = "timeline"))]
mod tests {
    use super::*;

    #[test]
    fn words_are_spaced_and_capitals_stay() {
        for (word, shown) in [
            ("inProgress", "in progress"),
            ("in_progress", "in progress"),
            ("usageLimitExceeded", "usage limit exceeded"),
            ("READ_ONLY", "READ ONLY"),
            ("READONLY", "READONLY"),
            ("HTTPError", "HTTP error"),
            ("badURL", "bad URL"),
            ("Done", "Done"),
        ] {
            assert_eq!(spaced(word), shown);
        }
    }
}
