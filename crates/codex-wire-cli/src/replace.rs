//! Replaces a file as a whole: the new content is written under another name and renamed when
//! complete, so that no reader sees half a file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// A file on its way.
pub(crate) struct Replacement {
    /// The name it was asked for by.
    path: PathBuf,
    /// The name it will have, and the one it has until then. `None` for what is no regular file,
    /// such as a pipe: that is written to as it is.
    names: Option<(PathBuf, PathBuf)>,
    out: BufWriter<File>,
}

impl Replacement {
    /// Begins a file that will be at `path`.
    pub(crate) fn begin(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        if !parent.is_dir() {
            bail!(
                "cannot write {shown}: there is no folder {}",
                parent.display()
            );
        }
        if path.is_dir() {
            bail!("cannot write {shown}: it is a folder");
        }
        let cannot = || format!("cannot write {shown}");
        if path.exists() && !path.is_file() {
            let file = OpenOptions::new().write(true).open(path);
            return Ok(Replacement {
                path: path.to_owned(),
                names: None,
                out: BufWriter::new(file.with_context(cannot)?),
            });
        }
        // A link stays a link: what it leads to is replaced.
        let end = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let Some(name) = end.file_name() else {
            bail!("cannot write {shown}: it names no file");
        };
        let mut other = std::ffi::OsString::from(".");
        other.push(name);
        other.push(format!(".{}", std::process::id()));
        let other = end.with_file_name(other);
        let file = File::create(&other).with_context(cannot)?;
        Ok(Replacement {
            path: path.to_owned(),
            names: Some((end, other)),
            out: BufWriter::new(file),
        })
    }

    /// The name it was asked for by.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name.
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

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some((_, other)) = &self.names {
            // It was not completed, and there is nobody to tell that it stays behind.
            let _ = fs::remove_file(other);
        }
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
