//! Why a double could not be had, or not be asked.

use std::io;
use std::path::PathBuf;

/// Why a double could not be had, or not be asked. What a client did is not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program cannot be started.
    #[error(
        "cannot start {}: install it with `cargo install codex-wire-cli`, name it with CODEX_WIRE_PROGRAM, or write \
         `stand_in_program!()` into the test, with the feature `stand-in`",
        program.display()
    )]
    Program {
        /// What was started.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// What the test says cannot be played.
    #[error("{message}")]
    Refused {
        /// Why, with the place in the recording or the script, in the words of `codex-wire replay`.
        message: String,
    },
    /// A file of the double cannot be read or written.
    #[error("cannot read or write {}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line of the log is of another version of the program.
    #[error("{}:{line}: not a line of the log of a client", path.display())]
    Log {
        /// The path of the log.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Why.
        source: serde_json::Error,
    },
    /// What the client sent is not of the type that was asked for.
    #[error("the params of a `{method}` are of another type")]
    Params {
        /// The method.
        method: String,
        /// Why.
        source: serde_json::Error,
    },
}

impl Error {
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Error::File { path, source }
    }
}
