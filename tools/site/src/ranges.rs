//! Releases in words, for scripts, and as a line.

use codex_wire_base::{MessageSet, Release, ReleaseBounds};
use codex_wire_schema::ir::{Availability, Member};
use serde::Serialize;

/// Ranges for the script of the slider: `0.60.0..0.80.0 0.90.0..`; empty if they are all releases.
pub(crate) fn for_script(ranges: &[ReleaseBounds]) -> String {
    if ranges == [ReleaseBounds::ALWAYS] {
        return String::new();
    }
    let end = |end: Option<Release>| end.map(|end| end.to_string()).unwrap_or_default();
    let each = ranges
        .iter()
        .map(|range| format!("{}..{}", end(range.since), end(range.until)));
    each.collect::<Vec<_>>().join(" ")
}

/// Ranges in words.
pub(crate) fn in_words(ranges: &[ReleaseBounds]) -> String {
    let each = ranges.iter().map(|range| match (range.since, range.until) {
        (Some(since), Some(until)) if since == until => format!("in {since} only"),
        (Some(since), Some(until)) => format!("{since} to {until}"),
        (Some(since), None) => format!("since {since}"),
        (None, Some(until)) => format!("until {until}"),
        (None, None) => "all releases".to_owned(),
    });
    each.collect::<Vec<_>>().join(", ")
}

/// A note beside the type of a part.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Chip {
    pub(crate) text: String,
    /// The releases in which it is so, for the script.
    pub(crate) ranges: String,
    /// How it looks.
    pub(crate) tone: &'static str,
}

/// The notes beside the type of a member: whether it is there, whether it may be `null`, and for whom.
pub(crate) fn chips(
    availability: &Availability,
    member: Option<&Member>,
    is_written: bool,
) -> Vec<Chip> {
    let mut out = Vec::new();
    let mut add = |what: &str, ranges: &[ReleaseBounds], tone| {
        let within: Vec<ReleaseBounds> = ranges
            .iter()
            .filter_map(|range| shared(*range, availability.range))
            .collect();
        if within.is_empty() {
            return;
        }
        let whole = within == [availability.range];
        let words = match whole {
            true => String::new(),
            false => format!(" {}", in_words(&within)),
        };
        out.push(Chip {
            text: format!("{what}{words}"),
            ranges: if whole {
                String::new()
            } else {
                for_script(&within)
            },
            tone,
        });
    };
    if let Some(member) = member {
        let always = if is_written {
            "always written"
        } else {
            "required"
        };
        let left_out = if is_written {
            "may be left out"
        } else {
            "not required"
        };
        let stated = if is_written { &member.written[..] } else { &[] };
        match (member.optional.is_empty(), stated.is_empty()) {
            (true, _) => add(always, &[availability.range], "firm"),
            (false, true) => add(left_out, &member.optional, "loose"),
            (false, false) => add(always, stated, "firm"),
        }
        add("may be null", &member.nullable, "loose");
    }
    add("experimental", &availability.experimental, "experimental");
    out
}

/// A piece of the line that shows in which releases a part is there.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Bar {
    pub(crate) x: usize,
    pub(crate) width: usize,
    pub(crate) tone: &'static str,
}

/// The line of a part, in as many steps as there are releases.
pub(crate) fn line(availability: &Availability, releases: &[Release]) -> Vec<Bar> {
    let mut out: Vec<Bar> = Vec::new();
    for (x, release) in releases.iter().enumerate() {
        if !availability.contains(*release) {
            continue;
        }
        let tone = match availability.is_experimental(*release) {
            true => "experimental",
            false => "there",
        };
        match out.last_mut() {
            Some(last) if last.x + last.width == x && last.tone == tone => last.width += 1,
            _ => out.push(Bar { x, width: 1, tone }),
        }
    }
    out
}

/// The releases of a message set as a range; open if it is spoken today.
pub(crate) fn of_set(message_set: MessageSet) -> ReleaseBounds {
    let list = message_set.release_list();
    ReleaseBounds {
        since: Some(list.first()),
        until: (!message_set.is_current()).then(|| list.latest()),
    }
}

/// The releases that two ranges share, if there are any.
pub(crate) fn shared(one: ReleaseBounds, other: ReleaseBounds) -> Option<ReleaseBounds> {
    let shared = one.intersect(other);
    let is_empty = shared.until.is_some_and(|until| shared.since > Some(until));
    (!is_empty).then_some(shared)
}

/// Releases for the script, oldest first.
pub(crate) fn list(releases: &[Release]) -> String {
    let each: Vec<String> = releases.iter().map(ToString::to_string).collect();
    each.join(" ")
}
