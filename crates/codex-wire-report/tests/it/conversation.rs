//! Conversations as text: what is filtered, and what is summed up.

use codex_wire_check::{Checker, Options};
use codex_wire_report::conversation::Form;
use codex_wire_report::{Conversation, ConversationOptions};
use serde_json::json;

/// A command fails, and then Codex.
const FAILED: &str = r#"{"kind":"start","transcript":1,"protocol":"exec","release":"0.169.0"}
{"kind":"line","from":"codex","line":"{\"type\":\"thread.started\",\"thread_id\":\"t\"}"}
{"kind":"line","from":"codex","line":"{\"type\":\"turn.started\"}"}
{"kind":"line","from":"codex","line":"{\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\",\"type\":\"command_execution\",\"command\":\"false\",\"aggregated_output\":\"\",\"exit_code\":2,\"status\":\"failed\"}}"}
{"kind":"exit","status":1}
"#;

fn show(input: &str, change: impl Fn(&mut ConversationOptions)) -> String {
    let mut options = ConversationOptions::new();
    change(&mut options);
    let mut out = Vec::new();
    let mut conversation = Conversation::new("a.jsonl", &options, &mut out);
    let outcome = Checker::new(Options::new())
        .unwrap()
        .observe("a.jsonl", input.as_bytes(), |step| conversation.step(step))
        .unwrap();
    conversation.finish(&outcome).unwrap();
    String::from_utf8(out).unwrap()
}

/// Rules of findings beyond the limit are not known.
#[test]
fn findings_beyond_the_limit_are_counted() {
    let broken = r#"{"type":"item.completed","item":{"id":1}}"#;
    let input = format!("{}\n", FAILED.lines().nth(1).unwrap());
    let record = json!({"kind": "line", "from": "codex", "line": broken}).to_string() + "\n";
    let input = input + &record.repeat(1200);
    for form in [Form::Text, Form::Markdown, Form::Html] {
        let text = show(&input, |options| options.form = form);
        let more = text.split_once(" more, beyond the 1,000 whose rules are counted");
        assert!(more.is_some(), "{text:.3000}");
    }
}

fn grep(pattern: &str) -> String {
    show(FAILED, |options| options.grep = Some(pattern.to_owned()))
}

#[test]
fn the_exit_is_filtered_like_all_else() {
    let exit = "exit        status 1";
    assert!(show(FAILED, |_| {}).contains(exit));
    assert!(grep("status 1").contains(exit));
    assert!(!grep("walrus").contains(exit));
    let of_turn = show(FAILED, |options| options.turns = vec!["7".parse().unwrap()]);
    assert!(!of_turn.contains(exit));
}

#[test]
fn what_stands_beside_a_title_is_searched() {
    assert!(grep("exit 2").contains("command     false"));
    assert!(!grep("exit 3").contains("command     false"));
}

/// The first thread has a turn without items, which used tokens. The second one has only begun.
#[test]
fn turns_without_items_are_shown() {
    let input = r#"{"type":"thread.started","thread_id":"one"}
{"type":"turn.started"}
{"type":"turn.completed","usage":{"input_tokens":1200,"cached_input_tokens":1000,"output_tokens":34}}
{"type":"thread.started","thread_id":"two"}
{"type":"turn.started"}
"#;
    let text = show(input, |_| {});
    let lines = text.lines().filter(|line| !line.is_empty());
    let words: Vec<&str> = lines
        .map(|line| line.trim_matches(['━', '─', ' ']))
        .collect();
    assert_eq!(
        words[..6],
        [
            "Thread one",
            "exec",
            "Turn 1",
            "completed   tokens 1,200 in (1,000 cached), 34 out",
            "Thread two",
            "exec",
        ]
    );
}

/// A line that was taken out or added may begin as the names of the file do.
#[test]
fn lines_of_a_diff_are_counted_in_its_hunks() {
    for (diff, counted) in [
        (r"@@ -1,2 +1,3 @@\n ctx\n--- a\n+++ b\n+new\n", "a (+2 −1)"),
        (r"--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n", "a (+1 −1)"),
    ] {
        let change = format!(r#"{{"path":"a","kind":{{"type":"update"}},"diff":"{diff}"}}"#);
        let item = format!(
            r#"{{"type":"fileChange","id":"c","status":"completed","changes":[{change}]}}"#
        );
        let params = format!(r#"{{"threadId":"t","turnId":"u","item":{item}}}"#);
        let text = show(
            &format!(r#"{{"method":"item/completed","params":{params}}}"#),
            |_| {},
        );
        assert!(text.contains(counted), "{text}");
    }
}

/// Two turns of one thread, then one of another.
#[test]
fn each_thread_with_several_turns_has_its_sum() {
    let mut input = String::new();
    for (thread, turn) in [("a", "one"), ("a", "two"), ("b", "three")] {
        let ids = format!(r#""threadId":"{thread}","turnId":"{turn}""#);
        let now = |status: &str| {
            let turn = format!(r#"{{"id":"{turn}","items":[],"status":"{status}","error":null}}"#);
            format!(r#"{{"threadId":"{thread}","turn":{turn}}}"#)
        };
        let item = format!(r#"{{"type":"agentMessage","id":"item-{turn}","text":"{turn}"}}"#);
        for (method, params) in [
            ("turn/started", now("inProgress")),
            ("item/completed", format!(r#"{{{ids},"item":{item}}}"#)),
            ("turn/completed", now("completed")),
        ] {
            input.push_str(&format!(
                "{{\"method\":\"{method}\",\"params\":{params}}}\n"
            ));
        }
    }
    let text = show(&input, |_| {});
    let (_, end) = text.split_once("three\n").unwrap();
    let words: Vec<&str> = end.split(['━', '\n']).map(str::trim).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    assert_eq!(words[..3], ["completed", "Thread a", "thread      2 turns"]);
    assert_eq!(end.matches("turns").count(), 1, "{text}");
}

/// The payload of a notification holds no session.
#[test]
fn a_timeline_has_each_finding_once() {
    let payload = r#"{"type":"agent-turn-complete","turn-id":"t"}"#;
    let text = show(payload, |options| options.findings = true);
    assert_eq!(text.matches("`input-messages`").count(), 1, "{text}");
}
