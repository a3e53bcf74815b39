//! `find`: parts of protocols by words.

use serde_json::Value;

use crate::support::{command, golden, run, workspace};

#[test]
fn what_words_name() {
    let root = workspace();
    golden("find-member.txt", &root, "find turn/completed durationMs");
    golden(
        "find-message.txt",
        &root,
        "find turn/completed --example -r 0.142",
    );
    golden(
        "find-value.txt",
        &root,
        "find AskForApproval on-failure -r latest",
    );
    golden("find-rule.txt", &root, "find app-server-decision");
    golden("find-method.txt", &root, "find newConversation");
    golden(
        "find-kind.txt",
        &root,
        "find item.completed mcp_tool_call -p exec",
    );
    golden("find-nothing.txt", &root, "find durationMz");
    golden("find-message-all.txt", &root, "find turn/completed");
    golden("find-exceptions.txt", &root, "find turn/completed error");
}

/// What is empty stands in every name, and names nothing.
#[test]
fn words_are_not_empty() {
    let root = workspace();
    for words in [&[""][..], &[" "], &["/"], &["_"], &["turn/completed", ""]] {
        let output = command(&root, "find").args(words).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), &*output.stdout),
            (Some(2), &b""[..]),
            "{words:?}"
        );
        assert!(error.contains("a word is empty"), "{words:?}: {error}");
    }
}

/// A release among the words is taken as `--release`, which is said.
#[test]
fn a_release_among_the_words() {
    let root = workspace();
    golden("find-release.txt", &root, "find turn/completed 0.100.0");
    let flag = run(&root, "find turn/completed -r 0.100.0");
    let word = run(&root, "find 0.100.0 turn/completed");
    assert_eq!((flag.code, &flag.stdout), (0, &word.stdout));
    assert_eq!(flag.stderr, "");
    let found = run(&root, "find turn/completed v0.100 --format json");
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(found["words"], serde_json::json!(["turn/completed"]));
    assert_eq!(found["release"], "0.100.0");
    for arguments in ["find turn/completed 0.100.0 -r latest", "find 0.100.0"] {
        assert_eq!(run(&root, arguments).code, 2, "{arguments}");
    }
}

/// Rules are found by any spelling of their words, as parts are, and those about files are about no protocol.
#[test]
fn rules_by_words() {
    let root = workspace();
    for words in ["rollout_copies", "ROLLOUT-COPIES", "sequence/rolloutCopies"] {
        let found = run(&root, &format!("find {words}"));
        assert!(
            found.stdout.contains("sequence/rollout-copies"),
            "{found:?}"
        );
    }
    assert_eq!(run(&root, "find home/tokens").code, 0);
    let hooks = run(&root, "find home/tokens -p hooks");
    assert_eq!((hooks.code, &*hooks.stdout), (2, ""), "{hooks:?}");
}

/// A message is text, and would stand behind the JSON.
#[test]
fn an_example_is_not_json() {
    let found = run(&workspace(), "find turn/completed --example --format json");
    assert_eq!((found.code, &*found.stdout), (2, ""), "{found:?}");
    assert!(found.stderr.contains("`codex-wire example`"), "{found:?}");
}

/// As JSON there is all that is found, and each part has a place.
#[test]
fn as_json() {
    let finished = run(&workspace(), "find durationMs --format json");
    assert_eq!(finished.code, 0);
    let found: Value = serde_json::from_str(&finished.stdout).unwrap();
    let parts = found["parts"].as_array().unwrap();
    assert!(parts.len() > 10);
    let turn = parts.iter().find(|part| part["owner"] == "Turn").unwrap();
    assert_eq!(turn["places"][0]["pointer"], "/params/turn/durationMs");
    assert_eq!(turn["places"][0]["since"], "0.120.0");
    assert_eq!(turn["type"], "integer");
    for part in parts {
        assert!(!part["places"].as_array().unwrap().is_empty(), "{part}");
    }
}

/// A range of releases is taken by lists, and refused where one release is asked for.
#[test]
fn ranges_of_releases() {
    let root = workspace();
    golden("releases-range.txt", &root, "releases exec -r 0.120..0.130");
    golden("range-refused.txt", &root, "schema exec -r 0.120..0.130");
    golden("release-newer.txt", &root, "releases exec -r 999..");
}

/// What `find` prints as a name, it takes, and so do `example` and `explain`.
#[test]
fn names_that_are_printed_are_taken() {
    let root = workspace();
    for name in ["event_msg/token_count", "item/completed/commandExecution"] {
        let finished = run(&root, &format!("find {name}"));
        assert_eq!(finished.code, 0, "{finished:?}");
        assert!(finished.stdout.starts_with(name), "{finished:?}");
        assert_eq!(run(&root, &format!("example {name}")).code, 0, "{name}");
    }
    assert_eq!(run(&root, "find nothing/like-it").code, 2);
    let with_flag = run(&root, "example turn/completed -r 0.142.0");
    let without = run(&root, "example turn/completed 0.142.0");
    assert_eq!(without.stdout, with_flag.stdout);
    let both = run(&root, "example turn/completed 0.142.0 -r 0.142.0");
    assert_eq!(both.code, 2, "{both:?}");
}

/// Nothing outside of the range is listed.
#[test]
fn releases_of_a_range() {
    let root = workspace();
    let one = run(&root, "releases exec -r 0.55.0");
    assert_eq!((one.code, &*one.stdout), (0, ""), "{one:?}");
    assert!(
        one.stderr.contains("these releases changed nothing"),
        "{one:?}"
    );
    let first = run(&root, "releases exec -r ..0.43.0").stdout;
    assert!(
        first.starts_with("0.42.0  the protocol begins\n"),
        "{first}"
    );
    assert!(first.contains("llmx-2025-09-26"), "{first}");
    assert!(!first.contains("newest known"), "{first}");
    let last = run(&root, "releases exec -r 0.145..").stdout;
    assert!(last.contains("the newest known release"), "{last}");
    assert!(!last.contains("begins") && !last.contains("llmx"), "{last}");
}
