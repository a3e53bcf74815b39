//! The options of each transcript.

use std::convert::Infallible;
use std::path::{Path, PathBuf};

use codex_wire_base::Protocol;
use codex_wire_check::Options;

use crate::error::BoxError;

/// How to check a transcript: [`Options`] for all transcripts, or a function that returns the options
/// for a path.
pub trait OptionsFor: Send + Sync + 'static {
    /// Why there are no options for a path.
    type Error: Into<BoxError>;

    /// The options for the transcript at `path`.
    ///
    /// # Errors
    /// If the path gives no options. The test of the transcript fails with the error.
    fn options_for(&self, path: &Path) -> Result<Options, Self::Error>;
}

impl OptionsFor for Options {
    type Error = Infallible;

    fn options_for(&self, _: &Path) -> Result<Options, Infallible> {
        Ok(self.clone())
    }
}

impl<F, E> OptionsFor for F
where
    F: Fn(&Path) -> Result<Options, E> + Send + Sync + 'static,
    E: Into<BoxError>,
{
    type Error = E;

    fn options_for(&self, path: &Path) -> Result<Options, E> {
        self(path)
    }
}

/// No folder of a path is named after a release.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no folder of {} is named after a release", path.display())]
#[non_exhaustive]
pub struct NoReleaseFolder {
    /// The path.
    pub path: PathBuf,
}

/// Options by folder: a transcript is checked against the release that the nearest folder is named
/// after, as in `transcripts/0.44.0/message.jsonl`. A path without such a folder is an error.
///
/// The names of forks work like releases.
pub fn by_release_folder(
    protocol: Protocol,
) -> impl Fn(&Path) -> Result<Options, NoReleaseFolder> + Send + Sync + 'static {
    move |path| {
        let releases = protocol.release_list();
        let release = path
            .ancestors()
            .skip(1)
            .filter_map(|folder| folder.file_name()?.to_str())
            .find_map(|name| releases.resolve(name).ok());
        match release {
            Some(release) => Ok(Options::exact(protocol, release)),
            None => Err(NoReleaseFolder {
                path: path.to_owned(),
            }),
        }
    }
}
