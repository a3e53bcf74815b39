//! `--baseline` and `--update-baseline`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{GOOD, bad, folder, golden, run};

const KNOWN: &str = r#"# What our fork does differently.

# Commands may explode.
[[expected]]
rule = "schema/unknown-value"
path = "bad.jsonl"
place = "/item/status"
message = "`status` has a value `exploded` no release writes"
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
    for format in ["json", "jsonl", "junit", "sarif", "github", "markdown"] {
        let said = run(&folder, &format!("{CHECK} --format {format} bad.jsonl"));
        assert_eq!(said.code, 0, "{said:?}");
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
    for format in ["json", "jsonl", "junit", "sarif", "github", "markdown"] {
        let said = run(&folder, &format!("{CHECK} --format {format} bad.jsonl"));
        assert_eq!(said.code, 1, "{said:?}");
        assert!(said.stdout.contains("known.toml"), "{said:?}");
    }
    // What could not be checked still weighs more.
    let said = run(&folder, &format!("{CHECK} bad.jsonl gone.jsonl"));
    assert_eq!(said.code, 2);
}

#[test]
fn what_is_not_listed_counts() {
    let folder = with(
        "unlisted",
        &KNOWN[..KNOWN.find("\n[[expected]]\nrule = \"framing").unwrap()],
    );
    let said = run(&folder, &format!("{CHECK} bad.jsonl"));
    assert_eq!(said.code, 1);
    assert!(
        said.stdout.contains("error[framing/cut-line] bad.jsonl:"),
        "{said:?}"
    );
    assert!(
        said.stdout
            .contains("does not conform; 1 error, 2 warnings, 1 expected"),
        "{said:?}"
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
    let said = run(&folder, &format!("{CHECK} ."));
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.stdout.contains("known.toml:4: "), "{said:?}");
    assert!(
        said.stdout.contains("covers 21 inputs, more than 20"),
        "{said:?}"
    );
    fs::remove_dir_all(folder.join("7")).unwrap();
    let said = run(&folder, &format!("{CHECK} ."));
    assert_eq!(said.code, 0, "{said:?}");
    fs::write(folder.join("known.toml"), wide.replace("*/bad", "*/b*d")).unwrap();
    let said = run(&folder, &format!("{CHECK} ."));
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.stderr.contains("known.toml, line 4: "), "{said:?}");
    assert!(said.stderr.contains("whole name"), "{said:?}");
}

#[test]
fn an_update_keeps_what_people_wrote() {
    let folder = with("update", &KNOWN.replace("exploded", "burst"));
    let update = format!("{CHECK} --update-baseline");
    let said = run(&folder, &format!("{update} bad.jsonl good.jsonl"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        said.stderr
            .contains("1 kept, 1 changed, 0 removed, 0 added"),
        "{said:?}"
    );
    assert_eq!(known(&folder), KNOWN);
    let said = run(&folder, &format!("{CHECK} bad.jsonl good.jsonl"));
    assert_eq!(said.code, 0, "{said:?}");
    // Gone: the entry and the comment right above it.
    let fixed = bad().replace("exploded", "completed");
    fs::write(folder.join("bad.jsonl"), fixed).unwrap();
    let said = run(&folder, &format!("{update} bad.jsonl good.jsonl"));
    assert!(
        said.stderr
            .contains("1 kept, 0 changed, 1 removed, 0 added"),
        "{said:?}"
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
    let said = run(&folder, &format!("{update} bad.jsonl"));
    assert_eq!(said.code, 2, "{said:?}");
    assert!(
        said.stderr
            .contains("known.toml is not updated: new: schema/"),
        "{said:?}"
    );
    assert!(said.stderr.contains("give it with --reason"), "{said:?}");
    assert_eq!(known(&folder), "");
    // The first update makes the file.
    fs::remove_file(folder.join("known.toml")).unwrap();
    let said = run(&folder, &format!("{update} --reason so-it-is bad.jsonl"));
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(known(&folder).matches("reason = \"so-it-is\"").count(), 2);
    let said = run(&folder, &format!("{CHECK} bad.jsonl"));
    assert_eq!(said.code, 0, "{said:?}");
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
        let said = run(&folder, &format!("{update} {args}"));
        assert_eq!(said.code, 2, "{args}: {said:?}");
        assert!(said.stderr.contains(why), "{args}: {}", said.stderr);
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
    let said = run(&folder, &format!("{CHECK} good.jsonl"));
    assert_eq!((said.code, said.stdout.as_str()), (2, ""));
    assert!(
        said.stderr.contains("baseline known.toml, line 2: "),
        "{said:?}"
    );
    // A rule that has another name now is named by both.
    for (old, new) in [
        ("life/exec-item-id", "sequence/exec-item-id"),
        ("frame/doubled-id", "framing/duplicate-id"),
    ] {
        let folder = with(
            "renamed",
            &format!("[[expected]]\nrule = '{old}'\npath = 'a'\nmessage = 'm'\nreason = 'r'\n"),
        );
        let said = run(&folder, &format!("{CHECK} good.jsonl"));
        assert_eq!((said.code, said.stdout.as_str()), (2, ""));
        let both = format!("the rule `{old}` is called `{new}` now");
        assert!(said.stderr.contains(&both), "{said:?}");
    }
    let said = run(&folder, "check --baseline missing.toml good.jsonl");
    assert_eq!((said.code, said.stdout.as_str()), (2, ""));
    assert!(
        said.stderr
            .contains("cannot read the baseline missing.toml"),
        "{said:?}"
    );
}
