//! The file with what nothing answers.

use std::fmt::Display;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use crate::error::Error;
use crate::stand_in::environment::appended;

/// A file to which is written what nothing answers, and why nothing is played: a line each.
pub(crate) struct MissLog(File);

impl MissLog {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        appended(path).map(MissLog)
    }

    pub(crate) fn note(&mut self, what: &dyn Display) {
        let line = what.to_string().replace(['\n', '\r'], " ") + "\n";
        // The session matters more than its log.
        let _ = self.0.write_all(line.as_bytes());
    }
}
