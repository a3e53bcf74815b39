//! Parts as JSON.

use std::io::{self, Write};

use codex_wire_base::{ReleaseBounds, ReleaseChoice};
use codex_wire_schema::find::{Hit, Place};
use serde_json::{Map, Value, json};

use super::found::Parts;
use super::words::writer;
use crate::release_ranges::bounds;

/// Writes all parts and rules as JSON:
///
/// `{"version":1,"words":["…"],"release","releases":{"since","until"},"parts":[{"kind":"message|kind|member|value|type","name","owner",
/// "about","type","places":[{"message_set","written_by","kind","pointer","since","until"}],"releases":[{"since",
/// "until"}],"experimental","optional","nullable","written","required"}],"rules":[{"id","summary"}]}`. An open end of
/// a range is left out, and so is what a part does not have.
///
/// # Errors
/// When writing fails.
pub fn write_parts_json(out: &mut dyn Write, parts: &Parts) -> io::Result<()> {
    let rules = parts.rules.iter();
    let rules = rules.map(|rule| json!({"id": rule.id, "summary": rule.summary}));
    let mut document = json!({
        "version": 1,
        "words": parts.words,
        "parts": parts.hits.iter().map(part).collect::<Vec<_>>(),
        "rules": rules.collect::<Vec<_>>(),
    });
    match parts.releases {
        None => {}
        Some(ReleaseChoice::One(release)) => document["release"] = json!(release.to_string()),
        Some(ReleaseChoice::Range(range)) => document["releases"] = bounds(range),
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
    if let (Some(found), Value::Object(bounds)) = (found.as_object_mut(), bounds(place.bounds)) {
        found.extend(bounds);
    }
    found
}

fn ranges(ranges: &[ReleaseBounds]) -> Value {
    ranges.iter().map(|range| bounds(*range)).collect()
}
