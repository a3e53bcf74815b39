//! Writes archives that are the same for the same files.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context as _, Result};
use flate2::{Compression, GzBuilder};
use tar::{Builder, Header};

/// 1985-10-26, the time that npm gives all files of a package: zip has no times before 1980.
pub const TIME: u64 = 499_162_500;

/// Files by their path in an archive, with `/` between names.
#[derive(Clone, Debug, Default)]
pub struct Files(BTreeMap<String, File>);

#[derive(Clone, Debug)]
struct File {
    bytes: Vec<u8>,
    is_program: bool,
}

impl Files {
    /// Adds a file.
    pub fn add(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.put(path.into(), bytes.into(), false);
    }

    /// Adds a file that can be run.
    pub fn add_program(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.put(path.into(), bytes.into(), true);
    }

    /// Adds the licences of the repository at `root`.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn add_licenses(&mut self, root: &Path) -> Result<()> {
        for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let bytes = fs::read(root.join(name)).with_context(|| name.to_owned())?;
            self.add(name, bytes);
        }
        Ok(())
    }

    /// The files as a gzipped archive, all below `folder`.
    ///
    /// # Errors
    /// If a path is too long for the format.
    pub fn to_tgz(&self, folder: &str) -> io::Result<Vec<u8>> {
        // Without a name and a time, and of no system: what gzip says of itself.
        let gzip = GzBuilder::new().write(Vec::new(), Compression::best());
        let mut archive = Builder::new(gzip);
        for (path, file) in &self.0 {
            let mut header = Header::new_gnu();
            header.set_size(file.bytes.len() as u64);
            header.set_mode(if file.is_program { 0o755 } else { 0o644 });
            header.set_mtime(TIME);
            header.set_uid(0);
            header.set_gid(0);
            archive.append_data(&mut header, format!("{folder}/{path}"), &*file.bytes)?;
        }
        archive.into_inner()?.finish()
    }

    fn put(&mut self, path: String, bytes: Vec<u8>, is_program: bool) {
        self.0.insert(path, File { bytes, is_program });
    }
}
