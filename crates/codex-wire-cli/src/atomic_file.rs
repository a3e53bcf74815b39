//! Writes a file so that no reader sees half of it: the content is written under another name, and
//! the file is renamed when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, bail};

use crate::output_limit::Counted;

/// An error if a file cannot be written because there is no folder to hold it, or because its name means a
/// stream in other programs.
pub(crate) fn require_folder(path: &Path) -> anyhow::Result<()> {
    if path == Path::new("-") {
        bail!("cannot write -: for a file of this name, write ./-");
    }
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

/// The temporary names of the files that are not complete.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the files that are not complete, for a program that ends at once. Nothing is to be written any more.
pub(crate) fn remove_unfinished() {
    // A thread that has just begun or completed a file may be stopped there. Then at most that file stays.
    if let Ok(names) = UNFINISHED.try_lock() {
        for name in &*names {
            let _ = fs::remove_file(name);
        }
    }
}

/// A file that appears, or replaces another, when it is complete.
pub(crate) struct AtomicFile {
    /// The path as the user gave it.
    path: PathBuf,
    /// The final and the temporary name. `None` for a pipe and other files that are not regular:
    /// they are written directly.
    names: Option<(PathBuf, PathBuf)>,
    out: BufWriter<Counted<File>>,
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
                out: BufWriter::new(Counted(file.with_context(cannot)?)),
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
        unfinished(|names| names.push(other.clone()));
        Ok(AtomicFile {
            path: path.to_owned(),
            names: Some((end, other)),
            out: BufWriter::new(Counted(file)),
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
            match renamed {
                Ok(()) => unfinished(|names| names.retain(|name| *name != other)),
                Err(_) => self.names = Some((end, other)),
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
            unfinished(|names| names.retain(|name| name != other));
        }
    }
}

fn unfinished(change: impl FnOnce(&mut Vec<PathBuf>)) {
    change(&mut UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner));
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
