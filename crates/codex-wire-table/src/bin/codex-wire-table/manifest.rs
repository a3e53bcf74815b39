//! What a commit of a data set holds.

use serde::{Deserialize, Serialize};

/// What a commit of a data set holds.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The version of the tables.
    pub(crate) version: u32,
    /// Whether columns of text are filled.
    pub(crate) with_text: bool,
    /// A name that no other commit has.
    pub(crate) id: String,
    /// The files, from the folder of the data set.
    pub(crate) files: Vec<String>,
    /// The transcripts by their digests; of what could not be read, a digest of its name and the error.
    pub(crate) transcripts: Vec<String>,
}
