//! What stands in a schema and in which releases, in words.

use codex_wire_base::{MessageSet, ReleaseBounds};
use codex_wire_schema::annotated;
use codex_wire_schema::find::Place;
use codex_wire_schema::ir::{Kind, Schema, except};

/// How many values of an enumeration are named.
const VALUES: usize = 8;

/// What a value of a schema is in some releases, in a few words.
pub(super) fn holds(
    message_set: MessageSet,
    schema: &'static Schema,
    asked: ReleaseBounds,
) -> String {
    match &schema.kind {
        Kind::Array(each) => format!("array of {}", holds(message_set, each, asked)),
        Kind::Map(each) => format!(
            "object whose values are {}",
            holds(message_set, each, asked)
        ),
        Kind::Reference(name) => {
            let target = annotated(message_set).schema(name);
            let values: Vec<&str> = target
                .map(Schema::enum_values)
                .unwrap_or_default()
                .iter()
                .filter(|value| meets(value.availability.range, asked))
                .map(|value| &*value.value)
                .collect();
            match values.len() {
                0 => name.to_string(),
                1..=VALUES => format!("{name} ({})", values.join(", ")),
                more => format!("{name} ({more} values)"),
            }
        }
        Kind::Base64 => "bytes in base64".to_owned(),
        Kind::Constant(text) => format!("`{text}`"),
        Kind::Untagged(variants) => {
            let met = variants
                .iter()
                .filter(|variant| meets(variant.availability.range, asked));
            let each = met.map(|variant| holds(message_set, &variant.schema, asked));
            each.collect::<Vec<_>>().join(" or ")
        }
        _ => schema.json_type().unwrap_or("any value").to_owned(),
    }
}

/// The releases of a range, its ends named.
pub(super) fn whole(bounds: ReleaseBounds, message_set: MessageSet) -> String {
    let first = message_set.release_list().first();
    let since = bounds.since.unwrap_or(first);
    if bounds.until == Some(since) {
        return format!("in {since} only");
    }
    let since = format!("since {since}");
    match bounds.until {
        None if message_set.is_current() => since,
        until => {
            let until = until.unwrap_or(message_set.release_list().latest());
            format!("{since}, until {until}")
        }
    }
}

/// The releases of a range, open ends left out.
pub(super) fn range(bounds: ReleaseBounds) -> String {
    match (bounds.since, bounds.until) {
        (Some(since), Some(until)) if since == until => format!("in {since}"),
        (Some(since), Some(until)) => format!("from {since} to {until}"),
        (Some(since), None) => format!("since {since}"),
        (None, Some(until)) => format!("until {until}"),
        (None, None) => "in every release".to_owned(),
    }
}

/// The releases of a range with a space before, if they are not all of those in which a part stands.
pub(super) fn unless_all(bounds: ReleaseBounds, of: ReleaseBounds) -> String {
    let begins_later = bounds.since.is_some_and(|since| Some(since) > of.since);
    let ends_earlier = bounds
        .until
        .is_some_and(|until| of.until.is_none_or(|last| until < last));
    let seen = ReleaseBounds {
        since: bounds.since.filter(|_| begins_later),
        until: bounds.until.filter(|_| ends_earlier),
    };
    match seen {
        ReleaseBounds::ALWAYS => String::new(),
        // Nothing is before the first release.
        ReleaseBounds { since: None, until } if until.is_some() && until <= of.since => {
            format!(
                " {} only",
                range(ReleaseBounds {
                    since: until,
                    until
                })
            )
        }
        seen => format!(" {}", range(seen)),
    }
}

/// Whether two ranges share a release.
pub(super) fn meets(one: ReleaseBounds, other: ReleaseBounds) -> bool {
    let before = |a: ReleaseBounds, b: ReleaseBounds| matches!((a.until, b.since), (Some(until), Some(since)) if until < since);
    !before(one, other) && !before(other, one)
}

/// What is so in some of the releases of a part: `always written since 0.65.0`, or, where that is shorter, with its
/// exceptions.
pub(super) fn in_releases(
    what: &str,
    ranges: &[ReleaseBounds],
    of: ReleaseBounds,
    message_set: MessageSet,
) -> Vec<String> {
    let met: Vec<ReleaseBounds> = ranges
        .iter()
        .copied()
        .filter(|range| meets(*range, of))
        .collect();
    let exceptions = except(of, &met, message_set.release_list().releases());
    if met.len() > 1 && exceptions.len() < met.len() {
        let exceptions: Vec<String> = exceptions.into_iter().map(range).collect();
        return vec![format!("{what}, except {}", exceptions.join(" and "))];
    }
    met.into_iter()
        .map(|range| format!("{what}{}", unless_all(range, of)))
        .collect()
}

/// The releases of a place, from the first that is listed.
pub(super) fn releases_of(place: &Place) -> ReleaseBounds {
    let first = place.message_set.release_list().first();
    ReleaseBounds {
        since: Some(place.bounds.since.unwrap_or(first)),
        ..place.bounds
    }
}
