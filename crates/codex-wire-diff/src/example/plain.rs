//! Makes simple values for examples: numbers, strings, and the choice of members.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::ranges::Ranges;
use crate::shapes::{Constraints, Object, Shapes};

/// How much a value holds: itself, the values in it, and its text, 16 bytes of which count as one
/// value. It is counted each time a value is put into another, which is as often as it is copied.
pub(super) fn size(value: &Value) -> u64 {
    let text = |text: &str| u64::try_from(text.len() / 16).unwrap_or(u64::MAX);
    match value {
        Value::Array(items) => items.iter().map(size).sum::<u64>() + 1,
        Value::Object(members) => {
            let inner = members.iter().map(|(name, value)| text(name) + size(value));
            inner.sum::<u64>() + 1
        }
        Value::String(own) => 1 + text(own),
        _ => 1,
    }
}

/// The choice of a writer's members to make: without a certain one, and one the reader takes, if
/// there is such a choice.
pub(super) fn choice<'o, 'd>(
    writer: &'o Object<'d>,
    reader: Option<&Object<'d>>,
    without: Option<&str>,
) -> Option<&'o BTreeSet<&'d str>> {
    let suits = |set: &BTreeSet<&'d str>| {
        let avoided = without.is_none_or(|name| !set.contains(name));
        let there = |name: &&str| set.contains(*name) || writer.requires(name);
        let taken = reader.is_none_or(|reader| {
            set.iter().all(|name| reader.member(name).is_some())
                && (reader.choices().is_empty()
                    || reader.choices().iter().any(|own| own.iter().all(&there)))
        });
        (avoided, taken)
    };
    let sets = writer.choices();
    // Of equals the first.
    sets.iter().rev().max_by_key(|set| suits(set))
}

/// What a constraint that counts says; 0 where there is none.
pub(super) fn number(constraints: &Constraints<'_>, key: &str) -> usize {
    let said = constraints.get(key).and_then(|value| value.as_u64());
    said.and_then(|said| usize::try_from(said).ok())
        .unwrap_or(0)
}

/// The longest text, and the most items, that are made because a constraint asks for them.
pub(super) const ITEMS: usize = 1_000;

/// A whole number near zero that both sides allow.
pub(super) fn whole(ours: &Ranges, theirs: &Ranges) -> i64 {
    i64::try_from(ours.near_zero(theirs)).unwrap_or_default()
}

/// A number near zero that is not whole, if there is one.
pub(super) fn fraction(ours: &Ranges) -> Value {
    let near = whole(ours, &Ranges::default());
    let between = |low: &i64| ours.is_empty() || ours.has(i128::from(*low), i128::from(*low) + 1);
    let below = [near, near.saturating_sub(1)].into_iter().find(between);
    below.map_or(json!(near), |low| json!(low as f64 + 0.5))
}

/// Texts of lengths that one side may allow and the other not.
pub(super) fn lengths(ours: &Shapes<'_>, theirs: Option<&Shapes<'_>>) -> Vec<Value> {
    let sides = [Some(ours), theirs];
    let texts = sides
        .into_iter()
        .flatten()
        .filter_map(|side| side.text.as_ref());
    let mut out = Vec::new();
    for text in texts {
        for key in ["minLength", "maxLength"] {
            if !text.contains_key(key) {
                continue;
            }
            let end = number(text, key);
            for length in [end.saturating_sub(1), end, end.saturating_add(1)] {
                if length <= ITEMS {
                    out.push(json!("a".repeat(length)));
                }
            }
        }
    }
    out
}

/// How many choices, and how many objects that have some, are tried.
pub(super) const CHOICES: usize = 16;

/// Numbers of the writer beside the ends of the reader's ranges.
pub(super) fn extremes(ours: &Shapes<'_>, theirs: &Shapes<'_>) -> Vec<Value> {
    // Whole numbers are numbers.
    let or = |one, other| match Ranges::is_empty(one) {
        true => other,
        false => one,
    };
    let integers = ours.integer.beyond(or(&theirs.integer, &theirs.number));
    let numbers = ours.number.beyond(or(&theirs.number, &theirs.integer));
    let numbers = integers.chain(numbers);
    let mut out = Vec::new();
    for number in numbers.take(EXTREMES) {
        out.extend(i64::try_from(number).ok().map(|number| json!(number)));
        out.extend(u64::try_from(number).ok().map(|number| json!(number)));
    }
    out
}

/// The most numbers that are tried.
const EXTREMES: usize = 100;

/// A text both take, or else one the writer writes.
pub(super) fn text(ours: &Shapes<'_>, theirs: &Shapes<'_>) -> Value {
    let common = ours.values.iter().find(|value| {
        theirs.text.is_some() || theirs.values.is_empty() || theirs.values.contains(*value)
    });
    if let Some(value) = common {
        return json!(value);
    }
    if ours.text.is_some() && theirs.text.is_none() && !theirs.values.is_empty() {
        return json!(theirs.values.first());
    }
    match ours.values.first() {
        Some(value) if ours.text.is_none() => json!(value),
        _ => json!(long_enough(ours, theirs)),
    }
}

/// A text as long as both sides demand, if the writer writes one of that length.
pub(super) fn long_enough(ours: &Shapes<'_>, theirs: &Shapes<'_>) -> String {
    let demanded = |side: &Shapes<'_>| {
        let text = side.text.as_ref();
        text.map_or(0, |text| number(text, "minLength")).min(ITEMS)
    };
    let longest = ours
        .text
        .as_ref()
        .filter(|text| text.contains_key("maxLength"))
        .map_or(ITEMS, |text| number(text, "maxLength"));
    let both = demanded(ours).max(demanded(theirs));
    "a".repeat(if both <= longest {
        both
    } else {
        demanded(ours)
    })
}
