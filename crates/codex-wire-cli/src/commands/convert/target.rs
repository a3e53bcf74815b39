//! Where what was converted is written to.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, bail};
use codex_wire_check::Converted;

use crate::atomic_file::AtomicFile;
use crate::output_limit::Counted;

/// Where what was converted is written to.
pub(super) struct Target<'a> {
    pub(super) out: Option<&'a Path>,
    /// Whether there may be several inputs.
    pub(super) is_folder: bool,
    /// Whether those of several inputs can stand one after the other.
    pub(super) can_be_joined: bool,
    pub(super) roots: &'a [PathBuf],
    /// The files that are read, which are not replaced.
    pub(super) inputs: HashSet<PathBuf>,
    pub(super) written: HashSet<PathBuf>,
}

impl Target<'_> {
    /// Writes what is made of an input, if anything is made of it. `member` is its name in the archive, if it is in one.
    pub(super) fn write(
        &mut self,
        name: &str,
        member: Option<&str>,
        make: impl FnOnce(&mut dyn Write) -> anyhow::Result<Converted>,
    ) -> anyhow::Result<Converted> {
        let Some(out) = self.out else {
            if !self.can_be_joined && (self.is_folder || member.is_some()) {
                bail!("there may be several inputs: name a folder with --out");
            }
            // Nothing is written of files that are not transcripts.
            let mut all = tempfile::tempfile().context("cannot make a temporary file")?;
            let mut buffered = io::BufWriter::new(Counted(&mut all));
            let converted = make(&mut buffered)?;
            buffered.flush().context("cannot write a temporary file")?;
            drop(buffered);
            if matches!(converted, Converted::Written) {
                io::Seek::rewind(&mut all)?;
                let mut stdout = io::stdout().lock();
                io::copy(&mut all, &mut stdout).context("cannot write")?;
                stdout.flush().context("cannot write")?;
            }
            return Ok(converted);
        };
        let path = match self.is_folder || member.is_some() {
            true => {
                let path = out.join(self.name_of(name, member));
                if let Some(folder) = path.parent() {
                    fs::create_dir_all(folder)
                        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
                }
                path
            }
            false => out.to_owned(),
        };
        if !self.written.insert(path.clone()) {
            bail!("another input was written to {}", path.display());
        }
        if fs::canonicalize(&path).is_ok_and(|path| self.inputs.contains(&path)) {
            bail!(
                "{} is an input, and is not replaced: name something else with --out",
                path.display()
            );
        }
        let mut file = AtomicFile::begin(&path)?;
        let converted = make(&mut file)?;
        if matches!(converted, Converted::Written) {
            file.keep()?;
        }
        Ok(converted)
    }

    /// The name of a file in the folder: below the folder that the user names, or that of the member. It
    /// never leads out of the folder.
    fn name_of(&self, name: &str, member: Option<&str>) -> PathBuf {
        let inside = member.and_then(|member| {
            let archive = name.strip_suffix(member)?.strip_suffix('!')?;
            Some((archive, member))
        });
        let (path, member) = inside.unwrap_or((name, ""));
        let path = self.inside(Path::new(path));
        let parts = path.components().chain(Path::new(member).components());
        let mut safe: PathBuf = parts
            .filter(|part| matches!(part, Component::Normal(_)))
            .collect();
        for ending in ["gz", "zst"] {
            if safe.extension().is_some_and(|e| e == ending) {
                safe.set_extension("");
            }
        }
        safe.with_extension("jsonl")
    }

    fn inside(&self, path: &Path) -> PathBuf {
        let inside = self
            .roots
            .iter()
            .find_map(|root| path.strip_prefix(root).ok())
            .filter(|inside| !inside.as_os_str().is_empty());
        let inside = inside.or_else(|| path.file_name().map(Path::new));
        inside.unwrap_or(path).to_owned()
    }
}
