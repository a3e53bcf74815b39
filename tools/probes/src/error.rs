//! What can go wrong with probes.

use std::io;
use std::path::Path;

/// What can go wrong with probes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A program cannot be asked.
    #[error("{release}: {error}")]
    Program {
        /// The release.
        release: codex_wire_base::Release,
        /// Why.
        error: io::Error,
    },
    /// A file cannot be read or written.
    #[error("{file}: {error}")]
    File {
        /// The file.
        file: String,
        /// Why.
        error: io::Error,
    },
    /// A line of a file is malformed.
    #[error("{file}, line {line}: {message}")]
    Text {
        /// The file.
        file: String,
        /// The line, from one.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

impl Error {
    pub(crate) fn file(path: &Path, error: io::Error) -> Self {
        Error::File {
            file: path.display().to_string(),
            error,
        }
    }
}
