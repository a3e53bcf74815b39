//! Tables of some recordings, as they are.

use std::collections::BTreeMap;

use golden_files::files;

use crate::shown::{bytes, fixtures, tables_of, text};

/// Recordings, by what happens in them, and whether their text is kept.
const RECORDINGS: &[(&str, &str, bool)] = &[
    ("command", "exec/0.169.0/command_ok.jsonl", true),
    ("turn-fails", "exec/0.169.0/error_http400.jsonl", false),
    ("legacy", "exec-legacy/0.34.0/file_changes.jsonl", false),
    ("core-approval", "core/0.21.0/exec_denied.jsonl", false),
    (
        "approval",
        "app-server/0.169.0/03a_command_untrusted_accept.jsonl",
        false,
    ),
    ("agents", "app-server/0.169.0/14q_collab_v2.jsonl", false),
    (
        "file-compaction",
        "rollout/0.169.0/auto_compact/home/sessions/2026/11/22/rollout-2026-11-22T15-02-13-01a203c7-76b7-73c1-bb21-08a99ec1de7b.jsonl",
        false,
    ),
    (
        "file-fork",
        "rollout/0.125.0/fork/home/sessions/2026/11/22/rollout-2026-11-22T15-05-25-01a203ca-669d-7f93-a1e7-482557999da5.jsonl",
        false,
    ),
    ("invalid", "rules/schema/missing-member/fail.jsonl", false),
    ("foreign", "invalid/unreadable-log.jsonl", false),
];

#[test]
fn tables_are_as_they_were() {
    let folder = files::root().join("crates/codex-wire-table/tests/it/golden");
    let mut texts = BTreeMap::new();
    for (name, recording, with_text) in RECORDINGS {
        let bytes = bytes(&fixtures().join(recording));
        let tables = tables_of(recording, &bytes, *with_text);
        texts.insert(format!("{name}.txt"), text(&tables));
    }
    golden_files::assert_folder(&folder, "txt", &texts);
}
