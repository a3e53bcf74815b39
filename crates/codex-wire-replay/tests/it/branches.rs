//! What the client decides chooses the recording.

use serde_json::{Value, json};

use crate::client::{Client, checker, parse, recording};
use codex_wire_replay::{Player, PlayerOptions, Recording};

/// A recording in our format, of these lines.
fn made(name: &str, lines: &[(&str, Value)]) -> Recording {
    let mut text = "{\"kind\":\"start\",\"transcript\":1,\"protocol\":\"app-server\",\"release\":\"0.169.0\"}\n".to_owned();
    for (from, line) in lines {
        text += &json!({"kind": "line", "from": from, "line": line.to_string()}).to_string();
        text.push('\n');
    }
    Recording::read(name, text.into_bytes(), codex_wire_replay::About::default()).unwrap()
}

/// A turn in which Codex asks, and ends as `status` after this decision.
fn asked(name: &str, thread: &str, prompt: &str, decision: &str, status: &str) -> Recording {
    made(
        name,
        &[
            (
                "client",
                json!({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "rec", "version": "1"}}}),
            ),
            (
                "codex",
                json!({"id": 1, "result": {"userAgent": "rec/0.169.0 (rec; 1)"}}),
            ),
            (
                "client",
                json!({"id": 2, "method": "thread/start", "params": {}}),
            ),
            (
                "codex",
                json!({"id": 2, "result": {"thread": {"id": thread}}}),
            ),
            (
                "client",
                json!({"id": 3, "method": "turn/start", "params": {"threadId": thread, "input": [{"type": "text", "text": prompt}]}}),
            ),
            (
                "codex",
                json!({"id": 3, "result": {"turn": {"id": format!("{thread}-turn")}}}),
            ),
            (
                "codex",
                json!({"method": "turn/started", "params": {"threadId": thread, "turn": {"id": format!("{thread}-turn")}}}),
            ),
            (
                "codex",
                json!({"method": "item/commandExecution/requestApproval", "id": 0, "params": {"threadId": thread, "turnId": format!("{thread}-turn"), "itemId": "call"}}),
            ),
            ("client", json!({"id": 0, "result": {"decision": decision}})),
            (
                "codex",
                json!({"method": "serverRequest/resolved", "params": {"threadId": thread, "requestId": 0}}),
            ),
            (
                "codex",
                json!({"method": "turn/completed", "params": {"threadId": thread, "turn": {"id": format!("{thread}-turn"), "status": status}}}),
            ),
        ],
    )
}

/// Begins a turn; returns the thread and the request of Codex.
fn begin(client: &mut Client<'_>, prompt: &str) -> (Value, Value) {
    client.call(
        10,
        "initialize",
        &json!({"clientInfo": {"name": "me", "version": "9"}}),
    );
    let started = client.call(11, "thread/start", &json!({}));
    let thread = started["result"]["thread"]["id"].clone();
    let input = json!([{"type": "text", "text": prompt}]);
    client.call(
        12,
        "turn/start",
        &json!({"threadId": thread, "input": input}),
    );
    (
        thread,
        client
            .heard
            .last()
            .map(|line| parse(line))
            .unwrap_or_default(),
    )
}

fn end(client: &Client<'_>) -> Value {
    parse(client.heard.last().unwrap())
}

#[test]
fn the_decision_of_the_client_is_played() {
    let recordings = [
        asked(
            "accept",
            "thread-of-accept-0001",
            "go",
            "accept",
            "completed",
        ),
        asked(
            "decline",
            "thread-of-decline-0002",
            "go",
            "decline",
            "failed",
        ),
    ];
    let checker = checker(&recordings[0]);
    for (decision, status) in [("accept", "completed"), ("decline", "failed")] {
        let mut client = Client::new(&recordings, &checker);
        let (thread, ask) = begin(&mut client, "go");
        assert_eq!(ask["method"], "item/commandExecution/requestApproval");
        client.send(&json!({"id": ask["id"], "result": {"decision": decision}}).to_string());
        let end = end(&client);
        assert_eq!(end["params"]["turn"]["status"], status, "{decision}");
        // The client has never heard of the thread of the other recording.
        assert_eq!(end["params"]["threadId"], thread);
        let text = client.heard.join("\n");
        assert!(!text.contains("thread-of-decline"), "{text}");
    }
}

#[test]
fn nothing_comes_before_the_answer() {
    let recordings = [asked(
        "accept",
        "thread-of-accept-0001",
        "go",
        "accept",
        "completed",
    )];
    let checker = checker(&recordings[0]);
    let mut client = Client::new(&recordings, &checker);
    let (_, ask) = begin(&mut client, "go");
    let before = client.heard.len();
    assert_eq!(
        client
            .methods(0)
            .iter()
            .filter(|m| *m == "turn/completed")
            .count(),
        0
    );
    // An answer to a request that nobody sent is ignored.
    client.send(&json!({"id": 99, "result": {"decision": "accept"}}).to_string());
    assert_eq!(client.heard.len(), before);
    client.send(&json!({"id": ask["id"], "result": {"decision": "accept"}}).to_string());
    assert_eq!(
        client.methods(before),
        ["serverRequest/resolved", "turn/completed"]
    );
    // The first answer counts.
    client.send(&json!({"id": ask["id"], "result": {"decision": "decline"}}).to_string());
    assert_eq!(client.heard.len(), before + 2);
}

#[test]
fn a_decision_that_nobody_recorded_ends_the_session() {
    let recordings = [asked(
        "accept",
        "thread-of-accept-0001",
        "go",
        "accept",
        "completed",
    )];
    let checker = checker(&recordings[0]);
    let mut client = Client::new(&recordings, &checker);
    let (_, ask) = begin(&mut client, "go");
    client.send(&json!({"id": ask["id"], "result": {"decision": "decline"}}).to_string());
    assert!(client.last.ends);
    let miss = client.last.miss.clone().unwrap();
    assert_eq!(
        miss.what,
        "the answer to item/commandExecution/requestApproval"
    );
    assert_eq!(
        miss.nearest.unwrap().differences[0].pointer,
        "/result/decision"
    );
}

#[test]
fn the_prompt_chooses_and_is_repeated() {
    let recordings = [
        asked("a", "thread-of-a-000000001", "first", "accept", "completed"),
        asked("b", "thread-of-b-000000002", "second", "accept", "failed"),
    ];
    let checker = checker(&recordings[0]);
    let mut client = Client::new(&recordings, &checker);
    let (_, ask) = begin(&mut client, "second");
    client.send(&json!({"id": ask["id"], "result": {"decision": "accept"}}).to_string());
    assert_eq!(end(&client)["params"]["turn"]["status"], "failed");
    // One recording alone takes any prompt.
    let mut client = Client::new(&recordings[..1], &checker);
    begin(&mut client, "something else");
    assert!(client.last.remark.is_some());
    assert_eq!(
        end(&client)["method"],
        "item/commandExecution/requestApproval"
    );
}

/// A request that was recorded twice, first with an error, does not fail forever.
#[test]
fn a_retried_read_succeeds() {
    let read = |id: u64| {
        (
            "client",
            json!({"id": id, "method": "model/list", "params": {}}),
        )
    };
    let recording = made(
        "reads",
        &[
            (
                "client",
                json!({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "rec", "version": "1"}}}),
            ),
            (
                "codex",
                json!({"id": 1, "result": {"userAgent": "rec/0.169.0 (rec; 1)"}}),
            ),
            read(2),
            (
                "codex",
                json!({"error": {"code": -32603, "message": "try again"}, "id": 2}),
            ),
            read(3),
            (
                "codex",
                json!({"id": 3, "result": {"data": [], "nextCursor": null}}),
            ),
        ],
    );
    let checker = checker(&recording);
    let mut client = Client::new(&[recording], &checker);
    client.call(
        1,
        "initialize",
        &json!({"clientInfo": {"name": "me", "version": "9"}}),
    );
    let answers: Vec<bool> = (2..6)
        .map(|id| {
            client
                .call(id, "model/list", &json!({}))
                .get("error")
                .is_some()
        })
        .collect();
    assert_eq!(answers, [true, false, false, false]);
    // A cursor that was never recorded is a difference that nothing tells apart.
    let answer = client.call(9, "model/list", &json!({"limit": 5}));
    assert!(answer.get("result").is_some(), "{answer}");
}

#[test]
fn a_recording_of_two_connections_has_two_tracks() {
    let recording = recording("app-server/0.142.0/16_two_clients.jsonl");
    let checker = checker(&recording);
    let mut client = Client::new(&[recording], &checker);
    let answer = client.call(
        1,
        "initialize",
        &json!({"clientInfo": {"name": "me", "version": "9"}}),
    );
    assert!(answer.get("result").is_some(), "{answer}");
}

#[test]
fn times_may_be_any_numbers() {
    for time in [
        json!({"thread": {"createdAt": 1_795_187_459_697_000_000_i64}}),
        json!({"emittedAtMs": i64::MIN}),
    ] {
        let recording = made(
            "a",
            &[("codex", json!({"method": "thread/started", "params": time}))],
        );
        let player = Player::new(&[recording], PlayerOptions::new().now_ms(1_795_187_459_697));
        assert!(player.is_ok());
    }
}
