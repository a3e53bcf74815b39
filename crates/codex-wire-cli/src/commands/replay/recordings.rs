//! Finds and reads recordings, and what a manifest beside them says of them.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use codex_wire_replay::{About, Recording, manifest};

use crate::inputs::{self, Selection, Source};
use crate::progress::Progress;

/// The name of the manifest of a folder of recordings.
const MANIFEST: &str = "manifest.json";

/// How many folders up a manifest is looked for: it may list the recordings of several releases.
const LEVELS: usize = 2;

/// Reads the recordings in these files and folders, in order.
pub(crate) fn read(paths: &[PathBuf]) -> anyhow::Result<Vec<Recording>> {
    let progress = Progress::new();
    let mut recordings = Vec::new();
    for source in inputs::list(paths, Selection::default()).inputs {
        let source = match source {
            Ok(source) => source,
            Err(outcome) => {
                let error = outcome.error.unwrap_or_default();
                bail!("cannot read {}: {error}", outcome.path)
            }
        };
        if matches!(source, Source::Stdin) {
            bail!(
                "a recording cannot come from standard input, which is the client's: name a file"
            );
        }
        let name = source.name();
        let mut bytes = Vec::new();
        let read = source
            .open(&progress)
            .and_then(|mut opened| opened.input.read_to_end(&mut bytes));
        read.with_context(|| format!("cannot read {name}"))?;
        let about = about(Path::new(&name));
        let recording = Recording::read(&name, bytes, about);
        recordings.push(recording.with_context(|| format!("cannot play {name}"))?);
    }
    progress.clear();
    if recordings.is_empty() {
        bail!(
            "there is no recording in {}",
            paths
                .iter()
                .map(|p| p.display().to_string())
                .collect::<Vec<_>>()
                .join(", ")
        );
    }
    Ok(recordings)
}

/// What a manifest says of a recording, if there is one.
fn about(path: &Path) -> About {
    let mut inside = PathBuf::new();
    let mut folder = path;
    for _ in 0..=LEVELS {
        let (Some(name), Some(parent)) = (folder.file_name(), folder.parent()) else {
            break;
        };
        inside = Path::new(name).join(&inside);
        folder = parent;
        // A path that names no folder is in this one.
        let here = if parent.as_os_str().is_empty() {
            Path::new(".")
        } else {
            parent
        };
        let Ok(bytes) = fs::read(here.join(MANIFEST)) else {
            continue;
        };
        let wanted = inside
            .components()
            .map(|part| part.as_os_str().to_string_lossy());
        let wanted = wanted.collect::<Vec<_>>().join("/");
        let found = manifest(&bytes)
            .into_iter()
            .find(|(file, _)| *file == wanted);
        if let Some((_, about)) = found {
            return about;
        }
    }
    About::default()
}
