//! Writes a file so that no reader sees half of it: the content is written under another name, and
//! the file is renamed when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// An error if a file cannot be written because there is no folder to hold it.
pub(crate) fn require_folder(path: &Path) -> anyhow::Result<()> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !parent.is_dir() {
        let (shown, parent) = (path.display(), parent.display());
        bail!("cannot write {shown}: there is no folder {parent}");
    }
    Ok(())
}

/// A file that appears, or replaces another, when it is complete.
pub(crate) struct AtomicFile {
    /// The path as the user gave it.
    path: PathBuf,
    /// The final and the temporary name. `None` for a pipe and other files that are not regular:
    /// they are written directly.
    names: Option<(PathBuf, PathBuf)>,
    out: BufWriter<File>,
}

impl AtomicFile {
    /// Begins to write the file at `path`.
    pub(crate) fn begin(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        require_folder(path)?;
        if path.is_dir() {
            bail!("cannot write {shown}: it is a folder");
        }
        let cannot = || format!("cannot write {shown}");
        if path.exists() && !path.is_file() {
            let file = OpenOptions::new().write(true).open(path);
            return Ok(AtomicFile {
                path: path.to_owned(),
                names: None,
                out: BufWriter::new(file.with_context(cannot)?),
            });
        }
        // A symbolic link stays: the file behind it is replaced.
        let end = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let Some(name) = end.file_name() else {
            bail!("cannot write {shown}: it names no file");
        };
        let mut other = std::ffi::OsString::from(".");
        other.push(name);
        other.push(format!(".{}", std::process::id()));
        let other = end.with_file_name(other);
        let file = File::create(&other).with_context(cannot)?;
        Ok(AtomicFile {
            path: path.to_owned(),
            names: Some((end, other)),
            out: BufWriter::new(file),
        })
    }

    /// The path as the user gave it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Completes the file: gives it its final name.
    pub(crate) fn keep(mut self) -> anyhow::Result<()> {
        let cannot = || format!("cannot write {}", self.path.display());
        self.out.flush().with_context(cannot)?;
        if let Some((end, other)) = self.names.take() {
            let renamed = fs::rename(&other, &end);
            if renamed.is_err() {
                self.names = Some((end, other));
            }
            renamed.with_context(|| format!("cannot write {}", self.path.display()))?;
        }
        Ok(())
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some((_, other)) = &self.names {
            // The file is incomplete. If it cannot be removed, there is nobody to report to.
            let _ = fs::remove_file(other);
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
