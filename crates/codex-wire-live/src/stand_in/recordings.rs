//! Finds and reads recordings, and what a manifest beside them says of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use codex_wire_base::Protocol;
use codex_wire_check::{Checker, Converter, Options};
use codex_wire_inputs::{Found, Listing, Opened, Selection, Source, Stop, Watch, list};
use codex_wire_replay::{About, Recording, manifest};

use serde_json::Value;

use crate::error::{BoxError, Error};
use crate::stand_in::release;
use crate::stand_in::settings::{RecordingFile, Settings};

/// The name of the manifest of a folder of recordings.
const MANIFEST: &str = "manifest.json";

/// How much of a file is read to see whether it is a recording.
const HEAD: usize = 1 << 20;

/// How many folders up a manifest is looked for: it may list the recordings of several releases.
const LEVELS: usize = 2;

/// Reads the recordings in these files, folders and archives, in order. `watch` makes who is told how the reading
/// goes on.
///
/// # Errors
/// If there are none, or one cannot be read or played.
pub fn read_recordings<W: Watch>(
    paths: &[PathBuf],
    stop: &Stop,
    watch: impl FnOnce(&Listing) -> W,
) -> Result<Vec<Recording>, Error> {
    let listing = list(paths, Selection::new(), stop);
    let watch = watch(&listing);
    let mut recordings = Vec::new();
    for source in listing.inputs {
        let source = source?;
        if matches!(source, Source::Stdin) {
            return Err(Error::StandardInput);
        }
        watch.input(&source.name());
        let mut result = Ok(());
        source.each(&watch, &[], |found| {
            if result.is_ok() {
                result = match found {
                    Found::Input(opened) => recording(opened).map(|one| recordings.extend(one)),
                    Found::Failed(unreadable) => Err(unreadable.into()),
                    Found::Skipped(_) => Ok(()),
                };
            }
        });
        result?;
    }
    match recordings.is_empty() {
        true => Err(Error::NoRecording(paths.to_vec())),
        false => Ok(recordings),
    }
}

impl Settings {
    /// Reads the recordings of an installed stand-in.
    pub(crate) fn read_recordings(&self) -> Result<Vec<Recording>, Error> {
        let mut read = Vec::new();
        for RecordingFile { path, name, about } in &self.recordings {
            let bytes = bytes(path)?;
            let name = name.clone().unwrap_or_else(|| path.display().to_string());
            let recording = Recording::read(&name, bytes, about.clone());
            read.push(recording.map_err(Error::play(&path.display().to_string()))?);
        }
        match self.as_release {
            Some(as_release) => release::convert(read, as_release),
            None => Ok(read),
        }
    }
}

/// The lines of one recording, unpacked.
fn bytes(path: &Path) -> Result<Vec<u8>, Error> {
    let name = path.display().to_string();
    let source = Source::Named(path.to_owned());
    let stop = Stop::new();
    let opened = source.open(&stop);
    let bytes = opened.and_then(|mut opened| opened.whole());
    let bytes = bytes.map_err(|error| Error::Input {
        name: name.clone(),
        source: error,
    })?;
    let lines = Converter::new()?.lines(&name, bytes);
    lines.map_err(Error::read(path))
}

/// A recording, unless it was found beside others and is none.
fn recording(mut opened: Opened<'_>) -> Result<Option<Recording>, Error> {
    let bytes = opened.whole().map_err(|source| Error::Input {
        name: opened.name.clone(),
        source,
    })?;
    let Opened {
        name, is_lenient, ..
    } = opened;
    let about = about(Path::new(&name))?;
    match of_bytes(&name, bytes, about) {
        Err(_) if is_lenient => Ok(None),
        recording => recording.map(Some).map_err(Error::play(&name)),
    }
}

fn of_bytes(name: &str, bytes: Vec<u8>, about: About) -> Result<Recording, BoxError> {
    let lines = Converter::new()?.lines(name, bytes)?;
    // Anything could be what `codex exec` printed.
    let end = memchr::memchr(b'\n', lines.get(HEAD..).unwrap_or_default());
    let head = &lines[..end.map_or(lines.len(), |end| HEAD + end)];
    let known = Checker::new(Options::new())?.identify(head)?;
    if known.foreign {
        return Err("no line is a message of Codex".into());
    }
    // Codex may have written nothing: a manifest says so.
    if known.messages == 0 && about == About::default() && !is_transcript(head) {
        return Err("it holds no message".into());
    }
    let kind = match known.protocol {
        Some(Protocol::Rollout) => "a session file",
        Some(Protocol::Hooks) => "of hooks",
        Some(Protocol::Notify) => "of `notify`",
        _ => return played(name, lines, about),
    };
    Err(format!("it is {kind}, which no stand-in plays").into())
}

/// Whether a recording begins with a record.
fn is_transcript(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first: Option<Value> = serde_json::from_slice(line).ok();
    first.is_some_and(|first| first["kind"] == "start")
}

fn played(name: &str, lines: Vec<u8>, about: About) -> Result<Recording, BoxError> {
    if let Err(error) = str::from_utf8(&lines) {
        let before = &lines[..error.valid_up_to()];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        return Err(format!("line {line} is not UTF-8").into());
    }
    Ok(Recording::read(name, lines, about)?)
}

/// What a manifest says of a recording, if there is one.
fn about(path: &Path) -> Result<About, Error> {
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
        let file = here.join(MANIFEST);
        let Ok(bytes) = fs::read(&file) else {
            continue;
        };
        let wanted = inside
            .components()
            .map(|part| part.as_os_str().to_string_lossy());
        let wanted = wanted.collect::<Vec<_>>().join("/");
        let known =
            manifest(&bytes).map_err(|error| Error::read(&file)(io::Error::other(error)))?;
        let found = known.into_iter().find(|(file, _)| *file == wanted);
        if let Some((_, about)) = found {
            return Ok(about);
        }
    }
    Ok(About::default())
}
