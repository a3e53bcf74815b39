//! Makes a test of each transcript and of each entry of a baseline.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use codex_wire_check::baseline::{Baseline, Expected};
use codex_wire_check::{Outcome, Verdict};
use codex_wire_report::{describe, describe_stale};
use libtest_mimic::{Arguments, Conclusion, Failed, Trial};

use crate::error::{Error, with_sources};
use crate::options::OptionsFor;
use crate::transcripts::{at_least_one, check_with};

/// Runs the tests as a test harness does.
pub(crate) fn run(
    arguments: &Arguments,
    folder: &Path,
    options: impl OptionsFor,
    baseline: Option<&Path>,
) -> Conclusion {
    libtest_mimic::run(arguments, trials(folder, options, baseline))
}

/// Why a test fails.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A transcript does not conform: its findings.
    #[error("{0}")]
    Findings(String),
    /// Some transcripts of a folder do not pass.
    #[error("{}\n\n{} of {transcripts} transcripts in {} do not pass", list(.failures), .failures.len(), .folder.display())]
    Several {
        folder: PathBuf,
        transcripts: usize,
        failures: Vec<Failure>,
    },
    /// A baseline expects a finding that no longer occurs.
    #[error("{0}")]
    Stale(String),
    /// Something could not be checked.
    #[error("nothing was checked: {}", with_sources(.0))]
    Unchecked(#[from] Error),
}

fn list(failures: &[Failure]) -> String {
    let texts: Vec<String> = failures.iter().map(Failure::to_string).collect();
    texts.join("\n\n")
}

/// Checks one transcript.
pub(crate) fn conforms(path: &Path, options: &impl OptionsFor) -> Result<(), Failure> {
    conforming(check_with(path, options)?)
}

/// Checks all transcripts under a folder.
pub(crate) fn all_conform(folder: &Path, options: &impl OptionsFor) -> Result<(), Failure> {
    let paths = at_least_one(folder)?;
    let checked = paths.iter().map(|path| conforms(path, options));
    let failures: Vec<Failure> = checked.filter_map(Result::err).collect();
    if failures.is_empty() {
        return Ok(());
    }
    Err(Failure::Several {
        folder: folder.to_owned(),
        transcripts: paths.len(),
        failures,
    })
}

fn conforming(outcome: Outcome) -> Result<(), Failure> {
    match outcome.verdict {
        Verdict::Conforms => Ok(()),
        _ => Err(Failure::Findings(describe(&outcome))),
    }
}

/// A test for each transcript and each entry of the baseline. If there are no transcripts, or the
/// baseline cannot be read, one test that fails.
fn trials(folder: &Path, options: impl OptionsFor, baseline: Option<&Path>) -> Vec<Trial> {
    let shown = folder.display().to_string();
    let fail = |error: Error| {
        let name = shown.clone();
        vec![Trial::test(name, || Err(Failure::Unchecked(error).into()))]
    };
    let paths = match at_least_one(folder) {
        Ok(paths) => paths,
        Err(error) => return fail(error),
    };
    let known = match baseline.map(read_baseline).transpose() {
        Ok(known) => Arc::new(known.unwrap_or_default()),
        Err(error) => return fail(error),
    };
    let checks = Arc::new(Checks {
        outcomes: paths.iter().map(|_| OnceLock::new()).collect(),
        paths,
        options,
    });
    let entries = known.entries().iter().map(|entry| {
        let (checks, entry) = (Arc::clone(&checks), entry.clone());
        let file = baseline.unwrap_or(Path::new("")).to_owned();
        let name = format!("{}:{}", file.display(), entry.line);
        Trial::test(name, move || {
            still_occurs(&file, entry, &checks).map_err(Failed::from)
        })
    });
    let mut trials: Vec<Trial> = entries.collect();
    trials.extend(checks.paths.iter().enumerate().map(|(number, path)| {
        let (checks, known) = (Arc::clone(&checks), Arc::clone(&known));
        Trial::test(name(folder, path), move || {
            let mut outcome = checks.outcome(number).map_err(Failure::from)?;
            known.compare().apply(&mut outcome);
            conforming(outcome).map_err(Failed::from)
        })
    }));
    trials
}

/// The transcripts of a folder, each of which is checked once: for its own test, or for that of an entry.
struct Checks<O> {
    paths: Vec<PathBuf>,
    outcomes: Vec<OnceLock<Outcome>>,
    options: O,
}

impl<O: OptionsFor> Checks<O> {
    /// What the check of a transcript found.
    fn outcome(&self, number: usize) -> Result<Outcome, Error> {
        let known = &self.outcomes[number];
        if let Some(outcome) = known.get() {
            return Ok(outcome.clone());
        }
        let outcome = check_with(&self.paths[number], &self.options)?;
        Ok(known.get_or_init(|| outcome).clone())
    }
}

fn read_baseline(path: &Path) -> Result<Baseline, Error> {
    let text = fs::read_to_string(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    Baseline::parse(&text).map_err(|source| Error::Baseline {
        path: path.to_owned(),
        source,
    })
}

/// Looks at the transcripts of an entry of the baseline `file`, to find out whether its finding still occurs.
fn still_occurs(
    file: &Path,
    entry: Expected,
    checks: &Checks<impl OptionsFor>,
) -> Result<(), Failure> {
    let baseline = Baseline::new(vec![entry.clone()]).map_err(|source| Error::Baseline {
        path: file.to_owned(),
        source,
    })?;
    let mut comparison = baseline.compare();
    for (number, path) in checks.paths.iter().enumerate() {
        if entry.covers(&path.display().to_string()) {
            comparison.apply(&mut checks.outcome(number)?);
        }
    }
    match comparison.stale().first() {
        None => Ok(()),
        Some(stale) => {
            let file = file.display().to_string();
            Err(Failure::Stale(describe_stale(&file, stale)))
        }
    }
}

/// The name of a test: the path below the folder, with `/` on every system.
fn name(folder: &Path, path: &Path) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests;
