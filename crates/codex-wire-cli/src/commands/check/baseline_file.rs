//! Implements `--baseline` and `--update-baseline`: reads and writes the file.

use std::env;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use anyhow::{Context, anyhow, bail};
use codex_wire_check::baseline::{Comparison, Refusal, Revision, Stale, Why};
use codex_wire_check::{Baseline, Outcome};
use codex_wire_inputs::read_whole;
use codex_wire_inputs::relative::{absolute, relative_to};

use super::args::CheckArgs;
use crate::atomic_file::AtomicFile;
use crate::{inputs, output};

/// The baseline of a run, and the file that holds it.
pub(crate) struct BaselineFile {
    path: PathBuf,
    /// The text; `None` if the file does not exist yet.
    text: Option<String>,
    baseline: Baseline,
    /// The absolute folder that its paths are relative to, if that is not the working directory.
    folder: Option<PathBuf>,
}

impl BaselineFile {
    /// Reads the baseline the command line names, if it names one.
    pub(crate) fn read(args: &CheckArgs) -> anyhow::Result<Option<Self>> {
        let Some(path) = &args.baseline else {
            if args.update_baseline.is_some() {
                bail!("there is no baseline to update: name it with --baseline");
            }
            return Ok(None);
        };
        let shown = path.display();
        if args.update_baseline.is_some() {
            unfiltered(args)?;
        }
        let text = match read_whole(path) {
            Ok(text) => {
                let text = String::from_utf8(text);
                Some(text.with_context(|| format!("the baseline {shown} is not text"))?)
            }
            // The first update makes the file.
            Err(error)
                if args.update_baseline.is_some() && error.kind() == io::ErrorKind::NotFound =>
            {
                None
            }
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
            folder: match args.has_configured_baseline {
                true => {
                    let here = env::current_dir().context("the working directory is unknown")?;
                    absolute(&here, path).parent().map(Path::to_path_buf)
                }
                false => None,
            },
        }))
    }

    /// Begins to compare outcomes with it, or to update it.
    pub(crate) fn begin(&self, args: &CheckArgs) -> Matching<'_> {
        let kind = match args.update_baseline {
            Some(least) => {
                let revision = Revision::new(&self.baseline, args.reason.as_deref());
                Kind::Update(revision.down_to(least))
            }
            None => Kind::Compare(self.baseline.compare()),
        };
        Matching {
            kind,
            folder: self.folder.as_deref(),
            // Whoever checks one file does not miss those of the others.
            is_part: args.has_configured_baseline && args.names_inputs,
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
pub(crate) struct Matching<'b> {
    kind: Kind<'b>,
    folder: Option<&'b Path>,
    is_part: bool,
}

enum Kind<'b> {
    Compare(Comparison<'b>),
    Update(Revision<'b>),
}

impl Matching<'_> {
    /// Marks the expected findings of an input.
    pub(crate) fn apply(&mut self, outcome: &mut Outcome) {
        let path = outcome.path.clone();
        if let Some(folder) = self.folder
            && path != inputs::STDIN
        {
            let here = env::current_dir().unwrap_or_default();
            let path = relative_to(folder, &absolute(&here, Path::new(&path)));
            outcome.path = path.display().to_string();
        }
        match &mut self.kind {
            Kind::Compare(comparison) => comparison.apply(outcome),
            Kind::Update(revision) => revision.apply(outcome),
        }
        outcome.path = path;
    }

    /// The entries that are stale. An update removes them, so it has none.
    pub(crate) fn stale(&self) -> Vec<Stale> {
        let mut stale = match &self.kind {
            Kind::Compare(comparison) => comparison.stale(),
            Kind::Update(_) => Vec::new(),
        };
        stale.retain(|stale| !(self.is_part && matches!(stale.why, Why::NotChecked)));
        stale
    }

    /// Writes the baseline if it is updated.
    pub(crate) fn finish(self, file: &BaselineFile, color: ColorChoice) -> anyhow::Result<()> {
        let Kind::Update(revision) = self.kind else {
            return Ok(());
        };
        let folder = self.folder.unwrap_or(Path::new(""));
        let exists = |path: &str| path == inputs::STDIN || folder.join(path).exists();
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
