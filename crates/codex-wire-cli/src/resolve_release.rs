//! Resolves `--release` to a release in the list of a protocol.

use anstream::ColorChoice;
use anyhow::bail;
use codex_wire_base::{MessageSet, NamedRelease, NoSuchRelease, Protocol, Release, ReleaseBounds};

use crate::output;

/// The listed release that `text` stands for, of the stated protocol if one is stated.
pub(crate) fn of_protocol(
    protocol: Option<Protocol>,
    text: &str,
    color: ColorChoice,
) -> anyhow::Result<Release> {
    let message_sets = protocol.map_or(MessageSet::ALL, Protocol::message_sets);
    Ok(of_message_sets(message_sets, text, color)?.1)
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

/// The first and the last release of a range such as `0.140..0.150`, whose ends may be left out; a single release is
/// the range of itself.
pub(crate) fn range(
    message_sets: &[MessageSet],
    text: &str,
    color: ColorChoice,
) -> anyhow::Result<ReleaseBounds> {
    let end = |text: &str| match text {
        "" => Ok(None),
        text => of_message_sets(message_sets, text, color).map(|(_, release)| Some(release)),
    };
    let (since, until) = text.split_once("..").unwrap_or((text, text));
    // A range from 0.140 on begins with the first release of 0.140.
    let first = format!("{since}.0").parse::<Release>().ok();
    let bounds = ReleaseBounds {
        since: match first {
            Some(first) => Some(first),
            None => end(since)?,
        },
        until: end(until)?,
    };
    if let ReleaseBounds {
        since: Some(since),
        until: Some(until),
    } = bounds
        && since > until
    {
        bail!("`{text}` is a range without releases: {since} is newer than {until}");
    }
    Ok(bounds)
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
