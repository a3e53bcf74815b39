//! Comparing releases, files and folders, and what became of a recording.

use std::fs;

use codex_wire_diff::DIFF_SCHEMA;
use serde_json::Value;

use crate::support::{GOOD, folder, golden, run, workspace};

#[test]
fn differences_can_be_read() {
    let place = workspace();
    golden("diff-help.txt", &place, "diff --help");
    golden("diff-exec.txt", &place, "diff exec 0.43.0 0.51.0");
    golden("diff-fork.txt", &place, "diff core agcodex-0.1.0 0.34.0");
    golden(
        "diff-markdown.txt",
        &place,
        "diff exec 0.91.0 0.93.0 --format markdown",
    );
    golden(
        "diff-app-server.txt",
        &place,
        "diff app-server --stability stable 0.165.0 0.166.0",
    );
    golden("diff-same.txt", &place, "diff exec 0.52.0 0.53.0");
}

#[test]
fn exit_codes() {
    let code = |args: &str| run(&workspace(), args).code;
    assert_eq!(code("diff exec 0.50.0 0.51.0"), 0);
    assert_eq!(code("diff exec 0.50.0 0.51.0 --fail-on breaking"), 1);
    assert_eq!(code("diff exec 0.61.0 0.62.0 --fail-on breaking"), 0);
    assert_eq!(code("diff exec 0.61.0 0.62.0 --fail-on maybe"), 1);
    assert_eq!(code("diff exec 0.124.0 0.125.0 --fail-on maybe"), 0);
    for bad in [
        "diff",
        "diff exec",
        "diff exec 0.50.0",
        "diff exec 0.50.0 nonsense",
        "diff exec 0.1.0 0.50.0",
        "diff exec 0.50.0 no/such/file.json",
        "diff --transcript run.jsonl",
        "diff --to 0.50.0",
    ] {
        assert_eq!(code(bad), 2, "{bad}");
    }
}

#[test]
fn json_has_its_schema() {
    let said = run(&workspace(), "diff exec 0.42.0 0.169.0 --format json");
    let printed: Value = serde_json::from_str(&said.stdout).unwrap();
    let schema: Value = serde_json::from_str(DIFF_SCHEMA).unwrap();
    assert!(jsonschema::is_valid(&schema, &printed));
    assert!(!printed["differences"].as_array().unwrap().is_empty());
    assert_eq!(said.stderr, "");
}

/// Colours are for terminals only.
#[test]
fn colours() {
    let plain = run(&workspace(), "diff exec 0.50.0 0.51.0");
    assert!(!plain.stdout.contains('\u{1b}'), "{}", plain.stdout);
    let coloured = run(&workspace(), "diff exec 0.50.0 0.51.0 --color always");
    assert!(coloured.stdout.contains("\u{1b}["), "{}", coloured.stdout);
}

#[test]
fn files_and_folders_are_sides() {
    let place = folder("diff-sides");
    let write = |name: &str, args: &str| {
        let said = run(&place, args);
        assert_eq!(said.code, 0, "{}", said.stderr);
        fs::create_dir_all(place.join(name).parent().unwrap()).unwrap();
        fs::write(place.join(name), said.stdout).unwrap();
    };
    write(
        "old/exec.json",
        "schema exec --release 0.50.0 --profile open",
    );
    write(
        "new/exec.json",
        "schema exec --release 0.51.0 --profile open",
    );
    let releases = run(&place, "diff exec 0.50.0 0.51.0");
    let listed = |said: &str| -> Vec<String> {
        let lines = said.lines().filter(|line| line.starts_with("  "));
        lines.map(str::to_owned).collect()
    };
    assert!(!listed(&releases.stdout).is_empty());
    for sides in [
        "old/exec.json new/exec.json",
        "old new",
        "0.50.0 new/exec.json",
    ] {
        let said = run(&place, &format!("diff exec {sides}"));
        assert_eq!(said.code, 0, "{}", said.stderr);
        assert_eq!(listed(&said.stdout), listed(&releases.stdout), "{sides}");
    }
}

#[test]
fn would_a_recording_survive() {
    let place = folder("diff-transcript");
    fs::write(place.join("run.jsonl"), GOOD).unwrap();
    golden(
        "diff-transcript.txt",
        &place,
        "diff --transcript run.jsonl --from 0.50.0 --to 0.51.0",
    );
    let said = run(
        &place,
        "diff --transcript run.jsonl --to 0.51.0 --format json",
    );
    let printed: Value = serde_json::from_str(&said.stdout).unwrap();
    // The command's start has no exit code, which 0.51.0 always writes.
    assert_eq!(printed["misfits"]["list"][0]["line"], 3, "{printed:#}");
    let kinds = printed["transcript"]["kinds"].as_array().unwrap();
    assert_eq!(kinds.len(), 5);
    let places: Vec<&str> = printed["differences"]["differences"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|difference| difference["place"].as_str())
        .collect();
    assert!(
        places.contains(&"CommandExecutionItem.exit_code"),
        "{places:?}"
    );
    // To a release that speaks alike nothing changes.
    let said = run(
        &place,
        "diff --transcript run.jsonl --to 0.45.0 --fail-on maybe",
    );
    assert_eq!(said.code, 0, "{}", said.stdout);
    let said = run(
        &place,
        "diff --transcript run.jsonl --to 0.51.0 --fail-on breaking",
    );
    assert_eq!(said.code, 1, "{}", said.stdout);
}
