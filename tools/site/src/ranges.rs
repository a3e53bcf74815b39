//! Releases in words, for scripts, and as a line.

use codex_wire_base::{MessageSet, Release, ReleaseBounds};
use codex_wire_schema::ir::{Availability, Member, except};
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

/// Ranges of releases of a message set in words. The first release is named, too.
pub(crate) fn in_words(ranges: &[ReleaseBounds], message_set: MessageSet) -> String {
    let list = message_set.release_list();
    let last = (!message_set.is_current()).then(|| list.latest());
    let each = ranges.iter().map(|range| {
        let since = range.since.unwrap_or(list.first());
        match range.until.or(last) {
            Some(until) if since >= until => format!("in {until} only"),
            Some(until) => format!("{since} to {until}"),
            None => format!("since {since}"),
        }
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
    message_set: MessageSet,
) -> Vec<Chip> {
    let is_written = message_set.is_written();
    let releases = message_set.release_list().releases();
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
        let exceptions = except(availability.range, &within, releases);
        let words = match whole {
            true => String::new(),
            // The shorter one of the two.
            false if exceptions.len() < within.len() => {
                format!(", except {}", in_words(&exceptions, message_set))
            }
            false => format!(" {}", in_words(&within, message_set)),
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

#[cfg(test)]
mod tests {
    use codex_wire_base::{MessageSet, Release, ReleaseBounds};

    use super::in_words;

    #[test]
    fn the_first_release_is_named() {
        let range = |since: Option<u32>, until: Option<u32>| ReleaseBounds {
            since: since.map(|minor| Release::new(0, minor, 0)),
            until: until.map(|minor| Release::new(0, minor, 0)),
        };
        let set = MessageSet::AppServerServerNotifications;
        for (range, words) in [
            (range(None, None), "since 0.58.0"),
            (range(None, Some(58)), "in 0.58.0 only"),
            (range(None, Some(64)), "0.58.0 to 0.64.0"),
            (range(Some(120), None), "since 0.120.0"),
            (range(Some(66), Some(66)), "in 0.66.0 only"),
        ] {
            assert_eq!(in_words(&[range], set), words);
        }
    }
}
