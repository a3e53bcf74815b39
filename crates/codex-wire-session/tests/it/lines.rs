//! What single lines hold, where no recording has such lines.

use codex_wire_session::usage::{Key, Query, Usage};
use codex_wire_session::{Body, Item, Reader};

const FILE: &str = r#"{"timestamp":"2026-11-25T21:38:58.233Z","type":"session_meta","payload":{"id":"01a214a5-c637-7de2-ac06-20a247d20951","timestamp":"2026-11-25T21:38:58.233Z","cwd":"/","originator":"o","cli_version":"0.171.0","source":"exec"}}
{"timestamp":"2026-11-25T21:38:58.233Z","type":"event_msg","payload":{"type":"task_started","turn_id":"u1"}}
"#;

/// The items of the turns of a session.
fn items(text: &str) -> Vec<Item> {
    let session = Reader::new().read("input", text.as_bytes());
    let threads = session.expect("a session").threads;
    let turns = threads.into_iter().flat_map(|thread| thread.turns);
    turns.flat_map(|turn| turn.items).collect()
}

/// The answer of a tool may begin as a heading of Codex does.
#[test]
fn answers_that_begin_like_a_heading_are_whole() {
    for answer in [
        "Command: ls -l\nLists files.",
        "Exit code: see below\nMore.",
        "Wall time: 3 seconds",
    ] {
        let line = |payload: serde_json::Value| {
            let line = serde_json::json!({"timestamp": "2026-11-25T21:38:58.233Z", "type": "response_item", "payload": payload});
            format!("{line}\n")
        };
        let text = [
            FILE.to_owned(),
            line(
                serde_json::json!({"type": "function_call", "name": "shell", "arguments": "{\"command\":[\"cat\",\"f\"]}", "call_id": "c"}),
            ),
            line(
                serde_json::json!({"type": "function_call_output", "call_id": "c", "output": answer}),
            ),
        ];
        let items = items(&text.concat());
        let [
            Item {
                body: Body::Command(command),
                ..
            },
        ] = &items[..]
        else {
            panic!("{items:?}");
        };
        assert_eq!(command.output.as_deref(), Some(answer));
        assert_eq!(command.exit_code, None, "{answer}");
    }
}

/// The folders of items are addresses since 0.150.1.
#[test]
fn folders_are_paths() {
    for (address, path) in [
        ("/a%20b", "/a%20b"),
        ("file:///a%20b/%C3%BC", "/a b/\u{fc}"),
        ("file:///C:/a%20b", "C:/a b"),
        ("file:///100%", "/100%"),
        ("file://server/share", "//server/share"),
    ] {
        let line = format!(
            r#"{{"timestamp":"2026-11-25T21:38:58.233Z","type":"event_msg","payload":{{"type":"item_completed","thread_id":"01a214a5-c637-7de2-ac06-20a247d20951","turn_id":"u1","item":{{"type":"CommandExecution","id":"c","command":["ls"],"cwd":"{address}","status":"completed","exit_code":0,"aggregated_output":""}}}}}}"#
        );
        let items = items(&format!("{FILE}{line}\n"));
        let [
            Item {
                body: Body::Command(command),
                ..
            },
        ] = &items[..]
        else {
            panic!("{items:?}");
        };
        assert_eq!(command.cwd.as_deref(), Some(path), "{address}");
    }
}

/// The end of an item comes after its turn was handed out.
#[test]
fn a_late_item_makes_no_turn() {
    let mut lines =
        vec![r#"{"method":"thread/started","params":{"thread":{"id":"th"}}}"#.to_owned()];
    let item = |method: &str, turn: usize, status: &str| {
        format!(
            r#"{{"method":"item/{method}","params":{{"threadId":"th","turnId":"t{turn}","item":{{"type":"commandExecution","id":"c{turn}","command":"x","cwd":"/","status":"{status}"}}}}}}"#
        )
    };
    for turn in 1..=6 {
        lines.push(format!(
            r#"{{"method":"turn/started","params":{{"threadId":"th","turn":{{"id":"t{turn}","items":[],"status":"inProgress","error":null}}}}}}"#
        ));
        lines.push(item("started", turn, "inProgress"));
        if turn > 1 {
            lines.push(item("completed", turn, "completed"));
        }
        lines.push(format!(
            r#"{{"method":"turn/completed","params":{{"threadId":"th","turn":{{"id":"t{turn}","items":[],"status":"completed","error":null}}}}}}"#
        ));
    }
    lines.push(item("completed", 1, "completed"));
    let text = lines.join("\n");
    assert_eq!(items(&text).len(), 6);
    let mut usage = Usage::new(Query::new().by(Key::Thread));
    let read = usage.read(&Reader::new(), "late", text.as_bytes());
    read.expect("a session");
    let total = usage.finish().total;
    assert_eq!((total.turns, total.calls), (6, 6));
}

/// The end of a turn that was handed out is said again.
#[test]
fn a_late_end_ends_no_other_turn() {
    let turn = |method: &str, turn: usize, status: &str| {
        format!(
            r#"{{"method":"turn/{method}","params":{{"threadId":"th","turn":{{"id":"t{turn}","items":[],"status":"{status}","error":null}}}}}}"#
        )
    };
    let mut lines =
        vec![r#"{"method":"thread/started","params":{"thread":{"id":"th"}}}"#.to_owned()];
    for number in 1..=6 {
        lines.push(turn("started", number, "inProgress"));
        lines.push(turn("completed", number, "completed"));
    }
    lines.push(turn("started", 7, "inProgress"));
    lines.push(turn("completed", 1, "completed"));
    let mut usage = Usage::new(Query::new().by(Key::Status));
    let read = usage.read(&Reader::new(), "late", lines.join("\n").as_bytes());
    read.expect("a session");
    let rows = usage.finish().rows;
    let mut turns: Vec<_> = rows
        .iter()
        .map(|row| (&*row.keys[0], row.sums.turns))
        .collect();
    turns.sort_unstable();
    assert_eq!(turns, [("completed", 6), ("unfinished", 1)]);
}
