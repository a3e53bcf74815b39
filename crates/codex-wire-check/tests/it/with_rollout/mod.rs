//! Holds recorded streams against the session files of the same runs.
//!
//! - `with_rollout::RELEASE/SCENARIO/STREAM`: a stream and the files of its threads agree.
//! - `with_rollout::mutants::…`: a change of one side is denied.

mod file_mutants;
mod mutants;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use codex_wire_check::{Checker, Limits, Options, Outcome, RolloutFacts};
use codex_wire_testing::describe;
use libtest_mimic::{Failed, Trial};

use crate::support::fixtures;
use mutants::Change;

pub(crate) fn trials() -> Vec<Trial> {
    let mut out = Vec::new();
    for run in runs() {
        let files = session_files(&run);
        for stream in streams(&run) {
            let name = stream.strip_prefix(fixtures()).unwrap().display();
            let name = format!("with_rollout::{name}");
            let files = files.clone();
            out.push(Trial::test(name, move || agrees(&stream, &files)));
        }
    }
    out.push(Trial::test("with_rollout::mutants", mutants_are_denied));
    out.push(Trial::test(
        "with_rollout::file_mutants",
        file_mutants_are_denied,
    ));
    out
}

/// Each mutant that can be denied is, and there are some of each kind.
fn mutants_are_denied() -> Result<(), Failed> {
    let mut counts = BTreeMap::new();
    let mut survivors = Vec::new();
    for run in runs() {
        let scenario = run.file_name().unwrap().to_str().unwrap();
        // The items of a review are in the file of the reviewer.
        if scenario.ends_with("review") {
            continue;
        }
        let files = session_files(&run);
        for stream in streams(&run) {
            mutants::count(&stream, &files, &mut counts, &mut survivors)?;
        }
    }
    let survivors = survivors.join("\n");
    let is_seen = |change: &Change| counts.get(change).is_some_and(|count| count.denied > 0);
    match survivors.is_empty() && Change::ALL.iter().all(is_seen) {
        true => Ok(()),
        false => Err(format!("{counts:?}\n{survivors}").into()),
    }
}

/// Each mutant of a session file is denied.
fn file_mutants_are_denied() -> Result<(), Failed> {
    let (mut made, mut survivors) = (0, Vec::new());
    for run in runs() {
        let files = session_files(&run);
        let files: Vec<_> = files.values().collect();
        if let (Some(file), [stream]) = (file_mutants::only_file(&files), &streams(&run)[..]) {
            let (more, others) = file_mutants::survivors(&run, stream, &file)?;
            made += more;
            survivors.extend(others);
        }
    }
    match survivors.is_empty() && made > 100 {
        true => Ok(()),
        false => Err(format!("of {made} survive:\n{}", survivors.join("\n")).into()),
    }
}

/// The folders of recorded runs, of one in three unless the run is wide.
fn runs() -> Vec<PathBuf> {
    let folders = |path: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
        folders.sort();
        folders
    };
    let roots = ["rollout", "rollout-cross"].map(|name| fixtures().join(name));
    let releases = roots.iter().flat_map(|root| folders(root));
    let all: Vec<PathBuf> = releases.flat_map(|release| folders(&release)).collect();
    let some = all.len().div_ceil(3);
    sampling::spread(all, some)
}

/// The streams of a run.
fn streams(run: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(run)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut streams: Vec<PathBuf> = entries
        .filter(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            ["exec-", "app-server-", "proto-"]
                .iter()
                .any(|start| name.starts_with(start))
        })
        .collect();
    streams.sort();
    streams
}

/// The session files of a run by thread: a thread that was reverted has several.
fn session_files(run: &Path) -> BTreeMap<String, Vec<PathBuf>> {
    let mut out: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let mut folders = vec![run.join("home")];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                folders.push(path);
            } else if name.starts_with("rollout-") && name.ends_with(".jsonl") {
                // rollout-2026-11-22T15-02-17-<36 characters of the id>…
                let id = name["rollout-2026-11-22T15-02-17-".len()..][..36].to_owned();
                out.entry(id).or_default().push(path);
            }
        }
    }
    for paths in out.values_mut() {
        paths.sort();
    }
    out
}

static CHECKER: LazyLock<Checker> = LazyLock::new(|| Checker::new(Options::new()).unwrap());

/// The facts of the files of a thread.
fn read(paths: &[PathBuf]) -> Result<RolloutFacts, Failed> {
    let mut facts: Option<RolloutFacts> = None;
    for path in paths {
        let bytes = fs::read(path)?;
        let file = RolloutFacts::read("rollout.jsonl", &*bytes, Limits::default())?;
        facts = Some(match facts {
            Some(before) => before.and(file),
            None => file,
        });
    }
    facts.ok_or_else(|| "no files".into())
}

/// What the comparison of a stream with a session file finds.
fn compared(stream: &[u8], file: &RolloutFacts) -> Result<Outcome, Failed> {
    let (mut outcome, facts) = CHECKER.check_for_rollout("stream.jsonl", stream);
    CHECKER.compare_with_rollout(&mut outcome, &facts, file)?;
    outcome
        .findings
        .retain(|f| f.rule.group() == "with-rollout");
    Ok(outcome)
}

/// The files of the threads that a stream names, or the only one.
fn files_of<'f>(stream: &[u8], files: &'f BTreeMap<String, Vec<PathBuf>>) -> Vec<&'f Vec<PathBuf>> {
    let (_, facts) = CHECKER.check_for_rollout("stream.jsonl", stream);
    let ids: Vec<&str> = facts.thread_ids().collect();
    match (&ids[..], files.len()) {
        ([], 1) => files.values().collect(),
        (ids, _) => ids.iter().filter_map(|id| files.get(*id)).collect(),
    }
}

fn agrees(stream: &Path, files: &BTreeMap<String, Vec<PathBuf>>) -> Result<(), Failed> {
    let bytes = fs::read(stream)?;
    for paths in files_of(&bytes, files) {
        let outcome = compared(&bytes, &read(paths)?)?;
        if !outcome.findings.is_empty() {
            return Err(describe(&outcome).into());
        }
    }
    Ok(())
}
