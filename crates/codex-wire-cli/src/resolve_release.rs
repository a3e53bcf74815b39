//! Resolves `--release` to a release in the list of a protocol.

use anstream::ColorChoice;
use codex_wire_base::{MessageSet, NamedRelease, NoSuchRelease, Protocol, Release};

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
