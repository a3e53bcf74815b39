//! What was found as text.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use codex_wire_base::shape::ReleaseBounds;
use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_diff::{Asked, asked_about};
use codex_wire_schema::annotated;
use codex_wire_schema::find::{Hit, Part, PartKind, Place, members_of};
use codex_wire_schema::ir::{Kind, Schema};

use super::found::{Found, noun, writer};
use crate::resolve_release::Releases;
use crate::word_wrap::wrapped;

/// How many levels of objects a message is shown with.
const DEEP: usize = 3;
/// How many messages are named of those that a part stands in.
const MESSAGES: usize = 4;
/// How many values of an enumeration are named.
const VALUES: usize = 8;
const MARGIN: usize = 4;

/// Prints parts, then the rules: all of them, or the first `first` of those that have just these names.
pub(super) fn print(out: &mut dyn Write, found: &Found, first: Option<usize>) -> io::Result<()> {
    let exact = found.hits.iter().filter(|hit| hit.is_exact()).count();
    let shown = match (first, exact) {
        (None, _) => found.hits.len(),
        (Some(first), 0) => first.min(found.hits.len()),
        (Some(first), exact) => first.min(exact),
    };
    for (index, hit) in found.hits[..shown].iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        part(out, hit, found.asked)?;
    }
    match found.hits.len() - shown {
        0 => {}
        more => writeln!(out, "\nand {more} more; `--all` prints them")?,
    }
    let bold = Style::new().bold();
    for (index, rule) in found.rules.iter().enumerate() {
        if index == 0 && !found.hits.is_empty() {
            writeln!(out)?;
        }
        writeln!(out, "{bold}{}{bold:#}  rule: {}", rule.id, rule.summary)?;
    }
    Ok(())
}

fn part(out: &mut dyn Write, hit: &Hit, asked: Option<Releases>) -> io::Result<()> {
    let part = &hit.part;
    let bold = Style::new().bold();
    let Some(place) = hit.places.first() else {
        return writeln!(out, "{bold}{}{bold:#}  in no message", part.name);
    };
    let message = match place.kind.as_str() {
        "" => place.message_set.as_str(),
        kind => kind,
    };
    match part.kind {
        PartKind::Type => write!(out, "{bold}{}{bold:#}", part.name)?,
        PartKind::Value => write!(out, "{bold}{} = {}{bold:#}", part.owner, part.name)?,
        _ if place.pointer.is_empty() => write!(out, "{bold}{message}{bold:#}")?,
        _ => write!(out, "{bold}{message}{bold:#} {}", place.pointer)?,
    }
    writeln!(out)?;
    let mut line = |text: &str| write!(out, "{}", wrapped(text, MARGIN));
    line(first_paragraph(part.about))?;
    line(&what_it_is(part, hit, place))?;
    line(&when(part, place))?;
    match asked {
        None => {}
        Some(Releases::One(release)) => line(&in_release(part, place, release))?,
        Some(Releases::Range(range)) => line(&in_range(part, place, range))?,
    }
    // Only the app-server was asked.
    if place.message_set.protocol() == Protocol::AppServer && !place.message_set.is_written() {
        for asked in asked_about(&name_of(part)) {
            line(&answers(&asked))?;
        }
    }
    if part.kind != PartKind::Message {
        line(&others(part, hit, place.message()))?;
    } else if let Some(definition) = part.definition {
        came_later(out, place, definition, asked)?;
    }
    Ok(())
}

/// What it is and holds, and who writes it.
fn what_it_is(part: &Part, hit: &Hit, place: &Place) -> String {
    let noun = noun(hit);
    let mut text = match part.kind {
        PartKind::Member => {
            let holds = part.schema.map(|schema| holds(place.message_set, schema));
            let null = match part.member {
                Some(member) if !member.nullable.is_empty() => " or null",
                _ => "",
            };
            format!(
                "{}{null}; a {noun} of {}",
                holds.unwrap_or_default(),
                part.owner
            )
        }
        PartKind::Kind => format!("a {noun} of {}", part.owner),
        PartKind::Value | PartKind::Message | PartKind::Type => format!("a {noun}"),
    };
    text += &format!(
        "; {} writes it ({})",
        writer(place.message_set),
        place.message_set
    );
    text
}

/// What a value of a schema is, in a few words.
fn holds(message_set: MessageSet, schema: &'static Schema) -> String {
    match &schema.kind {
        Kind::Array(each) => format!("array of {}", holds(message_set, each)),
        Kind::Map(each) => format!("object whose values are {}", holds(message_set, each)),
        Kind::Reference(name) => {
            let target = annotated(message_set).schema(name);
            let values: Vec<&str> = target
                .map(Schema::enum_values)
                .unwrap_or_default()
                .iter()
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
            let each = variants.iter().map(|v| holds(message_set, &v.schema));
            each.collect::<Vec<_>>().join(" or ")
        }
        _ => schema.json_type().unwrap_or("any value").to_owned(),
    }
}

/// The releases that have it, and how.
fn when(part: &Part, place: &Place) -> String {
    let mut parts = vec![whole(place.bounds, place.message_set)];
    for gap in &part.availability.gaps {
        parts.push(format!("not {}", range(*gap)));
    }
    for experimental in &part.availability.experimental {
        let opt_in = "only for clients that opt into the experimental API";
        parts.push(format!(
            "{opt_in}{}",
            unless_all(*experimental, place.bounds)
        ));
    }
    if let Some(member) = part.member {
        let always = if place.message_set.is_written() {
            "always written"
        } else {
            "required"
        };
        let some = |what: &str, ranges: &[ReleaseBounds]| -> Vec<String> {
            let each = ranges.iter().filter(|range| meets(**range, place.bounds));
            each.map(|range| format!("{what}{}", unless_all(*range, place.bounds)))
                .collect()
        };
        let left_out = some("may be left out", &member.optional);
        let written = some("always written", &member.written);
        match (
            left_out.is_empty(),
            written.is_empty() || !place.message_set.is_written(),
        ) {
            (true, _) => parts.push(always.to_owned()),
            (false, true) => parts.extend(left_out),
            (false, false) => parts.extend(written),
        }
        parts.extend(some("may be null", &member.nullable));
    }
    parts.join("; ")
}

/// The releases of a range, its ends named.
fn whole(bounds: ReleaseBounds, message_set: MessageSet) -> String {
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
fn range(bounds: ReleaseBounds) -> String {
    match (bounds.since, bounds.until) {
        (Some(since), Some(until)) if since == until => format!("in {since}"),
        (Some(since), Some(until)) => format!("from {since} to {until}"),
        (Some(since), None) => format!("since {since}"),
        (None, Some(until)) => format!("until {until}"),
        (None, None) => "in every release".to_owned(),
    }
}

/// The releases of a range with a space before, if they are not all of those in which a part stands.
fn unless_all(bounds: ReleaseBounds, of: ReleaseBounds) -> String {
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
        seen => format!(" {}", range(seen)),
    }
}

/// Whether two ranges share a release.
fn meets(one: ReleaseBounds, other: ReleaseBounds) -> bool {
    let before = |a: ReleaseBounds, b: ReleaseBounds| matches!((a.until, b.since), (Some(until), Some(since)) if until < since);
    !before(one, other) && !before(other, one)
}

/// Which releases of a range have it.
fn in_range(part: &Part, place: &Place, asked: ReleaseBounds) -> String {
    let listed = place.message_set.release_list().releases().iter();
    let listed: Vec<Release> = listed
        .copied()
        .filter(|release| asked.contains(*release))
        .collect();
    let has = |release: &&Release| {
        place.bounds.contains(**release) && part.availability.contains(**release)
    };
    let having: Vec<Release> = listed.iter().filter(has).copied().collect();
    match (having.first(), having.last()) {
        _ if listed.is_empty() => format!("no release of {asked} is listed"),
        (Some(_), Some(_)) if having.len() == listed.len() => {
            format!("every release of {asked} has it")
        }
        (Some(first), Some(last)) => {
            let which = ReleaseBounds {
                since: Some(*first).filter(|first| listed.first() != Some(first)),
                until: Some(*last).filter(|last| listed.last() != Some(last)),
            };
            let which = match which {
                // Those in the middle do not have it.
                ReleaseBounds::ALWAYS => format!("the first and the last, {first} and {last}"),
                which => range(which),
            };
            format!(
                "of {asked}, {} of {} releases have it: {which}",
                having.len(),
                listed.len()
            )
        }
        _ => format!("no release of {asked} has it"),
    }
}

/// Whether a release has it, and how.
fn in_release(part: &Part, place: &Place, release: Release) -> String {
    let list = place.message_set.release_list();
    let ended = !place.message_set.is_current() && release > list.latest();
    if ended || release < list.first() || !place.bounds.contains(release) {
        return format!("{release} does not have it");
    }
    if !part.availability.contains(release) {
        return format!("{release} does not have it, though releases before and after it do");
    }
    let mut text = format!("{release} has it");
    let Some(member) = part.member else {
        return text;
    };
    let covers = |ranges: &[ReleaseBounds]| ranges.iter().any(|range| range.contains(release));
    let written = place.message_set.is_written();
    text += match (covers(&member.optional), covers(&member.written), written) {
        (false, _, true) | (true, true, true) => ", and always writes it",
        (true, false, true) => ", and may leave it out",
        (false, _, false) => ", and requires it",
        (true, _, false) => ", and does not require it",
    };
    if covers(&member.nullable) {
        text += "; it may be null";
    }
    text
}

/// What a part is called where it is said what releases were asked.
fn name_of(part: &Part) -> String {
    match part.kind {
        PartKind::Message | PartKind::Type => part.name.to_owned(),
        PartKind::Member => format!("{}.{}", part.owner, part.name),
        PartKind::Kind | PartKind::Value => format!("{} {}", part.owner, part.name),
    }
}

/// What releases answered when they were sent it.
fn answers(asked: &Asked) -> String {
    let said = |(since, refused): &(Release, Option<&str>)| match refused {
        Some(why) => format!("from {since} on: {why}"),
        None => format!("from {since} on it is read"),
    };
    let said: Vec<String> = asked.answers.iter().map(said).collect();
    format!("sent to real releases, {}", said.join("; "))
}

/// The other messages that lead to it.
fn others(part: &Part, hit: &Hit, message: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for place in &hit.places {
        let name = match place.message() {
            "" => place.message_set.as_str(),
            name => name,
        };
        if !names.contains(&name)
            && (matches!(part.kind, PartKind::Type | PartKind::Value) || name != message)
        {
            names.push(name);
        }
    }
    let rest = names.len().saturating_sub(MESSAGES);
    names.truncate(MESSAGES);
    let also = match part.kind {
        PartKind::Type | PartKind::Value => "in",
        _ => "also in",
    };
    match (names.is_empty(), rest) {
        (true, _) => String::new(),
        (false, 0) => format!("{also} {}", names.join(", ")),
        (false, rest) => format!("{also} {} and {rest} more messages", names.join(", ")),
    }
}

/// The members of a message that not every release of it has: what a client of several releases must not rely on.
fn came_later(
    out: &mut dyn Write,
    place: &Place,
    definition: &str,
    asked: Option<Releases>,
) -> io::Result<()> {
    let members = members_of(place.message_set, definition, DEEP);
    let differ: Vec<_> = members
        .iter()
        .filter(|below| meets(below.bounds, place.bounds))
        .filter(|below| {
            let since = below.bounds.since > place.bounds.since;
            let until = below
                .bounds
                .until
                .is_some_and(|until| place.bounds.until.is_none_or(|last| until < last));
            since || until
        })
        .collect();
    let margin = " ".repeat(MARGIN);
    if members.is_empty() || differ.is_empty() {
        return Ok(());
    }
    writeln!(out, "{margin}not in every release of it:")?;
    let width = differ
        .iter()
        .map(|below| below.pointer.len())
        .max()
        .unwrap_or(0);
    let dim = AnsiColor::Cyan.on_default();
    for below in differ {
        let range = unless_all(below.bounds, place.bounds);
        let lacks = asked
            .filter(|asked| !meets(below.bounds, asked.bounds()))
            .map_or(String::new(), |asked| match asked {
                Releases::One(release) => format!("; not in {release}"),
                Releases::Range(range) => format!("; not in {range}"),
            });
        writeln!(
            out,
            "{margin}  {:<width$} {dim}{range}{dim:#}{lacks}",
            below.pointer
        )?;
    }
    Ok(())
}

/// The first paragraph of a documentation.
fn first_paragraph(about: &str) -> &str {
    about.split("\n\n").next().unwrap_or_default()
}
