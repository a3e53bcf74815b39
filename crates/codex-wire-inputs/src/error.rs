//! Why something cannot be read.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::names::READ;

/// Why an input cannot be read, or an argument of this crate is not one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system does not let it be read.
    #[error(transparent)]
    Read(io::Error),
    /// An archive, or what is compressed, is not whole.
    #[error("the {0} is damaged or cut off")]
    Damaged(&'static str),
    /// The file is not there, but its compressed or uncompressed form is.
    #[error("{error}; {} is there", other.display())]
    OtherForm {
        /// That it is not there.
        error: io::Error,
        /// The path of the other form.
        other: PathBuf,
    },
    /// A folder has nothing that is read.
    #[error("the folder holds no {READ}")]
    EmptyFolder,
    /// An archive has nothing that is read.
    #[error("the archive holds no {READ}")]
    EmptyArchive,
    /// A folder has a file that is not regular, such as a named pipe.
    #[error("it is {0}, not a file")]
    SpecialFile(&'static str),
    /// Archives are read member by member only.
    #[error("it is an archive: unpack it first")]
    Archive,
    /// A member of an archive is an archive.
    #[error("it is an archive in an archive")]
    NestedArchive,
    /// A `.zip` archive comes from a pipe.
    #[error("a .zip archive is read from its end: name a file")]
    ZipFromPipe,
    /// An archive has more members than are read.
    #[error("the archive has more than {0} members")]
    TooManyMembers(usize),
    /// What comes out of a compressed input is compressed.
    #[error("it is compressed twice: unpack it first")]
    PackedTwice,
    /// Members of an archive share bytes.
    #[error("the archive has members that overlap: unpack it yourself")]
    Overlap,
    /// An archive has members of a kind that is not read.
    #[error("the archive has {0}: unpack it yourself")]
    Unsupported(&'static str),
    /// More bytes come out of a compressed input than of any transcript.
    #[error("more than {0} bytes come out of each byte: unpack it yourself")]
    Bomb(u64),
    /// An input has more bytes than are read into memory.
    #[error("more than {0} bytes, all of which are needed at once")]
    TooLarge(u64),
    /// Reading was ended by a [`Stop`](crate::Stop).
    #[error("interrupted")]
    Interrupted,
    /// A pattern of paths has no meaning.
    #[error("{0}")]
    Pattern(String),
    /// A text is not a date or time.
    #[error("write it like 2026-11-20 or 2026-11-20T15:04:05Z")]
    Time,
}

/// An input that cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub struct Unreadable {
    /// Its name, as [`Source::name`](crate::Source::name) has it, or that of a member of an archive.
    pub name: String,
    /// Why.
    pub error: Error,
}

impl Unreadable {
    pub(crate) fn new(name: impl Into<String>, error: impl Into<Error>) -> Self {
        Unreadable {
            name: name.into(),
            error: error.into(),
        }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot read {}", self.name)
    }
}

impl std::error::Error for Unreadable {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl From<io::Error> for Error {
    /// What a read ended with. An error of this crate that a reader passed on as one of the system is itself again.
    fn from(error: io::Error) -> Self {
        error.downcast().unwrap_or_else(Error::Read)
    }
}

impl Error {
    /// What reading an archive, or what is compressed, ended with. Only the system has numbers for its errors: what has none
    /// is found in the bytes.
    pub(crate) fn of_packed(error: io::Error, what: &'static str) -> Self {
        match Error::from(error) {
            Error::Read(error) if error.raw_os_error().is_none() => Error::Damaged(what),
            error => error,
        }
    }
}

impl From<Error> for io::Error {
    /// The error of a read.
    fn from(error: Error) -> Self {
        match error {
            Error::Read(error) => error,
            Error::Interrupted => io::Error::other(Error::Interrupted),
            error => io::Error::new(io::ErrorKind::InvalidData, error),
        }
    }
}
