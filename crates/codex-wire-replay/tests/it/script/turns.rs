//! The turns of a thread, as 0.98.0, 0.125.0 and 0.169.0 gave them with the same script: which items, of which ids.

use codex_wire_replay::script::Script;
use serde_json::{Value, json};

use super::client::Client;

const SCRIPT: &str = r#"
[[turn]]
step = [
    { reason = "Thinking." }, { say = "Looking." }, { run = "echo hi", output = "hi\n" },
    { patch = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch" }, { search = "cats" }, { say = "Done." },
]
[[turn]]
step = [{ run = "echo two", output = "two\n" }, { fail = "It broke." }]
[[turn]]
step = [{ say = "Now hang." }, { hang = true }]
"#;

fn client(version: &str) -> Client {
    let script = Script::parse(SCRIPT).unwrap();
    Client::new(&script, version.parse().unwrap(), "accept").unwrap()
}

/// Each turn as its status and its items: what they are, and whether they are as they were, or else their ids.
fn shown(turns: &Value, client: &Client) -> Vec<(String, Vec<String>)> {
    let completed: Vec<Value> = client.messages();
    let completed: Vec<&Value> = completed
        .iter()
        .filter(|message| message["method"] == "item/completed")
        .map(|message| &message["params"]["item"])
        .collect();
    let turns = turns.as_array().unwrap().iter();
    turns
        .map(|turn| {
            let items = turn["items"].as_array().unwrap().iter();
            let items = items.map(|item| {
                let kind = item["type"].as_str().unwrap();
                match completed.contains(&item) {
                    true => format!("{kind} as it was"),
                    false => format!("{kind} {}", item["id"].as_str().unwrap()),
                }
            });
            (turn["status"].as_str().unwrap().to_owned(), items.collect())
        })
        .collect()
}

fn expected(turns: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
    let turn = |(status, items): &(&str, &[&str])| {
        let items = items.iter().map(|item| (*item).to_owned());
        ((*status).to_owned(), items.collect())
    };
    turns.iter().map(turn).collect()
}

#[test]
fn turns_are_read_again_as_the_release_has_them() {
    for version in ["0.98.0", "0.125.0", "0.169.0"] {
        let mut client = client(version);
        let of = json!({"threadId": client.thread, "includeTurns": true});
        let before = client.request("thread/read", &of);
        // Later releases refuse what is not there.
        assert_eq!(before.is_null(), version != "0.98.0", "{version}");
        let ids = ["one", "two", "three"].map(|prompt| client.turn(prompt));
        let read = client.request("thread/read", &of)["thread"]["turns"].clone();
        let interrupt = json!({"threadId": client.thread, "turnId": ids[2]});
        client.request("turn/interrupt", &interrupt);
        let last = match version {
            "0.98.0" => "completed",
            _ => "inProgress",
        };
        let running = match version {
            "0.169.0" => expected(&[
                (
                    "completed",
                    &[
                        "userMessage as it was",
                        "reasoning as it was",
                        "agentMessage as it was",
                        "commandExecution as it was",
                        "fileChange as it was",
                        "webSearch as it was",
                        "agentMessage as it was",
                    ],
                ),
                (
                    "failed",
                    &["userMessage as it was", "commandExecution as it was"],
                ),
                (last, &["userMessage as it was", "agentMessage as it was"]),
            ]),
            _ => expected(&[
                (
                    "completed",
                    &[
                        "userMessage item-1",
                        "reasoning item-2",
                        "agentMessage item-3",
                        "agentMessage item-4",
                    ],
                ),
                ("completed", &["userMessage item-5"]),
                (last, &["userMessage item-6", "agentMessage item-7"]),
            ]),
        };
        assert_eq!(shown(&read, &client), running, "{version}");
        let named: Vec<Value> = read
            .as_array()
            .unwrap()
            .iter()
            .map(|turn| turn["id"].clone())
            .collect();
        match version {
            "0.98.0" => assert_eq!(named, ["turn-1", "turn-2", "turn-3"]),
            _ => assert_eq!(named, ids, "{version}"),
        }
        let mut ended = running;
        ended[2].0 = "interrupted".to_owned();
        let thread = json!({"threadId": client.thread});
        for method in ["thread/resume", "thread/fork"] {
            let turns = client.request(method, &thread)["thread"]["turns"].clone();
            assert_eq!(shown(&turns, &client), ended, "{version}: {method}");
        }
        let none = json!({"threadId": client.thread, "excludeTurns": true});
        let left = client.request("thread/resume", &none)["thread"]["turns"].clone();
        let is_empty = left.as_array().unwrap().is_empty();
        assert_eq!(is_empty, version != "0.98.0", "{version}");
        let plain = client.request("thread/read", &thread)["thread"]["turns"].clone();
        assert_eq!(plain, json!([]), "{version}");
    }
}

#[test]
fn what_failed_says_why_where_it_is_kept() {
    for (version, error) in [("0.125.0", Value::Null), ("0.169.0", json!("It broke."))] {
        let mut client = client(version);
        client.turn("one");
        client.turn("two");
        let of = json!({"threadId": client.thread, "includeTurns": true});
        let turn = client.request("thread/read", &of)["thread"]["turns"][1].clone();
        let message = turn["error"].get("message").cloned().unwrap_or_default();
        assert_eq!(message, error, "{version}: {turn}");
        assert!(turn["completedAt"].is_u64(), "{version}: {turn}");
    }
}

/// What 0.125.0 and 0.169.0 listed: the turns by pages, the newest first, since 0.130.0 in views.
#[test]
fn turns_are_listed_by_pages() {
    for version in ["0.125.0", "0.169.0"] {
        let mut client = client(version);
        let list = |client: &mut Client, more: Value| {
            let mut params = json!({"threadId": client.thread});
            params
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            client.request("thread/turns/list", &params)
        };
        // Without a turn, it is refused.
        assert_eq!(list(&mut client, json!({})), Value::Null, "{version}");
        let ids = ["one", "two"].map(|prompt| client.turn(prompt));
        let kinds = |page: &Value, at: usize| -> Vec<String> {
            let items = page["data"][at]["items"].as_array().unwrap().iter();
            items
                .map(|item| item["type"].as_str().unwrap().to_owned())
                .collect()
        };
        let named = |page: &Value| -> Vec<Value> {
            let turns = page["data"].as_array().unwrap().iter();
            turns.map(|turn| turn["id"].clone()).collect()
        };
        let all = list(&mut client, json!({}));
        assert_eq!(named(&all), [ids[1].clone(), ids[0].clone()], "{version}");
        assert_eq!(all["nextCursor"], Value::Null, "{version}");
        let is_new = version == "0.169.0";
        let shown = match is_new {
            true => vec!["userMessage", "agentMessage"],
            false => vec!["userMessage", "reasoning", "agentMessage", "agentMessage"],
        };
        assert_eq!(kinds(&all, 1), shown, "{version}");
        let first = list(&mut client, json!({"limit": 0}));
        assert_eq!(named(&first), ids[1..], "{version}");
        let second = list(&mut client, json!({"cursor": first["nextCursor"]}));
        assert_eq!(named(&second), ids[..1], "{version}");
        assert_eq!(second["nextCursor"], Value::Null, "{version}");
        let back = json!({"cursor": second["backwardsCursor"], "sortDirection": "asc"});
        assert_eq!(named(&list(&mut client, back)), ids, "{version}");
        let wrong = json!({"cursor": "nonsense"});
        assert_eq!(list(&mut client, wrong), Value::Null, "{version}");
        let cursor: Value = serde_json::from_str(first["nextCursor"].as_str().unwrap()).unwrap();
        match is_new {
            true => {
                assert_eq!(cursor["scope"], json!({"kind": "turns"}));
                let none = list(&mut client, json!({"itemsView": "notLoaded"}));
                assert_eq!((kinds(&none, 1), kinds(&none, 0)), (vec![], vec![]));
                let full = list(&mut client, json!({"itemsView": "full"}));
                assert_eq!(kinds(&full, 1).len(), 7);
                assert_eq!(full["data"][1]["itemsView"], "full");
            }
            false => {
                let wanted = json!({"turnId": ids[1], "includeAnchor": false});
                assert_eq!(cursor, wanted);
            }
        }
    }
}
