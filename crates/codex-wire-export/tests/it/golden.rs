//! Exports of some recordings, as they are written.

use std::fmt::Write as _;

use codex_wire_export::{Format, Options, export};
use codex_wire_session::Reader;

use crate::recordings::text;
use golden_files::files;

/// Recordings, by what happens in them.
const RECORDINGS: &[(&str, &str)] = &[
    ("command", "exec/0.169.0/command_ok.jsonl"),
    ("command-fails", "exec/0.42.0/command_fail.jsonl"),
    ("turn-fails", "exec/0.169.0/error_http400.jsonl"),
    ("legacy", "exec-legacy/0.34.0/file_changes.jsonl"),
    ("core-approval", "core/0.21.0/exec_denied.jsonl"),
    (
        "approval",
        "app-server/0.169.0/03a_command_untrusted_accept.jsonl",
    ),
    (
        "approval-interrupted",
        "app-server/0.169.0/08c_interrupt_with_pending_approval.jsonl",
    ),
    ("agents", "app-server/0.169.0/14q_collab_v2.jsonl"),
    (
        "file-agents",
        "rollout/0.169.0/collab/home/sessions/2026/11/22/rollout-2026-11-22T15-02-17-01a203c7-8645-7651-9110-141af80b28fc.jsonl",
    ),
    (
        "file-compaction",
        "rollout/0.169.0/auto_compact/home/sessions/2026/11/22/rollout-2026-11-22T15-02-13-01a203c7-76b7-73c1-bb21-08a99ec1de7b.jsonl",
    ),
    (
        "file-interrupted",
        "rollout/0.169.0/interrupted/home/sessions/2026/11/22/rollout-2026-11-22T15-01-58-01a203c7-3aac-7ea3-93e7-7d171be2b796.jsonl",
    ),
    (
        "file-fork",
        "rollout/0.125.0/fork/home/sessions/2026/11/22/rollout-2026-11-22T15-05-25-01a203ca-669d-7f93-a1e7-482557999da5.jsonl",
    ),
    (
        "file-old",
        "rollout/0.34.0/todo/home/sessions/2026/11/22/rollout-2026-11-22T15-12-45-43db88fe-e967-4ac2-b93b-950894d760b9.jsonl",
    ),
];

const FORMATS: &[(&str, Format, bool)] = &[
    ("otlp", Format::Otlp, false),
    ("openinference", Format::OpenInference, true),
    ("atif", Format::Atif, false),
    ("acp", Format::Acp, false),
];

#[test]
fn exports_are_as_they_were() {
    let folder = files::root().join("crates/codex-wire-export/tests/it/golden");
    let reader = Reader::new();
    let mut texts = std::collections::BTreeMap::new();
    for (name, recording) in RECORDINGS {
        let path = files::root().join("fixtures").join(recording);
        let session = reader.read(recording, &*text(&path));
        let session = session.unwrap_or_else(|error| panic!("{error}"));
        for (format_name, format, content) in FORMATS {
            let mut options = Options::new();
            options.content = *content;
            let exported = export(&session, *format, options);
            let mut text = String::new();
            for document in &exported.documents {
                let line = serde_json::to_string(document).expect("JSON");
                text.push_str(&broken(&line));
                text.push('\n');
            }
            for left_out in &exported.left_out {
                let _ = writeln!(text, "left out: {left_out:?}");
            }
            if text.is_empty() {
                text.push_str("nothing\n");
            }
            texts.insert(format!("{name}.{format_name}.txt"), text);
        }
    }
    golden_files::assert_folder(&folder, "txt", &texts);
}

/// A document with each span, step and total on a line of its own.
fn broken(line: &str) -> String {
    let mut text = line.to_owned();
    for begin in [
        "{\"traceId\"",
        "{\"step_id\"",
        "\"events\":[{",
        "\"final_metrics\"",
        "\"subagent_trajectories\"",
    ] {
        text = text.replace(begin, &format!("\n  {begin}"));
    }
    text
}
