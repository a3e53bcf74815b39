//! Reading a line of a session file and writing it again loses nothing: recordings of 28 releases,
//! files that several releases wrote, compressed files, samples of what no recording has.

use std::fs;
use std::path::{Path, PathBuf};

use codex_wire::Wire;
use codex_wire::rollout::{EarlyLine, RolloutItem, RolloutLine};
use serde::Serialize;

use crate::support::edits::{self, Random};
use crate::support::files;
use crate::support::tree::{Node, assert_same};

/// The session files of a folder of fixtures; a compressed file stands beside plain ones.
fn session_files(folder: &str) -> Vec<PathBuf> {
    let root = files::root().join("fixtures").join(folder);
    let mut out = files::below(&root, "jsonl");
    out.extend(files::below(&root, "zst"));
    out.retain(|path| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.starts_with("rollout-"))
    });
    assert!(
        out.len() > 40,
        "fixtures/{folder} holds {} files",
        out.len()
    );
    out
}

fn bytes(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).expect("a readable file");
    match path.extension().is_some_and(|extension| extension == "zst") {
        true => zstd::decode_all(bytes.as_slice()).expect("a whole file of zstd"),
        false => bytes,
    }
}

/// All recorded lines with the places to name in messages. Lines end with `\n`; other line
/// separators of Unicode stand inside them.
fn lines(folder: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for path in session_files(folder) {
        let text = String::from_utf8(bytes(&path)).expect("files are UTF-8");
        assert!(text.ends_with('\n'), "{}", files::short(&path));
        for (index, line) in text.split_terminator('\n').enumerate() {
            let place = format!("{}:{}", files::short(&path), index + 1);
            out.push((place, line.to_owned()));
        }
    }
    out
}

#[track_caller]
fn comes_back<T: Wire + Serialize>(place: &str, line: &str) -> T {
    let value: T = codex_wire::from_str(line).unwrap_or_else(|error| panic!("{place}: {error}"));
    let written = codex_wire::to_string(&value);
    assert!(
        written == line,
        "{place}\nread    {line}\nwritten {written}"
    );
    value
}

/// Whether a line has the envelope of 0.34.0 and later.
fn has_envelope(line: &str) -> bool {
    line.starts_with(r#"{"timestamp":"#)
}

/// Whether a value holds a kind, value, shape or member that the types do not know. The derived
/// `Debug` names them all alike.
fn unknown_parts(value: &impl std::fmt::Debug) -> Option<String> {
    let text = format!("{value:?}");
    ["Unknown(", "Extra([("].iter().find_map(|sign| {
        let at = text.find(sign)?;
        Some(text[at..].chars().take(120).collect())
    })
}

#[test]
fn every_recorded_line_comes_back_byte_for_byte() {
    for folder in ["rollout", "rollout-cross"] {
        let (mut early, mut late) = (0, 0);
        for (place, line) in lines(folder) {
            if has_envelope(&line) {
                let read: RolloutLine = comes_back(&place, &line);
                assert_eq!(unknown_parts(&read), None, "{place}\n{line}");
                late += 1;
            } else {
                let read: EarlyLine = comes_back(&place, &line);
                assert_eq!(unknown_parts(&read), None, "{place}\n{line}");
                early += 1;
            }
        }
        assert!(late > 500, "{late} lines of fixtures/{folder}");
        assert!(early > 5, "{early} early lines of fixtures/{folder}");
    }
}

/// Kinds, members and values that no recording has come back too, and are known.
const SAMPLES: &[&str] = &[
    r#"{"timestamp":"t","type":"session_meta","payload":{"id":"a","timestamp":"t","cwd":"/w","originator":"o","cli_version":"0.169.0","source":{"custom":"desk"},"selected_capability_roots":[{"root":"/r"}],"git":{"commit_hash":"c","repository_url":"https://example.invalid"}}}"#,
    r#"{"timestamp":"t","type":"session_meta","payload":{"id":"a","timestamp":"t","cwd":"/w","originator":"o","cli_version":"0.169.0","source":{"subagent":{"other":"x"}},"base_instructions":null,"dynamic_tools":[{"type":"namespace","name":"n","description":"d","tools":[{"type":"function","name":"f","description":"d","inputSchema":{},"deferLoading":true}]}]}}"#,
    r#"{"timestamp":"t","type":"response_item","payload":{"type":"local_shell_call","call_id":null,"status":"completed","action":{"type":"exec","command":["ls"],"timeout_ms":null,"working_directory":null,"env":null,"user":null}}}"#,
    r#"{"timestamp":"t","type":"response_item","payload":{"type":"tool_search_call","call_id":"c","status":"completed","execution":"client","arguments":{"query":"q"}}}"#,
    r#"{"timestamp":"t","type":"response_item","payload":{"type":"tool_search_output","call_id":"c","status":"completed","execution":"client","tools":[{"name":"t"}]}}"#,
    r#"{"timestamp":"t","type":"response_item","payload":{"type":"image_generation_call","id":"i","status":"completed","revised_prompt":"p","result":"aGk="}}"#,
    r#"{"timestamp":"t","type":"response_item","payload":{"type":"compaction","id":"i","encrypted_content":"x"}}"#,
    r#"{"timestamp":"t","type":"response_item","payload":{"type":"compaction_trigger"}}"#,
    r#"{"timestamp":"t","type":"response_item","payload":{"type":"context_compaction","encrypted_content":"x"}}"#,
    r#"{"timestamp":"t","type":"response_item","payload":{"type":"configuration_update","reasoning":{"effort":"high"}}}"#,
    r#"{"timestamp":"t","type":"response_item","payload":{"type":"additional_tools","role":"developer","tools":[{"type":"function"}]}}"#,
    r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_audio","audio_url":"data:audio/wav;base64,"},{"type":"input_image","file_id":"f","detail":"low"}],"end_turn":true,"phase":"final_answer"}}"#,
    r#"{"timestamp":"t","type":"turn_context","payload":{"cwd":"/w","approval_policy":"on-failure","sandbox_policy":{"mode":"workspace-write","network_access":true,"exclude_tmpdir_env_var":false,"exclude_slash_tmp":false},"model":"m","effort":"minimal","summary":"concise"}}"#,
    r#"{"timestamp":"t","type":"turn_context","payload":{"cwd":"/w","approval_policy":"never","sandbox_policy":{"type":"external-sandbox","network_access":"enabled"},"network":{"allowed_domains":["a"],"denied_domains":[]},"model":"m","collaboration_mode":{"mode":"plan","settings":{"model":"m","reasoning_effort":null,"developer_instructions":null}},"multi_agent_mode":{"custom":"as you like"},"summary":"none","truncation_policy":{"mode":"bytes","limit":10000}}}"#,
    r#"{"timestamp":"t","ordinal":3,"type":"retained_context","payload":{"type":"verified_answer","turn_id":"t","call_id":"c","questions":[{"question":"q","answer":"a"}],"acceptance_order":2}}"#,
    r#"{"timestamp":"t","ordinal":3,"type":"security_risk_score","payload":{"scores":{"a":0.5}}}"#,
    r#"{"timestamp":"t","ordinal":3,"type":"realtime_item","payload":{"id":"i"}}"#,
    r#"{"timestamp":"t","ordinal":3,"type":"dynamic_tools_updated","payload":{"tools":[]}}"#,
    r#"{"timestamp":"t","type":"compacted","payload":{"message":"m","window_id":3}}"#,
];

#[test]
fn what_is_not_recorded_comes_back_too() {
    for line in SAMPLES {
        let read: RolloutLine = comes_back("sample", line);
        assert_eq!(unknown_parts(&read), None, "{line}");
    }
}

/// What no release has written yet: records, kinds, values and members.
const UNKNOWN: &[&str] = &[
    r#"{"timestamp":"t","type":"of_the_future","payload":{"a":[1,2.50]},"later":null}"#,
    r#"{"timestamp":"t","type":"of_the_future","payload":7}"#,
    r#"{"timestamp":"t","type":"of_the_future"}"#,
    r#"{"timestamp":"t","type":"response_item","payload":{"type":"of_the_future","a":1}}"#,
    r#"{"timestamp":"t","type":"event_msg","payload":{"type":"of_the_future","a":1}}"#,
    r#"{"timestamp":"t","type":"world_state","payload":{"full":true,"state":{"x":null,"y":[1e9]},"z":0}}"#,
    r#"{"timestamp":"t","type":"session_meta","payload":{"id":"a","timestamp":"t","cwd":"/w","originator":"o","cli_version":"1.0.0","source":{"moon":1},"history_mode":"woven"}}"#,
];

#[test]
fn the_unknown_is_kept() {
    for line in UNKNOWN {
        let read: RolloutLine = comes_back("unknown", line);
        let last = line.contains("\"world_state\"");
        assert!(last || unknown_parts(&read).is_some(), "{line}");
    }
    let early: EarlyLine = comes_back("unknown", r#"{"of":"the future"}"#);
    assert!(matches!(early, EarlyLine::Unknown(_)));
    let early: EarlyLine = comes_back("unknown", r#"{"record_type":"new","more":1}"#);
    assert!(matches!(early, EarlyLine::Record(_)));
}

/// 0.169.0 writes a member of `turn_context` at another place than all releases before.
#[test]
fn members_come_back_in_the_order_they_came() {
    let early = r#"{"timestamp":"t","type":"turn_context","payload":{"cwd":"/w","approval_policy":"never","sandbox_policy":{"type":"read-only"},"model":"m","summary":"auto"}}"#;
    let late = r#"{"timestamp":"t","type":"turn_context","payload":{"cwd":"/w","approval_policy":"never","model":"m","summary":"auto","sandbox_policy":{"type":"read-only"}}}"#;
    let (a, b): (RolloutLine, RolloutLine) = (comes_back("early", early), comes_back("late", late));
    assert_eq!(a, b, "order is not part of a value");
    let RolloutItem::TurnContext(mut context) = b.item else {
        panic!("a turn context");
    };
    // What is set by hand stands behind what was read.
    context.turn_id = codex_wire::Maybe::Value("t-1".to_owned());
    let written = codex_wire::to_string(&context);
    assert!(
        written.ends_with(r#""sandbox_policy":{"type":"read-only"},"turn_id":"t-1"}"#),
        "{written}"
    );
}

#[test]
fn white_space_does_not_matter() {
    let mut random = Random::new(7);
    for (place, line) in lines("rollout").iter().step_by(41) {
        let node = Node::parse(line).expect("JSON");
        let spaced = node.write(&mut || edits::odd_space(&mut random));
        let read = match has_envelope(line) {
            true => codex_wire::from_str::<RolloutLine>(&spaced)
                .map(|read| codex_wire::to_string(&read)),
            false => {
                codex_wire::from_str::<EarlyLine>(&spaced).map(|read| codex_wire::to_string(&read))
            }
        };
        let written = read.unwrap_or_else(|error| panic!("{place}: {error}"));
        assert_same(&written, &spaced);
    }
}
