//! Why tables cannot be made.

use std::io;

use arrow_schema::ArrowError;
use parquet::errors::ParquetError;

/// Why tables cannot be made or written. What is wrong with a transcript is a row, not an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such table.
    #[error("there is no table {0}")]
    NoTable(String),
    /// Arrow refuses a batch, or it cannot be written.
    #[error(transparent)]
    Arrow(ArrowError),
    /// A file of Parquet cannot be written.
    #[error(transparent)]
    Parquet(ParquetError),
    /// What was made cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Self {
        match error {
            // The kind of an error of a write says whether the reader is gone.
            ArrowError::IoError(_, error) => Error::Write(error),
            error => Error::Arrow(error),
        }
    }
}

impl From<ParquetError> for Error {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(error) => match error.downcast::<io::Error>() {
                Ok(error) => Error::Write(*error),
                Err(error) => Error::Parquet(ParquetError::External(error)),
            },
            error => Error::Parquet(error),
        }
    }
}
