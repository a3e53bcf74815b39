//! Which numbers stay, and which are replaced.

use codex_wire_check::{Checker, Options};
use codex_wire_scrub::{Key, Scrubber};

use crate::findings::found;

fn scrubbed(line: &str) -> String {
    let mut out = Vec::new();
    Scrubber::new(Key::new([5; 16]), &[]).line(line.as_bytes(), &mut out);
    String::from_utf8(out).expect("UTF-8")
}

/// A number that nobody declares. In its place may stand whatever has as many digits.
const SECRET: &str = "4111111111111111";

#[test]
fn numbers_go_where_none_is_declared() {
    for line in [
        // Not messages.
        SECRET,
        "[4111111111111111,[4111111111111111]]",
        // Texts, if they were of the right type.
        r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":4111111111111111}}"#,
        r#"{"type":"turn.failed","error":{"message":4111111111111111}}"#,
        r#"{"type":4111111111111111}"#,
        // No byte of output.
        r#"{"msg":{"type":"exec_command_output_delta","chunk":[104,4111111111111111]}}"#,
        // What a hook prints is of whoever wrote it.
        r#"{"event":"Stop","stdout":"{\"card\":4111111111111111}","exit":0}"#,
        r#"{"event":"Stop","stdout":"[4111111111111111]","exit":0}"#,
        r#"{"event":"Stop","stdout":4111111111111111,"stdin":"4111111111111111","exit":0}"#,
        r#"{"event":"Stop","stdout":"","env":{"CARD":4111111111111111},"exit":0}"#,
        // What a record holds.
        r#"{"kind":"line","from":"codex","line":"4111111111111111"}"#,
        r#"{"kind":"line","from":"codex","line":4111111111111111}"#,
        r#"{"kind":"start","transcript":1,"command":["codex",4111111111111111]}"#,
        // Any JSON.
        r#"{"hook_event_name":"PreToolUse","tool_input":{"card":4111111111111111}}"#,
    ] {
        let new = scrubbed(line);
        assert!(!new.contains(SECRET), "{new}");
        let digits = new.matches(|c: char| c.is_ascii_digit()).count();
        assert!(digits >= SECRET.len(), "{new}");
        let is_json = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
        assert!(is_json(&new), "{new}");
        let found = |line: &str| {
            let checker = Checker::new(Options::new()).expect("options");
            found(&checker.check("-", line.as_bytes()))
        };
        assert_eq!(found(line), found(&new), "{line}\n{new}");
    }
}

#[test]
fn numbers_stay_where_they_count() {
    for line in [
        r#"{"kind":"exit","by":"codex","status":101,"ms":123456789}"#,
        r#"{"kind":"connected","connection":12345,"ms":123456789}"#,
        r#"{"event":"Stop","n":12345,"stdout":"","exit":12345}"#,
        r#"{"type":"turn.completed","usage":{"input_tokens":123456,"cached_input_tokens":0,"output_tokens":12345}}"#,
        // A newer Codex may have it.
        r#"{"type":"turn.completed","usage":{"output_tokens_saved":12345}}"#,
        r#"{"msg":{"type":"exec_command_output_delta","chunk":[300]}}"#,
    ] {
        let numbers = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| !c.is_ascii_digit());
            words
                .filter(|word| word.len() > 2)
                .map(str::to_owned)
                .collect()
        };
        let new = scrubbed(line);
        assert_eq!(numbers(&new), numbers(line), "{new}");
    }
}
