//! A file with the schema that the last message of a run has to fit.

use std::env;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

use crate::error::Error;

/// How many files this process made.
static MADE: AtomicU32 = AtomicU32::new(0);

/// A file that goes when this is dropped.
#[derive(Debug)]
pub(crate) struct SchemaFile(PathBuf);

impl SchemaFile {
    /// One of its own in the folder for temporary files.
    pub(crate) fn new(schema: &Value) -> Result<Self, Error> {
        loop {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let name = format!("codex-wire-schema-{}-{number}.json", process::id());
            let path = env::temp_dir().join(name);
            let failed = |source: io::Error| Error::Schema {
                path: path.display().to_string(),
                source,
            };
            let mut file = match File::create_new(&path) {
                Ok(file) => file,
                // One that an earlier process of this number left behind.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(failed(error)),
            };
            let written = file.write_all(schema.to_string().as_bytes());
            let made = SchemaFile(path.clone());
            return written.map(|()| made).map_err(failed);
        }
    }

    pub(crate) fn path(&self) -> &PathBuf {
        &self.0
    }
}

impl Drop for SchemaFile {
    fn drop(&mut self) {
        // A run that is over does not fail because of a file that stays.
        let _ = fs::remove_file(&self.0);
    }
}
