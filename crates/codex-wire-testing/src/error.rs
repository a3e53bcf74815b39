//! Why a transcript could not be checked.

use std::error;
use std::io;
use std::iter;
use std::path::PathBuf;

/// Why transcripts could not be checked. What is wrong in a transcript is not an error: the outcome of the
/// check has it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// Its path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// [`OptionsFor`](crate::OptionsFor) has no options for a transcript.
    #[error("no options for {}", path.display())]
    Options {
        /// The path of the transcript.
        path: PathBuf,
        /// Why.
        source: BoxError,
    },
    /// The options of a transcript name a release that does not have the protocol.
    #[error("cannot check {}", path.display())]
    Checker {
        /// The path of the transcript.
        path: PathBuf,
        /// Why.
        source: codex_wire_check::Error,
    },
    /// A folder has no transcripts.
    #[error("no .jsonl files in {}", folder.display())]
    NoTranscripts {
        /// Its path.
        folder: PathBuf,
    },
    /// A baseline cannot be read.
    #[error("cannot read the baseline {}", path.display())]
    Baseline {
        /// Its path.
        path: PathBuf,
        /// Why.
        source: codex_wire_check::baseline::BaselineError,
    },
}

/// Any error of an [`OptionsFor`](crate::OptionsFor).
pub type BoxError = Box<dyn error::Error + Send + Sync>;

/// An error and why it came about, as a failed test shows it.
pub(crate) fn with_sources(error: &(dyn error::Error + 'static)) -> String {
    let errors = iter::successors(Some(error), |error| error.source());
    let texts: Vec<String> = errors.map(ToString::to_string).collect();
    texts.join(": ")
}
