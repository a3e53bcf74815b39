//! `--baseline` and `--update-baseline`.

use std::fs;
use std::path::{Path, PathBuf};

use codex_wire_report::Format;

use crate::support::{GOOD, bad, folder, golden, run};

const KNOWN: &str = r#"# What our fork does differently.

# Commands may explode.
[[expected]]
rule = "schema/unknown-value"
path = "bad.jsonl"
place = "/item/status"
message = "`status` has the value `exploded`, which no release writes"
reason = "our fork explodes"  # since 3.1

[[expected]]
rule = "framing/cut-line"
path = "*"
message = "the last line ends in the middle of a message"
reason = "recordings are cut at a size"
"#;

/// Rules about whole streams are left to their own tests.
const CHECK: &str = "check --release 0.44.0 --baseline known.toml";

fn with(name: &str, known: &str) -> PathBuf {
    let folder = folder(name);
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    fs::write(folder.join("good.jsonl"), GOOD).unwrap();
    fs::write(folder.join("known.toml"), known).unwrap();
    folder
}

fn known(folder: &Path) -> String {
    fs::read_to_string(folder.join("known.toml")).unwrap()
}

#[test]
fn what_is_listed_is_expected() {
    let folder = with("expected", KNOWN);
    golden(
        "baseline.txt",
        &folder,
        &format!("{CHECK} bad.jsonl good.jsonl"),
    );
    for format in Format::ALL {
        let finished = run(&folder, &format!("{CHECK} --format {format} bad.jsonl"));
        assert_eq!(finished.code, 0, "{finished:?}");
    }
}

#[test]
fn what_no_longer_occurs_fails_by_name_and_line() {
    let folder = with("stale", &KNOWN.replace("exploded", "burst"));
    fs::write(
        folder.join("known.toml"),
        KNOWN.replace("exploded", "burst"),
    )
    .unwrap();
    golden(
        "baseline-changed.txt",
        &folder,
        &format!("{CHECK} bad.jsonl good.jsonl"),
    );
    fs::write(folder.join("known.toml"), KNOWN).unwrap();
    fs::write(folder.join("bad.jsonl"), GOOD).unwrap();
    golden("baseline-gone.txt", &folder, &format!("{CHECK} bad.jsonl"));
    golden(
        "baseline-unchecked.txt",
        &folder,
        &format!("{CHECK} good.jsonl"),
    );
    for format in Format::ALL {
        let finished = run(&folder, &format!("{CHECK} --format {format} bad.jsonl"));
        assert_eq!(finished.code, 1, "{finished:?}");
        assert!(finished.stdout.contains("known.toml"), "{finished:?}");
    }
    // What could not be checked still weighs more.
    let finished = run(&folder, &format!("{CHECK} bad.jsonl gone.jsonl"));
    assert_eq!(finished.code, 2);
}

#[test]
fn what_is_not_listed_counts() {
    let folder = with(
        "unlisted",
        &KNOWN[..KNOWN.find("\n[[expected]]\nrule = \"framing").unwrap()],
    );
    let finished = run(&folder, &format!("{CHECK} bad.jsonl"));
    assert_eq!(finished.code, 1);
    assert!(
        finished
            .stdout
            .contains("error[framing/cut-line] bad.jsonl:"),
        "{finished:?}"
    );
    assert!(
        finished
            .stdout
            .contains("does not conform; 1 error, 2 warnings, 1 expected"),
        "{finished:?}"
    );
}

#[test]
fn wildcards_are_limited() {
    let folder = with("wild", "");
    for at in 0..21 {
        fs::create_dir(folder.join(at.to_string())).unwrap();
        fs::write(folder.join(format!("{at}/bad.jsonl")), bad()).unwrap();
    }
    fs::remove_file(folder.join("bad.jsonl")).unwrap();
    fs::remove_file(folder.join("good.jsonl")).unwrap();
    let wide = KNOWN.replace("path = \"*\"", "path = \"*/bad.jsonl\"");
    let wide = wide.replace("path = \"bad.jsonl\"", "path = \"*/bad.jsonl\"");
    fs::write(folder.join("known.toml"), &wide).unwrap();
    let finished = run(&folder, &format!("{CHECK} ."));
    assert_eq!(finished.code, 1, "{finished:?}");
    assert!(finished.stdout.contains("known.toml:4: "), "{finished:?}");
    assert!(
        finished.stdout.contains("covers 21 inputs, more than 20"),
        "{finished:?}"
    );
    fs::remove_dir_all(folder.join("7")).unwrap();
    let finished = run(&folder, &format!("{CHECK} ."));
    assert_eq!(finished.code, 0, "{finished:?}");
    fs::write(folder.join("known.toml"), wide.replace("*/bad", "*/b*d")).unwrap();
    let finished = run(&folder, &format!("{CHECK} ."));
    assert_eq!(finished.code, 2, "{finished:?}");
    assert!(
        finished.stderr.contains("known.toml, line 4: "),
        "{finished:?}"
    );
    assert!(finished.stderr.contains("whole name"), "{finished:?}");
}

#[test]
fn an_update_keeps_what_people_wrote() {
    let folder = with("update", &KNOWN.replace("exploded", "burst"));
    let update = format!("{CHECK} --update-baseline");
    let finished = run(&folder, &format!("{update} bad.jsonl good.jsonl"));
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(
        finished
            .stderr
            .contains("1 kept, 1 changed, 0 removed, 0 added"),
        "{finished:?}"
    );
    assert_eq!(known(&folder), KNOWN);
    let finished = run(&folder, &format!("{CHECK} bad.jsonl good.jsonl"));
    assert_eq!(finished.code, 0, "{finished:?}");
    // Gone: the entry and the comment right above it.
    let fixed = bad().replace("exploded", "completed");
    fs::write(folder.join("bad.jsonl"), fixed).unwrap();
    let finished = run(&folder, &format!("{update} bad.jsonl good.jsonl"));
    assert!(
        finished
            .stderr
            .contains("1 kept, 0 changed, 1 removed, 0 added"),
        "{finished:?}"
    );
    let rest = &KNOWN[KNOWN.find("[[expected]]\nrule = \"framing").unwrap()..];
    assert_eq!(
        known(&folder),
        format!("# What our fork does differently.\n\n{rest}")
    );
}

#[test]
fn new_findings_need_a_reason() {
    let folder = with("reason", "");
    let update = format!("{CHECK} --update-baseline");
    let finished = run(&folder, &format!("{update} bad.jsonl"));
    assert_eq!(finished.code, 2, "{finished:?}");
    assert!(
        finished
            .stderr
            .contains("known.toml is not updated: new: schema/"),
        "{finished:?}"
    );
    assert!(
        finished.stderr.contains("give it with --reason"),
        "{finished:?}"
    );
    assert_eq!(known(&folder), "");
    // The first update makes the file.
    fs::remove_file(folder.join("known.toml")).unwrap();
    let finished = run(&folder, &format!("{update} --reason so-it-is bad.jsonl"));
    assert_eq!(finished.code, 0, "{finished:?}");
    assert_eq!(known(&folder).matches("reason = \"so-it-is\"").count(), 2);
    let finished = run(&folder, &format!("{CHECK} bad.jsonl"));
    assert_eq!(finished.code, 0, "{finished:?}");
}

#[test]
fn an_update_does_not_trust_a_part_of_a_run() {
    let folder = with("part", KNOWN);
    let update = format!("{CHECK} --update-baseline --reason r");
    for (args, why) in [
        (
            "--side codex bad.jsonl",
            "a run with --side does not see all",
        ),
        (
            "--allow framing/* bad.jsonl",
            "a run with --deny, --warn or --allow",
        ),
        ("--max-findings 1 bad.jsonl", "raise --max-findings"),
        ("bad.jsonl gone.jsonl", "gone.jsonl could not be checked"),
        (
            "good.jsonl",
            "line 4 is about bad.jsonl, which was not checked",
        ),
    ] {
        let finished = run(&folder, &format!("{update} {args}"));
        assert_eq!(finished.code, 2, "{args}: {finished:?}");
        assert!(finished.stderr.contains(why), "{args}: {}", finished.stderr);
        assert_eq!(known(&folder), KNOWN, "{args}");
    }
    for args in [
        "check --update-baseline",
        "check --baseline known.toml --reason r",
    ] {
        assert_eq!(run(&folder, &format!("{args} bad.jsonl")).code, 2, "{args}");
    }
}

#[test]
fn a_baseline_that_is_none_is_refused() {
    let folder = with("none", "[[expected]]\nrule = 'schema/nul'\n");
    let finished = run(&folder, &format!("{CHECK} good.jsonl"));
    assert_eq!((finished.code, finished.stdout.as_str()), (2, ""));
    assert!(
        finished.stderr.contains("baseline known.toml, line 2: "),
        "{finished:?}"
    );
    let finished = run(&folder, "check --baseline missing.toml good.jsonl");
    assert_eq!((finished.code, finished.stdout.as_str()), (2, ""));
    assert!(
        finished
            .stderr
            .contains("cannot read the baseline missing.toml"),
        "{finished:?}"
    );
}
