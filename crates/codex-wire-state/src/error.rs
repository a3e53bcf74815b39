//! Why a database cannot be read.

use std::io;
use std::path::PathBuf;

/// Why a database cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system does not let the file be read, or a copy of it be made.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file does not begin as databases do.
    #[error("{}: it is not a database of SQLite", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// SQLite refuses the file, or a part of it.
    #[error("{}: {place}: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was being read: a table and maybe a row, or the list of tables.
        place: String,
        /// What SQLite says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Error {
    /// Why, without the path of the file.
    pub fn reason(&self) -> String {
        match self {
            Error::Read { source, .. } => source.to_string(),
            Error::NotADatabase { .. } => "it is not a database of SQLite".to_owned(),
            Error::Damaged { place, source, .. } => format!("{place}: {source}"),
        }
    }
}
