//! Resolves `--release`, and whatever else names releases, in the lists of protocols.

use anstream::ColorChoice;
use codex_wire_base::{
    MessageSet, NamedRange, NamedRelease, NoSuchRelease, Protocol, RangeEnds, Release,
    ReleaseBounds, ReleaseChoice,
};
use codex_wire_check::Options;

use crate::output;

/// The release or the releases that `text` names, of the stated protocol if one is stated.
pub(crate) fn choice(
    protocol: Option<Protocol>,
    text: &str,
    color: ColorChoice,
) -> anyhow::Result<ReleaseChoice> {
    if RangeEnds::of(text).is_some() {
        let message_sets = protocol.map_or(MessageSet::ALL, Protocol::message_sets);
        return Ok(ReleaseChoice::Range(range(message_sets, text, color)?));
    }
    Ok(ReleaseChoice::One(of_protocol(protocol, text, color)?))
}

/// The same, of some message sets.
pub(crate) fn choice_of_message_sets(
    message_sets: &[MessageSet],
    text: &str,
    color: ColorChoice,
) -> anyhow::Result<ReleaseChoice> {
    Ok(match RangeEnds::of(text) {
        Some(_) => ReleaseChoice::Range(range(message_sets, text, color)?),
        None => ReleaseChoice::One(of_message_sets(message_sets, text, color)?.1),
    })
}

/// Has a check assume the release, or infer it among those of the range.
pub(crate) fn limit(options: &mut Options, choice: ReleaseChoice) {
    match choice {
        ReleaseChoice::One(release) => options.release = Some(release),
        ReleaseChoice::Range(range) => options.among = range,
    }
}

/// The listed release that `text` stands for, of the stated protocol if one is stated.
pub(crate) fn of_protocol(
    protocol: Option<Protocol>,
    text: &str,
    color: ColorChoice,
) -> anyhow::Result<Release> {
    match protocol {
        Some(protocol) => Ok(of_message_sets(protocol.message_sets(), text, color)?.1),
        None => of_any(text, color),
    }
}

/// The listed release that `text` stands for, where the protocol is not known yet.
pub(crate) fn of_any(text: &str, color: ColorChoice) -> anyhow::Result<Release> {
    Ok(remarked(NamedRelease::find_any(text), color)?.1)
}

/// The first of some message sets that has the release `text` stands for, and that release. If the
/// listed release differs from the given one, standard error says so.
pub(crate) fn of_message_sets(
    message_sets: &[MessageSet],
    text: &str,
    color: ColorChoice,
) -> anyhow::Result<(MessageSet, Release)> {
    remarked(NamedRelease::find(message_sets, text), color)
}

/// The first and the last release of a range such as `0.140..0.150`, as [`NamedRange::find`] reads it.
pub(crate) fn range(
    message_sets: &[MessageSet],
    text: &str,
    color: ColorChoice,
) -> anyhow::Result<ReleaseBounds> {
    let range = NamedRange::find(message_sets, text)?;
    for stands_for in &range.stands_for {
        output::remark(color, &stands_for.to_string());
    }
    Ok(range.bounds)
}

fn remarked(
    found: Result<NamedRelease, NoSuchRelease>,
    color: ColorChoice,
) -> anyhow::Result<(MessageSet, Release)> {
    let found = found?;
    if let Some(stands_for) = &found.stands_for {
        output::remark(color, &stands_for.to_string());
    }
    Ok((found.message_set, found.release))
}
