//! `--release`: from what was given to a release on a timeline.

use anstream::ColorChoice;
use anyhow::bail;
use codex_wire::timeline::ResolveError;
use codex_wire::{Release, Surface};

use crate::output;

/// The first of some surfaces that has the release `text` stands for, and that release. Where
/// it is another than the one given, the difference is told on standard error.
pub(crate) fn release(
    surfaces: &[Surface],
    text: &str,
    color: ColorChoice,
) -> anyhow::Result<(Surface, Release)> {
    let given = text.parse::<Release>().ok();
    let mut failure = None;
    for surface in surfaces {
        let timeline = surface.timeline();
        let latest = timeline.latest();
        let gone = given.is_some_and(|given| given > latest && !surface.is_current());
        match timeline.resolve(text) {
            Ok(_) if gone => {}
            Ok(listed) => {
                if let Some(remark) = difference(text, given, listed, latest) {
                    output::remark(color, &remark);
                }
                return Ok((*surface, listed));
            }
            // The surface that begins first says best how old is too old.
            Err(error @ ResolveError::TooOld { .. }) => failure = Some(error),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    match failure {
        Some(error) => Err(error.into()),
        None => bail!("{text} no longer speaks {}", surfaces[0].protocol()),
    }
}

fn difference(
    text: &str,
    given: Option<Release>,
    listed: Release,
    latest: Release,
) -> Option<String> {
    match given {
        Some(given) if given == listed => None,
        Some(given) if given > latest => Some(format!(
            "{given} is newer than {latest}, the newest release known; taken as {latest}"
        )),
        Some(given) => Some(format!(
            "{given} is not on the timeline; taken as {listed}, the one before it"
        )),
        None => Some(format!("{text} speaks as {listed}")),
    }
}
