//! Implements `--as-release`: recordings of one release, told as another one would have written them.

use anyhow::{Context, anyhow};
use codex_wire_base::Release;
use codex_wire_replay::{Recording, as_release};

use super::install::release_of;

/// The recordings as `release` would have written them.
pub(crate) fn tell(recordings: Vec<Recording>, release: Release) -> anyhow::Result<Vec<Recording>> {
    let told = recordings.into_iter().map(|mut recording| {
        let known = recording.about.release;
        recording.about.release = known.or_else(|| release_of(&recording));
        let told = as_release(&recording, release);
        told.with_context(|| format!("{} cannot be played as {release}", recording.name))
    });
    told.collect()
}

/// Reads a release.
pub(crate) fn parse(text: &str) -> anyhow::Result<Release> {
    let release = text.parse();
    release.map_err(|_| anyhow!("`{text}` is not a release such as 0.125.0"))
}
