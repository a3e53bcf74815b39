//! What is kept of a value of a message, to be compared with that of a later one.

use std::hash::{BuildHasher as _, Hash, Hasher};

use codex_wire_program::View;
use foldhash::quality::{FixedState, FoldHasher};

/// How many counts of an object are followed.
const MOST_COUNTS: usize = 32;

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
            // Of a doubled key the one that counts.
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

/// The counts of an object, by name.
pub(super) fn counts(object: View<'_>) -> Vec<(String, u64)> {
    let count = |name: &str, value: View<'_>| Some((name.to_owned(), value.as_u64()?));
    let members = object.members().take(MOST_COUNTS);
    members
        .filter_map(|(name, value)| count(name.as_str(), value))
        .collect()
}

#[cfg(test)]
mod tests {
    use codex_wire_program::{Keys, Outline};

    use super::*;

    fn of(text: &str) -> u64 {
        digest_of(View::of(text, &mut Outline::new(), Keys::Last))
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
            }
        }
    }
}
