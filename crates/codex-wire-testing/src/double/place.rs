//! The folder of a double.

use std::path::Path;

use super::error::Error;

/// The files in it.
pub(super) const BIN: &str = "bin";
pub(super) const SCRIPT: &str = "script.json";
pub(super) const LOG: &str = "client.jsonl";
pub(super) const FAULTS: &str = "faults.txt";

/// Why nothing is played.
pub(super) fn refused(folder: &Path, message: &str) -> Error {
    // The path of the script says nothing to whoever built it.
    let script = format!("{}:", folder.join(SCRIPT).display());
    Error::Refused {
        message: message.replace(&script, "script:"),
    }
}
