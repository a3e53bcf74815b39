//! Folds a release of the app-server into the model, and rewrites everything made from the model.

pub mod binaries;
mod installed;
mod report;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, ensure};
use app_server_codegen::Model;
use app_server_codegen::archive::{self, Bundle};
use app_server_codegen::repository::{self, Tables};
use codex_wire::Release;

pub use installed::bundle;

/// The official bundles, and the model they fold to.
#[derive(Clone)]
pub struct Known {
    /// Oldest first.
    pub bundles: Vec<Bundle>,
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
            bundles: Vec::new(),
            model: Model::default(),
        };
        for bundle in archive::read(&archive::file())? {
            known.fold(bundle)?;
        }
        Ok(known)
    }

    /// Adds a bundle, in place of one of the same release.
    ///
    /// # Errors
    /// When it uses a construct the reader does not know.
    pub fn fold(&mut self, bundle: Bundle) -> Result<()> {
        let (stable, experimental) = bundle.snapshots()?;
        self.model.fold(&stable, experimental.as_ref());
        self.bundles.retain(|known| known.release != bundle.release);
        self.bundles.push(bundle);
        self.bundles.sort_by_key(|known| known.release);
        Ok(())
    }

    /// Takes a release out.
    pub fn forget(&mut self, release: Release) {
        self.model.forget(release);
        self.bundles.retain(|known| known.release != release);
    }

    /// Adds a bundle and says what is new in it.
    ///
    /// # Errors
    /// As [`Known::fold`].
    pub fn learn(&mut self, bundle: Bundle, tables: &Tables) -> Result<String> {
        let before = self.model.clone();
        let release = bundle.release;
        self.fold(bundle)?;
        Ok(report::report(&before, &self.model, tables, release))
    }

    /// Takes a release out and says what is left.
    ///
    /// # Errors
    /// When it is not known.
    pub fn unlearn(&mut self, release: Release) -> Result<String> {
        let is_known = self.bundles.iter().any(|known| known.release == release);
        ensure!(
            is_known,
            "{release} is not among the releases that are known"
        );
        self.forget(release);
        let newest = self.bundles.last().map(|bundle| bundle.release);
        let newest = newest.context("it is the only release that is known")?;
        let left = self.bundles.len();
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
        Ok(repository::files(&self.model, tables)?)
    }
}

/// What becomes of the releases that are known.
pub enum Step {
    /// They stay.
    Nothing,
    /// One is folded in.
    Learn(Bundle),
    /// One is folded out.
    Forget(Release),
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
    let before = known.bundles.clone();
    let mut said = match step {
        Step::Nothing => String::new(),
        Step::Learn(bundle) => known.learn(bundle, &tables)?,
        Step::Forget(release) => known.unlearn(release)?,
    };
    let files = known.files(&tables);
    let files = files.with_context(|| format!("{said}\nnothing is written"))?;
    let root = repository::root();
    let stale = repository::stale(&root, &files)?;
    let archived = known.bundles == before;
    if !dry_run {
        if !archived {
            archive::write(&archive::file(), &known.bundles)?;
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
