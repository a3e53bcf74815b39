//! Implements `--as-release`: recordings of one release, told as another one would have written them.

use anyhow::Context;
use codex_wire_base::{Protocol, Release};
use codex_wire_check::Checker;
use codex_wire_replay::{Lines, Recording, as_release};

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

/// The release of a recording; of plain output the newest that could have written it.
pub(super) fn release_of(recording: &Recording) -> Option<Release> {
    if let Some(release) = recording.about.release {
        return Some(release);
    }
    let Lines::Plain(bytes) = &recording.lines else {
        return None;
    };
    let mut options = codex_wire_check::Options::new();
    options.protocol = Some(Protocol::Exec);
    let checker = Checker::new(options).ok()?;
    let mut stream = checker.stream(&recording.name);
    stream.feed(bytes);
    let (outcome, _) = stream.finish();
    outcome.releases.map(|range| range.until)
}
