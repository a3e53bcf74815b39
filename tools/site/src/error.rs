//! Why no site can be made.

use std::io;
use std::path::{Path, PathBuf};

/// Why no site can be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A template is broken, or asks for what a page does not have.
    #[error("{page}: the template `{template}` fails")]
    Template {
        /// The page.
        page: String,
        /// The template.
        template: &'static str,
        /// What the engine says.
        source: minijinja::Error,
    },
    /// Two pages would be one file, on some systems.
    #[error("{page}: another page has this path, or one that differs in case alone")]
    SamePath {
        /// The page.
        page: String,
    },
    /// A file or folder cannot be read or written.
    #[error("{}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The folder has something else in it.
    #[error("{}: the folder is not empty, and holds no site", folder.display())]
    NotASite {
        /// The folder.
        folder: PathBuf,
    },
}

/// An error of the system with its place.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::File { path, source }
}
