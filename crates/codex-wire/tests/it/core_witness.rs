//! The crate `agcodex-protocol` as a witness: its types were copied from upstream's at 0.23.0
//! by someone else. Recorded lines go through its types and ours; the tests say exactly where
//! the two differ.

use std::collections::{BTreeMap, BTreeSet};

use agcodex_protocol::protocol as witness;
use codex_wire::core_protocol::{Event, EventMsg, Submission};
use serde_json::Value;

use crate::core_lossless::{Recorded, Writer, legacy, queues};

/// What the witness makes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// Read, and written back as the same text.
    SameText,
    /// Read, and written back as the same value in another order.
    SameValue,
    /// Read, and written back as another value, without a word.
    Altered,
    /// Not read.
    Refused,
}

fn verdict<T: serde::de::DeserializeOwned + serde::Serialize>(line: &str) -> Verdict {
    let Ok(value) = serde_json::from_str::<T>(line) else {
        return Verdict::Refused;
    };
    let text = serde_json::to_string(&value).expect("the witness writes what it read");
    if text == line {
        return Verdict::SameText;
    }
    let tree = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    if tree(&text) == tree(line) {
        Verdict::SameValue
    } else {
        Verdict::Altered
    }
}

fn kind(line: &str, envelope: &str) -> Option<String> {
    let value: Value = serde_json::from_str(line).ok()?;
    value[envelope]["type"].as_str().map(str::to_owned)
}

/// Recorded events of both streams, with their kinds.
fn events() -> Vec<(Recorded, String)> {
    let recorded = queues().into_iter().chain(legacy());
    recorded
        .filter(|recorded| recorded.writer == Writer::Codex)
        // The two header lines of the legacy stream have no kind.
        .filter_map(|recorded| kind(&recorded.line, "msg").map(|kind| (recorded, kind)))
        .collect()
}

/// Where the witness keeps a hash map, or a tree with sorted names, and we keep the order.
const UNORDERED: &[&str] = &[
    "apply_patch_approval_request", // changes
    "patch_apply_begin",            // changes
    "mcp_list_tools_response",      // tools
    "mcp_tool_call_end",            // structuredContent
];

#[test]
fn events_of_its_own_release() {
    let (mut seen, mut kinds, mut reordered) = (0, BTreeSet::new(), BTreeSet::new());
    for (
        Recorded {
            release,
            place,
            line,
            ..
        },
        kind,
    ) in events()
    {
        if release != "0.23.0" {
            continue;
        }
        let ours: Event = codex_wire::from_str(&line).expect("every event is read");
        assert_eq!(codex_wire::to_string(&ours), line, "{place}");
        match verdict::<witness::Event>(&line) {
            Verdict::SameText => {}
            Verdict::SameValue => {
                assert!(UNORDERED.contains(&kind.as_str()), "{place}: {kind}");
                reordered.insert(kind.clone());
            }
            other => panic!("{place}: {other:?}\n{line}"),
        }
        kinds.insert(kind);
        seen += 1;
    }
    assert!(
        seen > 700 && kinds.len() >= 26,
        "{seen} events of {} kinds",
        kinds.len()
    );
    // Sorting names is no chance, so at least this one is always written otherwise.
    assert!(reordered.contains("mcp_tool_call_end"), "{reordered:?}");
}

#[test]
fn submissions_of_its_own_release() {
    let mut found: BTreeMap<(Verdict, bool), BTreeSet<String>> = BTreeMap::new();
    for Recorded {
        release,
        writer,
        line,
        ..
    } in queues()
    {
        if release != "0.23.0" || writer != Writer::Client {
            continue;
        }
        let ours = codex_wire::from_str::<Submission>(&line).is_ok();
        let kind = kind(&line, "op").unwrap_or_else(|| "none".to_owned());
        let group = found
            .entry((verdict::<witness::Submission>(&line), ours))
            .or_default();
        group.insert(kind);
    }
    let group = |verdict, ours| -> Vec<String> {
        found
            .get(&(verdict, ours))
            .into_iter()
            .flatten()
            .cloned()
            .collect()
    };
    // What is not a submission is none to either: no object, no id that is a string, no items.
    assert_eq!(
        group(Verdict::Refused, false),
        ["interrupt", "none", "user_input"]
    );
    // Kinds of later releases and of none: an error to the witness, values to us.
    assert_eq!(
        group(Verdict::Refused, true),
        [
            "get_history",
            "get_path",
            "list_custom_prompts",
            "no_such_op"
        ]
    );
    // The witness drops members it does not name.
    assert_eq!(group(Verdict::Altered, true), ["user_input", "user_turn"]);
    // It never reads what we refuse.
    for verdict in [Verdict::SameText, Verdict::SameValue, Verdict::Altered] {
        assert_eq!(group(verdict, false), [""; 0]);
    }
    assert!(group(Verdict::SameText, true).len() > 8, "{found:?}");
}

/// The recorded releases in which the witness misreads or refuses a kind of event that it
/// knows, with the reason. Kinds it does not know are refused wherever they occur.
const MISREAD: &[(&str, Verdict, &str, &str)] = &[
    (
        "exec_command_begin",
        Verdict::Refused,
        "0.20.0",
        "no parsed_cmd yet",
    ),
    (
        "exec_command_begin",
        Verdict::Refused,
        "0.21.0",
        "cmd is a list of words",
    ),
    (
        "exec_command_begin",
        Verdict::Refused,
        "0.25.0 0.27.0 0.28.0 0.29.0 0.34.0 0.36.0 0.39.0 0.40.0 0.42.0",
        "parsed commands are tagged by type",
    ),
    (
        "exec_command_end",
        Verdict::Altered,
        "0.25.0 0.27.0 0.28.0 0.29.0 0.34.0 0.36.0 0.39.0 0.40.0 0.42.0",
        "drops aggregated_output and formatted_output",
    ),
    (
        "task_started",
        Verdict::Altered,
        "0.25.0 0.27.0 0.28.0 0.29.0 0.34.0 0.36.0 0.39.0 0.40.0 0.42.0",
        "drops model_context_window",
    ),
    (
        "patch_apply_begin",
        Verdict::Refused,
        "0.28.0 0.29.0 0.34.0 0.36.0 0.39.0 0.40.0 0.42.0",
        "a deletion has content",
    ),
    (
        "apply_patch_approval_request",
        Verdict::Refused,
        "0.28.0 0.29.0 0.34.0 0.36.0 0.39.0 0.40.0 0.42.0",
        "a deletion has content",
    ),
    (
        "exec_command_output_delta",
        Verdict::Altered,
        "0.34.0 0.36.0 0.39.0 0.40.0 0.42.0",
        "takes the characters of base64 for the bytes",
    ),
    (
        "session_configured",
        Verdict::Altered,
        "0.34.0 0.36.0 0.39.0 0.40.0 0.42.0",
        "drops rollout_path and initial_messages",
    ),
    (
        "token_count",
        Verdict::Refused,
        "0.34.0 0.36.0 0.39.0 0.40.0 0.42.0",
        "the counts stand in info",
    ),
    (
        "get_history_entry_response",
        Verdict::Refused,
        "0.34.0 0.40.0 0.42.0",
        "session_id became conversation_id",
    ),
];

const UNKNOWN: &[&str] = &[
    "conversation_history",
    "conversation_path",
    "entered_review_mode",
    "exited_review_mode",
    "list_custom_prompts_response",
    "stream_error",
    "web_search_begin",
    "web_search_end",
];

#[test]
fn events_of_other_releases() {
    let mut worst: BTreeMap<(String, String), Verdict> = BTreeMap::new();
    for (Recorded { release, line, .. }, kind) in events() {
        let verdict = verdict::<witness::Event>(&line);
        let entry = worst.entry((kind, release)).or_insert(verdict);
        *entry = verdict.max(*entry);
    }
    let mut found: BTreeMap<(String, Verdict), BTreeSet<String>> = BTreeMap::new();
    for ((kind, release), verdict) in worst {
        if verdict >= Verdict::Altered {
            found.entry((kind, verdict)).or_default().insert(release);
        }
    }
    for kind in UNKNOWN {
        let refused = found.remove(&((*kind).to_owned(), Verdict::Refused));
        assert!(refused.is_some(), "{kind} was not recorded, or was read");
    }
    let mut expected: BTreeMap<(String, Verdict), BTreeSet<String>> = BTreeMap::new();
    for (kind, verdict, releases, _) in MISREAD {
        let entry = expected.entry(((*kind).to_owned(), *verdict)).or_default();
        entry.extend(releases.split(' ').map(str::to_owned));
    }
    assert_eq!(found, expected);
}

/// The defect of published readers that the chunks were given two forms for.
#[test]
fn base64_is_misread_by_the_witness_and_not_by_us() {
    let line = r#"{"id":"1","msg":{"type":"exec_command_output_delta","call_id":"c","stream":"stdout","chunk":"aGk="}}"#;
    let theirs: witness::Event = serde_json::from_str(line).expect("it does not notice");
    let witness::EventMsg::ExecCommandOutputDelta(theirs) = theirs.msg else {
        panic!("an output delta");
    };
    assert_eq!(&theirs.chunk[..], b"aGk=");
    let ours: Event = codex_wire::from_str(line).expect("an event");
    let EventMsg::ExecCommandOutputDelta(ours) = ours.msg else {
        panic!("an output delta");
    };
    assert_eq!(ours.chunk.bytes().as_deref(), Ok(&b"hi"[..]));
}

/// The figures and the text of token counts are the witness's.
#[test]
fn token_figures() {
    for (input, cached, output, reasoning, total) in [
        (1200, 1000, 300, 50, 1500),
        (10, 0, 2, 1, 12),
        (731, 512, 57, 9, 788),
        (200_000, 1, 72_000, 1, 272_000),
        (1, 2, 3, 99, 4),
    ] {
        let theirs = witness::TokenUsage {
            input_tokens: input,
            cached_input_tokens: Some(cached),
            output_tokens: output,
            reasoning_output_tokens: Some(reasoning),
            total_tokens: total,
        };
        let ours =
            codex_wire::core_protocol::TokenUsage::new(input, cached, output, reasoning, total);
        assert_eq!(ours.is_zero(), theirs.is_zero());
        assert_eq!(ours.cached_input(), theirs.cached_input());
        assert_eq!(ours.non_cached_input(), theirs.non_cached_input());
        assert_eq!(ours.blended_total(), theirs.blended_total());
        assert_eq!(
            ours.tokens_in_context_window(),
            theirs.tokens_in_context_window()
        );
        for (window, baseline) in [
            (272_000, 12_000),
            (128_000, 0),
            (12_000, 12_000),
            (1000, 100),
        ] {
            assert_eq!(
                ours.percent_of_context_window_remaining(window, baseline),
                theirs.percent_of_context_window_remaining(window, baseline),
                "{total} of {window}"
            );
        }
        assert_eq!(
            codex_wire::core_protocol::FinalOutput::from(ours).to_string(),
            witness::FinalOutput::from(theirs).to_string()
        );
    }
}

/// Writable roots are the witness's, when our questions are answered from the disk it looks at.
#[test]
fn writable_roots() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let root = crate::support::files::root();
    let root = root.to_str().expect("UTF-8");
    let mut compared = 0;
    for policy in [
        r#"{"mode":"workspace-write"}"#.to_owned(),
        format!(
            r#"{{"mode":"workspace-write","writable_roots":["{folder}","{root}"],"exclude_slash_tmp":true}}"#
        ),
        r#"{"mode":"workspace-write","exclude_tmpdir_env_var":true}"#.to_owned(),
        r#"{"mode":"read-only"}"#.to_owned(),
        r#"{"mode":"danger-full-access"}"#.to_owned(),
    ] {
        let theirs: witness::SandboxPolicy = policy.parse().expect("a policy");
        let ours: codex_wire::core_protocol::SandboxPolicy = policy.parse().expect("a policy");
        let tmpdir = std::env::var("TMPDIR").ok();
        let is_folder = |path: &str| std::path::Path::new(path).is_dir();
        let found = ours.writable_roots(root, tmpdir.as_deref(), is_folder);
        let expected = theirs.get_writable_roots_with_cwd(root.as_ref());
        assert_eq!(found.len(), expected.len(), "{policy}");
        for (ours, theirs) in found.iter().zip(&expected) {
            assert_eq!(theirs.root.to_str(), Some(ours.root.as_str()));
            let read_only: Vec<_> = theirs
                .read_only_subpaths
                .iter()
                .filter_map(|path| path.to_str())
                .collect();
            assert_eq!(ours.read_only_subpaths, read_only);
            for path in [
                root.to_owned(),
                format!("{root}/.git/config"),
                format!("{folder}/src"),
                "/".to_owned(),
            ] {
                assert_eq!(
                    ours.is_path_writable(&path),
                    theirs.is_path_writable(path.as_ref()),
                    "{path} in {}",
                    ours.root
                );
            }
            compared += 1;
        }
        assert_eq!(
            ours.has_full_disk_read_access(),
            theirs.has_full_disk_read_access()
        );
        assert_eq!(
            ours.has_full_disk_write_access(),
            theirs.has_full_disk_write_access()
        );
        assert_eq!(
            ours.has_full_network_access(),
            theirs.has_full_network_access()
        );
        assert_eq!(ours.to_string(), theirs.to_string());
    }
    assert!(compared >= 5, "{compared}");
}
