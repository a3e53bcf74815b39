//! `check --with-rollout`: a stream and the session file of the same run.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{folder, run, run_with, workspace};

const THREAD: &str = "01a203d0-53af-7ac0-9d74-67a11e2c0899";
const OTHER: &str = "01a203d0-53af-7ac0-9d74-67a11e2c0800";

/// The stream and the session file of an example of a rule.
fn pair(rule: &str, example: &str) -> (String, String) {
    let folder = workspace().join("fixtures/rules/with-rollout").join(rule);
    let read = |name: &str| fs::read_to_string(folder.join(example).join(name)).unwrap();
    (read("stream.jsonl"), read("rollout.jsonl"))
}

/// The name of the session file of a thread.
fn named(thread: &str) -> String {
    format!("rollout-2026-11-22T15-11-54-{thread}.jsonl")
}

fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// A folder with a stream, `run.jsonl`, and the session file, `rollout.jsonl`.
fn written(name: &str, rule: &str, example: &str) -> PathBuf {
    let folder = folder(name);
    let (stream, file) = pair(rule, example);
    write(&folder.join("run.jsonl"), stream);
    write(&folder.join("rollout.jsonl"), file);
    folder
}

#[test]
fn a_stream_agrees_with_its_session_file() {
    let folder = written("rollout-agrees", "item-differs", "pass");
    let finished = run(&folder, "check --with-rollout rollout.jsonl run.jsonl");
    assert_eq!(finished.code, 0, "{}", finished.stdout);
    assert!(finished.stdout.contains("conforms"), "{}", finished.stdout);
}

#[test]
fn a_difference_is_a_finding() {
    let folder = written("rollout-differs", "item-differs", "fail");
    let finished = run(&folder, "check run.jsonl");
    assert_eq!(finished.code, 0, "{}", finished.stdout);
    let finished = run(&folder, "check --with-rollout rollout.jsonl run.jsonl");
    assert_eq!(finished.code, 1, "{}", finished.stdout);
    for part in [
        "error[with-rollout/item-differs] run.jsonl:4",
        "the exit code is 0, and 1 in the session file",
        "it is line 5 of the session file",
    ] {
        assert!(
            finished.stdout.contains(part),
            "{part}: {}",
            finished.stdout
        );
    }
    let args = "check --with-rollout rollout.jsonl --format json run.jsonl";
    let finished = run(&folder, args);
    let report: Value = serde_json::from_str(&finished.stdout).unwrap();
    let finding = &report["inputs"][0]["findings"][0];
    assert_eq!(finding["rule"], "with-rollout/item-differs");
    let args = "check --allow with-rollout/* --with-rollout rollout.jsonl run.jsonl";
    assert_eq!(run(&folder, args).code, 0);
}

#[test]
fn a_stream_can_come_from_standard_input() {
    let folder = written("rollout-stdin", "usage-differs", "fail");
    let stream = fs::read(folder.join("run.jsonl")).unwrap();
    let finished = run_with(&folder, "check --with-rollout rollout.jsonl", &stream);
    assert_eq!(finished.code, 1, "{}", finished.stdout);
    assert!(finished.stdout.contains("with-rollout/usage-differs"));
}

#[test]
fn the_file_is_found_in_a_folder() {
    let folder = written("rollout-folder", "text-differs", "fail");
    let (_, file) = pair("text-differs", "fail");
    let day = folder.join("sessions/2026/11/22");
    let packed = zstd::encode_all(file.as_bytes(), 3).unwrap();
    write(&day.join(named(THREAD) + ".zst"), packed);
    write(&day.join(named(OTHER)), "no session file\n");
    let finished = run(&folder, "check --with-rollout sessions run.jsonl");
    assert_eq!(finished.code, 1, "{}", finished.stdout);
    assert!(finished.stdout.contains("with-rollout/text-differs"));

    fs::remove_file(day.join(named(THREAD) + ".zst")).unwrap();
    let finished = run(&folder, "check --with-rollout sessions run.jsonl");
    assert_eq!(finished.code, 2, "{}", finished.stdout);
    let said = format!("no session file of its thread {THREAD} is in the folder");
    assert!(finished.stdout.contains(&said), "{}", finished.stdout);
}

#[test]
fn a_file_of_another_thread_is_refused() {
    let folder = written("rollout-thread", "item-differs", "pass");
    let (_, file) = pair("item-differs", "pass");
    let other = file.replace(THREAD, OTHER);
    write(&folder.join("other.jsonl"), other);
    let finished = run(&folder, "check --with-rollout other.jsonl run.jsonl");
    assert_eq!(finished.code, 2, "{}", finished.stdout);
    let said = format!("the stream is of thread {THREAD}, the session file of {OTHER}");
    assert!(finished.stdout.contains(&said), "{}", finished.stdout);
}

#[test]
fn what_is_no_session_file_is_refused() {
    let folder = written("rollout-none", "item-differs", "pass");
    for (args, said) in [
        (
            "check --with-rollout run.jsonl run.jsonl",
            "run.jsonl is not a session file: ",
        ),
        (
            "check --with-rollout rollout.jsonl rollout.jsonl",
            "it is a session file itself",
        ),
        (
            "check --with-rollout missing.jsonl run.jsonl",
            "cannot read the session file missing.jsonl",
        ),
    ] {
        let finished = run(&folder, args);
        assert_eq!(finished.code, 2, "{args}: {}", finished.stdout);
        assert!(
            finished.stdout.contains(said),
            "{args}: {}",
            finished.stdout
        );
    }
    let finished = run(
        &folder,
        "check --follow --with-rollout rollout.jsonl run.jsonl",
    );
    assert_eq!(finished.code, 2);
    assert!(
        finished.stderr.contains("cannot be used with"),
        "{}",
        finished.stderr
    );
}
