//! Implements `--baseline` and `--update-baseline`: reads and writes the file.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use anyhow::{Context, anyhow, bail};
use codex_wire_check::baseline::{Comparison, Refusal, Revision, Stale};
use codex_wire_check::{Baseline, Outcome};

use super::args::CheckArgs;
use crate::atomic_file::AtomicFile;
use crate::{inputs, output};

/// The baseline of a run, and the file that holds it.
pub(crate) struct BaselineFile {
    path: PathBuf,
    /// The text; `None` if the file does not exist yet.
    text: Option<String>,
    baseline: Baseline,
}

impl BaselineFile {
    /// Reads the baseline the command line names, if it names one.
    pub(crate) fn read(args: &CheckArgs) -> anyhow::Result<Option<Self>> {
        let Some(path) = &args.baseline else {
            return Ok(None);
        };
        let shown = path.display();
        if args.update_baseline {
            unfiltered(args)?;
        }
        let text = match fs::read_to_string(path) {
            Ok(text) => Some(text),
            // The first update makes the file.
            Err(error) if args.update_baseline && error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read the baseline {shown}"));
            }
        };
        let baseline = Baseline::parse(text.as_deref().unwrap_or_default())
            .map_err(|error| anyhow!("baseline {shown}, {error}"))?;
        Ok(Some(BaselineFile {
            path: path.clone(),
            text,
            baseline,
        }))
    }

    /// Begins to compare outcomes with it, or to update it.
    pub(crate) fn begin(&self, args: &CheckArgs) -> Matching<'_> {
        if args.update_baseline {
            Matching::Update(Revision::new(&self.baseline, args.reason.as_deref()))
        } else {
            Matching::Compare(self.baseline.compare())
        }
    }

    /// Its name in reports.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn write(&self, text: &str) -> anyhow::Result<()> {
        let mut file = AtomicFile::begin(&self.path)?;
        let written = file.write_all(text.as_bytes());
        written.with_context(|| format!("cannot write {}", self.path.display()))?;
        file.keep()
    }
}

/// Fails if flags hide findings. An update would remove the entries of hidden findings, as if they
/// no longer occurred.
fn unfiltered(args: &CheckArgs) -> anyhow::Result<()> {
    let filter = if args.checker.side.is_some() {
        "--side"
    } else if !args.checker.levels.is_empty() {
        "--deny, --warn or --allow"
    } else {
        return Ok(());
    };
    bail!("a run with {filter} does not see all findings, so it cannot update the baseline")
}

/// Matches the findings of a run with the baseline.
pub(crate) enum Matching<'b> {
    Compare(Comparison<'b>),
    Update(Revision<'b>),
}

impl Matching<'_> {
    /// Marks the expected findings of an input.
    pub(crate) fn apply(&mut self, outcome: &mut Outcome) {
        match self {
            Matching::Compare(comparison) => comparison.apply(outcome),
            Matching::Update(revision) => revision.apply(outcome),
        }
    }

    /// The entries that are stale. An update removes them, so it has none.
    pub(crate) fn stale(&self) -> Vec<Stale> {
        match self {
            Matching::Compare(comparison) => comparison.stale(),
            Matching::Update(_) => Vec::new(),
        }
    }

    /// Writes the baseline if it is updated.
    pub(crate) fn finish(self, file: &BaselineFile, color: ColorChoice) -> anyhow::Result<()> {
        let Matching::Update(revision) = self else {
            return Ok(());
        };
        let exists = |path: &str| path == inputs::STDIN || Path::new(path).exists();
        let revised = revision
            .finish(file.text.as_deref().unwrap_or_default(), &exists)
            .map_err(|refusal| refused(file, &refusal))?;
        if file.text.as_ref() != Some(&revised.text) {
            file.write(&revised.text)?;
        }
        let summary = format!(
            "{}: {} kept, {} changed, {} removed, {} added",
            file.name(),
            revised.kept,
            revised.changed,
            revised.removed,
            revised.added
        );
        output::remark(color, &summary);
        Ok(())
    }
}

/// Why the baseline is not updated, and what to do about it.
fn refused(file: &BaselineFile, refusal: &Refusal) -> anyhow::Error {
    let help = match refusal {
        Refusal::BeyondLimit { .. } => "; raise --max-findings",
        Refusal::NotChecked { .. } => "; check all inputs at once, or remove the entry",
        Refusal::NoReason { .. } => "; give it with --reason",
        _ => "",
    };
    anyhow!("{} is not updated: {refusal}{help}", file.name())
}
