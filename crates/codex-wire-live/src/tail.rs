//! Reads what is added to a file, which may be truncated, replaced or removed.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use codex_wire_inputs::other_form;

/// The time between two looks at the file.
pub(crate) const PERIOD: Duration = Duration::from_millis(50);

/// How long a removed file may be replaced by another one.
const GRACE: Duration = Duration::from_secs(2);

/// What became of a file in which nothing more can come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gone {
    /// Codex put a compressed one in its place.
    Compressed,
    /// It was removed, and no other one has come.
    Removed,
}

/// A file that grows. It may be truncated or replaced, and need not exist yet.
pub(crate) struct Tail {
    path: PathBuf,
    file: Option<File>,
    position: u64,
    /// Since when the file is gone.
    gone: Option<Instant>,
}

/// What a look at the file found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// This many new bytes.
    Bytes(usize),
    /// Nothing new.
    Nothing,
    /// The file does not exist yet.
    Missing,
    /// It was truncated or replaced: the next bytes are its start.
    Restarted,
    /// Everything in it was read, and nothing more can come.
    Gone(Gone),
}

impl Tail {
    pub(crate) fn new(path: &Path) -> Self {
        Tail {
            path: path.to_owned(),
            file: None,
            position: 0,
            gone: None,
        }
    }

    /// The file that Codex puts in the place of a session file when it compresses it, if it is there.
    pub(crate) fn compressed(&self) -> Option<PathBuf> {
        other_form(&self.path).filter(|other| other.is_file())
    }

    /// Whether the file never existed so far.
    pub(crate) fn is_missing(&self) -> bool {
        self.file.is_none()
    }

    /// That a file was waited for in vain.
    pub(crate) fn never_appeared() -> io::Error {
        io::Error::new(ErrorKind::NotFound, "the file never appeared")
    }

    pub(crate) fn step(&mut self, buffer: &mut [u8]) -> io::Result<Step> {
        let file = match &mut self.file {
            Some(file) => file,
            none => match File::open(&self.path) {
                Ok(file) => none.insert(file),
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Step::Missing),
                Err(error) => return Err(error),
            },
        };
        let read = match file.read(buffer) {
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(Step::Nothing),
            Err(error) => return Err(error),
        };
        self.position += read as u64;
        if read > 0 {
            self.gone = None;
            return Ok(Step::Bytes(read));
        }
        let about = file.metadata()?;
        if about.len() < self.position {
            file.rewind()?;
            self.position = 0;
            return Ok(Step::Restarted);
        }
        let found = match File::open(&self.path) {
            Ok(other) => Some((other.metadata()?, other)),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        match found {
            Some((other_about, other)) if !is_same(&about, &other_about) => {
                // The old file is complete: programs rename a file before they start the next
                // one, and everything in it was read.
                let empty = self.position == 0;
                self.file = Some(other);
                self.position = 0;
                self.gone = None;
                Ok(if empty {
                    Step::Nothing
                } else {
                    Step::Restarted
                })
            }
            Some(_) => {
                self.gone = None;
                Ok(Step::Nothing)
            }
            None if is_removed(&about) => Ok(self.removed()),
            // It was renamed, and the next one does not exist yet.
            None => Ok(Step::Nothing),
        }
    }

    /// The file is removed.
    fn removed(&mut self) -> Step {
        // Something may have been written after the last read and before the removal: there is one
        // more read.
        let Some(gone) = self.gone else {
            self.gone = Some(Instant::now());
            return Step::Nothing;
        };
        if self.compressed().is_some() {
            return Step::Gone(Gone::Compressed);
        }
        match gone.elapsed() >= GRACE {
            true => Step::Gone(Gone::Removed),
            false => Step::Nothing,
        }
    }
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Whether a file that is open has no name any more. One that was renamed has.
#[cfg(unix)]
fn is_removed(about: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(about) == 0
}

/// Where it is not known, the file may have been renamed.
#[cfg(not(unix))]
fn is_removed(_: &Metadata) -> bool {
    false
}

/// Without a file identity, a replaced file is only noticed if it is shorter.
#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}
