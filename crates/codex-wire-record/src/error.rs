//! Why there is no Codex to record.

use std::io;
use std::path::PathBuf;

use codex_wire_base::Release;

/// Why a program of Codex cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing at a path.
    #[error("cannot find {}", path.display())]
    NotFound {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// PATH has no `codex`.
    #[error("there is no `codex` in PATH")]
    NotOnPath,
    /// A program does not answer to `--version` as Codex does.
    #[error("{} does not say its version", .0.display())]
    NoVersion(PathBuf),
    /// The program of a release says that it is another one.
    #[error("{} is {release}, not {wanted}", path.display())]
    OtherRelease {
        /// Its path.
        path: PathBuf,
        /// What it says.
        release: Release,
        /// What it should be.
        wanted: Release,
    },
    /// A release is not there.
    #[error("there is no Codex {release}")]
    Missing {
        /// The release.
        release: Release,
        /// The folder in which npm can install it, if the user has one.
        folder: Option<PathBuf>,
    },
}
