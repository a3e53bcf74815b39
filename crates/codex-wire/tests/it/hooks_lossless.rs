//! Reading what a hook reads or prints, or a payload of `notify`, and writing it again loses nothing:
//! all recordings, and samples of what no recording has.

use std::collections::BTreeSet;
use std::path::PathBuf;

use codex_wire::Wire;
use codex_wire::hooks::{HookCommandOutput, HookInput, HookOutput};
use codex_wire::json::Raw;
use codex_wire::notify::UserNotification;
use serde::Serialize;
use serde_json::Value;

use crate::support::files;
use crate::support::tree::assert_same;

#[track_caller]
fn comes_back<T: Wire + Serialize>(place: &str, text: &str) -> T {
    let value: T = codex_wire::from_str(text).unwrap_or_else(|error| panic!("{place}: {error}"));
    let written = codex_wire::to_string(&value);
    assert!(
        written == text,
        "{place}\nread    {text}\nwritten {written}"
    );
    value
}

/// Whether a value holds a kind, value, shape or member that the types do not know. The derived
/// `Debug` names them all alike; the name of a tool is any text.
fn unknown_parts(value: &impl std::fmt::Debug) -> Option<String> {
    let text = format!("{value:?}").replace("tool_name: Unknown(", "tool_name: (");
    ["Unknown(", "Extra([("].iter().find_map(|sign| {
        let at = text.find(sign)?;
        Some(text[at..].chars().take(120).collect())
    })
}

/// The lines of all files below these folders.
fn lines(folders: &[&str], is_meant: fn(&PathBuf) -> bool) -> Vec<(String, String)> {
    let root = files::root().join("fixtures");
    let files = folders
        .iter()
        .flat_map(|folder| files::below(&root.join(folder), "jsonl"));
    files
        .filter(is_meant)
        .flat_map(|path| files::lines(&path))
        .collect()
}

#[test]
fn every_recorded_input_comes_back_byte_for_byte() {
    let mut events = BTreeSet::new();
    let mut inputs = 0;
    for (place, line) in lines(&["hooks"], |_| true) {
        let run: Value = serde_json::from_str(&line).expect("JSON");
        let text = run["stdin"].as_str().expect("a text");
        let input: HookInput = comes_back(&place, text);
        assert_eq!(unknown_parts(&input), None, "{place}");
        assert_eq!(run["event"], input.event(), "{place}");
        events.insert(input.event().to_owned());
        inputs += 1;
    }
    assert!(inputs > 2_000, "{inputs} inputs");
    assert_eq!(events.len(), 12, "{events:?}");
}

/// Codex takes `null` for what is absent, and its schema does not; the types read no other type
/// than the schema has. What they cannot read, Codex has refused.
#[test]
fn every_recorded_output_comes_back() {
    let (mut read, mut refused) = (0, 0);
    for (place, line) in lines(&["hooks", "hooks-outcomes"], |_| true) {
        let run: Value = serde_json::from_str(&line).expect("JSON");
        let (event, text) = (run["event"].as_str(), run["stdout"].as_str());
        let (event, text) = (event.expect("a text"), text.expect("a text"));
        // Only an object is an output.
        if serde_json::from_str::<Value>(text).map_or(true, |value| !value.is_object()) {
            continue;
        }
        let raw: Raw = codex_wire::from_str(text).expect("JSON");
        match HookCommandOutput::from_parts(event, Some(&raw)) {
            Ok(output) => {
                let whole = format!(r#"{{"hook_event_name":"{event}","output":{text}}}"#);
                let with_event: HookOutput = codex_wire::from_str(&whole).expect("both read it");
                assert_eq!(with_event.output, output, "{place}");
                assert_same(&codex_wire::to_string(&with_event), &whole);
                read += 1;
            }
            Err(error) => {
                let has_null = text.contains("null");
                let status = run["status"].as_str();
                assert!(
                    has_null || status.is_none_or(|status| status == "failed"),
                    "{place}: {text}: {error}"
                );
                refused += 1;
            }
        }
    }
    assert!(read > 1_500, "{read} outputs");
    assert!(refused * 4 < read, "{refused} of {read} outputs");
}

#[test]
fn every_recorded_payload_of_notify_comes_back_byte_for_byte() {
    let mut payloads = 0;
    let is_notify = |path: &PathBuf| {
        let is_own = path
            .parent()
            .is_some_and(|parent| parent.ends_with("fixtures/notify"));
        is_own || path.ends_with("notify.jsonl")
    };
    for (place, line) in lines(&["notify", "rollout", "rollout-cross"], is_notify) {
        // Runs kept whole have all arguments of the program; the payload is the last.
        let record: Value = serde_json::from_str(&line).expect("JSON");
        let text = match record["argv"].as_array().and_then(|all| all.last()) {
            Some(last) => last.as_str().expect("a text"),
            None => &line,
        };
        let payload: UserNotification = comes_back(&place, text);
        assert_eq!(unknown_parts(&payload), None, "{place}");
        payloads += 1;
    }
    assert!(payloads > 800, "{payloads} payloads");
}

#[test]
fn what_is_not_recorded_comes_back_too() {
    for text in [
        r#"{"session_id":"s","transcript_path":null,"cwd":"/","hook_event_name":"SessionStart","model":"m","permission_mode":"plan","source":"fork"}"#,
        r#"{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/","hook_event_name":"Stop","model":"m","permission_mode":"dontAsk","stop_hook_active":false,"last_assistant_message":null}"#,
    ] {
        let input: HookInput = comes_back("sample", text);
        assert_eq!(unknown_parts(&input), None, "{text}");
    }
}

#[test]
fn the_unknown_is_kept() {
    // Where the name of an unknown event stands is not known.
    let text = r#"{"session_id":"s","hook_event_name":"OfTheFuture","a":[1,2.50]}"#;
    let input: HookInput = codex_wire::from_str(text).expect("an unknown event");
    assert!(unknown_parts(&input).is_some());
    assert_same(&codex_wire::to_string(&input), text);
    let input: HookInput = comes_back(
        "unknown",
        r#"{"session_id":"s","transcript_path":null,"cwd":"/","hook_event_name":"SessionStart","model":"m","permission_mode":"moonlit","source":"startup","later":1e9}"#,
    );
    assert!(unknown_parts(&input).is_some());
    let output: HookOutput = comes_back(
        "unknown",
        r#"{"hook_event_name":"Stop","output":{"decision":"delay","later":1}}"#,
    );
    assert!(unknown_parts(&output).is_some());
    let payload: UserNotification = comes_back("unknown", r#"{"type":"of-the-future","a-b":null}"#);
    assert!(unknown_parts(&payload).is_some());
}
