//! Forks and segments of session files, and the files in which their history begins.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{folder, run, workspace};

const FORK: &str = "01a203d6-0fa5-7f80-9dfa-9664ce43c074";
const BASE: &str = "01a203d6-0c52-7b93-98f0-21a33082d3be";

fn named(id: &str) -> String {
    format!("rollout-2026-11-22T15-18-09-{id}.jsonl")
}

/// The files of an example of the rule: the fork and its base.
fn example(name: &str) -> (Vec<u8>, Vec<u8>) {
    let folder = workspace()
        .join("fixtures/rules/with-rollout/base")
        .join(name);
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    (read("rollout.jsonl"), read("base.jsonl"))
}

fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// A folder with the fork in `sessions`.
fn with_fork(name: &str) -> PathBuf {
    let folder = folder(name);
    write(
        &folder.join("home/sessions").join(named(FORK)),
        example("fail").0,
    );
    folder
}

#[test]
fn a_fork_is_compared_with_its_base() {
    let folder = with_fork("base-differs");
    let base = folder.join("home/archived_sessions").join(named(BASE));
    write(&base, example("pass").1);
    let finished = run(&folder, "check home");
    assert_eq!(finished.code, 0, "{}", finished.stdout);
    write(&base, example("fail").1);
    for args in ["check home", "check -j 2 home", "check -j 1 home"] {
        let finished = run(&folder, args);
        assert_eq!(finished.code, 1, "{}", finished.stdout);
        let at = format!("error[with-rollout/base] home/sessions/{}:1", named(FORK));
        for part in [
            at.as_str(),
            "the history ends at byte 1613 of the base, which is shorter",
        ] {
            assert!(finished.stdout.contains(part), "{}", finished.stdout);
        }
    }
    let finished = run(&folder, "check --allow with-rollout/base home");
    let ordinal = "sequence/rollout-ordinal";
    assert!(
        !finished.stdout.contains("with-rollout/base"),
        "{}",
        finished.stdout
    );
    assert!(finished.stdout.contains(ordinal), "{}", finished.stdout);
}

#[test]
fn a_base_may_be_compressed() {
    let folder = with_fork("base-packed");
    let packed = zstd::encode_all(&*example("fail").1, 3).unwrap();
    let name = format!("home/sessions/{}.zst", named(BASE));
    write(&folder.join(name), packed);
    let finished = run(&folder, "check home");
    assert!(
        finished.stdout.contains("with-rollout/base"),
        "{}",
        finished.stdout
    );
}

#[test]
fn one_of_several_segments_has_to_fit() {
    let folder = with_fork("base-segments");
    let sessions = folder.join("home/sessions");
    write(&sessions.join(named(BASE)), example("fail").1);
    let segment = format!("{BASE}_01a203d6-6926-7843-846e-346c3c2aec73");
    write(&sessions.join(named(&segment)), example("pass").1);
    let finished = run(&folder, "check home");
    assert!(
        !finished.stdout.contains("with-rollout/base"),
        "{}",
        finished.stdout
    );
}

#[test]
fn what_is_no_base_is_not_compared() {
    let folder = with_fork("base-missing");
    let sessions = folder.join("home/sessions");
    let finished = run(&folder, "check home");
    assert_eq!(finished.code, 0, "{}", finished.stdout);
    // The name alone proves nothing: the header names another thread.
    let other = String::from_utf8(example("fail").1).unwrap();
    write(&sessions.join(named(BASE)), other.replace(BASE, FORK));
    let finished = run(&folder, "check home");
    assert!(
        !finished.stdout.contains("with-rollout/base"),
        "{}",
        finished.stdout
    );
    // Nor is it found under another name.
    fs::remove_file(sessions.join(named(BASE))).unwrap();
    write(&sessions.join("copy.jsonl"), example("fail").1);
    let finished = run(&folder, "check home");
    assert!(
        !finished.stdout.contains("with-rollout/base"),
        "{}",
        finished.stdout
    );
}
