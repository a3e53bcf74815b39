//! The events in recordings of `codex mcp-server` are core events, as far as there is a core protocol.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use codex_wire::{Protocol, Release};
use codex_wire_check::{Checker, Options, Outcome, Profile, Verdict};
use codex_wire_testing::describe;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::support::{fixtures, name, release_of, transcripts, trial};

/// The last release whose events are checked.
const LAST: Release = Release::new(0, 42, 0);

static EXACT: LazyLock<Checker> = LazyLock::new(|| {
    let mut options = Options::new();
    options.profile = Profile::Exact;
    Checker::new(options).unwrap()
});

pub(crate) fn trials() -> Vec<Trial> {
    let of_file = |path: PathBuf| {
        let name = format!("mcp_server::{}", name(&path));
        Trial::test(name, move || conforms(&path))
    };
    let mut trials: Vec<Trial> = transcripts("mcp-server").into_iter().map(of_file).collect();
    trials.extend([
        trial(
            "mcp_server::findings_have_their_place",
            findings_have_their_place,
        ),
        trial("mcp_server::order_is_not_checked", order_is_not_checked),
        trial(
            "mcp_server::nothing_is_checked_by_guess",
            nothing_is_checked_by_guess,
        ),
        trial("mcp_server::anything_can_be_read", anything_can_be_read),
    ]);
    trials
}

/// What Codex wrote, line by line.
fn printed(text: &str) -> Vec<String> {
    let records = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let printed = records.filter(|record| record["from"] == "codex");
    printed
        .map(|record| record["line"].as_str().unwrap().to_owned())
        .collect()
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn check(text: &str) -> Outcome {
    EXACT.check("-", text.as_bytes())
}

/// As a transcript, and as what Codex printed: each event is checked, and nothing is found.
fn conforms(path: &Path) -> Result<(), Failed> {
    let release = release_of(path)?;
    let text = std::fs::read_to_string(path)?;
    let lines = printed(&text);
    let is_event = |line: &&String| line.contains(r#""method":"codex/event""#);
    let events = lines.iter().filter(is_event).count() as u64;
    for text in [text, joined(&lines)] {
        let outcome = check(&text);
        if release > LAST {
            let error = outcome.error.unwrap_or_default();
            assert_eq!(outcome.verdict, Verdict::Unreadable, "{error}");
            assert!(error.ends_with("recognized, but not checked"), "{error}");
            continue;
        }
        assert_eq!(outcome.protocol, Some(Protocol::Core));
        assert_eq!(
            outcome.releases.map(|of| (of.since, of.until)),
            Some((release, release))
        );
        assert_eq!(outcome.messages, events);
        if !outcome.findings.is_empty() || outcome.verdict != Verdict::Conforms {
            return Err(describe(&outcome).into());
        }
    }
    Ok(())
}

fn recorded() -> String {
    let path = fixtures().join("mcp-server/0.40.0/approval.jsonl");
    std::fs::read_to_string(path).unwrap()
}

fn findings_have_their_place() {
    let mut lines = printed(&recorded());
    let at = lines
        .iter()
        .position(|line| line.contains("task_started"))
        .unwrap();
    lines[at] = lines[at].replace("task_started", "task_begun");
    let column = lines[at].find("\"task_begun").unwrap() as u64 + 1;
    let outcome = check(&joined(&lines));
    let [finding] = &outcome.findings[..] else {
        panic!("{}", describe(&outcome));
    };
    assert_eq!(finding.rule.id, "schema/unknown-kind");
    assert_eq!(
        (
            finding.place.line,
            finding.place.column,
            &*finding.place.pointer
        ),
        (at as u64 + 1, column, "/msg/type")
    );
}

/// Two sessions at once: each of their events is right, and each comes when the other is at work.
fn order_is_not_checked() {
    let lines = printed(&recorded());
    let twice: Vec<String> = lines
        .iter()
        .flat_map(|line| [line.clone(), line.clone()])
        .collect();
    let outcome = check(&joined(&twice));
    assert_eq!(outcome.findings, [], "{}", describe(&outcome));
    let reversed: Vec<String> = lines[..1]
        .iter()
        .chain(lines[1..].iter().rev())
        .cloned()
        .collect();
    let outcome = check(&joined(&reversed));
    assert_eq!(outcome.findings, [], "{}", describe(&outcome));
}

/// Without a release nothing is checked, and a stream of another program or protocol is not taken for one.
fn nothing_is_checked_by_guess() {
    let lines = printed(&recorded());
    let outcome = check(&joined(&lines[1..]));
    assert_eq!(outcome.verdict, Verdict::Unreadable);
    assert!(outcome.error.unwrap().contains("`codex mcp-server`"));
    // Of another server of MCP.
    let other: Vec<String> = lines
        .iter()
        .filter(|line| !line.contains("codex/event") && !line.contains("elicitation"))
        .map(|line| line.replace("codex-mcp-server", "another"))
        .collect();
    let outcome = check(&joined(&other));
    assert_eq!(outcome.verdict, Verdict::Unreadable);
    assert!(!outcome.error.unwrap().contains("mcp-server"));
    // An event in a stream of `codex proto` does not turn it into one.
    let core = json!({"id": "1", "msg": {"type": "task_started", "model_context_window": null}});
    let start = json!({"kind": "start", "transcript": 1, "protocol": "core", "release": "0.40.0"});
    let outcome = check(&format!("{start}\n{core}\n{}\n", lines[3]));
    assert_eq!(outcome.messages, 2, "{}", describe(&outcome));
    assert!(!outcome.findings.is_empty());
}

/// Lines that are cut, or that have another byte somewhere.
fn anything_can_be_read() {
    let lines = printed(&recorded());
    let (opening, event) = (&lines[0], &lines[3]);
    assert!(event.contains("codex/event"));
    for at in 0..event.len() {
        let _ = check(&format!("{opening}\n{}\n", &event[..at]));
        for byte in *b"{}[]\",:\\0 \x80" {
            let mut bytes = event.clone().into_bytes();
            bytes[at] = byte;
            let text = [opening.as_bytes(), b"\n", &bytes, b"\n"].concat();
            let outcome = EXACT.check("-", &text[..]);
            assert!(outcome.messages <= 1);
        }
    }
}
