//! Implements `--baseline` and `--update-baseline`: reads and writes the file.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use anyhow::{Context, anyhow, bail};
use codex_wire_check::baseline::{Comparison, Refusal, Revision, Stale};
use codex_wire_check::{Baseline, Outcome};

use crate::args::CheckArgs;
use crate::replace::Replacement;
use crate::{inputs, output};

/// The baseline of a run, as it stands in its file.
pub(crate) struct Known {
    path: PathBuf,
    /// The text; `None` where there is no such file yet.
    text: Option<String>,
    baseline: Baseline,
}

impl Known {
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
        Ok(Some(Known {
            path: path.clone(),
            text,
            baseline,
        }))
    }

    /// Begins to hold outcomes against it, or to bring it up to date.
    pub(crate) fn begin(&self, args: &CheckArgs) -> Pass<'_> {
        if args.update_baseline {
            Pass::Update(Revision::new(&self.baseline, args.reason.as_deref()))
        } else {
            Pass::Compare(self.baseline.compare())
        }
    }

    /// Its name in reports.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn write(&self, text: &str) -> anyhow::Result<()> {
        let mut file = Replacement::begin(&self.path)?;
        let written = file.write_all(text.as_bytes());
        written.with_context(|| format!("cannot write {}", self.path.display()))?;
        file.keep()
    }
}

/// A baseline is what the whole run finds: findings that were not looked for would be taken for
/// gone.
fn unfiltered(args: &CheckArgs) -> anyhow::Result<()> {
    let filter = if args.judging.side.is_some() {
        "--side"
    } else if !args.judging.levels.is_empty() {
        "--deny, --warn or --allow"
    } else {
        return Ok(());
    };
    bail!("a run with {filter} does not see all findings, so it cannot update the baseline")
}

/// A run through the inputs, with the baseline in hand.
pub(crate) enum Pass<'k> {
    Compare(Comparison<'k>),
    Update(Revision<'k>),
}

impl Pass<'_> {
    /// Marks what is expected of an input.
    pub(crate) fn apply(&mut self, outcome: &mut Outcome) {
        match self {
            Pass::Compare(comparison) => comparison.apply(outcome),
            Pass::Update(revision) => revision.apply(outcome),
        }
    }

    /// The entries that do not hold. None where they are about to be taken out.
    pub(crate) fn stale(&self) -> Vec<Stale> {
        match self {
            Pass::Compare(comparison) => comparison.stale(),
            Pass::Update(_) => Vec::new(),
        }
    }

    /// Writes the baseline, where it is to be brought up to date.
    pub(crate) fn finish(self, known: &Known, color: ColorChoice) -> anyhow::Result<()> {
        let Pass::Update(revision) = self else {
            return Ok(());
        };
        let exists = |path: &str| path == inputs::STDIN || Path::new(path).exists();
        let revised = revision
            .finish(known.text.as_deref().unwrap_or_default(), &exists)
            .map_err(|refusal| refused(known, &refusal))?;
        if known.text.as_ref() != Some(&revised.text) {
            known.write(&revised.text)?;
        }
        let said = format!(
            "{}: {} kept, {} changed, {} removed, {} added",
            known.name(),
            revised.kept,
            revised.changed,
            revised.removed,
            revised.added
        );
        output::remark(color, &said);
        Ok(())
    }
}

/// Why the baseline stays as it is, and what to do.
fn refused(known: &Known, refusal: &Refusal) -> anyhow::Error {
    let help = match refusal {
        Refusal::BeyondLimit { .. } => "; raise --max-findings",
        Refusal::NotChecked { .. } => "; check all inputs at once, or remove the entry",
        Refusal::NoReason { .. } => "; give it with --reason",
        _ => "",
    };
    anyhow!("{} is not updated: {refusal}{help}", known.name())
}
