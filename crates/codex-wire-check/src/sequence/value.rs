//! Keeps a fingerprint of a value in a message, for comparison with the value in a later message.
//!
//! A short value is kept as written. Two values are compared by meaning only if they are written
//! differently.

use std::hash::{BuildHasher as _, Hash, Hasher};

use codex_wire_prefilter::{Keys, Tape, View};
use foldhash::quality::{FixedState, FoldHasher};

/// How many counts of an object are followed.
const MOST_COUNTS: usize = 32;

/// A value that is not to change, as far as it is kept. How it is written makes no difference,
/// nor does the order of members; mostly it is written in one way, which is seen at once.
#[derive(Clone, Debug)]
pub(super) enum ValueFingerprint {
    /// As it is written. Of duplicate keys, the value counts that counted in its message.
    Written(Box<str>, Keys),
    Digest(u64),
}

/// How long a value may be that is kept as it is written.
const LONGEST_KEPT: usize = 256;

impl ValueFingerprint {
    pub(super) fn of(value: View<'_>) -> Self {
        // Of texts a digest is made as fast as a copy.
        if !value.is_string() {
            let written = value.as_written();
            if written.len() <= LONGEST_KEPT {
                return ValueFingerprint::Written(written.into(), value.keys());
            }
        }
        ValueFingerprint::Digest(digest_of(value))
    }

    /// Whether that is the same value.
    pub(super) fn is(&self, value: View<'_>) -> bool {
        match self {
            ValueFingerprint::Digest(digest) => *digest == digest_of(value),
            ValueFingerprint::Written(written, keys) => {
                &**written == value.as_written() && *keys == value.keys()
                    || digest_of(View::among(written, &Tape::new(), *keys)) == digest_of(value)
            }
        }
    }
}

/// A digest of something.
pub(super) fn digest(value: &impl Hash) -> u64 {
    FixedState::default().hash_one(value)
}

/// A digest of a value. How it is written makes no difference, nor does the order of members.
pub(super) fn digest_of(value: View<'_>) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    add(value, &mut hasher);
    hasher.finish()
}

fn add(value: View<'_>, hasher: &mut FoldHasher<'_>) {
    if let Some(text) = value.as_str() {
        ('"', text).hash(hasher);
    } else if value.is_object() {
        let mut members: Vec<_> = value.members().map(|(name, _)| name.as_str()).collect();
        members.sort_unstable();
        members.dedup();
        ('{', members.len()).hash(hasher);
        for name in members {
            name.hash(hasher);
            // Of duplicate keys, the value that counts.
            if let Some(member) = value.get(name) {
                add(member, hasher);
            }
        }
    } else if value.is_array() {
        '['.hash(hasher);
        value.elements().for_each(|element| add(element, hasher));
        ']'.hash(hasher);
    } else if let Some(whole) = value.as_i64() {
        ('0', whole).hash(hasher);
    } else {
        // A large number, a fraction, or a word: Codex always writes these in one way.
        value.as_written().hash(hasher);
    }
}

/// Stands for the name of a count: a small number for a name that Codex writes, which is found faster than a
/// digest is made, and the digest of any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CountKey(u64);

impl CountKey {
    const INPUT: CountKey = CountKey(0);
    const CACHED_INPUT: CountKey = CountKey(1);
    const OUTPUT: CountKey = CountKey(2);
    const REASONING_OUTPUT: CountKey = CountKey(3);
    const INPUT_CAMEL: CountKey = CountKey(4);
    const CACHED_INPUT_CAMEL: CountKey = CountKey(5);
    const OUTPUT_CAMEL: CountKey = CountKey(6);
    const REASONING_OUTPUT_CAMEL: CountKey = CountKey(7);

    fn of(name: &str) -> Self {
        match name {
            "input_tokens" => CountKey::INPUT,
            "cached_input_tokens" => CountKey::CACHED_INPUT,
            "output_tokens" => CountKey::OUTPUT,
            "reasoning_output_tokens" => CountKey::REASONING_OUTPUT,
            "inputTokens" => CountKey::INPUT_CAMEL,
            "cachedInputTokens" => CountKey::CACHED_INPUT_CAMEL,
            "outputTokens" => CountKey::OUTPUT_CAMEL,
            "reasoningOutputTokens" => CountKey::REASONING_OUTPUT_CAMEL,
            "total_tokens" => CountKey(8),
            "totalTokens" => CountKey(9),
            "cache_write_input_tokens" => CountKey(10),
            "cacheWriteInputTokens" => CountKey(11),
            _ => CountKey(digest(&name)),
        }
    }
}

/// The counts of an object as they stand there: each number is read once, however many rules ask for it.
pub(super) struct ListedCounts<'a> {
    object: View<'a>,
    counts: Vec<Count<'a>>,
    /// Whether every member of the object is among them.
    is_whole: bool,
}

struct Count<'a> {
    name: &'a str,
    /// Of the name.
    key: CountKey,
    count: u64,
}

impl<'a> ListedCounts<'a> {
    pub(super) fn of(object: View<'a>) -> Self {
        let mut counts = Vec::with_capacity(8);
        let mut is_whole = true;
        let mut members = object.members();
        for (name, value) in members.by_ref().take(MOST_COUNTS) {
            let Some(count) = value.as_u64() else {
                is_whole = false;
                continue;
            };
            let name = name.as_str();
            let key = CountKey::of(name);
            counts.push(Count { name, key, count });
        }
        ListedCounts {
            object,
            is_whole: is_whole && members.next().is_none(),
            counts,
        }
    }

    /// Each of them, in the order of the line.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a str, u64)> {
        self.counts.iter().map(|count| (count.name, count.count))
    }

    /// The count of that name, whose key is known; of duplicate keys, the one that counts.
    fn get(&self, name: &str, key: CountKey) -> Option<u64> {
        let is_it = |count: &&Count<'_>| count.key == key;
        let found = match self.object.keys() {
            _ if !self.is_whole => return self.object.get(name)?.as_u64(),
            Keys::First => self.counts.iter().find(is_it),
            Keys::Last => self.counts.iter().rfind(is_it),
        };
        found.map(|found| found.count)
    }

    /// Those that are more than the count they are part of, each with that one.
    pub(super) fn parts_beyond(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let get = |(name, key)| self.get(name, key);
        let beyond = PARTS.into_iter().filter(move |(part, whole)| {
            let part = get(*part);
            part.is_some_and(|part| get(*whole).is_some_and(|whole| part > whole))
        });
        beyond.map(|((part, _), (whole, _))| (part, whole))
    }

    /// Each of them that `before` and `added` know too, and is not their sum: its name, itself, and those
    /// two.
    pub(super) fn other_sums(
        &self,
        before: impl Fn(CountKey) -> Option<u64>,
        added: &ListedCounts<'_>,
    ) -> impl Iterator<Item = (&'a str, u64, u64, u64)> {
        self.counts.iter().filter_map(move |now| {
            let added = added.get(now.name, now.key)?;
            let before = before(now.key)?;
            let is_sum = now.count == before.saturating_add(added);
            (!is_sum).then_some((now.name, now.count, before, added))
        })
    }

    /// Whether each of them is what `known` has.
    pub(super) fn are(&self, known: impl Fn(CountKey) -> Option<u64>) -> bool {
        let mut counts = self.counts.iter();
        counts.all(|count| known(count.key) == Some(count.count))
    }
}

/// The counts of an object. Of a name its key is kept: counts of many threads are, and no count is looked for
/// by its name alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts(Vec<(CountKey, u64)>);

impl Counts {
    pub(super) fn of(listed: &ListedCounts<'_>) -> Self {
        let counts = listed.counts.iter();
        Counts(counts.map(|count| (count.key, count.count)).collect())
    }

    /// The count of that name.
    pub(super) fn get(&self, name: &str) -> Option<u64> {
        self.by_key(CountKey::of(name))
    }

    /// The count whose name has that key.
    pub(super) fn by_key(&self, key: CountKey) -> Option<u64> {
        let found = self.0.iter().find(|(other, _)| *other == key);
        found.map(|(_, count)| *count)
    }

    /// Whether nothing has been counted.
    pub(super) fn are_zero(&self) -> bool {
        self.0.iter().all(|(_, count)| *count == 0)
    }

    /// Those of an object that are lower than these: each name with both.
    pub(super) fn falling<'a>(
        &self,
        now: &ListedCounts<'a>,
    ) -> impl Iterator<Item = (&'a str, u64, u64)> {
        let counts = now.counts.iter().enumerate();
        counts.filter_map(|(index, count)| {
            let before = self.by_key(count.key)?;
            // Of a name that stands there twice the first counts.
            let is_first = || {
                let mut counts = now.counts.iter();
                counts.position(|other| other.key == count.key) == Some(index)
            };
            (count.count < before && is_first()).then_some((count.name, before, count.count))
        })
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets them.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

type Named = (&'static str, CountKey);

/// Counts of tokens that are part of another, as each protocol spells them.
const PARTS: [(Named, Named); 4] = [
    (
        ("cached_input_tokens", CountKey::CACHED_INPUT),
        ("input_tokens", CountKey::INPUT),
    ),
    (
        ("reasoning_output_tokens", CountKey::REASONING_OUTPUT),
        ("output_tokens", CountKey::OUTPUT),
    ),
    (
        ("cachedInputTokens", CountKey::CACHED_INPUT_CAMEL),
        ("inputTokens", CountKey::INPUT_CAMEL),
    ),
    (
        ("reasoningOutputTokens", CountKey::REASONING_OUTPUT_CAMEL),
        ("outputTokens", CountKey::OUTPUT_CAMEL),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> u64 {
        digest_of(View::of(text, &mut Tape::new(), Keys::Last))
    }

    /// Whether a value is the other one, by what is kept of it.
    fn is(one: &str, other: &str) -> bool {
        let rooms = [Tape::new(), Tape::new()];
        let [one, other] = [(one, &rooms[0]), (other, &rooms[1])]
            .map(|(text, room)| View::among(text, room, Keys::Last));
        ValueFingerprint::of(one).is(other)
    }

    #[test]
    fn counts_that_are_part_of_another_have_their_keys() {
        for (name, key) in PARTS.into_iter().flat_map(|(part, whole)| [part, whole]) {
            assert_eq!(CountKey::of(name), key, "{name}");
        }
    }

    #[test]
    fn values_that_are_the_same_have_one_digest() {
        for (one, other) in [
            (
                r#"{"a":1,"b":[true,null]}"#,
                r#" { "b" : [ true , null ] , "\u0061" : 1 } "#,
            ),
            (r#""é""#, r#""\u00e9""#),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            ("1.5", "1.5"),
        ] {
            assert_eq!(of(one), of(other), "{one} {other}");
            assert!(is(one, other) && is(other, one), "{one} {other}");
            // Too long to be kept as it is written.
            let long = "x".repeat(LONGEST_KEPT);
            let [one, other] = [one, other].map(|text| format!(r#"["{long}",{text}]"#));
            assert!(is(&one, &other), "{one} {other}");
        }
        let all = [
            "1",
            "2",
            "\"1\"",
            "[1]",
            "[[1]]",
            "[1,2]",
            "[12]",
            "{}",
            "[]",
            "null",
            "true",
            "\"\"",
            "1.5",
            r#"{"a":1}"#,
            r#"{"a":2}"#,
            r#"{"b":1}"#,
            r#"{"a":{"b":1}}"#,
            r#"{"a":1,"b":1}"#,
            r#"["a",{"b":1}]"#,
            r#"["a",{}]"#,
            "18446744073709551615",
        ];
        for (index, one) in all.iter().enumerate() {
            for other in &all[index + 1..] {
                assert_ne!(of(one), of(other), "{one} {other}");
                assert!(!is(one, other), "{one} {other}");
            }
        }
    }
}
