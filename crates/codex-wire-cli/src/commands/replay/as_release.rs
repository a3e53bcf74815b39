//! The release of recordings, and `--as-release`: recordings of one release, converted to what another would have
//! written.

use anyhow::Context;
use codex_wire_base::Release;
use codex_wire_base::lines::Line;
use codex_wire_check::identify::Identification;
use codex_wire_check::{Checker, Options, Writer};
use codex_wire_replay::{self as replay, Lines, Recording, as_release};

/// The recordings as `release` would have written them.
pub(crate) fn convert(
    recordings: Vec<Recording>,
    release: Release,
) -> anyhow::Result<Vec<Recording>> {
    let told = recordings.into_iter().map(|mut recording| {
        let known = recording.about.release;
        recording.about.release = known.or_else(|| release_of(&recording));
        let told = as_release(&recording, release);
        told.with_context(|| format!("{} cannot be played as {release}", recording.name))
    });
    told.collect()
}

/// The release of a recording; of plain output the newest that could have written it.
fn release_of(recording: &Recording) -> Option<Release> {
    if let Some(release) = recording.about.release {
        return Some(release);
    }
    if !matches!(recording.lines, Lines::Plain(_)) {
        return None;
    }
    let releases = identify(recording)?.releases?;
    releases.ranges.last().map(|range| range.until)
}

/// The release of recordings if `--release` names none: that of the first recording that has one, and whether it is
/// inferred.
pub(super) fn source(recordings: &[Recording]) -> Option<(Release, Option<Inferred>)> {
    recordings.iter().find_map(|recording| {
        let release = release_of(recording)?;
        let inferred = recording.about.release.is_none().then(|| Inferred {
            of: recording.name.clone(),
            release,
        });
        Some((release, inferred))
    })
}

/// The newest release that could have written a recording which names none.
pub(super) struct Inferred {
    /// The name of the recording.
    of: String,
    pub(super) release: Release,
}

impl Inferred {
    /// That it is inferred, for the user.
    pub(super) fn sentence(&self) -> String {
        let Inferred { of, release } = self;
        format!("{of} is taken for Codex {release}, {}", Inferred::WHY)
    }

    /// What the release is, and how to have another.
    pub(super) const WHY: &str = "the newest that could have written it; --release names another";
}

/// Why a release cannot have written these recordings, with the line; nothing if it can.
pub(super) fn doubts(recordings: &[Recording], release: Release) -> Vec<String> {
    let doubt = |recording: &Recording| {
        let list = recording.protocol.release_list();
        let listed = list.floor(release).unwrap_or(release);
        let known = identify(recording)?;
        let releases = known.releases?;
        if releases.contains(listed) {
            return None;
        }
        let name = &recording.name;
        let mut evidence = known.evidence.iter();
        Some(match evidence.find(|e| !e.releases.contains(listed)) {
            Some(told) => format!("{release} did not write {name}:{}: {told}", told.line),
            None => format!("{release} did not write {name}, but {releases}"),
        })
    };
    recordings.iter().filter_map(doubt).collect()
}

fn identify(recording: &Recording) -> Option<Identification> {
    let checker = Checker::new(Options::new()).ok()?;
    let mut identifier = checker.identifier();
    let mut take = |text: &[u8], number, writer| {
        let line = Line {
            bytes: text,
            number,
            offset: 0,
            ended: true,
            length: text.len() as u64,
            column: None,
        };
        identifier.line(&line, Some(writer));
    };
    match &recording.lines {
        Lines::Plain(bytes) => {
            let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
                take(line, number, Writer::Codex);
            }
        }
        Lines::Transcript(lines) => {
            for line in lines {
                let writer = match line.writer {
                    replay::Writer::Codex => Writer::Codex,
                    replay::Writer::Client => Writer::Client,
                };
                take(line.text.as_bytes(), line.number, writer);
            }
        }
    }
    Some(identifier.identification())
}
