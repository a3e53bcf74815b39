//! Flags that are wrong, and flags that change what is found.

use std::fs;

use crate::support::{GOOD, bad, folder, golden, run};

#[test]
fn wrong_flags_teach() {
    let folder = folder("flags");
    fs::write(folder.join("good.jsonl"), GOOD).unwrap();
    golden(
        "unknown-rule.txt",
        &folder,
        "check --deny framing/crfl good.jsonl",
    );
    golden(
        "unknown-group.txt",
        &folder,
        "check --allow lines/* good.jsonl",
    );
    golden(
        "group-without-star.txt",
        &folder,
        "check --allow frame good.jsonl",
    );
    golden(
        "bad-depth.txt",
        &folder,
        "check --max-depth 1000 good.jsonl",
    );
    golden(
        "unknown-protocol.txt",
        &folder,
        "check --protocol exce good.jsonl",
    );
    golden(
        "unknown-release.txt",
        &folder,
        "check --release newest good.jsonl",
    );
    golden(
        "too-old-release.txt",
        &folder,
        "schema exec --release 0.10.0",
    );
    golden(
        "bad-size.txt",
        &folder,
        "check --max-line-bytes 1T good.jsonl",
    );
    golden(
        "all-releases-conflict.txt",
        &folder,
        "schema exec --all-releases --draft draft-07",
    );
}

#[test]
fn releases_beside_the_timeline_are_remarked_on() {
    let folder = folder("remarks");
    fs::write(folder.join("good.jsonl"), GOOD).unwrap();
    golden(
        "newer-release.txt",
        &folder,
        "check --release 0.999.0 --allow schema/* good.jsonl",
    );
    golden(
        "between-releases.txt",
        &folder,
        "check --release 0.50.3 good.jsonl",
    );
    golden(
        "named-point.txt",
        &folder,
        "check --release llmx-2025-09-26 --allow * good.jsonl",
    );
}

#[test]
fn severities_can_be_set() {
    let folder = folder("severities");
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    for (args, sums) in [
        ("", "does not conform; 2 errors, 2 warnings"),
        ("--profile exact", "does not conform; 3 errors, 1 warning"),
        (
            "--deny framing/blank-line",
            "does not conform; 3 errors, 1 warning",
        ),
        ("--warn framing/*,schema/*", "conforms; 4 warnings"),
        ("--allow *", "conforms"),
        (
            "--allow * --deny framing/cut-line",
            "does not conform; 1 error",
        ),
        ("--deny framing/cut-line --allow *", "conforms"),
        (
            "--allow schema/unknown-value --allow framing/cut-line",
            "conforms; 2 warnings",
        ),
    ] {
        let finished = run(&folder, &format!("check {args} bad.jsonl"));
        let line = finished.stdout.lines().rev().nth(1).unwrap();
        let expected = format!("1 input, 4 messages: {sums} (");
        assert!(line.starts_with(&expected), "{args}: {line}");
    }
}

#[test]
fn limits_can_be_set() {
    let folder = folder("settings-limits");
    fs::write(folder.join("good.jsonl"), GOOD).unwrap();
    let rules = |args: &str| {
        let finished = run(&folder, &format!("check {args} good.jsonl"));
        assert_eq!(finished.code, 1, "{finished:?}");
        finished.stdout
    };
    assert!(rules("--max-line-bytes 100").contains("error[framing/line-too-long] good.jsonl:3:"));
    assert!(rules("--max-depth 1").contains("error[framing/too-deep] good.jsonl:3:"));
    let finished = run(&folder, "check --max-line-bytes 1k good.jsonl");
    assert_eq!(finished.code, 0, "{finished:?}");
}

/// How many findings are listed changes neither what is counted nor how it ends.
#[test]
fn findings_beyond_the_limit_count() {
    let folder = folder("max-findings");
    // The release is known at the end, and with it how bad the second start of a turn is.
    let start = "{\"type\":\"turn.started\"}\n";
    let head = GOOD.lines().next().unwrap();
    let end = "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1,\
        \"cached_input_tokens\":0,\"output_tokens\":1,\"reasoning_output_tokens\":0}}\n";
    fs::write(
        folder.join("turns.jsonl"),
        format!("{head}\n{}{end}", start.repeat(4)),
    )
    .unwrap();
    let many = format!("{GOOD}{}", "x\n".repeat(1500));
    fs::write(folder.join("many.jsonl"), many).unwrap();
    for (name, all) in [("turns.jsonl", 3), ("many.jsonl", 1500)] {
        for (number, listed) in [("0", 0), ("2", 2), ("1000", all.min(1000)), ("all", all)] {
            let args = format!("check --format json --max-findings {number} {name}");
            let finished = run(&folder, &args);
            assert_eq!(finished.code, 1, "{args}");
            let report: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
            let input = &report["inputs"][0];
            assert_eq!(input["counts"]["error"], all, "{args}");
            assert_eq!(
                input["findings"].as_array().unwrap().len(),
                listed,
                "{args}"
            );
            assert_eq!(input["dropped"], all - listed, "{args}");
        }
    }
    let finished = run(&folder, "check --max-findings many turns.jsonl");
    assert!(
        finished.stderr.contains("write a number, or `all`"),
        "{finished:?}"
    );
}

#[test]
fn colours_come_when_asked_for() {
    let folder = folder("colours");
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    let coloured = |args: &str| run(&folder, args).stdout.contains("\x1b[");
    assert!(!coloured("check bad.jsonl"));
    assert!(!coloured("check --color never bad.jsonl"));
    assert!(coloured("check --color always bad.jsonl"));
    assert!(coloured("--color always check bad.jsonl"));
    assert!(!coloured("check --color always --format json bad.jsonl"));
    assert!(coloured("releases exec --color always"));
    assert!(!coloured("releases exec"));
}
