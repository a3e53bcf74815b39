//! What sessions used, as a page.

use codex_wire_report::usage::{write_usage_csv, write_usage_html, write_usage_json};
use codex_wire_session::Reader;
use codex_wire_session::usage::{Key, Prices, Query, Table, Usage};

use crate::golden;
use crate::html::HOSTILE;
use crate::html_reader::{elements, read};

/// The table of runs, each on a day of its own and with its own model.
fn table(query: Query, models: &[&str]) -> Table {
    let mut usage = Usage::new(query);
    for (at, model) in models.iter().enumerate() {
        let day = at + 1;
        let time = |second: usize| format!("2026-11-{day:02}T10:00:{second:02}.000Z");
        let id = format!("01a203d1-410a-7c02-87aa-5ce0a5ee2d{day:02}");
        let lines = [
            serde_json::json!({"timestamp": time(0), "type": "session_meta", "payload": {
                "id": id, "timestamp": time(0), "cwd": "/w", "originator": "codex_exec", "cli_version": "0.169.0",
            }}),
            serde_json::json!({"timestamp": time(1), "type": "event_msg", "payload": {
                "type": "task_started", "turn_id": "1", "model_context_window": 1000,
            }}),
            serde_json::json!({"timestamp": time(1), "type": "turn_context", "payload": {
                "turn_id": "1", "cwd": "/w", "approval_policy": "never", "sandbox_policy": {"type": "read-only"},
                "model": model, "summary": "auto",
            }}),
            serde_json::json!({"timestamp": time(2), "type": "event_msg", "payload": {
                "type": "token_count", "info": {
                    "total_token_usage": {"input_tokens": 1000 * day, "cached_input_tokens": 400 * day,
                        "output_tokens": 50, "reasoning_output_tokens": 10, "total_tokens": 1000 * day + 50},
                    "last_token_usage": {"input_tokens": 1000 * day, "cached_input_tokens": 400 * day,
                        "output_tokens": 50, "reasoning_output_tokens": 10, "total_tokens": 1000 * day + 50},
                    "model_context_window": 1000,
                },
            }}),
            serde_json::json!({"timestamp": time(3), "type": "event_msg", "payload": {
                "type": "task_complete", "turn_id": "1", "last_agent_message": null,
            }}),
        ];
        let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
        let name = format!("{at}.jsonl");
        usage
            .read(&Reader::new(), &name, lines.concat().as_bytes())
            .unwrap();
    }
    usage.finish()
}

fn page(table: &Table) -> String {
    let mut out = Vec::new();
    write_usage_html(&mut out, table).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn days_as_a_page() {
    let query = Query::new().by(Key::Day).prices(Prices::included());
    let html = page(&table(query, &["gpt-5", "gpt-5", "gpt-5"]));
    read(&html);
    let (_, body) = html.split_once("</style>\n</head>\n").unwrap();
    golden::check("usage-days.html", body);
}

#[test]
fn hostile_names_change_no_element_of_a_table() {
    let by_model = |models: &[&str]| page(&table(Query::new().by(Key::Model), models));
    let plain = read(&by_model(&["gpt-5", "a b"]));
    for hostile in HOSTILE {
        let page = read(&by_model(&["gpt-5", hostile]));
        assert_eq!(elements(&page), elements(&plain), "{hostile:?}");
        assert_eq!(page.classes, plain.classes, "{hostile:?}");
    }
    let hostile = "<b>&\"'";
    assert!(read(&by_model(&["gpt-5", hostile])).text.contains(hostile));
}

/// Of two calls one has no answer, so that nothing says how long it took.
#[test]
fn the_mean_is_of_calls_with_a_known_duration() {
    let line = |second: u8, kind: &str, payload: serde_json::Value| {
        let time = format!("2026-11-01T10:00:0{second}.000Z");
        let line = serde_json::json!({"timestamp": time, "type": kind, "payload": payload});
        format!("{line}\n")
    };
    let call = |id: &str| {
        let arguments = r#"{"command":["ls"]}"#;
        let call = serde_json::json!({"type": "function_call", "name": "shell", "arguments": arguments, "call_id": id});
        line(1, "response_item", call)
    };
    let text = [
        line(
            0,
            "session_meta",
            serde_json::json!({"id": "01a203d1-410a-7c02-87aa-5ce0a5ee2d82", "timestamp": "2026-11-01T10:00:00.000Z",
            "cwd": "/w", "originator": "codex_exec", "cli_version": "0.169.0"}),
        ),
        line(
            0,
            "event_msg",
            serde_json::json!({"type": "task_started", "turn_id": "1", "model_context_window": 1000}),
        ),
        call("a"),
        call("b"),
        line(
            9,
            "response_item",
            serde_json::json!({"type": "function_call_output", "call_id": "a", "output": "x"}),
        ),
    ];
    let mut usage = Usage::new(Query::new().by(Key::Tool));
    let read = usage.read(&Reader::new(), "a.jsonl", text.concat().as_bytes());
    read.unwrap();
    let mut out = Vec::new();
    write_usage_csv(&mut out, &usage.finish()).unwrap();
    let csv = String::from_utf8(out).unwrap();
    assert_eq!(
        csv,
        "tool,calls,failed,time,mean,longest\r\ncommand,2,0,8000,8000,8000\r\n"
    );
}

/// Names may hold what steers a terminal: JSON has it as escapes, and the same value.
#[test]
fn json_has_no_signs_that_steer_a_terminal() {
    let name = "a\u{9b}31m\u{202e}b";
    let mut out = Vec::new();
    write_usage_json(&mut out, &table(Query::new().by(Key::Model), &[name])).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains(r"a\u009b31m\u202eb"), "{text}");
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["rows"][0]["keys"][0], name);
}
