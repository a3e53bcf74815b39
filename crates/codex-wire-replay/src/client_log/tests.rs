//! The published schema is that of the types, and both sides of a connection say what a client does.

use std::path::Path;

use codex_wire_base::Protocol;
use golden_files::assert_file;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::{ClientEvent, ClientTalk};

#[test]
fn the_published_schema_is_that_of_the_types() {
    let generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let mut schema = json!(generator.into_root_schema_for::<ClientEvent>());
    without_formats(&mut schema);
    schema["$id"] = format!("{}client-log.json", codex_wire_schema::BASE).into();
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../codex-wire-schema/src/own/client-log.json");
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text.push('\n');
    assert_file(&path, &text);
}

/// Formats of numbers are not standard; their bounds stand beside them.
fn without_formats(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.retain(|name, value| name != "format" || !value.is_string());
            members.values_mut().for_each(without_formats);
        }
        Value::Array(elements) => elements.iter_mut().for_each(without_formats),
        _ => {}
    }
}

/// What is said, as lines that begin with `<` (the client) or `>`, and what a client does, as JSON without its lines.
fn heard(protocol: Protocol, lines: &[(char, Value)]) -> Vec<Value> {
    let mut talk = ClientTalk::new(protocol, "/workspace/project");
    let mut done = Vec::new();
    for (from, message) in lines {
        let line = message.to_string();
        match from {
            '>' => done.extend(talk.codex(line.as_bytes())),
            _ => done.extend(talk.client(line.as_bytes())),
        }
    }
    let events = done
        .into_iter()
        .map(|action| json!(ClientEvent::new(7, action)));
    events.filter(|event| event["event"] != "sent").collect()
}

#[test]
fn a_client_of_the_app_server() {
    let ask = |id: u64, method: &str, params: Value| {
        (
            '>',
            json!({"id": id, "method": format!("item/{method}"), "params": params}),
        )
    };
    let say = |id: u64, result: Value| ('<', json!({"id": id, "result": result}));
    let change = |path: &str| json!({"path": path, "kind": {"type": "add"}});
    let changes = [change("/workspace/project/src/a.rs"), change("/etc/hosts")];
    let item = json!({"type": "fileChange", "id": "call_2", "changes": changes});
    let questions = json!([{"id": "q", "question": "Which color?"}]);
    let input = json!([{"type": "text", "text": "Go."}, {"type": "image", "url": "x"}]);
    let heard = heard(
        Protocol::AppServer,
        &[
            (
                '<',
                json!({"id": 1, "method": "turn/start", "params": {"threadId": "t", "input": input}}),
            ),
            ('>', json!({"id": 1, "result": {"turn": {"id": "u"}}})),
            ask(
                0,
                "commandExecution/requestApproval",
                json!({"itemId": "call_1", "command": "/bin/bash -lc 'rm -rf build'"}),
            ),
            say(0, json!({"decision": "decline"})),
            // There was no such question.
            say(0, json!({"decision": "accept"})),
            (
                '>',
                json!({"method": "item/started", "params": {"item": item}}),
            ),
            ask(1, "fileChange/requestApproval", json!({"itemId": "call_2"})),
            say(1, json!({"decision": "acceptForSession"})),
            ask(2, "tool/requestUserInput", json!({"questions": questions})),
            say(2, json!({"answers": {"q": {"answers": ["Red"]}}})),
            (
                '<',
                json!({"id": 2, "method": "turn/interrupt", "params": {"threadId": "t", "turnId": "u"}}),
            ),
        ],
    );
    let files = ["src/a.rs", "/etc/hosts"];
    assert_eq!(
        heard,
        [
            json!({"event": "prompt", "pid": 7, "thread_id": "t", "text": "Go."}),
            json!({"event": "approval", "pid": 7, "kind": "command", "command": "rm -rf build", "decision": "decline"}),
            json!({"event": "approval", "pid": 7, "kind": "patch", "files": files, "decision": "acceptForSession"}),
            json!({"event": "answer", "pid": 7, "question": "Which color?", "answers": ["Red"]}),
            json!({"event": "interrupted", "pid": 7, "thread_id": "t", "turn_id": "u"}),
        ]
    );
}

#[test]
fn old_ways_to_ask() {
    let words = json!(["bash", "-lc", "ls -a"]);
    let asked = |method: &str, params: Value| {
        let request = json!({"id": 0, "method": method, "params": params});
        let answer = json!({"id": 0, "result": {"decision": "denied"}});
        let heard = heard(Protocol::AppServer, &[('>', request), ('<', answer)]);
        (heard[0]["command"].clone(), heard[0]["files"].clone())
    };
    let command = asked("execCommandApproval", json!({"command": words}));
    assert_eq!(command, ("ls -a".into(), Value::Null));
    let changes = json!({"/workspace/project/a": {"add": {}}});
    let patch = asked("applyPatchApproval", json!({"fileChanges": changes}));
    assert_eq!(patch, (Value::Null, json!(["a"])));
    // A program without a shell is shown as one would write it.
    let plain = asked("execCommandApproval", json!({"command": ["rm", "a b"]}));
    assert_eq!(plain.0, "rm 'a b'");
    let heard = heard(
        Protocol::Core,
        &[
            (
                '<',
                json!({"id": "1", "op": {"type": "user_input", "items": [{"type": "text", "text": "Go."}]}}),
            ),
            (
                '>',
                json!({"id": "1", "msg": {"type": "exec_approval_request", "call_id": "c", "command": words}}),
            ),
            (
                '<',
                json!({"id": "2", "op": {"type": "exec_approval", "id": "1", "decision": "approved"}}),
            ),
            ('<', json!({"id": "3", "op": {"type": "interrupt"}})),
        ],
    );
    let kinds: Vec<&Value> = heard.iter().map(|event| &event["event"]).collect();
    assert_eq!(kinds, ["prompt", "approval", "interrupted"]);
    assert_eq!(
        (&heard[1]["command"], &heard[1]["decision"]),
        (&"ls -a".into(), &"accept".into())
    );
}

#[test]
fn an_error_declines_and_a_line_is_kept_whatever_it_is() {
    let request =
        json!({"id": "a", "method": "execCommandApproval", "params": {"command": ["ls"]}});
    let refusal = json!({"id": "a", "error": {"code": -32601, "message": "no"}});
    let heard = heard(Protocol::AppServer, &[('>', request), ('<', refusal)]);
    assert_eq!(heard[0]["decision"], "decline");
    let mut talk = ClientTalk::new(Protocol::AppServer, "");
    let done = talk.client(b"hello \xff");
    assert_eq!(
        json!(done),
        json!([{"event": "sent", "line": "hello \u{fffd}"}])
    );
    let event = json!({"event": "sent", "message": {"b": 1, "a": 2}, "pid": 7});
    let read: ClientEvent = serde_json::from_value(event.clone()).unwrap();
    assert_eq!(json!(read), event);
}

#[test]
fn a_prompt_that_is_refused_starts_no_turn() {
    let start = |id: u64, text: &str| {
        let params = json!({"threadId": "t", "input": [{"type": "text", "text": text}]});
        (
            '<',
            json!({"id": id, "method": "turn/start", "params": params}),
        )
    };
    let heard = heard(
        Protocol::AppServer,
        &[
            start(1, "One."),
            start(2, "Two."),
            start(3, "Three."),
            (
                '>',
                json!({"id": 2, "error": {"code": -32600, "message": "no"}}),
            ),
            (
                '>',
                json!({"id": 1, "method": "item/tool/call", "params": {}}),
            ),
            ('>', json!({"method": "turn/started", "params": {}})),
            ('>', json!({"id": 1, "result": {}})),
            ('>', json!({"id": 1, "result": {}})),
            ('>', json!({"id": "3", "result": {}})),
        ],
    );
    let texts: Vec<&Value> = heard.iter().map(|event| &event["text"]).collect();
    assert_eq!(texts, ["One.", "Three."]);
}

/// A line that is not a message answers nothing: Codex still waits.
#[test]
fn what_is_not_a_message_answers_nothing() {
    let request = json!({"id": 0, "method": "execCommandApproval", "params": {"command": ["ls"]}});
    let heard = heard(
        Protocol::AppServer,
        &[
            ('>', request),
            ('<', json!({"id": 0})),
            ('<', json!({"id": 0, "result": {"decision": "approved"}})),
        ],
    );
    assert_eq!(heard.len(), 1);
    assert_eq!(heard[0]["decision"], "accept");
}
