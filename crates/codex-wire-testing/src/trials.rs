//! Makes a test of each transcript and of each entry of a baseline.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use codex_wire_check::baseline::{Baseline, Expected};
use codex_wire_check::{Outcome, Verdict};
use libtest_mimic::{Arguments, Conclusion, Failed, Trial};

use crate::explain::explain;
use crate::options::OptionsFor;
use crate::transcripts::{at_least_one, check};

/// Runs the tests as a test harness does.
pub(crate) fn run(
    arguments: &Arguments,
    folder: &Path,
    options: impl OptionsFor,
    baseline: Option<&Path>,
) -> Conclusion {
    libtest_mimic::run(arguments, trials(folder, options, baseline))
}

/// Checks one transcript. The error has its findings.
pub(crate) fn conforms(path: &Path, options: &impl OptionsFor) -> Result<(), String> {
    conforming(check(path, &options.options_for(path)?)?)
}

/// Checks all transcripts under a folder. The error has the findings of each.
pub(crate) fn all_conform(folder: &Path, options: &impl OptionsFor) -> Result<(), String> {
    let paths = at_least_one(folder)?;
    let checked = paths.iter().map(|path| conforms(path, options));
    let failures: Vec<String> = checked.filter_map(Result::err).collect();
    if failures.is_empty() {
        return Ok(());
    }
    let (shown, count) = (folder.display(), failures.len());
    Err(format!(
        "{}\n\n{count} of {} transcripts in {shown} do not pass",
        failures.join("\n\n"),
        paths.len()
    ))
}

fn conforming(outcome: Outcome) -> Result<(), String> {
    match outcome.verdict {
        Verdict::Conforms => Ok(()),
        _ => Err(explain(&outcome)),
    }
}

/// A test for each transcript and each entry of the baseline. If there are no transcripts, or the
/// baseline cannot be read, one test that fails.
fn trials(folder: &Path, options: impl OptionsFor, baseline: Option<&Path>) -> Vec<Trial> {
    let shown = folder.display().to_string();
    let fail = |reason: String| {
        let name = shown.clone();
        vec![Trial::test(name, || Err(Failed::from(reason)))]
    };
    let paths = match at_least_one(folder) {
        Ok(paths) => paths,
        Err(reason) => return fail(reason),
    };
    let known = match baseline.map(read_baseline).transpose() {
        Ok(known) => Arc::new(known.unwrap_or_default()),
        Err(reason) => return fail(format!("nothing was checked: {reason}")),
    };
    let options = Arc::new(options);
    let entries = known.entries().iter().map(|entry| {
        let (paths, options, entry) = (paths.clone(), Arc::clone(&options), entry.clone());
        let file = baseline.map(|path| path.display().to_string());
        let name = format!("{}:{}", file.unwrap_or_default(), entry.line);
        Trial::test(name, move || {
            still_occurs(entry, &paths, &*options).map_err(Failed::from)
        })
    });
    let mut trials: Vec<Trial> = entries.collect();
    trials.extend(paths.into_iter().map(|path| {
        let (options, known) = (Arc::clone(&options), Arc::clone(&known));
        Trial::test(name(folder, &path), move || {
            let options = options.options_for(&path)?;
            let mut outcome = check(&path, &options)?;
            known.compare().apply(&mut outcome);
            conforming(outcome).map_err(Failed::from)
        })
    }));
    trials
}

fn read_baseline(path: &Path) -> Result<Baseline, String> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("{shown}: {error}"))?;
    Baseline::parse(&text).map_err(|error| format!("{shown}, {error}"))
}

/// Checks the transcripts of an entry again, to find out whether its finding still occurs.
fn still_occurs(
    entry: Expected,
    paths: &[PathBuf],
    options: &impl OptionsFor,
) -> Result<(), String> {
    let expected = entry.message.clone();
    let baseline = Baseline::new(vec![entry.clone()]).map_err(|error| error.to_string())?;
    let mut comparison = baseline.compare();
    for path in paths {
        if entry.covers(&path.display().to_string()) {
            comparison.apply(&mut check(path, &options.options_for(path)?)?);
        }
    }
    match comparison.stale().first() {
        None => Ok(()),
        Some(stale) => Err(format!("{stale}\nexpected: {expected}")),
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
