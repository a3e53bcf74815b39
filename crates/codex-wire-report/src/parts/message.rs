//! The members of a message: what a release speaks, and what not every release has.

use std::io::{self, Write};

use codex_wire_base::{Release, ReleaseBounds, ReleaseChoice};
use codex_wire_schema::find::{Below, Place, members_of};
use codex_wire_schema::ir::except;

use super::phrases::{holds, in_releases, meets, releases_of, unless_all};
use crate::styles::Styles;
use crate::wrap::wrapped;

/// How many levels of objects a message is shown with.
const DEEP: usize = 3;
const MARGIN: usize = 4;

/// Writes the members of a message: those that the release has, if one is asked for that has the message, and
/// otherwise those that a client must not rely on.
pub(super) fn members(
    out: &mut dyn Write,
    place: &Place,
    definition: &str,
    styles: &Styles,
    asked: Option<ReleaseChoice>,
) -> io::Result<()> {
    let mut members = members_of(place.message_set, definition, DEEP);
    members.retain(|below| meets(below.bounds, place.bounds));
    match asked {
        Some(ReleaseChoice::One(release)) if place.bounds.contains(release) => {
            of_release(out, place, &members, styles, release)
        }
        Some(ReleaseChoice::One(_)) => Ok(()),
        Some(ReleaseChoice::Range(range)) => not_always(out, place, &members, styles, Some(range)),
        None => not_always(out, place, &members, styles, None),
    }
}

/// What a release speaks, then in one list what is gone or not there yet.
fn of_release(
    out: &mut dyn Write,
    place: &Place,
    members: &[Below],
    styles: &Styles,
    release: Release,
) -> io::Result<()> {
    let margin = " ".repeat(MARGIN);
    let only = ReleaseBounds {
        since: Some(release),
        until: Some(release),
    };
    let has = |below: &&Below| {
        below.bounds.contains(release) && below.member.availability.contains(release)
    };
    let (there, lacking): (Vec<&Below>, Vec<&Below>) = members.iter().partition(has);
    if !there.is_empty() {
        let always = match place.message_set.is_written() {
            true => "always written",
            false => "required",
        };
        writeln!(
            out,
            "{margin}members, {always} unless the line says otherwise:"
        )?;
    }
    let width = there.iter().map(|below| below.pointer.len()).max();
    let width = width.unwrap_or(0);
    let dim = styles.range;
    for below in there {
        let mut text = holds(place.message_set, &below.member.schema, only);
        if covers(&below.member.nullable, release) {
            text += " or null";
        }
        if let Some(left_out) = left_out(place, below, release) {
            text += &format!("; {left_out}");
        }
        let range = unless_all(below.bounds, releases_of(place));
        let range = match range.as_str() {
            "" => String::new(),
            range => format!("; {dim}{}{dim:#}", range.trim_start()),
        };
        writeln!(out, "{margin}  {:<width$} {text}{range}", below.pointer)?;
    }
    let mut over: Option<&str> = None;
    let mut names = Vec::new();
    for below in lacking {
        // What stands in something that is lacking is lacking with it.
        if over.is_some_and(|over| stands_in(&below.pointer, over)) {
            continue;
        }
        over = Some(&below.pointer);
        let range = unless_all(below.bounds, releases_of(place));
        names.push(match range.trim_start() {
            "" => below.pointer.clone(),
            range => format!("{} ({range})", below.pointer),
        });
    }
    if names.is_empty() {
        return Ok(());
    }
    let text = format!("not in {release}: {}", names.join(", "));
    write!(out, "{}", wrapped(&text, MARGIN))
}

/// Whether a release may leave a member out, in words.
fn left_out(place: &Place, below: &Below, release: Release) -> Option<&'static str> {
    let is_optional = covers(&below.member.optional, release);
    match place.message_set.is_written() {
        true => {
            (is_optional && !covers(&below.member.written, release)).then_some("may be left out")
        }
        false => is_optional.then_some("not required"),
    }
}

/// The members that not every message of every release has: what a client of several releases must not rely on.
fn not_always(
    out: &mut dyn Write,
    place: &Place,
    members: &[Below],
    styles: &Styles,
    asked: Option<ReleaseBounds>,
) -> io::Result<()> {
    let mut lines: Vec<(&str, String)> = Vec::new();
    for below in members {
        let mut said = Vec::new();
        let range = unless_all(below.bounds, releases_of(place));
        said.extend((!range.is_empty()).then(|| range.trim_start().to_owned()));
        // A client knows what it leaves out itself.
        if place.message_set.is_written() {
            let releases = place.message_set.release_list().releases();
            let mut left_out = except(below.bounds, &below.member.written, releases);
            left_out.retain(|range| below.member.optional.iter().any(|one| meets(*one, *range)));
            said.extend(in_releases(
                "may be left out",
                &left_out,
                below.bounds,
                place.message_set,
            ));
        }
        if said.is_empty() {
            continue;
        }
        if let Some(asked) = asked.filter(|asked| !meets(below.bounds, *asked)) {
            said.push(format!("not in {asked}"));
        }
        let said = said.join("; ");
        // What an object says of itself is not repeated for each of its members.
        let is_said =
            |(over, of_all): &&(&str, String)| stands_in(&below.pointer, over) && *of_all == said;
        if !lines.last().is_some_and(|last| is_said(&last)) {
            lines.push((&below.pointer, said));
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    let margin = " ".repeat(MARGIN);
    writeln!(out, "{margin}not in every message of every release:")?;
    let width = lines.iter().map(|(pointer, _)| pointer.len()).max();
    let width = width.unwrap_or(0);
    let dim = styles.range;
    for (pointer, said) in lines {
        writeln!(out, "{margin}  {pointer:<width$} {dim}{said}{dim:#}")?;
    }
    Ok(())
}

/// Whether a place is in another one.
fn stands_in(pointer: &str, over: &str) -> bool {
    let rest = pointer.strip_prefix(over);
    rest.is_some_and(|rest| rest.starts_with('/'))
}

fn covers(ranges: &[ReleaseBounds], release: Release) -> bool {
    ranges.iter().any(|range| range.contains(release))
}
