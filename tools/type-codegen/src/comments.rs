//! What a comment says about a part of a protocol: what it means, and which releases have it.

use codex_wire_base::Release;
use codex_wire_schema::Bundle;
use codex_wire_schema::ir::Availability;

/// A comment in parts, for a language to put into words of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comment {
    /// The description, without the sentence that names releases. May be empty.
    pub text: String,
    /// The first release that has it, if the protocol is older.
    pub since: Option<Release>,
    /// The last release that has it, if the protocol goes on.
    pub until: Option<Release>,
    /// Whether only clients that opted into the experimental API have it.
    pub is_experimental: bool,
}

impl Comment {
    /// Of a definition: the releases are those that its description names.
    pub fn of_definition(description: Option<&str>) -> Self {
        let text = description.unwrap_or_default().trim();
        let (before, last) = text.rsplit_once("\n\n").unwrap_or(("", text));
        match releases(last) {
            Some(named) => Comment {
                text: before.to_owned(),
                ..named
            },
            None => Comment {
                text: text.to_owned(),
                ..Comment::default()
            },
        }
    }

    /// Of a member, a value, a variant or a method of a bundle.
    pub fn of_part(
        bundle: &Bundle,
        description: Option<&str>,
        availability: &Availability,
    ) -> Self {
        let sets = bundle.name.message_sets().iter();
        let first = sets.map(|set| set.release_list().first()).min();
        Comment {
            text: Comment::of_definition(description).text,
            since: availability
                .range
                .since
                .filter(|since| Some(*since) > first),
            until: availability.range.until,
            is_experimental: availability.is_experimental(bundle.releases.since),
        }
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Comment::default()
    }
}

/// Reads sentences that only name releases, such as `Since 0.131.0. Experimental.`; `None` if
/// there is another.
fn releases(paragraph: &str) -> Option<Comment> {
    let mut out = Comment::default();
    let text = paragraph.strip_suffix('.')?;
    for sentence in text.split(". ") {
        let words: Vec<&str> = sentence.split(' ').collect();
        match words.as_slice() {
            ["Since", since] => out.since = Some(since.parse().ok()?),
            ["Until", until] => out.until = Some(until.parse().ok()?),
            ["From", since, "to", until] => {
                (out.since, out.until) = (Some(since.parse().ok()?), Some(until.parse().ok()?));
            }
            ["In", only, "only"] => {
                let only: Release = only.parse().ok()?;
                (out.since, out.until) = (Some(only), Some(only));
            }
            ["Experimental"] => out.is_experimental = true,
            _ => return None,
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_that_names_releases_is_read() {
        let comment = |text: &str| Comment::of_definition(Some(text));
        let release = |minor| Some(Release::new(0, minor, 0));
        assert_eq!(
            comment("What it is.\n\nSince 0.131.0. Experimental."),
            Comment {
                text: "What it is.".to_owned(),
                since: release(131),
                until: None,
                is_experimental: true,
            }
        );
        let from = comment("From 0.59.0 to 0.137.0.");
        assert_eq!((from.since, from.until), (release(59), release(137)));
        assert_eq!(from.text, "");
        let other = "What it is. Recorded from 0.44.0.";
        assert_eq!(comment(other).text, other);
        assert_eq!(comment(other).since, None);
        assert!(Comment::of_definition(None).is_empty());
    }
}
