//! Every recorded session file conforms exactly to the release that wrote it, stated or not, and is
//! identified as a file of that release. A file that several releases wrote conforms as well, run by
//! run, and each of these releases is among those of one of its runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use codex_wire::{Protocol, Release};
use codex_wire_check::identify::{Identification, Kind, LineRun, Releases};
use codex_wire_check::{Checker, Finding, Options, Outcome, Profile, Status, Verdict};
use codex_wire_testing::describe;
use libtest_mimic::{Failed, Trial};

use crate::support::{name, recordings_root, session_file, session_files};

pub(crate) fn trials() -> Vec<Trial> {
    let of_one = |path: PathBuf| {
        Trial::test(format!("conform::{}", name(&path)), move || {
            let bytes = session_file(&path)?;
            let release = folder(&path, 1).parse()?;
            conforms(&checker(release).check(&name(&path), &*bytes))?;
            conforms(&IDENTIFIES.check(&name(&path), &*bytes))?;
            identified(&IDENTIFIES.identify(&*bytes)?, &[release])
        })
    };
    let of_several = |path: PathBuf| {
        Trial::test(format!("conform::{}", name(&path)), move || {
            let bytes = session_file(&path)?;
            conforms(&IDENTIFIES.check(&name(&path), &*bytes))?;
            let known = IDENTIFIES.identify(&*bytes)?;
            identified(&known, &writers(&path)?)?;
            line_by_line(&known, &path)
        })
    };
    let recorded = session_files("rollout").into_iter().map(of_one);
    let cross = session_files("rollout-cross").into_iter().map(of_several);
    recorded.chain(cross).collect()
}

/// The folder of that depth below the root of the recordings.
fn folder(path: &Path, depth: usize) -> &str {
    let below = path.strip_prefix(recordings_root()).unwrap();
    let folder = below.components().nth(depth).unwrap().as_os_str();
    folder.to_str().unwrap()
}

/// The releases that wrote a file. The second one appended to the file that was there before it, wrote
/// that file again, left it alone, or began a file of its own.
fn writers(path: &Path) -> Result<Vec<Release>, Failed> {
    let (after, scenario) = (folder(path, 1), folder(path, 2));
    let (_, before) = scenario.split_once('_').ok_or("no release before")?;
    let is_before = path.components().any(|part| part.as_os_str() == "before");
    let new = session_file(path)?;
    // The second release also made files that were there before.
    let line = new.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let names_after =
        String::from_utf8_lossy(line).contains(&format!("\"cli_version\":\"{after}\""));
    let creator = if names_after { after } else { before };
    let names = match before_of(path) {
        _ if is_before => vec![creator],
        None => vec![after],
        Some(old) => match new.strip_prefix(&*session_file(&old)?) {
            Some([]) => vec![creator],
            Some(_) => vec![creator, after],
            None => vec![after],
        },
    };
    let releases = names.into_iter().map(|name| Ok(name.parse()?));
    releases.collect()
}

/// One checker for each release, and one that finds the release out: what they compile serves all
/// files.
fn checker(release: Release) -> Arc<Checker> {
    static CHECKERS: Mutex<BTreeMap<Release, Arc<Checker>>> = Mutex::new(BTreeMap::new());
    let make = || {
        let mut options = Options::exact(Protocol::Rollout, release);
        options.profile = Profile::Exact;
        Arc::new(Checker::new(options).unwrap())
    };
    let mut checkers = CHECKERS.lock().unwrap();
    Arc::clone(checkers.entry(release).or_insert_with(make))
}

static IDENTIFIES: LazyLock<Checker> = LazyLock::new(|| {
    let mut options = Options::new();
    options.profile = Profile::Exact;
    Checker::new(options).unwrap()
});

/// Nothing is wrong but what Codex itself is known to do wrong.
fn conforms(outcome: &Outcome) -> Result<(), Failed> {
    let is_known = |finding: &Finding| finding.rule.status == Status::Advisory;
    let is_valid = outcome.verdict == Verdict::Conforms && outcome.dropped() == 0;
    match is_valid && outcome.findings.iter().all(is_known) {
        true => Ok(()),
        false => Err(describe(outcome).into()),
    }
}

/// Each of the releases is among those of a run of lines.
fn identified(known: &Identification, releases: &[Release]) -> Result<(), Failed> {
    let runs: Vec<&Releases> = match known.runs.is_empty() {
        true => known.releases.iter().collect(),
        false => known.runs.iter().map(|run| &run.releases).collect(),
    };
    let is_found = |release: &Release| runs.iter().any(|run| run.contains(*release));
    let has_all = releases.iter().all(is_found) && known.protocol == Some(Protocol::Rollout);
    match known.kind == Kind::Identified && has_all && known.unmatched.is_none() {
        true => Ok(()),
        false => Err(format!("{releases:?}: {known:#?}").into()),
    }
}

/// Each line of a file that one release wrote and another appended to is in a run that holds its
/// writer.
fn line_by_line(known: &Identification, path: &Path) -> Result<(), Failed> {
    let (after, scenario) = (folder(path, 1), folder(path, 2));
    let (Some(before), Some(old)) = (scenario.strip_prefix("from_"), before_of(path)) else {
        return Ok(());
    };
    let (old, new) = (session_file(&old)?, session_file(path)?);
    if !new.starts_with(&old) {
        // It was written again.
        return Ok(());
    }
    let lines = |bytes: &[u8]| bytes.split_inclusive(|byte| *byte == b'\n').count() as u64;
    let (appended, end) = (lines(&old) + 1, lines(&new));
    let (before, after): (Release, Release) = (before.parse()?, after.parse()?);
    for line in 1..=end {
        let writer = if line < appended { before } else { after };
        let is_of =
            |run: &&LineRun| run.since <= line && run.until.is_none_or(|until| line <= until);
        let releases = match known.runs.iter().find(is_of) {
            Some(run) => Some(&run.releases),
            None => known.releases.as_ref(),
        };
        if !releases.is_some_and(|releases| releases.contains(writer)) {
            return Err(format!("line {line} of {end} is of {writer}: {known:#?}").into());
        }
    }
    Ok(())
}

/// The file as it was before the second release ran, if it was there.
fn before_of(path: &Path) -> Option<PathBuf> {
    let scenario: PathBuf = (0..3).map(|depth| folder(path, depth)).collect();
    let old = recordings_root()
        .join(scenario)
        .join("before")
        .join(path.file_name()?);
    (old != path && old.exists()).then_some(old)
}
