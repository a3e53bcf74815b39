//! What is asked of every surface before any of its schemas is needed: which releases speak
//! alike, the digests of their exact schemas, and the tags of all releases.
//!
//! All of it follows from the types, which takes the tenth of a second for the app-server. So it
//! is kept in `known.txt`, which a test compares with what the types say.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use codex_wire::{Release, Surface};

use super::Span;

/// What is known of a surface.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// The ranges of releases that speak alike, oldest first.
    pub(super) spans: Vec<Span>,
    /// For each the digest of its schema: exact, draft 2020-12, the experimental API in it.
    pub(super) digests: Vec<&'static str>,
    /// The tags of its messages.
    pub(super) tags: Vec<&'static str>,
}

/// What is known of `surface`.
pub(super) fn known(surface: Surface) -> &'static Known {
    static KNOWN: LazyLock<BTreeMap<&'static str, Known>> =
        LazyLock::new(|| read(include_str!("known.txt")));
    static NOTHING: Known = Known {
        spans: Vec::new(),
        digests: Vec::new(),
        tags: Vec::new(),
    };
    KNOWN.get(surface.as_str()).unwrap_or(&NOTHING)
}

/// Surfaces by name. A line of the file is a surface, a tag of it, or a range of releases and
/// its digest.
fn read(text: &'static str) -> BTreeMap<&'static str, Known> {
    let mut all = BTreeMap::new();
    let mut surface = "";
    for line in text.lines() {
        let mut words = line.split(' ');
        let words = [words.next(), words.next(), words.next()];
        let known: &mut Known = all.entry(surface).or_default();
        match words {
            [Some("surface"), Some(name), None] => surface = name,
            [Some("tag"), Some(tag), None] => known.tags.push(tag),
            [Some(since), Some(until), Some(digest)] => {
                known.spans.push(Span {
                    since: release(since),
                    until: release(until),
                });
                known.digests.push(digest);
            }
            _ => unreachable!("known.txt has no such line: {line}"),
        }
    }
    all
}

fn release(text: &str) -> Release {
    let release = text.parse();
    release.unwrap_or_else(|_| unreachable!("known.txt has no such release: {text}"))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::path::Path;

    use super::*;
    use crate::document::annotated;
    use crate::published::digest_of;
    use crate::published::find::find_spans;
    use crate::{Draft, Profile, Stability};

    /// `UPDATE=1 cargo test -p codex-wire-schema known` writes the file. The other generated
    /// files follow from it.
    #[test]
    fn the_file_is_what_the_types_say() {
        let workers: Vec<_> = Surface::ALL
            .iter()
            .map(|surface| std::thread::spawn(|| section(*surface)))
            .collect();
        let text: String = workers.into_iter().map(|w| w.join().unwrap()).collect();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/published/known.txt");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let kept = std::fs::read_to_string(path).unwrap();
        let differs = kept.lines().zip(text.lines()).find(|(old, new)| old != new);
        assert!(
            kept == text,
            "known.txt is not what the types say, first at {differs:?}; see this test"
        );
    }

    /// What the types say of a surface.
    fn section(surface: Surface) -> String {
        let mut text = format!("surface {surface}\n");
        let arms = annotated(surface)["oneOf"].as_array();
        for tag in arms
            .into_iter()
            .flatten()
            .filter_map(|arm| arm["x-tag"].as_str())
        {
            let _ = writeln!(text, "tag {tag}");
        }
        let spans = find_spans(surface);
        for (index, Span { since, until }) in spans.iter().enumerate() {
            let (profile, draft) = (Profile::Exact, Draft::Draft202012);
            let stability = Stability::Experimental;
            let digest = digest_of(surface, spans[index], profile, draft, stability);
            let _ = writeln!(text, "{since} {until} {digest}");
        }
        text
    }
}
