//! A release among the words.

use anyhow::bail;
use codex_wire_base::RangeEnds;

/// The words without a release that stands among them, and the release: that of the flag, or the one among the words.
pub(super) fn divided<'a>(
    words: &'a [String],
    flag: Option<&'a str>,
) -> anyhow::Result<(Vec<&'a str>, Option<&'a str>)> {
    let all = words.iter().map(String::as_str);
    let (releases, words): (Vec<&str>, Vec<&str>) = all.partition(|word| is_release(word));
    let named: Vec<&str> = flag.into_iter().chain(releases).collect();
    match (named.as_slice(), words.is_empty()) {
        ([one, other, ..], _) => {
            bail!(
                "`{one}` and `{other}` are two releases: name one, or a range such as `0.110..0.120`"
            )
        }
        (_, true) => bail!("only a release is named: add what to look up in it"),
        (named, false) => Ok((words, named.first().copied())),
    }
}

/// Whether a word is a release or a range of releases. No part of a protocol has such a name.
fn is_release(word: &str) -> bool {
    let is_one = |text: &str| {
        let tag = text.strip_prefix("rust-v").or(text.strip_prefix('v'));
        let text = tag.unwrap_or(text);
        let numbers: Vec<&str> = text.split('.').collect();
        let are_digits =
            |number: &&str| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        numbers.len() <= 3 && numbers.iter().all(are_digits)
    };
    match RangeEnds::of(word) {
        Some(RangeEnds { since, until, .. }) => {
            (since.is_some() || until.is_some())
                && since.is_none_or(is_one)
                && until.is_none_or(is_one)
        }
        // A number alone may be a value.
        None => word.contains('.') && is_one(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_told_from_a_word() {
        for word in [
            "0.142.0",
            "0.142",
            "0.110..0.120",
            "0.110..",
            "..0.120.1",
            "v0.142.0",
            "rust-v0.142.0",
        ] {
            assert!(is_release(word), "{word}");
        }
        for word in [
            "142",
            "..",
            "item.completed",
            "0.a",
            "1.2.3.4",
            "",
            ".",
            "0.",
            "turn/completed",
        ] {
            assert!(!is_release(word), "{word}");
        }
    }

    #[test]
    fn one_release_is_named() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let given = words("turn/completed 0.142.0 durationMs");
        let divided_words = divided(&given, None).unwrap();
        assert_eq!(
            divided_words,
            (vec!["turn/completed", "durationMs"], Some("0.142.0"))
        );
        assert!(divided(&given, Some("latest")).is_err());
        assert!(divided(&words("0.142.0"), None).is_err());
        let given = words("turn/completed");
        assert_eq!(divided(&given, Some("latest")).unwrap().1, Some("latest"));
    }
}
