//! What was found as JSON.

use std::io::{self, Write};

use codex_wire_base::shape::ReleaseBounds;
use codex_wire_schema::find::{Hit, Place};
use serde_json::{Map, Value, json};

use super::found::{Found, writer};
use crate::resolve_release::Releases;

/// Prints all that was found.
pub(super) fn print(out: &mut dyn Write, found: &Found) -> io::Result<()> {
    let rules = found.rules.iter();
    let rules = rules.map(|rule| json!({"id": rule.id, "summary": rule.summary}));
    let mut document = json!({
        "version": 1,
        "words": found.words,
        "parts": found.hits.iter().map(part).collect::<Vec<_>>(),
        "rules": rules.collect::<Vec<_>>(),
    });
    match found.asked {
        None => {}
        Some(Releases::One(release)) => document["release"] = json!(release.to_string()),
        Some(Releases::Range(range)) => document["releases"] = Value::Object(bounds(range)),
    }
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

fn part(hit: &Hit) -> Value {
    let part = &hit.part;
    let mut found = Map::new();
    let mut set = |name: &str, value: Value| {
        found.insert(name.to_owned(), value);
    };
    set("kind", json!(part.kind.as_str()));
    set("name", json!(part.name));
    set("owner", json!(part.owner));
    set("about", json!(part.about));
    if let Some(kind) = part
        .schema
        .and_then(|schema| schema.json_type().or(schema.reference()))
    {
        set("type", json!(kind));
    }
    set("places", hit.places.iter().map(place).collect());
    let list = part.message_set.release_list().releases();
    set("releases", ranges(&part.availability.ranges(list)));
    if !part.availability.experimental.is_empty() {
        set("experimental", ranges(&part.availability.experimental));
    }
    if let Some(member) = part.member {
        set("optional", ranges(&member.optional));
        set("nullable", ranges(&member.nullable));
        set("written", ranges(&member.written));
        set("required", json!(part.is_required));
    }
    Value::Object(found)
}

fn place(place: &Place) -> Value {
    let mut found = json!({
        "message_set": place.message_set.as_str(),
        "written_by": writer(place.message_set),
        "kind": place.kind,
        "pointer": place.pointer,
    });
    if let Some(found) = found.as_object_mut() {
        found.extend(bounds(place.bounds));
    }
    found
}

fn ranges(ranges: &[ReleaseBounds]) -> Value {
    ranges
        .iter()
        .map(|range| Value::Object(bounds(*range)))
        .collect()
}

/// The ends of a range; an open end is left out.
fn bounds(range: ReleaseBounds) -> Map<String, Value> {
    let ends = [("since", range.since), ("until", range.until)];
    let ends = ends
        .into_iter()
        .filter_map(|(name, end)| Some((name.to_owned(), json!(end?.to_string()))));
    ends.collect()
}
