//! Finds and checks transcripts.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use codex_wire_check::{Checker, Options, Outcome};

/// The transcripts under `folder`, in order: files that end in `.jsonl`, except in folders
/// whose names begin with a dot.
///
/// # Errors
/// If a folder cannot be read.
pub fn transcripts(folder: impl AsRef<Path>) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.as_ref().to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            // Links to folders are not followed, because they may form circles.
            if entry.file_type()?.is_dir() {
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
pub fn check(path: impl AsRef<Path>, options: &Options) -> Result<Outcome, String> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let checker = Checker::new(options.clone()).map_err(|error| error.to_string())?;
    let file = File::open(path).map_err(|error| format!("{name}: {error}"))?;
    Ok(checker.check(&name, BufReader::new(file)))
}

/// The transcripts under a folder. It is an error if there are none.
pub(crate) fn at_least_one(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let shown = folder.display();
    match transcripts(folder) {
        Ok(paths) if paths.is_empty() => {
            Err(format!("nothing was checked: no .jsonl files in {shown}"))
        }
        Ok(paths) => Ok(paths),
        Err(error) => Err(format!("nothing was checked: {shown}: {error}")),
    }
}
