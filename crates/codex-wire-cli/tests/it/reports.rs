//! `--format` and `--report`.

use std::fs;

use codex_wire_report::{Format, REPORT_LINES_SCHEMA};
use serde_json::Value;

use crate::support::{GOOD, bad, folder, golden, run, workspace};

#[test]
fn every_format_over_a_broken_file() {
    let folder = folder("formats");
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    for format in ["jsonl", "junit", "github", "markdown"] {
        let args = format!("check --format {format} --release 0.44.0 bad.jsonl gone.jsonl");
        golden(&format!("format-{format}.txt"), &folder, &args);
    }
}

#[test]
fn lines_follow_their_schema() {
    let folder = folder("lines");
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    let schema = serde_json::from_str(REPORT_LINES_SCHEMA).unwrap();
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    let said = run(&folder, "check --format jsonl bad.jsonl gone.jsonl");
    for line in said.stdout.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert!(schema.is_valid(&line), "{line}");
    }
    assert!(said.stdout.lines().count() > 5, "{said:?}");
}

#[test]
fn several_reports_at_once_say_what_each_says_alone() {
    let folder = folder("several");
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    fs::write(folder.join("good.jsonl"), GOOD).unwrap();
    let alone = |format: &str| {
        run(
            &folder,
            &format!("check --format {format} bad.jsonl good.jsonl"),
        )
    };
    let files: Vec<String> = Format::ALL
        .iter()
        .map(|format| format!("--report {format}=out.{format}"))
        .collect();
    let said = run(
        &folder,
        &format!("check bad.jsonl good.jsonl {}", files.join(" ")),
    );
    assert_eq!((said.code, said.stderr.as_str()), (1, ""));
    assert_eq!(said.stdout, alone("text").stdout);
    for format in Format::ALL {
        let written = fs::read_to_string(folder.join(format!("out.{format}"))).unwrap();
        assert_eq!(written, alone(format.as_str()).stdout, "{format}");
    }
    let names = fs::read_dir(&folder).unwrap();
    assert_eq!(
        names.count(),
        2 + Format::ALL.len(),
        "something was left behind"
    );
}

#[test]
fn files_have_no_colours_and_replace_what_was_there() {
    let folder = folder("replace");
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    fs::write(folder.join("out"), "x".repeat(100_000)).unwrap();
    let said = run(&folder, "check --color always bad.jsonl --report text=out");
    assert!(said.stdout.contains('\x1b'));
    let written = fs::read_to_string(folder.join("out")).unwrap();
    assert!(!written.contains('\x1b') && written.contains("] bad.jsonl:"));
}

#[test]
fn reports_that_cannot_be_written_are_refused_before_anything_is_checked() {
    let folder = folder("refused");
    fs::write(folder.join("good.jsonl"), GOOD).unwrap();
    fs::create_dir(folder.join("dir")).unwrap();
    for (args, why) in [
        ("--report junit=no/such/x.xml", "there is no folder no/such"),
        ("--report junit=dir", "it is a folder"),
        ("--report junit=-", "standard output is no file"),
        ("--report junit=", "the name of the file is missing"),
        ("--report junit", "write it as FORMAT=FILE"),
        ("--report xml=x", "`xml` is not a format"),
        ("--report junit=x --report sarif=./x", "in use already"),
        ("--report json=good.jsonl", "in use already"),
        ("--report json=dir/../good.jsonl", "in use already"),
    ] {
        let said = run(&folder, &format!("check good.jsonl {args}"));
        assert_eq!((said.code, said.stdout.as_str()), (2, ""), "{args}");
        assert!(said.stderr.contains(why), "{args}: {}", said.stderr);
    }
    assert_eq!(fs::read_to_string(folder.join("good.jsonl")).unwrap(), GOOD);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
}

#[test]
#[cfg(unix)]
fn what_is_no_regular_file_is_written_to_and_links_stay() {
    let folder = folder("special");
    fs::write(folder.join("good.jsonl"), GOOD).unwrap();
    fs::write(folder.join("end"), "old").unwrap();
    std::os::unix::fs::symlink("end", folder.join("link")).unwrap();
    let args =
        "check good.jsonl --report json=/dev/null --report junit=/dev/null --report text=link";
    let said = run(&folder, args);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    assert!(folder.join("link").is_symlink());
    let written = fs::read_to_string(folder.join("end")).unwrap();
    assert_eq!(written, said.stdout);
}

#[test]
fn the_timeline_is_no_report() {
    let said = run(&folder("timeline"), "releases exec --format junit");
    assert_eq!(said.code, 2);
    assert!(
        said.stderr.contains("[possible values: text, json]"),
        "{said:?}"
    );
}

/// The digest in reports leads to a published file: the exact schema of the newest release that
/// could have written the input.
#[test]
fn digests_are_in_the_catalogue() {
    let file = "fixtures/exec/0.44.0/message.jsonl";
    for (release, args) in [("0.44.0", "--release 0.44.0 "), ("0.124.0", "")] {
        let said = run(&workspace(), &format!("check --format json {args}{file}"));
        let report: Value = serde_json::from_str(&said.stdout).unwrap();
        let schema = &report["inputs"][0]["schemas"][0];
        assert_eq!(schema["release"], release);
        let catalogue = fs::read_to_string(workspace().join("schemas/catalog.json")).unwrap();
        let catalogue: Value = serde_json::from_str(&catalogue).unwrap();
        let listed = catalogue["schemas"].as_array().unwrap().iter();
        let mut listed = listed.filter(|entry| entry["sha256"] == schema["sha256"]);
        let entry = listed.next().unwrap();
        assert_eq!(
            (&entry["surface"], &entry["profile"], &entry["draft"]),
            (&schema["surface"], &"exact".into(), &"2020-12".into())
        );
    }
}
