//! `check`: reports and exit codes.

use std::fs;

use codex_wire_report::{Format, REPORT_LINES_SCHEMA, REPORT_SCHEMA};
use serde_json::{Value, json};

use crate::support::{GOOD, bad, folder, golden, run, run_with, steady, workspace};

#[test]
fn recorded_transcripts_conform() {
    let folder = "fixtures/exec/0.44.0";
    let files = fs::read_dir(workspace().join(folder))
        .unwrap()
        .map(|file| file.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    // Some of them were interrupted, which is worth a warning.
    let args =
        format!("check --release 0.44.0 --profile exact --allow sequence/exec-unfinished {folder}");
    let finished = run(&workspace(), &args);
    let expected = format!("{} inputs, ", files.count());
    assert!(finished.stdout.starts_with(&expected), "{finished:?}");
    assert!(
        finished
            .stdout
            .contains(" messages: all conform (exec 0.44.0)\n  by codex-wire "),
        "{finished:?}"
    );
    assert_eq!(
        (
            finished.stdout.lines().count(),
            finished.stderr.as_str(),
            finished.code
        ),
        (2, "", 0)
    );
}

#[test]
fn what_is_assumed_is_said() {
    golden(
        "identified.txt",
        &workspace(),
        "check fixtures/exec/0.44.0/message.jsonl",
    );
}

#[test]
fn recorded_transcripts_as_json() {
    let args = "check --format json fixtures/exec/0.44.0/message.jsonl \
                fixtures/exec/0.44.0/command_fail.jsonl";
    let args = args.split_whitespace().collect::<Vec<_>>().join(" ");
    golden("recorded.json.txt", &workspace(), &args);
}

#[test]
fn a_broken_file() {
    let folder = folder("broken");
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    golden("broken.txt", &folder, "check bad.jsonl");
    golden(
        "broken-stated.txt",
        &folder,
        "check --release 0.44.0 --profile exact bad.jsonl",
    );
    golden("broken.json.txt", &folder, "check --format json bad.jsonl");
    golden(
        "broken-values.txt",
        &folder,
        "check --show-values --max-findings 1 bad.jsonl",
    );
}

#[test]
fn the_wrong_release() {
    let folder = folder("wrong-release");
    fs::write(folder.join("good.jsonl"), GOOD).unwrap();
    golden(
        "wrong-release.txt",
        &folder,
        "check --release 0.125.0 good.jsonl",
    );
}

#[test]
fn json_reports_follow_their_schema() {
    let folder = folder("schema");
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    fs::write(folder.join("good.jsonl"), GOOD).unwrap();
    fs::write(folder.join("empty.jsonl"), "").unwrap();
    fs::write(folder.join("other.jsonl"), "{\"a\":1}\n").unwrap();
    let schema = serde_json::from_str(REPORT_SCHEMA).unwrap();
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    for args in [
        "check --format json .",
        "check --format json gone.jsonl",
        "check --format json --max-findings 1 --show-values bad.jsonl",
        "check --format json --release 0.44.0 bad.jsonl good.jsonl",
    ] {
        let report: Value = serde_json::from_str(&run(&folder, args).stdout).unwrap();
        let errors: Vec<String> = schema
            .iter_errors(&report)
            .map(|e| format!("{}: {e}", e.instance_path()))
            .collect();
        assert_eq!(errors, [""; 0], "{args}");
    }
}

#[test]
fn payload_is_masked_unless_asked_for() {
    let folder = folder("masked");
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    for format in Format::ALL {
        let args = format!("check --format {format} bad.jsonl");
        assert!(!run(&folder, &args).stdout.contains("secret"), "{format}");
        // Not every format shows excerpts.
        let args = format!("check --format {format} --show-values bad.jsonl");
        let shows = ![Format::Sarif, Format::Github, Format::Markdown].contains(format);
        let shown = run(&folder, &args).stdout.contains("secret");
        assert_eq!(shown, shows, "{format}");
    }
}

#[test]
fn exit_codes() {
    let folder = folder("codes");
    fs::write(folder.join("good.jsonl"), GOOD).unwrap();
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    fs::write(folder.join("warned.jsonl"), GOOD.replace("}\n", "}\r\n")).unwrap();
    fs::write(folder.join("empty.jsonl"), "").unwrap();
    fs::write(folder.join("other.jsonl"), "hello\n").unwrap();
    fs::create_dir(folder.join("nothing")).unwrap();
    for (args, code) in [
        ("good.jsonl", 0),
        ("warned.jsonl", 0),
        ("good.jsonl empty.jsonl", 0),
        ("bad.jsonl", 1),
        ("bad.jsonl good.jsonl", 1),
        ("--deny framing/crlf warned.jsonl", 1),
        ("empty.jsonl", 2),
        ("other.jsonl", 2),
        ("gone.jsonl", 2),
        ("nothing", 2),
        ("good.jsonl nothing", 2),
        ("good.jsonl gone.jsonl", 2),
        // What could not be checked weighs more than what does not conform.
        ("bad.jsonl gone.jsonl", 2),
        ("gone.jsonl bad.jsonl", 2),
    ] {
        for format in Format::ALL {
            let finished = run(&folder, &format!("check --format {format} {args}"));
            assert_eq!(finished.code, code, "{args} {finished:?}");
        }
    }
}

#[test]
fn an_unreadable_path_does_not_stop_the_others() {
    let folder = folder("unreadable");
    fs::write(folder.join("good.jsonl"), GOOD).unwrap();
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    golden("unreadable.txt", &folder, "check gone.jsonl good.jsonl");
    golden(
        "unreadable.json.txt",
        &folder,
        "check --format json gone.jsonl good.jsonl",
    );
}

#[test]
fn nothing_but_standard_input() {
    let workspace = workspace();
    for args in ["check", "check -"] {
        let finished = run_with(&workspace, args, GOOD.as_bytes());
        assert_eq!(
            steady(&finished.stdout),
            "1 input, 5 messages: conforms (identified as exec 0.44.0 to 0.50.0)\n  \
             by codex-wire VERSION, schema exec SHORT-DIGEST\n"
        );
        assert_eq!((finished.stderr.as_str(), finished.code), ("", 0));
    }
    let finished = run_with(&workspace, "check", bad().as_bytes());
    assert!(finished.stdout.contains("] <stdin>:2:"), "{finished:?}");
    let finished = run_with(&workspace, "check --format json", bad().as_bytes());
    assert!(finished.stdout.contains("{\"path\":\"-\","), "{finished:?}");
    golden("no-input.txt", &workspace, "check");
}

#[test]
fn statistics_count_rules_and_kinds() {
    let folder = folder("statistics");
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    fs::write(folder.join("good.jsonl"), GOOD).unwrap();
    golden(
        "statistics.txt",
        &folder,
        "check --statistics --max-findings 2 .",
    );
    let finished = run(&folder, "check --statistics --format json .");
    let report: Value = serde_json::from_str(&finished.stdout).unwrap();
    let schema: Value = serde_json::from_str(REPORT_SCHEMA).unwrap();
    jsonschema::draft202012::validate(&schema, &report).unwrap();
    let statistics = &report["statistics"];
    let sum = |list: &str, member: &str| -> u64 {
        let list = statistics[list].as_array().unwrap();
        list.iter().map(|row| row[member].as_u64().unwrap()).sum()
    };
    let totals = &report["totals"];
    assert_eq!(sum("rules", "error"), totals["error"]);
    assert_eq!(sum("rules", "warning"), totals["warning"]);
    for list in ["protocols", "releases", "kinds"] {
        assert_eq!(sum(list, "messages"), totals["messages"], "{list}");
    }
    assert_eq!(statistics["unlisted"], 0);
    // The findings are the same without.
    let without = run(&folder, "check --format json .");
    let without: Value = serde_json::from_str(&without.stdout).unwrap();
    assert_eq!(without["inputs"], report["inputs"]);
    assert!(without.get("statistics").is_none());
    // A line of JSON Lines says the same.
    let lines = run(&folder, "check --statistics --format jsonl .");
    let lines: Vec<Value> = lines
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let schema: Value = serde_json::from_str(REPORT_LINES_SCHEMA).unwrap();
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    for line in &lines {
        assert!(schema.is_valid(line), "{line}");
    }
    let mut line = lines[lines.len() - 2].clone();
    let kind = line.as_object_mut().unwrap().remove("kind").unwrap();
    assert_eq!((kind, &line), (json!("statistics"), statistics));
}

/// What is not a stream of lines, or is compared with something, is counted all the same.
#[test]
fn documents_of_hooks_and_streams_with_a_session_file_are_counted() {
    let kinds = |args: &str| -> Value {
        let finished = run(
            &workspace(),
            &format!("check --statistics --format json {args}"),
        );
        let report: Value = serde_json::from_str(&finished.stdout).unwrap();
        report["statistics"]["kinds"].clone()
    };
    let folder = folder("statistics-hook");
    fs::write(folder.join("out.json"), "{\n  \"continue\": true\n}\n").unwrap();
    let hook = "--protocol hooks --event PreToolUse";
    assert_eq!(
        kinds(&format!("{hook} {}", folder.join("out.json").display())),
        json!([{"message_set": "hooks-output", "kind": "PreToolUse", "messages": 1}])
    );
    let run = "fixtures/rollout/0.169.0/auto_compact";
    let plain = kinds(&format!("{run}/exec-1.jsonl"));
    assert!(plain.as_array().unwrap().len() > 3, "{plain}");
    assert_eq!(
        kinds(&format!("--with-rollout {run}/home {run}/exec-1.jsonl")),
        plain
    );
}

/// Nearly every message of every protocol has a kind.
#[test]
fn all_messages_have_a_kind() {
    for (folder, most) in [
        ("exec", 0),
        ("core", 1),
        ("app-server", 40),
        ("rollout", 40),
        ("hooks", 0),
        ("hooks-outcomes", 0),
        ("notify", 0),
    ] {
        let finished = run(
            &workspace(),
            &format!("check --statistics --format json --skip-unknown fixtures/{folder}"),
        );
        let report: Value = serde_json::from_str(&finished.stdout).unwrap();
        let kinds = report["statistics"]["kinds"].as_array().unwrap();
        let counted: u64 = kinds
            .iter()
            .map(|kind| kind["messages"].as_u64().unwrap())
            .sum();
        let messages = report["totals"]["messages"].as_u64().unwrap();
        // Headers, errors, and responses to requests that are not in the recording have none.
        assert!(
            messages - counted <= most * messages / 1000,
            "{folder}: {counted} of {messages}"
        );
    }
}

#[test]
fn quiet_says_nothing_if_nothing_is_found() {
    let folder = folder("quiet");
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    fs::write(folder.join("good.jsonl"), GOOD).unwrap();
    let good = run(&folder, "check --quiet good.jsonl");
    assert_eq!((&*good.stdout, &*good.stderr, good.code), ("", "", 0));
    let both = run(&folder, "check -q good.jsonl bad.jsonl");
    assert_eq!(
        both.stdout,
        run(&folder, "check good.jsonl bad.jsonl").stdout
    );
    assert_eq!(both.code, 1);
    fs::write(folder.join("empty.jsonl"), "").unwrap();
    assert!(
        !run(&folder, "check -q empty.jsonl good.jsonl")
            .stdout
            .is_empty()
    );
    assert!(!run(&folder, "check -q none.jsonl").stdout.is_empty());
}

/// Nothing of the side is there, so nothing is known to conform.
#[test]
fn a_side_that_wrote_nothing_is_not_exercised() {
    let exec = "fixtures/exec/0.169.0/command_ok.jsonl";
    for side in ["client", "hook"] {
        let finished = run(&workspace(), &format!("check --side {side} {exec}"));
        assert_eq!(finished.code, 2, "{finished:?}");
        let said = "holds no messages of the side to check, so nothing was checked";
        assert!(finished.stdout.contains(said), "{finished:?}");
        assert!(!finished.stdout.contains("conforms"), "{finished:?}");
    }
    let codex = run(&workspace(), &format!("check --side codex {exec}"));
    assert_eq!(codex.code, 0, "{codex:?}");
    // Beside an input that has the side, it changes no exit code.
    let both = "fixtures/app-server/0.169.0";
    let finished = run(&workspace(), &format!("check --side client {exec} {both}"));
    assert!(
        finished.stdout.contains("so nothing was checked"),
        "{finished:?}"
    );
    assert_ne!(finished.code, 2, "{finished:?}");
}

/// A line over the limit may have been a message: it is named, also if all lines are.
#[test]
fn lines_over_the_limit_are_named() {
    let exec = "fixtures/exec/0.169.0/command_ok.jsonl";
    let finished = run(&workspace(), &format!("check --max-line-bytes 10 {exec}"));
    assert_eq!(finished.code, 1, "{finished:?}");
    assert!(
        finished.stdout.contains("error[framing/line-too-long]"),
        "{finished:?}"
    );
    let finished = run(&workspace(), &format!("check --threads 0 {exec}"));
    assert!(
        finished.stderr.contains("a number from 1 on"),
        "{finished:?}"
    );
}

/// What was read of a broken input is said, and where it ends.
#[test]
fn a_broken_input_was_checked_in_part() {
    let folder = folder("check-cut");
    let packed = crate::inputs::gzip(GOOD);
    fs::write(folder.join("cut.jsonl.gz"), &packed[..packed.len() * 3 / 4]).unwrap();
    let finished = run(&folder, "check cut.jsonl.gz");
    assert_eq!(finished.code, 2, "{finished:?}");
    assert!(
        finished.stdout.contains("reading failed after line "),
        "{finished:?}"
    );
    assert!(
        finished.stdout.contains(": not everything was read"),
        "{finished:?}"
    );
    assert!(
        !finished.stdout.contains("nothing was checked"),
        "{finished:?}"
    );
}
