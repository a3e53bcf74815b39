//! What a client gets for requests that no recording answers.

use std::fmt::Write as _;

use codex_wire_replay::{Conversation, OnMiss, Player, PlayerOptions, Recording};
use serde_json::{Value, json};

use crate::client::{Client, checker, parse, recording};

/// The recording of a release that refuses many requests.
const REFUSALS: &str = "app-server/0.125.0/11d_bad_requests.jsonl";

/// A recording with one turn, of the same release.
const TURN: &str = "app-server/0.125.0/08e_steer.jsonl";

fn initialize(client: &mut Client<'_>) {
    let params = json!({"clientInfo": {"name": "me", "version": "2.0"}, "capabilities": {"experimentalApi": true}});
    let answer = client.call(1, "initialize", &params);
    let agent = answer["result"]["userAgent"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(
        agent.starts_with("me/0.125.0 (") && agent.ends_with("(me; 2.0)"),
        "{agent}"
    );
}

/// The error for a request, without the values in it, that this release was recorded to give.
fn recorded_errors() -> Vec<(Value, Value)> {
    let recording = recording(REFUSALS);
    let mut calls = Vec::new();
    let mut errors = Vec::new();
    for line in recording.lines() {
        let value = parse(&line.text);
        if value.get("method").is_some() && value.get("id").is_some() {
            calls.push(value);
        } else if let Some(error) = value.get("error") {
            let call = calls.iter().find(|call| call["id"] == value["id"]).unwrap();
            errors.push((call.clone(), error.clone()));
        }
    }
    assert!(errors.len() > 15, "{}", errors.len());
    errors
}

/// What a recording does not hold is refused as the release refuses it: these errors are made, and the
/// release was recorded to give the same.
#[test]
fn errors_are_those_of_the_release() {
    let turn = recording(TURN);
    let checker = checker(&turn);
    let mut client = Client::new(&[turn], &checker);
    initialize(&mut client);
    let mut same = 0;
    let mut different = String::new();
    for (at, (call, error)) in recorded_errors().into_iter().enumerate() {
        let method = call["method"].as_str().unwrap();
        let id = 100 + at as u64;
        client.send(&match call.get("params") {
            Some(params) => json!({"id": id, "method": method, "params": params}).to_string(),
            None => json!({"id": id, "method": method}).to_string(),
        });
        // One turn is enough for any policy.
        let Some(miss) = client.last.miss.clone() else {
            continue;
        };
        assert_eq!(miss.what, method);
        let answer = parse(client.heard.last().unwrap());
        assert_eq!(answer["error"]["code"], error["code"], "{call}");
        // Of an unknown method, only the list of known ones has another order.
        let text = |error: &Value| {
            error["message"]
                .as_str()
                .unwrap()
                .split(", expected one of")
                .next()
                .unwrap()
                .to_owned()
        };
        if text(&answer["error"]) == text(&error) {
            same += 1;
        } else {
            writeln!(
                different,
                "{call}\n  {}\n  {}",
                text(&answer["error"]),
                text(&error)
            )
            .unwrap();
        }
    }
    // Codex also tells wrong types and values, which needs its own reader of JSON.
    assert!(same >= 10, "{same} are the same\n{different}");
}

#[test]
fn order_of_initialize_is_kept() {
    let turn = recording(TURN);
    let checker = checker(&turn);
    let mut client = Client::new(&[turn], &checker);
    let early = client.call(7, "thread/start", &json!({}));
    assert_eq!(
        early["error"],
        json!({"code": -32600, "message": "Not initialized"})
    );
    initialize(&mut client);
    let again = client.call(
        8,
        "initialize",
        &json!({"clientInfo": {"name": "me", "version": "2.0"}}),
    );
    assert_eq!(
        again["error"],
        json!({"code": -32600, "message": "Already initialized"})
    );
}

#[test]
fn a_miss_names_the_nearest_request() {
    let first = recording("app-server/0.125.0/08e_steer.jsonl");
    let checker = checker(&first);
    let others = ["14a_web_search", "09d_compact"]
        .map(|name| recording(&format!("app-server/0.125.0/{name}.jsonl")));
    let [second, third] = others;
    let mut client = Client::new(&[first, second, third], &checker);
    initialize(&mut client);
    let started = client.call(2, "thread/start", &json!({}));
    let thread = started["result"]["thread"]["id"].clone();
    assert!(thread.is_string(), "{started}");
    let input = json!([{"type": "text", "text": "no recording has this prompt"}]);
    let answer = client.call(
        3,
        "turn/start",
        &json!({"threadId": thread, "input": input}),
    );
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    let miss = client.last.miss.clone().unwrap();
    let nearest = miss.nearest.unwrap();
    assert!(
        nearest
            .differences
            .iter()
            .any(|d| d.pointer == "/input/0/text"),
        "{nearest:?}"
    );
    // The session goes on.
    assert!(!client.last.ends);
}

#[test]
fn a_session_that_fails_on_a_miss_ends() {
    let options = PlayerOptions::new().on_miss(OnMiss::Fail);
    let mut player = Player::new(&[recording(TURN)], options).unwrap();
    player.start();
    let reaction = player.line("{\"id\":1,\"method\":\"thread/start\",\"params\":{}}");
    assert!(reaction.ends);
    assert_eq!(reaction.emissions.len(), 1);
}

/// A thousand requests that match nothing are each answered, and nothing is kept of them.
#[test]
fn many_misses_are_answered_without_growth() {
    let turn: Recording = recording(TURN);
    let mut player = Player::new(&[turn], PlayerOptions::default()).unwrap();
    player.start();
    player.line("{\"id\":0,\"method\":\"initialize\",\"params\":{\"clientInfo\":{\"name\":\"a\",\"version\":\"1\"}}}");
    let size = |player: &Player| format!("{player:?}").len();
    let answer = |player: &mut Player, id: usize| {
        let line = format!(
            "{{\"id\":{id},\"method\":\"no/such/method{}\",\"params\":{{}}}}",
            id % 7
        );
        let reaction = player.line(&line);
        assert_eq!(reaction.emissions.len(), 1);
        assert!(
            reaction.emissions[0]
                .line
                .ends_with(&format!("\"id\":{id}}}"))
        );
    };
    answer(&mut player, 1);
    let before = size(&player);
    for id in 2..1002 {
        answer(&mut player, id);
    }
    assert_eq!(size(&player), before);
}

/// What nobody recorded has an answer that is made, and that conforms exactly.
#[test]
fn answers_are_made_if_that_is_wanted() {
    let turn = recording(TURN);
    let checker = checker(&turn);
    let options = PlayerOptions::new().on_miss(OnMiss::Synthesize);
    let mut client = Client::with(&[turn], &checker, options);
    initialize(&mut client);
    let account = client.call(2, "account/read", &json!({}));
    assert_eq!(account["result"]["account"], Value::Null);
    let miss = client.last.miss.clone().unwrap();
    assert!(miss.is_answered && miss.error.is_none(), "{miss:?}");
    // Threads that only such an answer names are known from then on.
    let params = json!({"cwd": "/elsewhere", "model": "mine"});
    client.call(3, "thread/start", &params);
    let made = client.call(4, "thread/start", &params);
    assert!(client.last.miss.is_some());
    assert_eq!(made["result"]["cwd"], "/elsewhere");
    assert_eq!(made["result"]["model"], "mine");
    let thread = made["result"]["thread"]["id"].clone();
    let input = json!([{"type": "text", "text": "Go.", "text_elements": []}]);
    let turn = client.call(
        5,
        "turn/start",
        &json!({"threadId": thread, "input": input}),
    );
    assert_eq!(turn["result"]["turn"]["status"], "inProgress", "{turn}");
    // What the release refuses is still refused, and so is what it could not read.
    for (id, method, params) in [
        (6, "no/such", json!({})),
        (7, "turn/start", json!({"threadId": thread})),
        (8, "turn/start", json!({"threadId": thread, "input": "Go."})),
    ] {
        let refused = client.call(id, method, &params);
        assert_eq!(refused["error"]["code"], -32600, "{refused}");
        assert!(!client.last.ends);
    }
    let findings = client.finish();
    assert!(findings.is_empty(), "{findings:?}");
}
