//! `--release`: from what was given to a release on a protocol's timeline.

use anstream::ColorChoice;
use codex_wire::{Protocol, Release};

use crate::output;

/// The listed release that `text` stands for. Where it is another than the one given, the
/// difference is told on standard error.
pub(crate) fn release(
    protocol: Protocol,
    text: &str,
    color: ColorChoice,
) -> anyhow::Result<Release> {
    let timeline = protocol.timeline();
    let listed = timeline.resolve(text)?;
    let latest = timeline.latest();
    match text.parse::<Release>() {
        Ok(given) if given == listed => {}
        Ok(given) if given > latest => output::remark(
            color,
            &format!("{given} is newer than {latest}, the newest release known; taken as {latest}"),
        ),
        Ok(given) => output::remark(
            color,
            &format!("{given} is not on the timeline; taken as {listed}, the one before it"),
        ),
        Err(_) => output::remark(color, &format!("{text} speaks as {listed}")),
    }
    Ok(listed)
}
