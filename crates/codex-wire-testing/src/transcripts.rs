//! Finds and checks transcripts.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use codex_wire_check::{Checker, Options, Outcome};

use crate::error::Error;
use crate::options::OptionsFor;

/// The transcripts under `folder`, in order: files that end in `.jsonl`, except in folders
/// whose names begin with a dot.
///
/// # Errors
/// If a folder cannot be read.
pub fn transcripts(folder: impl AsRef<Path>) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.as_ref().to_owned()];
    while let Some(folder) = waiting.pop() {
        let cannot = |source| Error::Read {
            path: folder.clone(),
            source,
        };
        for entry in fs::read_dir(&folder).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            // Links to folders are not followed, because they may form circles.
            if entry.file_type().map_err(cannot)?.is_dir() {
                if !hidden {
                    waiting.push(entry.path());
                }
            } else if entry.path().extension().is_some_and(|ext| ext == "jsonl") {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Checks the transcript at `path`.
///
/// # Errors
/// If the file cannot be opened, or the options name a release that does not have the protocol. What
/// is wrong in the file is in the outcome.
pub fn check(path: impl AsRef<Path>, options: &Options) -> Result<Outcome, Error> {
    let path = path.as_ref();
    let checker = Checker::new(options.clone()).map_err(|source| Error::Checker {
        path: path.to_owned(),
        source,
    })?;
    let file = File::open(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    let name = path.display().to_string();
    Ok(checker.check(&name, BufReader::new(file)))
}

/// Checks the transcript at `path` with the options for it.
pub(crate) fn check_with(path: &Path, options: &impl OptionsFor) -> Result<Outcome, Error> {
    let options = options.options_for(path).map_err(|source| Error::Options {
        path: path.to_owned(),
        source: source.into(),
    })?;
    check(path, &options)
}

/// The transcripts under a folder. It is an error if there are none.
pub(crate) fn at_least_one(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    match transcripts(folder)? {
        paths if paths.is_empty() => Err(Error::NoTranscripts {
            folder: folder.to_owned(),
        }),
        paths => Ok(paths),
    }
}
