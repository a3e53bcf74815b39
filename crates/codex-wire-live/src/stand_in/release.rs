//! The release of recordings, and recordings of one release, converted to what another would have written.

use std::fmt;

use codex_wire_base::Release;
use codex_wire_base::lines::Line;
use codex_wire_check::identify::Identification;
use codex_wire_check::{Checker, Options, Writer};
use codex_wire_replay::{self as replay, Lines, Recording, as_release};

use crate::error::Error;

/// The recordings as `release` would have written them.
pub(crate) fn convert(
    recordings: Vec<Recording>,
    release: Release,
) -> Result<Vec<Recording>, Error> {
    let converted = recordings.into_iter().map(|mut recording| {
        let known = recording.about.release;
        recording.about.release = known.or_else(|| release_of(&recording, &[]));
        as_release(&recording, release).map_err(|source| Error::AsRelease {
            name: recording.name,
            release,
            source,
        })
    });
    converted.collect()
}

/// The release of a recording; of one that does not say it the first of these that could have written it, or else the newest that
/// could.
pub(crate) fn release_of(recording: &Recording, wanted: &[Release]) -> Option<Release> {
    if let Some(release) = recording.about.release {
        return Some(release);
    }
    let releases = identify(recording)?.releases?;
    let mut wanted = wanted.iter().copied();
    let wanted = wanted.find(|release| releases.contains(*release));
    wanted.or_else(|| releases.ranges.last().map(|range| range.until))
}

/// The release of recordings if `--release` names none: that of the first recording that says one, else of the first that
/// shows one, with how it is inferred.
pub(crate) fn of_recordings(recordings: &[Recording]) -> Option<(Release, Option<Inferred>)> {
    let said = recordings.iter().find_map(|one| one.about.release);
    said.map(|release| (release, None)).or_else(|| {
        recordings.iter().find_map(|recording| {
            let of = recording.name.clone();
            let release = release_of(recording, &[])?;
            Some((release, Some(Inferred { of, release })))
        })
    })
}

/// The newest release that could have written a recording which names none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inferred {
    /// The name of the recording.
    pub of: String,
    /// The release.
    pub release: Release,
}

/// A release that cannot have written a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt(String);

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a release cannot have written these recordings, with the line; nothing if it can.
pub fn doubts(recordings: &[Recording], release: Release) -> Vec<Doubt> {
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
        Some(Doubt(
            match evidence.find(|e| !e.releases.contains(listed)) {
                Some(found) => format!("{release} did not write {name}:{}: {found}", found.line),
                None => format!("{release} did not write {name}, but {releases}"),
            },
        ))
    };
    recordings.iter().filter_map(doubt).collect()
}

/// How much of the beginning and of the end of a recording shows its release. What is between them has more of the same,
/// and would keep the first line from being played for seconds.
const EDGE: usize = 1 << 20;

fn identify(recording: &Recording) -> Option<Identification> {
    let checker = Checker::new(Options::new()).ok()?;
    let mut identifier = checker.identifier();
    let length: usize = match &recording.lines {
        Lines::Plain(bytes) => bytes.len(),
        Lines::Transcript(lines) => lines.iter().map(|line| line.text.len()).sum(),
    };
    let mut read = 0;
    let mut take = |text: &[u8], number, writer| {
        let start = read;
        read += text.len();
        if start >= EDGE && length.saturating_sub(read) >= EDGE {
            return;
        }
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
            let bytes = bytes.as_slice();
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

#[cfg(test)]
mod tests {
    use codex_wire_replay::About;

    use super::*;

    /// Where the only line stands that an early release did not write: its place among many.
    fn doubted(place: usize) -> bool {
        let message =
            r#"{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"x"}}"#;
        let later = r#"{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1,"reasoning_output_tokens":0}}"#;
        let mut lines = vec![message; 50_000];
        lines[place] = later;
        let recording = Recording::read("a", (lines.join("\n") + "\n").into(), About::default());
        !doubts(&[recording.unwrap()], Release::new(0, 98, 0)).is_empty()
    }

    #[test]
    fn a_large_recording_is_not_looked_through() {
        assert!(doubted(0));
        assert!(doubted(49_999));
        assert!(!doubted(25_000));
    }
}
