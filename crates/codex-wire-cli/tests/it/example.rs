//! `example`: recorded messages of each kind.

use crate::support::{golden, run, workspace};

#[test]
fn a_message_of_a_kind() {
    let root = workspace();
    golden("example.txt", &root, "example PreToolUse -r 0.169.0");
    golden(
        "example-earlier.txt",
        &root,
        "example turn.completed -r 0.160.0",
    );
    golden("example-several.txt", &root, "example initialized");
    golden("example-early.txt", &root, "example PreToolUse -r 0.117.0");
    golden(
        "example-unknown.txt",
        &root,
        "example item.compleated/agent_message",
    );
    golden("example-list.txt", &root, "example --list SessionStart");
}

/// What is printed conforms, and stands in the recording that is named.
#[test]
fn it_is_what_was_recorded() {
    let root = workspace();
    let finished = run(&root, "example item/completed/agentMessage -r 0.169.0");
    let said = finished.stderr.trim();
    let (said, path) = said.rsplit_once(" of ").unwrap();
    let line: usize = said.rsplit(' ').next().unwrap().parse().unwrap();
    let recording = std::fs::read_to_string(root.join(path)).unwrap();
    let record = recording.lines().nth(line - 1).unwrap();
    let record: serde_json::Value = serde_json::from_str(record).unwrap();
    assert_eq!(record["line"], finished.stdout.trim_end());
    for kind in [
        "turn.completed",
        "event_msg/token_count",
        "agent-turn-complete",
    ] {
        assert_eq!(run(&root, &format!("example {kind}")).code, 0, "{kind}");
    }
}
