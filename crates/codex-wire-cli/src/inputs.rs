//! What there is to check: files, folders and standard input, plain or compressed.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};

use codex_wire_check::Outcome;
use flate2::read::MultiGzDecoder;
use ignore::WalkBuilder;

use crate::progress::{Counted, Progress};

/// The path that stands for standard input.
pub(crate) const STDIN: &str = "-";

/// Which files of a folder are transcripts.
const ENDINGS: [&str; 3] = [".jsonl", ".jsonl.gz", ".jsonl.zst"];

/// How much is read at a time.
const BUFFER: usize = 256 << 10;

/// An input.
#[derive(Debug)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
}

impl Source {
    /// The name in reports.
    pub(crate) fn name(&self) -> String {
        match self {
            Source::Stdin => STDIN.to_owned(),
            Source::File(path) => path.display().to_string(),
        }
    }

    /// Begins to read it, unpacked.
    pub(crate) fn open<'p>(&self, progress: &'p Progress) -> io::Result<Box<dyn BufRead + 'p>> {
        Ok(match self {
            Source::Stdin => buffered(io::stdin().lock(), progress),
            Source::File(path) => {
                let file = File::open(path)?;
                match path.extension().and_then(|ending| ending.to_str()) {
                    Some("gz") => {
                        let packed = BufReader::with_capacity(BUFFER, file);
                        buffered(MultiGzDecoder::new(packed), progress)
                    }
                    Some("zst") => buffered(zstd::Decoder::new(file)?, progress),
                    _ => buffered(file, progress),
                }
            }
        })
    }
}

fn buffered<'p>(input: impl Read + 'p, progress: &'p Progress) -> Box<dyn BufRead + 'p> {
    Box::new(BufReader::with_capacity(
        BUFFER,
        Counted::new(input, progress),
    ))
}

/// The paths given, or standard input where something is piped into it.
pub(crate) fn or_stdin(paths: &[PathBuf], command: &str) -> anyhow::Result<Vec<PathBuf>> {
    if !paths.is_empty() {
        return Ok(paths.to_vec());
    }
    anyhow::ensure!(
        !io::stdin().is_terminal(),
        "nothing to {command}: name files or folders, or pipe a transcript in:\n  \
         codex-wire {command} run.jsonl"
    );
    Ok(vec![PathBuf::from(STDIN)])
}

/// Calls `each` with every input that the paths name, one by one; with the outcome where it is
/// clear that there is none. Folders are walked in the order of their entries' names.
pub(crate) fn visit(
    paths: &[PathBuf],
    each: &mut dyn FnMut(Result<Source, Outcome>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for path in paths {
        if path.as_os_str() == STDIN {
            each(Ok(Source::Stdin))?;
        } else if path.is_dir() {
            walk(path, each)?;
        } else {
            each(Ok(Source::File(path.clone())))?;
        }
    }
    Ok(())
}

fn walk(
    folder: &Path,
    each: &mut dyn FnMut(Result<Source, Outcome>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    // A checker must not pass over a file in silence because a `.gitignore` names it.
    let entries = WalkBuilder::new(folder)
        .standard_filters(false)
        .sort_by_file_name(Ord::cmp)
        .build();
    let mut found = false;
    for entry in entries {
        let source = match entry {
            Ok(entry) if is_transcript(entry.path()) => Ok(Source::File(entry.into_path())),
            Ok(_) => continue,
            Err(error) => Err(unwalkable(folder, &error)),
        };
        found = true;
        each(source)?;
    }
    if !found {
        let name = folder.display().to_string();
        let nothing = "the folder holds no .jsonl, .jsonl.gz or .jsonl.zst files";
        each(Err(Outcome::unreadable(name, nothing)))?;
    }
    Ok(())
}

/// Whether it is a file, or a link to one, or to nothing, that is named like a transcript.
fn is_transcript(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    ENDINGS.iter().any(|ending| name.ends_with(ending))
        && !fs::metadata(path).is_ok_and(|about| about.is_dir())
}

/// A part of a folder that cannot be walked.
fn unwalkable(folder: &Path, error: &ignore::Error) -> Outcome {
    let mut path = folder;
    let mut cause = error;
    loop {
        match cause {
            ignore::Error::WithPath { path: within, err } => {
                path = within;
                cause = err;
            }
            ignore::Error::WithDepth { err, .. } => cause = err,
            _ => break,
        }
    }
    Outcome::unreadable(path.display().to_string(), cause.to_string())
}
