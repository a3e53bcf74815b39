//! Finds and opens inputs: files, folders and standard input, plain or compressed.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};

use codex_wire_check::Outcome;
use flate2::read::MultiGzDecoder;
use ignore::WalkBuilder;

use crate::interrupt::{self, Interruptible};
use crate::progress::{Counted, Progress};

/// The path that stands for standard input.
pub(crate) const STDIN: &str = "-";

/// Which files of a folder are transcripts.
const ENDINGS: [&str; 3] = [".jsonl", ".jsonl.gz", ".jsonl.zst"];

/// How many bytes are read at once.
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

    /// Opens it, unpacked.
    pub(crate) fn open<'p>(&self, progress: &'p Progress) -> io::Result<Box<dyn BufRead + 'p>> {
        Ok(match self {
            Source::Stdin => match is_regular(Path::new(STDIN_PATH)) {
                true => buffered(io::stdin().lock(), progress),
                false => buffered(Interruptible::new(io::stdin()), progress),
            },
            Source::File(path) => {
                // A pipe may have a name, such as a shell makes for `<(…)`.
                let file: Box<dyn Read> = match is_regular(path) {
                    true => Box::new(File::open(path)?),
                    false => Box::new(Interruptible::new(LazyFile {
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

/// The path of standard input, on systems that have one.
const STDIN_PATH: &str = "/dev/stdin";

/// Whether a read never waits for another process. A file that does not exist never waits either.
fn is_regular(path: &Path) -> bool {
    fs::metadata(path).map_or(path != Path::new(STDIN_PATH), |about| about.is_file())
}

/// A file that is opened at the first read, because opening a named pipe may block forever.
struct LazyFile {
    path: PathBuf,
    file: Option<File>,
}

impl Read for LazyFile {
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

/// The given paths, or standard input if something is piped into it.
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

/// Calls `each` with every input of the paths, one by one, or with the outcome of a path that has
/// none. Folders are walked in the order of names.
pub(crate) fn visit(
    paths: &[PathBuf],
    each: &mut dyn FnMut(Result<Source, Outcome>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for path in paths {
        if interrupt::requested() {
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
    // A checker must not skip a file silently because a `.gitignore` names it.
    let entries = WalkBuilder::new(folder)
        .standard_filters(false)
        .sort_by_file_name(Ord::cmp)
        .build();
    let mut found = false;
    for entry in entries {
        if interrupt::requested() {
            return Ok(());
        }
        let source = match entry {
            Ok(entry) if is_transcript(entry.path()) => match special_file(entry.path()) {
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
            Err(error) => Err(unreadable(folder, &error)),
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

/// Whether a file, or a link, has the name of a transcript.
fn is_transcript(path: &Path) -> bool {
    // A name need not be valid UTF-8.
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    ENDINGS
        .iter()
        .any(|ending| name.ends_with(ending.as_bytes()))
        && !fs::metadata(path).is_ok_and(|about| about.is_dir())
}

/// What kind of special file this is, if any. Reading one may block forever, so it is only read if
/// the user names it.
#[cfg(unix)]
fn special_file(path: &Path) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;

    let kind = fs::metadata(path).ok()?.file_type();
    match kind {
        _ if kind.is_fifo() => Some("a named pipe"),
        _ if kind.is_socket() => Some("a socket"),
        _ if kind.is_char_device() || kind.is_block_device() => Some("a device"),
        _ => None,
    }
}

/// Other systems have no special files in folders.
#[cfg(not(unix))]
fn special_file(_: &Path) -> Option<&'static str> {
    None
}

/// The outcome of a part of a folder that cannot be read.
fn unreadable(folder: &Path, error: &ignore::Error) -> Outcome {
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
