//! What the core types offer beyond their shape: token figures, questions to policies, the
//! accessors of events.

use std::collections::BTreeSet;

use codex_wire::core_protocol::{
    AskForApproval, Event, EventKind, EventMsg, FinalOutput, HistoryEntry, SandboxPolicy,
    TokenUsage, WorkspaceWritePolicy, WritableRoot,
};
use codex_wire::{Described, Maybe};

use crate::core_samples::EVENTS;

fn usage(input: u64, cached: u64, output: u64, reasoning: u64, total: u64) -> TokenUsage {
    TokenUsage::new(input, cached, output, reasoning, total)
}

#[test]
fn token_figures() {
    let some = usage(1000, 700, 300, 120, 1300);
    assert_eq!(some.cached_input(), 700);
    assert_eq!(some.non_cached_input(), 300);
    assert_eq!(some.blended_total(), 600);
    assert_eq!(some.tokens_in_context_window(), 1180);
    assert!(!some.is_zero());
    assert!(usage(5, 0, 0, 0, 0).is_zero());
    // Counts that contradict each other do not wrap around.
    let odd = usage(1, 2, u64::MAX, 9, 3);
    assert_eq!(
        (odd.non_cached_input(), odd.tokens_in_context_window()),
        (0, 0)
    );
    assert_eq!(usage(9, 0, u64::MAX, 0, 0).blended_total(), u64::MAX);
}

#[test]
fn what_is_left_of_the_window() {
    for (total, reasoning, window, baseline, percent) in [
        (12_000, 0, 272_000, 12_000, 100),
        (0, 0, 272_000, 12_000, 100),
        (142_000, 0, 272_000, 12_000, 50),
        (142_000, 130_000, 272_000, 12_000, 100),
        (272_000, 0, 272_000, 12_000, 0),
        (u64::MAX, 0, 272_000, 12_000, 0),
        (12_001, 0, 272_000, 12_000, 99),
        (0, 0, 12_000, 12_000, 0),
        (0, 0, 1, 12_000, 0),
        (0, 0, u64::MAX, 0, 100),
    ] {
        let used = usage(0, 0, 0, reasoning, total);
        let left = used.percent_of_context_window_remaining(window, baseline);
        assert_eq!(left, percent, "{total} of {window}, {baseline} at first");
    }
}

#[test]
fn token_usage_as_text() {
    for (usage, text) in [
        (
            usage(10, 0, 2, 0, 12),
            "Token usage: total=12 input=10 output=2",
        ),
        (
            usage(10, 4, 2, 0, 12),
            "Token usage: total=8 input=6 (+ 4 cached) output=2",
        ),
        (
            usage(10, 4, 2, 1, 12),
            "Token usage: total=8 input=6 (+ 4 cached) output=2 (reasoning 1)",
        ),
        (
            usage(0, 0, 0, 0, 0),
            "Token usage: total=0 input=0 output=0",
        ),
    ] {
        assert_eq!(FinalOutput::from(usage).to_string(), text);
    }
}

/// The roots of a policy on a machine with the given folders.
fn roots(
    policy: &SandboxPolicy,
    cwd: &str,
    tmpdir: Option<&str>,
    folders: &[&str],
) -> Vec<(String, Vec<String>)> {
    policy
        .writable_roots(cwd, tmpdir, |path| folders.contains(&path))
        .into_iter()
        .map(|root| (root.root, root.read_only_subpaths))
        .collect()
}

fn bare(paths: &[&str]) -> Vec<(String, Vec<String>)> {
    paths
        .iter()
        .map(|path| ((*path).to_owned(), Vec::new()))
        .collect()
}

#[test]
fn writable_roots() {
    let policy = SandboxPolicy::workspace_write();
    assert_eq!(roots(&policy, "/w", None, &[]), bare(&["/w"]));
    assert_eq!(roots(&policy, "/w", None, &["/tmp"]), bare(&["/w", "/tmp"]));
    assert_eq!(
        roots(&policy, "/w", Some("/var/t"), &["/tmp"]),
        bare(&["/w", "/tmp", "/var/t"])
    );
    assert_eq!(roots(&policy, "/w", Some(""), &[]), bare(&["/w"]));
    assert_eq!(
        roots(&policy, "/w", None, &["/w/.git", "/.git"]),
        [("/w".to_owned(), vec!["/w/.git".to_owned()])]
    );
    let mut further = WorkspaceWritePolicy::new();
    further.writable_roots = vec!["/a".to_owned(), "/b/".to_owned()].into();
    assert_eq!(
        roots(&further.clone().into(), "/w", None, &["/b/.git"]),
        [
            ("/a".to_owned(), Vec::new()),
            ("/b/".to_owned(), vec!["/b/.git".to_owned()]),
            ("/w".to_owned(), Vec::new()),
        ]
    );
    further.exclude_slash_tmp = Maybe::Value(true);
    further.exclude_tmpdir_env_var = Maybe::Value(true);
    assert_eq!(
        roots(&further.into(), "/w", Some("/t"), &["/tmp"]),
        bare(&["/a", "/b/", "/w"])
    );
    for policy in [
        SandboxPolicy::read_only(),
        SandboxPolicy::danger_full_access(),
    ] {
        assert_eq!(
            roots(&policy, "/w", Some("/t"), &["/tmp", "/w/.git"]),
            bare(&[])
        );
    }
}

#[test]
fn writable_roots_on_windows() {
    let policy = SandboxPolicy::workspace_write();
    let found = roots(&policy, "C:\\w", Some("C:\\Temp"), &["/tmp", "C:\\w\\.git"]);
    assert_eq!(
        found,
        [
            ("C:\\w".to_owned(), vec!["C:\\w\\.git".to_owned()]),
            ("C:\\Temp".to_owned(), Vec::new()),
        ]
    );
}

#[test]
fn paths_within_a_root() {
    let root = |root: &str, read_only: &[&str]| WritableRoot {
        root: root.to_owned(),
        read_only_subpaths: read_only.iter().map(|path| (*path).to_owned()).collect(),
    };
    let unix = root("/w/project", &["/w/project/.git"]);
    for (path, writable) in [
        ("/w/project", true),
        ("/w/project/", true),
        ("/w/project/src/main.rs", true),
        ("/w//project/./src", true),
        ("/w/projects", false),
        ("/w/projec", false),
        ("/w", false),
        ("w/project/src", false),
        ("/w/project/.git", false),
        ("/w/project/.git/config", false),
        ("/w/project/.gitignore", true),
        ("/w/project/sub/.git/config", true),
        ("", false),
    ] {
        assert_eq!(unix.is_path_writable(path), writable, "{path}");
    }
    assert!(root("/", &[]).is_path_writable("/anything"));
    let windows = root("C:\\w", &["C:\\w\\.git"]);
    for (path, writable) in [
        ("C:\\w\\a", true),
        ("C:/w/a", true),
        ("C:\\w\\.git\\x", false),
        ("D:\\w\\a", false),
        ("C:\\wide", false),
    ] {
        assert_eq!(windows.is_path_writable(path), writable, "{path}");
    }
}

#[test]
fn what_a_policy_allows() {
    let networked: SandboxPolicy = r#"{"mode":"workspace-write","network_access":true}"#
        .parse()
        .unwrap();
    let unknown: SandboxPolicy = r#"{"mode":"external-sandbox"}"#.parse().unwrap();
    for (policy, read, write, network) in [
        (SandboxPolicy::danger_full_access(), true, true, true),
        (SandboxPolicy::read_only(), true, false, false),
        (SandboxPolicy::workspace_write(), true, false, false),
        (networked, true, false, true),
        (unknown, false, false, false),
    ] {
        assert_eq!(policy.has_full_disk_read_access(), read, "{policy}");
        assert_eq!(policy.has_full_disk_write_access(), write, "{policy}");
        assert_eq!(policy.has_full_network_access(), network, "{policy}");
    }
}

#[test]
fn policies_from_text() {
    for (text, expected) in [
        ("read-only", SandboxPolicy::read_only()),
        ("danger-full-access", SandboxPolicy::danger_full_access()),
        ("workspace-write", SandboxPolicy::workspace_write()),
        (r#"{"mode":"read-only"}"#, SandboxPolicy::read_only()),
        (
            r#"{"mode":"workspace-write"}"#,
            WorkspaceWritePolicy::new().into(),
        ),
    ] {
        assert_eq!(text.parse::<SandboxPolicy>().unwrap(), expected, "{text}");
    }
    for text in ["", "readonly", "\"read-only\"", "{}", r#"{"mode":7}"#] {
        assert!(text.parse::<SandboxPolicy>().is_err(), "{text}");
    }
    assert_eq!(
        codex_wire::to_string(&SandboxPolicy::workspace_write()),
        r#"{"mode":"workspace-write","network_access":false,"exclude_tmpdir_env_var":false,"exclude_slash_tmp":false}"#
    );
    assert_eq!("on-failure".parse(), Ok(AskForApproval::OnFailure));
    let error = "unless-trusted".parse::<AskForApproval>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`unless-trusted` is not an approval policy; known: untrusted, on-failure, on-request, never"
    );
}

#[test]
fn success() {
    let end = |msg: &str| match codex_wire::from_str::<EventMsg>(msg).unwrap() {
        EventMsg::ExecCommandEnd(end) => end.is_success(),
        EventMsg::McpToolCallEnd(end) => end.is_success(),
        other => panic!("{}", other.tag()),
    };
    let exec = |code: i32| {
        end(&format!(
            r#"{{"type":"exec_command_end","call_id":"c","stdout":"","stderr":"","exit_code":{code},"duration":{{"secs":0,"nanos":0}}}}"#
        ))
    };
    assert!(exec(0) && !exec(1) && !exec(-1));
    let mcp = |result: &str| {
        end(&format!(
            r#"{{"type":"mcp_tool_call_end","call_id":"c","invocation":{{"server":"s","tool":"t","arguments":null}},"duration":{{"secs":0,"nanos":0}},"result":{result}}}"#
        ))
    };
    assert!(mcp(r#"{"Ok":{"content":[]}}"#));
    assert!(mcp(r#"{"Ok":{"content":[],"isError":false}}"#));
    assert!(!mcp(r#"{"Ok":{"content":[],"isError":true}}"#));
    assert!(!mcp(r#"{"Err":"gone"}"#));
    assert!(!mcp(r#"{"Later":1}"#));
}

fn samples() -> Vec<Event> {
    EVENTS
        .iter()
        .map(|line| codex_wire::from_str(line).expect("samples are events"))
        .collect()
}

#[test]
fn kinds_are_named_as_their_tags() {
    let mut seen = BTreeSet::new();
    for event in samples() {
        let tag = event.msg.tag();
        let kind = format!("{:?}", event.kind());
        if event.kind() == EventKind::Unknown {
            assert_eq!(EventMsg::SHAPE.availability(tag), None, "{tag}");
            continue;
        }
        let words: String = tag
            .split('_')
            .map(|word| word[..1].to_uppercase() + &word[1..])
            .collect();
        assert_eq!(kind, words);
        seen.insert(kind);
    }
    assert_eq!(seen.len(), 37);
}

/// The accessors give what the wire holds under the names they read, for every kind.
#[test]
fn accessors() {
    let mut with_call = 0;
    for (event, line) in samples().iter().zip(EVENTS) {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        let msg = &json["msg"];
        let tag = event.msg.tag();
        if event.kind() == EventKind::Unknown {
            assert_eq!((event.msg.call_id(), event.msg.text()), (None, None));
            continue;
        }
        assert_eq!(event.msg.call_id(), msg["call_id"].as_str(), "{tag}");
        with_call += usize::from(event.msg.call_id().is_some());
        let text = ["message", "delta", "text"]
            .iter()
            .find_map(|name| msg[name].as_str());
        assert_eq!(event.msg.text(), text, "{tag}");
        assert_eq!(event.msg.is_delta(), tag.ends_with("_delta"), "{tag}");
        assert_eq!(
            event.msg.is_approval_request(),
            tag.ends_with("_approval_request"),
            "{tag}"
        );
        let ends = ["task_complete", "turn_aborted"].contains(&tag);
        assert_eq!(event.msg.ends_task(), ends, "{tag}");
    }
    assert!(with_call > 10);
}

#[test]
fn a_history_entry_by_either_name() {
    for name in ["session_id", "conversation_id"] {
        let text = format!(r#"{{"{name}":"s","ts":1,"text":"t"}}"#);
        let entry: HistoryEntry = codex_wire::from_str(&text).unwrap();
        assert_eq!(entry.conversation(), Some("s"));
        assert_eq!(codex_wire::to_string(&entry), text);
    }
}
