//! Finds and reads recordings, and what a manifest beside them says of them.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};
use codex_wire_check::{Checker, Converter, Options};
use codex_wire_replay::{About, Recording, manifest};

use crate::inputs::{self, Found, Listing, Opened, Selection, Source};
use crate::progress::Progress;

/// The name of the manifest of a folder of recordings.
const MANIFEST: &str = "manifest.json";

/// How much of a file is read to see whether it is a recording.
const HEAD: usize = 1 << 20;

/// How many folders up a manifest is looked for: it may list the recordings of several releases.
const LEVELS: usize = 2;

/// Reads the recordings in these files, folders and archives, in order.
pub(crate) fn read(paths: &[PathBuf]) -> anyhow::Result<Vec<Recording>> {
    let Listing { inputs, bytes, .. } = inputs::list(paths, Selection::new());
    let progress = Progress::of(inputs.len(), bytes);
    let mut recordings = Vec::new();
    for source in inputs {
        let source = match source {
            Ok(source) => source,
            Err(unreadable) => bail!("{unreadable}"),
        };
        if matches!(source, Source::Stdin) {
            bail!(
                "a recording cannot come from standard input, which is the client's: name a file"
            );
        }
        progress.input(&source.name());
        let mut result = Ok(());
        source.each(&progress, &[], |found| {
            if result.is_ok() {
                result = match found {
                    Found::Input(opened) => recording(opened).map(|one| recordings.extend(one)),
                    Found::Failed(unreadable) => Err(anyhow!("{unreadable}")),
                    Found::Skipped(_) => Ok(()),
                };
            }
        });
        result?;
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

/// The lines of one recording, unpacked.
pub(crate) fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let name = path.display().to_string();
    let cannot = || format!("cannot read {name}");
    let progress = Progress::new();
    let mut bytes = Vec::new();
    let source = Source::Named(path.to_owned());
    let mut opened = source.open(&progress).with_context(cannot)?;
    opened.input.read_to_end(&mut bytes).with_context(cannot)?;
    Converter::new()?.lines(&name, bytes).with_context(cannot)
}

/// A recording, unless it was found beside others and is none.
fn recording(opened: Opened<'_>) -> anyhow::Result<Option<Recording>> {
    let Opened {
        name,
        mut input,
        is_lenient,
        ..
    } = opened;
    let mut bytes = Vec::new();
    let read = input.read_to_end(&mut bytes);
    read.with_context(|| format!("cannot read {name}"))?;
    let about = about(Path::new(&name));
    let lines = Converter::new()?
        .lines(&name, bytes)
        .map_err(anyhow::Error::from);
    let recording = lines.and_then(|lines| {
        // Anything could be what `codex exec` printed.
        let end = memchr::memchr(b'\n', lines.get(HEAD..).unwrap_or_default());
        let head = &lines[..end.map_or(lines.len(), |end| HEAD + end)];
        let is_foreign = Checker::new(Options::new())?.identify(head)?.foreign;
        ensure!(!is_foreign, "no line is a message of Codex");
        Ok(Recording::read(&name, lines, about)?)
    });
    match recording {
        Err(_) if is_lenient => Ok(None),
        recording => Some(recording.with_context(|| format!("cannot play {name}"))).transpose(),
    }
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
