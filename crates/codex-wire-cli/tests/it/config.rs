//! `codex-wire.toml`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{GOOD, bad, folder, run};

const CONFIG: &str = r#"
paths = ["runs"]
exclude = ["runs/old", "*.log"]
release = "0.44.0"
profile = "exact"
baseline = "checks/known.toml"

[levels]
"framing/*" = "deny"
"framing/blank-line" = "allow"
"#;

/// The path is relative to the folder of the baseline.
const BASELINE: &str = r#"
[[expected]]
rule = "schema/unknown-value"
path = "../runs/bad.jsonl"
place = "/item/status"
message = "`status` has the value `exploded`, which no release writes"
reason = "known"
"#;

fn project(name: &str) -> PathBuf {
    let folder = folder(name);
    for (path, text) in [
        ("codex-wire.toml", CONFIG.to_owned()),
        ("checks/known.toml", BASELINE.to_owned()),
        ("runs/good.jsonl", GOOD.to_owned()),
        ("runs/bad.jsonl", bad()),
        ("runs/old/bad.jsonl", bad()),
        ("runs/build.log", bad()),
        ("other/good.jsonl", GOOD.to_owned()),
    ] {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// The inputs, and rule, level and whether it is expected of each finding.
fn check(folder: &Path, args: &str) -> (Vec<String>, Vec<String>, i32, Value) {
    let finished = run(folder, &format!("check --format json {args}"));
    let report: Value = serde_json::from_str(&finished.stdout).expect(&finished.stderr);
    let inputs = report["inputs"].as_array().unwrap();
    let paths = inputs
        .iter()
        .map(|input| input["path"].as_str().unwrap().replace('\\', "/"));
    let findings = inputs
        .iter()
        .flat_map(|input| input["findings"].as_array().unwrap());
    let findings = findings.map(|finding| {
        let text = |name: &str| finding[name].as_str().unwrap_or("-").to_owned();
        format!("{} {} {}", text("rule"), text("severity"), text("expected"))
    });
    (paths.collect(), findings.collect(), finished.code, report)
}

#[test]
fn the_file_is_found_from_below() {
    let folder = project("config");
    let (paths, findings, code, report) = check(&folder, "");
    assert_eq!(paths, ["runs/bad.jsonl", "runs/good.jsonl"]);
    assert_eq!(
        findings,
        [
            "schema/unknown-member error -",
            "schema/unknown-value error known",
            "framing/cut-line error -",
        ]
    );
    assert_eq!(code, 1);
    assert_eq!(report["skipped"].as_array().unwrap().len(), 2);
    assert_eq!(report["baseline"]["stale"], serde_json::json!([]));
    assert_eq!(report["inputs"][0]["releases"]["until"], "0.44.0");

    // From another folder: the paths are reached from there.
    let (paths, below, ..) = check(&folder.join("other"), "");
    assert_eq!(paths, ["../runs/bad.jsonl", "../runs/good.jsonl"]);
    assert_eq!(below, findings);

    // A single file, for which entries about others are not stale.
    let (paths, findings, code, report) = check(&folder.join("other"), "good.jsonl");
    assert_eq!(
        (&paths[..], code),
        (&["good.jsonl".to_owned()][..], 0),
        "{findings:?}"
    );
    assert_eq!(report["baseline"]["stale"], serde_json::json!([]));
    let (_, single, ..) = check(&folder.join("runs"), "bad.jsonl");
    assert_eq!(single, below);
}

#[test]
fn flags_win() {
    let folder = project("config-flags");
    let known = "--release 0.50.0 --profile known --warn framing/cut-line runs/bad.jsonl";
    let (_, findings, _, report) = check(&folder, known);
    assert_eq!(
        findings,
        [
            "schema/unknown-member warning -",
            "schema/unknown-value error known",
            "framing/cut-line warning -",
        ]
    );
    assert_eq!(report["inputs"][0]["releases"]["until"], "0.50.0");

    let (paths, findings, ..) = check(&folder, "--no-config runs");
    assert_eq!(paths.len(), 4);
    assert!(
        findings.contains(&"framing/blank-line warning -".to_owned()),
        "{findings:?}"
    );
    fs::write(folder.join("other.toml"), "paths = [\"other\"]\n").unwrap();
    let (paths, ..) = check(&folder, "--config other.toml");
    assert_eq!(paths, ["other/good.jsonl"]);
    assert_eq!(run(&folder, "check --config none.toml").code, 2);
    assert_eq!(
        run(&folder, "check --config other.toml --no-config").code,
        2
    );
}

#[test]
fn a_mistake_has_its_place() {
    let folder = project("config-mistakes");
    fs::write(
        folder.join("codex-wire.toml"),
        "paths = [\"runs\"]\nrelase = \"0.44.0\"\n",
    )
    .unwrap();
    let finished = run(&folder.join("runs"), "check good.jsonl");
    assert_eq!(finished.code, 2);
    for part in [
        "../codex-wire.toml",
        "line 2, column 1",
        "unknown field `relase`",
    ] {
        assert!(finished.stderr.contains(part), "{}", finished.stderr);
    }
    assert_eq!(
        run(&folder.join("runs"), "check --no-config good.jsonl").code,
        0
    );
    // A report may not replace the file.
    fs::write(
        folder.join("codex-wire.toml"),
        "paths = [\"runs/good.jsonl\"]\n",
    )
    .unwrap();
    let finished = run(&folder, "check --report json=codex-wire.toml");
    assert!(finished.stderr.contains("in use"), "{finished:?}");
}

/// The baseline that the file names can be updated: its paths stay relative to its folder.
#[test]
fn the_baseline_is_updated() {
    let folder = project("config-update");
    fs::write(
        folder.join("codex-wire.toml"),
        "paths = [\"runs\"]\nexclude = [\"old\"]\nrelease = \"0.44.0\"\nbaseline = \"checks/known.toml\"\n",
    )
    .unwrap();
    fs::write(folder.join("checks/known.toml"), "").unwrap();
    let finished = run(&folder, "check --update-baseline --reason r");
    assert!(finished.stderr.contains("added"), "{finished:?}");
    let text = fs::read_to_string(folder.join("checks/known.toml")).unwrap();
    assert!(text.contains("path = \"../runs/bad.jsonl\""), "{text}");
    assert_eq!(run(&folder.join("other"), "check").code, 0);
    let finished = run(&folder, "check --no-config --update-baseline runs");
    assert!(
        finished.stderr.contains("no baseline to update"),
        "{finished:?}"
    );
}
