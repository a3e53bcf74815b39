//! Every transcript there is conforms to its own release, exactly; and without a stated
//! release that is, it is found among those the transcript is identified as.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use codex_wire::{Protocol, Release};
use codex_wire_check::{Checker, Options, Outcome, Profile, Status, Verdict};
use codex_wire_testing::describe;
use libtest_mimic::{Failed, Trial};

use crate::support::{name, release_of, transcripts};

pub(crate) fn trials() -> Vec<Trial> {
    let recorded = transcripts("exec");
    let synthetic = transcripts("synthetic/exec");
    let trial = |path: PathBuf| {
        Trial::test(format!("conform::{}", name(&path)), move || {
            stated(&path)?;
            identified(&path)
        })
    };
    let legacy = transcripts("exec-legacy");
    let synthetic_legacy = transcripts("synthetic/exec-legacy");
    let all = recorded.into_iter().chain(synthetic).chain(legacy);
    all.chain(synthetic_legacy).map(trial).collect()
}

/// One checker per release, and one for all where the release is not stated: what they compile
/// serves all transcripts.
fn told_checker(release: Release) -> Arc<Checker> {
    static CHECKERS: Mutex<BTreeMap<Release, Arc<Checker>>> = Mutex::new(BTreeMap::new());
    let make = || {
        let options = Options::exact(Protocol::Exec, release);
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

fn reader(path: &Path) -> Result<BufReader<File>, Failed> {
    Ok(BufReader::new(File::open(path)?))
}

fn stated(path: &Path) -> Result<(), Failed> {
    let outcome = told_checker(release_of(path)?).check(&name(path), reader(path)?);
    let expected = if is_empty(path) {
        Verdict::NotExercised
    } else {
        Verdict::Conforms
    };
    if outcome.verdict != expected || outcome.dropped() > 0 {
        return Err(describe(&outcome).into());
    }
    only_known_defects(&outcome)
}

fn identified(path: &Path) -> Result<(), Failed> {
    if is_empty(path) {
        return Ok(());
    }
    let outcome = IDENTIFIES.check(&name(path), reader(path)?);
    let release = release_of(path)?;
    let releases = outcome.releases;
    let found = releases.is_some_and(|r| r.since <= release && release <= r.until);
    if !found || !outcome.identified || outcome.verdict != Verdict::Conforms {
        return Err(format!("identified as {releases:?}\n{}", describe(&outcome)).into());
    }
    only_known_defects(&outcome)
}

fn is_empty(path: &Path) -> bool {
    std::fs::metadata(path).unwrap().len() == 0
}

/// Warnings are for what Codex itself is known to do wrong, or only mostly does.
fn only_known_defects(outcome: &Outcome) -> Result<(), Failed> {
    match outcome
        .findings
        .iter()
        .all(|f| f.rule.status == Status::Advisory)
    {
        true => Ok(()),
        false => Err(describe(outcome).into()),
    }
}
