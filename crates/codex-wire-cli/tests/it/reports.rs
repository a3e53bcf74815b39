//! `--format` and `--report`.

use std::fs;

use codex_wire_report::{Format, REPORT_LINES_SCHEMA};
use serde_json::Value;

use crate::support::{GOOD, bad, command, folder, golden, run, steady, workspace};

#[test]
fn every_format_over_a_broken_file() {
    let folder = folder("formats");
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    // Other tests have those of text, JSON and HTML; SARIF is too long to read.
    let others = [Format::Text, Format::Json, Format::Sarif, Format::Html];
    for format in Format::ALL.iter().filter(|one| !others.contains(one)) {
        let args = format!("check --format {format} --release 0.44.0 bad.jsonl gone.jsonl");
        golden(&format!("format-{format}.txt"), &folder, &args);
    }
}

/// A page for a browser, without the style sheet, which is the same on all pages.
#[test]
fn a_page_over_a_broken_file() {
    let folder = folder("page");
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    let args = "check --format html --release 0.44.0 bad.jsonl gone.jsonl";
    let finished = run(&folder, args);
    assert_eq!(finished.code, 2);
    assert!(finished.stdout.starts_with("<!DOCTYPE html>\n"));
    let (_, body) = finished.stdout.split_once("</style>\n</head>\n").unwrap();
    let golden = workspace().join("crates/codex-wire-cli/tests/it/golden/page-check.html");
    golden_files::assert_file(&golden, &steady(body));
}

/// A finding at the end of a stream stands behind the last character of its last line, and every
/// format says so in its own way.
#[test]
fn the_end_of_a_stream_has_its_column() {
    let folder = folder("ends");
    let begun = GOOD.lines().take(2).collect::<Vec<_>>().join("\n");
    let finished = "{\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\",\
        \"type\":\"agent_message\",\"text\":\"…文😀\"}}";
    for (name, last) in [("plain", ""), ("wide", finished)] {
        let last = if last.is_empty() {
            "{\"type\":\"turn.started\"}"
        } else {
            last
        };
        let text = match name {
            "wide" => format!("{begun}\n{last}\n"),
            _ => format!("{begun}\n"),
        };
        let file = format!("{name}.jsonl");
        fs::write(folder.join(&file), &text).unwrap();
        let line = text.lines().count();
        let (column, bytes) = (last.chars().count() + 1, last.len() + 1);
        assert_eq!(column == bytes, name == "plain");
        let report = |format: &str| run(&folder, &format!("check --format {format} {file}")).stdout;
        let place = format!("{file}:{line}:{bytes}");
        for format in ["text", "junit", "markdown"] {
            let finished = report(format);
            assert!(
                finished.contains("sequence/exec-unfinished"),
                "{format}: {finished}"
            );
            // Markdown would make something else of a colon.
            let in_markdown = format!("{line}&#58;{bytes}");
            let is_there = finished.contains(&place) || finished.contains(&in_markdown);
            assert!(is_there, "{format}: {finished}");
        }
        let github = format!("file={file},line={line},col={column},title=sequence/exec-unfinished");
        assert!(report("github").contains(&github), "{}", report("github"));
        let found = |finding: &Value| {
            assert_eq!(finding["rule"], "sequence/exec-unfinished");
            assert_eq!(
                (&finding["line"], &finding["column"]),
                (&line.into(), &bytes.into())
            );
            assert_eq!(finding["offset"], text.len() - 1);
            let characters = serde_json::json!({"column": column, "length": 0});
            assert_eq!(finding["characters"], characters);
        };
        let json: Value = serde_json::from_str(&report("json")).unwrap();
        found(&json["inputs"][0]["findings"][0]);
        let lines = report("jsonl");
        let lines = lines
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let lines: Vec<Value> = lines.filter(|line| line.get("rule").is_some()).collect();
        found(&lines[0]);
        let sarif: Value = serde_json::from_str(&report("sarif")).unwrap();
        let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
        assert_eq!(
            (&region["startLine"], &region["startColumn"]),
            (&line.into(), &column.into())
        );
        assert_eq!(region["endColumn"], column);
    }
}

#[test]
fn lines_follow_their_schema() {
    let folder = folder("lines");
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    let schema = serde_json::from_str(REPORT_LINES_SCHEMA).unwrap();
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    let finished = run(&folder, "check --format jsonl bad.jsonl gone.jsonl");
    for line in finished.stdout.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert!(schema.is_valid(&line), "{line}");
    }
    assert!(finished.stdout.lines().count() > 5, "{finished:?}");
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
    let finished = run(
        &folder,
        &format!("check bad.jsonl good.jsonl {}", files.join(" ")),
    );
    assert_eq!((finished.code, finished.stderr.as_str()), (1, ""));
    assert_eq!(finished.stdout, alone("text").stdout);
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
    let finished = run(&folder, "check --color always bad.jsonl --report text=out");
    assert!(finished.stdout.contains('\x1b'));
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
        ("--report junit=-", "standard output is not a file"),
        ("--report junit=", "the name of the file is missing"),
        ("--report junit", "write it as FORMAT=FILE"),
        ("--report xml=x", "`xml` is not a format"),
        ("--report junit=x --report sarif=./x", "in use already"),
        ("--report json=good.jsonl", "in use already"),
        ("--report json=dir/../good.jsonl", "in use already"),
    ] {
        let finished = run(&folder, &format!("check good.jsonl {args}"));
        assert_eq!((finished.code, finished.stdout.as_str()), (2, ""), "{args}");
        assert!(finished.stderr.contains(why), "{args}: {}", finished.stderr);
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
    let finished = run(&folder, args);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    assert!(folder.join("link").is_symlink());
    let written = fs::read_to_string(folder.join("end")).unwrap();
    assert_eq!(written, finished.stdout);
}

#[test]
fn the_timeline_is_no_report() {
    let finished = run(&folder("timeline"), "releases exec --format junit");
    assert_eq!(finished.code, 2);
    assert!(
        finished.stderr.contains("[possible values: text, json]"),
        "{finished:?}"
    );
}

/// The digest in reports leads to a published file: the exact schema of the release.
#[test]
fn digests_are_in_the_catalogue() {
    let file = "fixtures/exec/0.44.0/message.jsonl";
    for release in ["0.44.0", "0.169.0"] {
        let args = format!("check --format json --release {release} {file}");
        let finished = run(&workspace(), &args);
        let report: Value = serde_json::from_str(&finished.stdout).unwrap();
        let schema = &report["inputs"][0]["schemas"][0];
        assert_eq!(schema["release"], release);
        let catalogue = fs::read_to_string(workspace().join("schemas/catalog.json")).unwrap();
        let catalogue: Value = serde_json::from_str(&catalogue).unwrap();
        let listed = catalogue["schemas"].as_array().unwrap().iter();
        let mut listed = listed.filter(|entry| entry["sha256"] == schema["sha256"]);
        let entry = listed.next().unwrap();
        assert_eq!(
            (&entry["message_set"], &entry["profile"], &entry["draft"]),
            (&schema["message_set"], &"exact".into(), &"2020-12".into())
        );
    }
}

#[test]
fn no_client_runs_if_a_report_cannot_be_written() {
    let folder = folder("reports-conformance");
    for (args, expected) in [
        ("--report junit=nodir/out.xml", "there is no folder nodir"),
        ("--table nodir/out.md", "there is no folder nodir"),
        ("--table same --badge ./same", "the file is in use already"),
        (
            "--table same --report json=./same",
            "the file is in use already",
        ),
    ] {
        let args = format!("conformance --scenario exec/message {args} --client");
        let output = command(&folder, &args).arg("touch ran").output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(expected), "{stderr}");
        assert!(!folder.join("ran").exists() && !folder.join("same").exists());
    }
    let finished = run(&folder, "tap --record run --log ./run -- true");
    assert_eq!(finished.code, 2);
    let expected = "the report and the recording cannot be one file";
    assert!(finished.stderr.contains(expected), "{finished:?}");
    assert!(!folder.join("run").exists());
}
