//! Every transcript there is conforms to its own release, exactly; and when nobody says which
//! release that is, it is found among those the transcript is identified as.

use std::path::{Path, PathBuf};

use codex_wire::{Protocol, Release};
use codex_wire_check::{Options, Outcome, Profile, Verdict, gate, rules};
use libtest_mimic::{Failed, Trial};

use crate::support::{name, transcripts};

pub(crate) fn trials() -> Vec<Trial> {
    let recorded = transcripts("exec");
    let synthetic = transcripts("synthetic/exec");
    let trial = |path: PathBuf| {
        Trial::test(format!("conform::{}", name(&path)), move || {
            told(&path)?;
            identified(&path)
        })
    };
    recorded.into_iter().chain(synthetic).map(trial).collect()
}

/// The release whose folder the transcript lies in.
fn release(path: &Path) -> Result<Release, Failed> {
    let folder = path.parent().and_then(Path::file_name).unwrap();
    folder.to_str().unwrap().parse().map_err(Failed::from)
}

fn told(path: &Path) -> Result<(), Failed> {
    let options = gate::by_release_folder(Protocol::Exec)(path)?;
    let outcome = gate::check(path, &options)?;
    let expected = if is_empty(path) {
        Verdict::NotExercised
    } else {
        Verdict::Conforms
    };
    if outcome.verdict != expected || outcome.dropped() > 0 {
        return Err(gate::explain(&outcome).into());
    }
    only_known_defects(&outcome)
}

fn identified(path: &Path) -> Result<(), Failed> {
    if is_empty(path) {
        return Ok(());
    }
    let options = Options {
        profile: Profile::Exact,
        ..Options::new()
    };
    let outcome = gate::check(path, &options)?;
    let release = release(path)?;
    let releases = outcome.releases;
    let found = releases.is_some_and(|r| r.since <= release && release <= r.until);
    if !found || !outcome.identified || outcome.verdict != Verdict::Conforms {
        return Err(format!("identified as {releases:?}\n{}", gate::explain(&outcome)).into());
    }
    only_known_defects(&outcome)
}

fn is_empty(path: &Path) -> bool {
    std::fs::metadata(path).unwrap().len() == 0
}

/// Warnings are for what Codex itself is known to do wrong.
fn only_known_defects(outcome: &Outcome) -> Result<(), Failed> {
    match outcome
        .findings
        .iter()
        .all(|f| *f.rule == rules::DOUBLED_ID)
    {
        true => Ok(()),
        false => Err(gate::explain(outcome).into()),
    }
}
