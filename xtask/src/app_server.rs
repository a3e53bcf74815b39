//! Folds a release of the app-server into the model, and rewrites everything made from the model.

pub mod binaries;
mod installed;
mod report;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, ensure};
use app_server_codegen::Model;
use app_server_codegen::archive::{self, Official};
use app_server_codegen::repository::{self, Tables};
use codex_wire::Release;

pub use installed::official;

/// What releases say, and the model they fold to.
#[derive(Clone)]
pub struct Known {
    /// Oldest first.
    pub officials: Vec<Official>,
    /// The model, without corrections.
    pub model: Model,
}

impl Known {
    /// Reads the archive.
    ///
    /// # Errors
    /// When it is damaged.
    pub fn load() -> Result<Self> {
        let mut known = Known {
            officials: Vec::new(),
            model: Model::default(),
        };
        for official in archive::read(&archive::folder())? {
            known.fold(official)?;
        }
        Ok(known)
    }

    /// Adds a release, in place of what was known of it.
    ///
    /// # Errors
    /// When it uses a construct the reader does not know.
    pub fn fold(&mut self, official: Official) -> Result<()> {
        let (stable, experimental) = official.snapshots()?;
        self.model.fold(&stable, experimental.as_ref());
        self.officials
            .retain(|known| known.release != official.release);
        self.officials.push(official);
        self.officials.sort_by_key(|known| known.release);
        Ok(())
    }

    /// Takes a release out.
    pub fn forget(&mut self, release: Release) {
        self.model.forget(release);
        self.officials.retain(|known| known.release != release);
    }

    /// Adds a release and says what is new in it.
    ///
    /// # Errors
    /// As [`Known::fold`].
    pub fn learn(&mut self, official: Official, tables: &Tables) -> Result<String> {
        let before = self.model.clone();
        let release = official.release;
        self.fold(official)?;
        Ok(report::report(&before, &self.model, tables, release))
    }

    /// Takes a release out and says what is left.
    ///
    /// # Errors
    /// When it is not known.
    pub fn unlearn(&mut self, release: Release) -> Result<String> {
        let is_known = self.officials.iter().any(|known| known.release == release);
        ensure!(
            is_known,
            "{release} is not among the releases that are known"
        );
        self.forget(release);
        let newest = self.officials.last().map(|official| official.release);
        let newest = newest.context("it is the only release that is known")?;
        let left = self.officials.len();
        Ok(format!(
            "{release} is folded out; {left} releases are left, the newest is {newest}\n"
        ))
    }

    /// The files that follow, with their paths in the checkout.
    ///
    /// # Errors
    /// When the tables do not fit the model: all that is missing there is said.
    pub fn files(&self, tables: &Tables) -> Result<BTreeMap<String, String>> {
        report::fitting(&self.model, tables)?;
        Ok(repository::files(&self.officials, &self.model, tables)?)
    }
}

/// What becomes of the releases that are known.
pub enum Step {
    /// They stay.
    Nothing,
    /// One is folded in.
    Learn(Official),
    /// One is folded out.
    Forget(Release),
}

/// Asks releases again what they say, and archives it: all that are known, if none is named. Nothing
/// else is written. Tells `progress` what is being done.
///
/// # Errors
/// When the archive is damaged or cannot be written, or a release cannot be had or run.
pub fn ask_again(versions: &[Release], mut progress: impl FnMut(&str)) -> Result<()> {
    let folder = archive::folder();
    let mut officials = archive::read(&folder)?;
    for known in &mut officials {
        let release = known.release;
        if !versions.is_empty() && !versions.contains(&release) {
            continue;
        }
        progress(&release.to_string());
        let official = binaries::lend(&release.to_string(), official)?;
        ensure!(
            official.release == release,
            "the program of {release} says it is {}",
            official.release
        );
        *known = official;
    }
    Ok(archive::write(&folder, &officials)?)
}

/// Takes a step and makes everything again that follows from the archive and the tables. With
/// `dry_run` nothing is written. Says what is new or left, and which files change.
///
/// # Errors
/// When the archive is damaged, a file cannot be written, a release to be folded out is not known,
/// or the tables do not fit what is known now; then nothing is written.
pub fn sync(step: Step, dry_run: bool) -> Result<String> {
    let tables = Tables::load()?;
    let mut known = Known::load()?;
    let before = known.officials.clone();
    let mut said = match step {
        Step::Nothing => String::new(),
        Step::Learn(official) => known.learn(official, &tables)?,
        Step::Forget(release) => known.unlearn(release)?,
    };
    let files = known.files(&tables);
    let files = files.with_context(|| format!("{said}\nnothing is written"))?;
    let root = repository::root();
    let stale = repository::stale(&root, &files)?;
    let archived = known.officials == before;
    if !dry_run {
        if !archived {
            archive::write(&archive::folder(), &known.officials)?;
        }
        repository::write(&root, &stale)?;
    }
    let verb = if dry_run { "would change" } else { "changed" };
    if !archived {
        let _ = writeln!(said, "{verb} the archive of official schemas");
    }
    for file in &stale {
        let _ = writeln!(said, "{verb} {}", file.path);
    }
    let corrected = tables.overlay.apply(&known.model)?;
    for what in tables.docs.missing(&corrected) {
        let _ = writeln!(said, "without a sentence: {what}");
    }
    Ok(said)
}
