//! The folder of a data set: its files appear when they are complete, and together.
//!
//! Files are written in `_unfinished`. When all of a commit are complete, its manifest is written in `_manifest`, under
//! another name and then renamed: from then on the commit is there. Its files are then moved to their places. Whoever is
//! ended before that has written nothing; whoever is ended on the way leaves the rest to the next one.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use codex_wire_table::Table;

use crate::manifest::Manifest;

const MANIFESTS: &str = "_manifest";
const UNFINISHED: &str = "_unfinished";
/// The commit that is being written.
const CURRENT: &str = "current";

/// The folder of a data set, in which nobody else writes.
pub(crate) struct Folder {
    root: PathBuf,
    _lock: File,
}

impl Folder {
    /// Opens a folder, or makes it. Calls `each` with the manifest of each commit.
    pub(crate) fn open(
        root: &Path,
        mut each: impl FnMut(Manifest) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let manifests = root.join(MANIFESTS);
        for folder in [&manifests, &root.join(UNFINISHED)] {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        let lock = File::create(manifests.join("lock"))?;
        if !is_ours(&lock)? {
            bail!("another program writes to {}", root.display());
        }
        let folder = Folder {
            root: root.to_owned(),
            _lock: lock,
        };
        for entry in fs::read_dir(&manifests)? {
            let path = entry?.path();
            if path.extension().is_none_or(|ending| ending != "json") {
                continue;
            }
            let read = || anyhow::Ok(serde_json::from_slice::<Manifest>(&fs::read(&path)?)?);
            let manifest = read().with_context(|| path.display().to_string())?;
            folder.publish(&manifest)?;
            each(manifest)?;
        }
        for entry in fs::read_dir(folder.root.join(UNFINISHED))? {
            let entry = entry?;
            let path = entry.path();
            // A file is not ours: file managers leave some.
            let removed = match entry.file_type()?.is_dir() {
                true => fs::remove_dir_all(&path),
                false => fs::remove_file(&path),
            };
            removed.with_context(|| format!("cannot remove {}", path.display()))?;
        }
        Ok(folder)
    }

    /// A file of the commit that is being written.
    pub(crate) fn create(&self, number: usize) -> anyhow::Result<File> {
        let folder = self.root.join(UNFINISHED).join(CURRENT);
        fs::create_dir_all(&folder)?;
        let path = folder.join(number.to_string());
        File::create(&path).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Whether something has this name in it.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.root.join(name).exists()
    }

    /// Commits the files that were written: they are those of the manifest, in this order.
    pub(crate) fn commit(&self, manifest: &Manifest) -> anyhow::Result<()> {
        let unfinished = self.root.join(UNFINISHED);
        // It may have no files.
        fs::create_dir_all(unfinished.join(CURRENT))?;
        fs::rename(unfinished.join(CURRENT), unfinished.join(&manifest.id))?;
        let manifests = self.root.join(MANIFESTS);
        let begun = manifests.join(format!("{}.begun", manifest.id));
        let mut file = File::create(&begun)?;
        serde_json::to_writer(&mut file, manifest)?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        fs::rename(begun, manifests.join(format!("{}.json", manifest.id)))?;
        sync(&manifests)?;
        self.publish(manifest)
    }

    /// Moves the files of a commit to their places, those that are not there yet.
    fn publish(&self, manifest: &Manifest) -> anyhow::Result<()> {
        let from = self.root.join(UNFINISHED).join(&manifest.id);
        if !from.is_dir() {
            return Ok(());
        }
        // Whoever joins with `transcripts` sees nothing that is not there yet.
        let transcripts = format!("{}/", Table::Transcripts);
        let mut files: Vec<_> = manifest.files.iter().enumerate().collect();
        files.sort_by_key(|(_, name)| name.starts_with(&transcripts));
        for (number, name) in files {
            let (from, to) = (from.join(number.to_string()), self.root.join(name));
            if !from.exists() {
                continue;
            }
            if let Some(folder) = to.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::rename(&from, &to).with_context(|| format!("cannot write {}", to.display()))?;
        }
        Ok(fs::remove_dir(&from)?)
    }
}

/// Names of files survive a loss of power.
#[cfg(unix)]
fn sync(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Whether nobody else has locked the file. The system unlocks it when this program ends, however it ends.
#[cfg(unix)]
fn is_ours(lock: &File) -> std::io::Result<bool> {
    use rustix::fs::{FlockOperation, flock};

    match flock(lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Elsewhere nothing keeps two programs from writing to a folder.
#[cfg(not(unix))]
fn is_ours(_: &File) -> std::io::Result<bool> {
    Ok(true)
}
