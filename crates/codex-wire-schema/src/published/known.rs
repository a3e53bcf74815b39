//! What is asked of every stream before any schema is needed: which releases speak alike, the
//! digests of their exact schemas, the tags of all releases, and the words of a protocol.
//!
//! All of it follows from the types, which takes the tenth of a second for the app-server. So it
//! is kept in `known.txt`, which a test compares with what the types say.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use codex_wire::{Protocol, Release, Surface};

use super::Span;

/// What is known of a surface, or of a protocol.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The ranges of releases of a surface that speak alike, oldest first.
    pub(super) spans: Vec<Span>,
    /// For each the digest of its schema: exact, draft 2020-12, the experimental API in it.
    pub(super) digests: Vec<&'static str>,
    /// The tags of the messages of a surface.
    pub(super) tags: Vec<&'static str>,
    /// The words of a protocol, in order.
    pub(super) words: Vec<&'static str>,
}

static NOTHING: Known = Known {
    spans: Vec::new(),
    digests: Vec::new(),
    tags: Vec::new(),
    words: Vec::new(),
};

/// What is known of `surface`.
pub(super) fn known(surface: Surface) -> &'static Known {
    get("surface", surface.as_str())
}

/// What is known of `protocol`.
pub(super) fn known_of_all(protocol: Protocol) -> &'static Known {
    get("protocol", protocol.as_str())
}

type Section = (&'static str, &'static str);

fn get(what: &'static str, name: &'static str) -> &'static Known {
    static KNOWN: LazyLock<BTreeMap<Section, Known>> =
        LazyLock::new(|| read(include_str!("known.txt")));
    KNOWN.get(&(what, name)).unwrap_or(&NOTHING)
}

/// A line of the file begins a surface or a protocol, or is a tag or a word of it, or a range of
/// releases and its digest.
fn read(text: &'static str) -> BTreeMap<Section, Known> {
    let mut all = BTreeMap::new();
    let mut section = ("", "");
    for line in text.lines() {
        let (what, rest) = line.split_once(' ').unwrap_or_default();
        let known: &mut Known = all.entry(section).or_default();
        match (what, rest.split_once(' ')) {
            ("surface" | "protocol", None) => section = (what, rest),
            ("tag", None) => known.tags.push(rest),
            ("word", _) => known.words.push(rest),
            (since, Some((until, digest))) => {
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
    use std::collections::BTreeSet;
    use std::fmt::Write as _;
    use std::path::Path;

    use serde_json::Value;

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
        let mut text: String = workers.into_iter().map(|w| w.join().unwrap()).collect();
        text.extend(Protocol::ALL.iter().map(|protocol| words(*protocol)));
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

    /// What the types say of a protocol.
    fn words(protocol: Protocol) -> String {
        let mut words = BTreeSet::new();
        for surface in protocol.surfaces() {
            collect(annotated(*surface), &mut words);
        }
        let mut text = format!("protocol {protocol}\n");
        for word in words {
            assert!(!word.contains(char::is_control), "{word:?}");
            let _ = writeln!(text, "word {word}");
        }
        text
    }

    fn collect(schema: &Value, out: &mut BTreeSet<String>) {
        match schema {
            Value::Object(object) => {
                let only = object.get("const").into_iter();
                let several = object.get("enum").and_then(Value::as_array);
                let words = only.chain(several.into_iter().flatten());
                out.extend(words.filter_map(Value::as_str).map(str::to_owned));
                object.values().for_each(|value| collect(value, out));
            }
            Value::Array(array) => array.iter().for_each(|value| collect(value, out)),
            _ => {}
        }
    }
}
