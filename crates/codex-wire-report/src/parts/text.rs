//! Parts as text.

use std::io::{self, Write};

use codex_wire_base::{Protocol, Release, ReleaseBounds, ReleaseChoice};
use codex_wire_diff::{Asked, asked_about};
use codex_wire_schema::find::{Hit, Part, PartKind, Place};

use super::found::Parts;
use super::message;
use super::phrases::{holds, in_releases, range, releases_of, unless_all, whole};
use super::words::{noun, writer};
use crate::styles::Styles;
use crate::wrap::wrapped;

/// How many messages are named of those that a part stands in.
const MESSAGES: usize = 4;
const MARGIN: usize = 4;

/// Writes parts for people, then the rules: all of them, or the first `first` of those that have just these names.
///
/// # Errors
/// When writing fails.
pub fn write_parts(
    out: &mut dyn Write,
    found: &Parts,
    styles: &Styles,
    first: Option<usize>,
) -> io::Result<()> {
    let exact = found.hits.iter().filter(|hit| hit.is_exact()).count();
    let shown = match (first, exact) {
        (None, _) => found.hits.len(),
        (Some(first), 0) => first.min(found.hits.len()),
        (Some(first), exact) => first.min(exact),
    };
    let (brief, whole): (Vec<&Hit>, Vec<&Hit>) = found.hits[..shown]
        .iter()
        .partition(|hit| is_deeper(hit, found));
    for (index, hit) in whole.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        part(out, hit, styles, found.releases)?;
    }
    if let Some(place) = brief.first().and_then(|hit| hit.places.first()) {
        writeln!(out, "\ndeeper in {}:", place.message())?;
        for hit in brief {
            one_line(out, hit, found.releases)?;
        }
    }
    match found.hits.len() - shown {
        0 => {}
        more => writeln!(out, "\nand {more} more; `--all` prints them")?,
    }
    let bold = styles.place;
    for (index, rule) in found.rules.iter().enumerate() {
        if index == 0 && !found.hits.is_empty() {
            writeln!(out)?;
        }
        writeln!(out, "{bold}{}{bold:#}  rule: {}", rule.id, rule.summary)?;
    }
    Ok(())
}

/// Whether several words name a member of a message, and this is one of the same message that stands in some kind of
/// what the message holds, such as an item: it is hardly the one that is looked for.
fn is_deeper(hit: &Hit, found: &Parts) -> bool {
    let place = |hit: &Hit| hit.places.first().cloned();
    let (Some(first), Some(this)) = (found.hits.first().and_then(place), place(hit)) else {
        return false;
    };
    found.words.len() > 1
        && found.hits[0].part.kind == PartKind::Member
        && hit.part.kind == PartKind::Member
        && (first.message_set, first.message()) == (this.message_set, this.message())
        && first.kind == first.message()
        && this.kind != this.message()
}

/// A member in a line.
fn one_line(out: &mut dyn Write, hit: &Hit, asked: Option<ReleaseChoice>) -> io::Result<()> {
    for place in hit.places.iter().take(1) {
        let when = when(&hit.part, place);
        let answer = match asked {
            None => String::new(),
            Some(ReleaseChoice::One(release)) => in_release(&hit.part, place, release),
            Some(ReleaseChoice::Range(range)) => in_range(&hit.part, place, range),
        };
        let answer = match answer.is_empty() {
            true => answer,
            false => format!("; {answer}"),
        };
        writeln!(out, "  {} {}  {when}{answer}", place.kind, place.pointer)?;
    }
    Ok(())
}

fn part(
    out: &mut dyn Write,
    hit: &Hit,
    styles: &Styles,
    asked: Option<ReleaseChoice>,
) -> io::Result<()> {
    let part = &hit.part;
    let bold = styles.place;
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
        Some(ReleaseChoice::One(release)) => line(&in_release(part, place, release))?,
        Some(ReleaseChoice::Range(range)) => line(&in_range(part, place, range))?,
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
        message::members(out, place, definition, styles, asked)?;
    }
    Ok(())
}

/// What it is and holds, and who writes it.
fn what_it_is(part: &Part, hit: &Hit, place: &Place) -> String {
    let noun = noun(hit);
    let mut text = match part.kind {
        PartKind::Member => {
            let holds = part
                .schema
                .map(|schema| holds(place.message_set, schema, place.bounds));
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
        let (list, of) = (place.message_set, releases_of(place));
        let some = |what: &str, ranges: &[ReleaseBounds]| in_releases(what, ranges, of, list);
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
        (false, rest) => {
            let messages = if rest == 1 { "message" } else { "messages" };
            format!("{also} {} and {rest} more {messages}", names.join(", "))
        }
    }
}

/// The first paragraph of a documentation.
fn first_paragraph(about: &str) -> &str {
    about.split("\n\n").next().unwrap_or_default()
}
