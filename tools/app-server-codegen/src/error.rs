//! Errors in schemas and model files.

use codex_wire::Release;

/// Why a model cannot be read or made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The archive of official schemas is damaged.
    #[error("the archive of official schemas: {0}")]
    Archive(String),
    /// An official schema uses something the reader does not know.
    #[error("official schema of {release}, {place}: {message}")]
    Official {
        /// The release.
        release: Release,
        /// The definition and what is inside it.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// The two name spaces of an official schema use a name for different things.
    #[error("official schema of {release}: `{name}` means two things in the two name spaces")]
    Clash {
        /// The release.
        release: Release,
        /// The name.
        name: String,
    },
    /// A model file is malformed.
    #[error("{file}:{line}: {message}")]
    Text {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A file cannot be read or written.
    #[error("{file}: {message}")]
    File {
        /// The file.
        file: String,
        /// What the system says.
        message: String,
    },
    /// A table beside the model is malformed or names something the model does not have.
    #[error("{file}: {message}")]
    Table {
        /// The file.
        file: String,
        /// What is wrong.
        message: String,
    },
}

impl Error {
    pub(crate) fn file(path: &std::path::Path, error: &std::io::Error) -> Self {
        Error::File {
            file: path.display().to_string(),
            message: error.to_string(),
        }
    }

    /// What is wrong in a table, such as `domains.toml`.
    pub(crate) fn table(file: &str, message: impl ToString) -> Self {
        Error::Table {
            file: file.to_owned(),
            message: message.to_string(),
        }
    }

    pub(crate) fn archive(error: std::io::Error) -> Self {
        Error::Archive(error.to_string())
    }
}
