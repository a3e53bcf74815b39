//! Finds and opens inputs: files, folders and standard input, plain or compressed.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};

use codex_wire_check::Outcome;
use flate2::read::MultiGzDecoder;
use ignore::WalkBuilder;

use crate::interrupt::{self, Patient};
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
            Source::Stdin => match is_regular(Path::new(OWN)) {
                true => buffered(io::stdin().lock(), progress),
                false => buffered(Patient::new(io::stdin()), progress),
            },
            Source::File(path) => {
                // A pipe may have a name, such as a shell makes of `<(…)`.
                let file: Box<dyn Read> = match is_regular(path) {
                    true => Box::new(File::open(path)?),
                    false => Box::new(Patient::new(Opened {
                        path: path.clone(),
                        file: None,
                    })),
                };
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

/// Where standard input can be looked at, on systems that have such a place.
const OWN: &str = "/dev/stdin";

/// Whether reading something never waits for anybody; what is not there is not waited for either.
fn is_regular(path: &Path) -> bool {
    fs::metadata(path).map_or(path != Path::new(OWN), |about| about.is_file())
}

/// A file that is opened when it is first read: already that may take for ever.
struct Opened {
    path: PathBuf,
    file: Option<File>,
}

impl Read for Opened {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(File::open(&self.path)?),
        };
        file.read(buffer)
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
         codex-wire {command} run.jsonl\n  \
         codex exec --json 'fix the tests' | codex-wire {command}\n\
         See `codex-wire {command} --help` for all options."
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
        if interrupt::came() {
            return Ok(());
        }
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
        if interrupt::came() {
            return Ok(());
        }
        let source = match entry {
            Ok(entry) if is_transcript(entry.path()) => match odd(entry.path()) {
                None => Ok(Source::File(entry.into_path())),
                Some(what) => {
                    let name = entry.path().display().to_string();
                    Err(Outcome::unreadable(
                        name,
                        format!("it is {what}, not a file"),
                    ))
                }
            },
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
    // A name need not be text.
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    ENDINGS
        .iter()
        .any(|ending| name.ends_with(ending.as_bytes()))
        && !fs::metadata(path).is_ok_and(|about| about.is_dir())
}

/// What something in a folder is, if reading it may wait for somebody for ever. Whoever wants that
/// names it.
#[cfg(unix)]
fn odd(path: &Path) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;

    let kind = fs::metadata(path).ok()?.file_type();
    match kind {
        _ if kind.is_fifo() => Some("a named pipe"),
        _ if kind.is_socket() => Some("a socket"),
        _ if kind.is_char_device() || kind.is_block_device() => Some("a device"),
        _ => None,
    }
}

/// Where there is nothing of that kind in folders.
#[cfg(not(unix))]
fn odd(_: &Path) -> Option<&'static str> {
    None
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
