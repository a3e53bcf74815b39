//! `find`: parts of protocols by words.

use serde_json::Value;

use crate::support::{golden, run, workspace};

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
