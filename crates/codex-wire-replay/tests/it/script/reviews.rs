//! Turns that the client starts without a prompt: reviews and compactions.

use codex_wire_base::{Protocol, Release};
use codex_wire_replay::script::Script;
use serde_json::{Value, json};

use super::app_server::is_real;
use super::client::Client;
use super::recorded_app_server::kind;
use super::support::{checker, findings, fixtures, shortened, transcript};

const SCRIPT: &str = "
turn = [
  { step = [{ say = 'One.' }] },
  { step = [{ run = 'git diff --stat', output = \" src/main.py | 2 ++\\n\" }, { say = 'One issue.' }] },
  { step = [{ say = 'Three.' }] },
]";

fn targets() -> [Value; 5] {
    [
        json!({"type": "uncommittedChanges"}),
        json!({"type": "baseBranch", "branch": "main"}),
        json!({"type": "commit", "sha": "0123456789abcdef", "title": "Fix"}),
        json!({"type": "commit", "sha": "0123456789abcdef"}),
        json!({"type": "custom", "instructions": " Look for bugs "}),
    ]
}

#[test]
fn every_release_plays_them_without_a_finding() {
    let script = Script::parse(SCRIPT).unwrap();
    let mut complaints = Vec::new();
    let mut completed = 0;
    for release in Protocol::AppServer.release_list().releases() {
        let checker = checker(Protocol::AppServer, *release);
        let mut client = match Client::new(&script, *release, "accept") {
            Ok(client) => client,
            Err(error) => panic!("{release}: {error}"),
        };
        let thread = client.thread.clone();
        client.turn("One.");
        client.request("thread/compact/start", &json!({"threadId": thread}));
        for delivery in ["inline", "detached"] {
            for target in targets() {
                let mut params = json!({"threadId": thread, "target": target});
                // Before 0.64.0 a review is always in its thread.
                if *release >= Release::new(0, 64, 0) {
                    params["delivery"] = delivery.into();
                }
                client.request("review/start", &params);
            }
        }
        client.turn("Three.");
        assert!(!client.server.is_busy());
        let transcript = transcript(Protocol::AppServer, *release, &client.lines, None);
        let outcome = checker.check("reviews", transcript.as_bytes());
        let found = findings(&outcome, &transcript).into_iter();
        let found = found.filter(|found| !is_real(found, *release));
        complaints.extend(found.map(|found| format!("{release} {found}")));
        let messages = client.messages();
        completed += messages
            .iter()
            .filter(|message| message["method"] == "turn/completed")
            .count();
    }
    assert!(complaints.is_empty(), "{}", shortened(&complaints));
    assert!(completed > 800, "{completed} turns");
}

/// What Codex writes after a request until the turn has ended.
fn after(method: &str, lines: &[(String, Value)]) -> Vec<Value> {
    let asked = |(from, message): &(String, Value)| from == "client" && message["method"] == method;
    let from = lines.iter().position(asked).unwrap();
    let ended = |(_, message): &(String, Value)| message["method"] == "turn/completed";
    let until = from + lines[from..].iter().position(ended).unwrap();
    let written = lines[from..=until].iter();
    written
        .filter(|(from, _)| from == "codex")
        .map(|(_, message)| message.clone())
        .collect()
}

/// Kinds of messages, with the ids of turns and items as relations, and warnings about compactions.
fn kinds(messages: &[Value]) -> Vec<String> {
    let mut out = Vec::new();
    let turn = |message: &Value| {
        let params = message.get("params").or_else(|| message.get("result"));
        params.and_then(|params| params.pointer("/turn/id").cloned())
    };
    let first = messages.iter().find_map(turn);
    for message in messages {
        let text = message["params"]["message"].as_str().unwrap_or_default();
        if text.starts_with("Heads up") {
            out.push(text.to_owned());
        }
        let Some(mut kind) = kind(message) else {
            continue;
        };
        let params = &message["params"];
        if let Some(id) = turn(message) {
            kind += if Some(&id) == first.as_ref() {
                " of the response"
            } else {
                " of another id"
            };
            let holder = if params.is_null() {
                &message["result"]["turn"]
            } else {
                &params["turn"]
            };
            let root = &holder["rootTurnId"];
            if !root.is_null() {
                kind += if Some(root) == first.as_ref() {
                    ", rooted"
                } else {
                    ", rooted elsewhere"
                };
            }
            let items = holder["items"].as_array().into_iter().flatten();
            kind += &items
                .map(|item| format!(" {}", item["type"]))
                .collect::<String>();
        }
        if params["item"]["id"] == params["turnId"] {
            kind += ", as the turn";
        }
        if let Some(text) = params["item"]["review"].as_str() {
            kind += &format!(" {text:?}");
        }
        // Deltas stand once, however many there are.
        if out.last() != Some(&kind) || !kind.ends_with("elta") {
            out.push(kind);
        }
    }
    out
}

#[test]
fn recordings_have_the_same_messages() {
    let mut complaints = Vec::new();
    for (method, folder, releases) in [
        (
            "review/start",
            "rollout/RELEASE/i_review/app-server-1.jsonl",
            &[
                "0.63.0", "0.72.0", "0.98.0", "0.142.0", "0.150.1", "0.157.0", "0.162.0",
                "0.166.0", "0.169.0",
            ][..],
        ),
        (
            "thread/compact/start",
            "rollout/RELEASE/i_compact/app-server-1.jsonl",
            &[
                "0.98.0", "0.116.0", "0.132.0", "0.142.0", "0.150.1", "0.157.0", "0.166.0",
                "0.169.0",
            ],
        ),
        (
            "thread/compact/start",
            "app-server/RELEASE/09d_compact.jsonl",
            &["0.105.0", "0.125.0"],
        ),
    ] {
        for release in releases {
            let path = fixtures().join(folder.replace("RELEASE", release));
            let recorded = std::fs::read_to_string(path).unwrap();
            let recorded = recorded.lines().filter_map(|line| {
                let record: Value = serde_json::from_str(line).unwrap();
                let message = serde_json::from_str(record["line"].as_str()?).unwrap();
                Some((record["from"].as_str()?.to_owned(), message))
            });
            let recorded = after(method, &recorded.collect::<Vec<_>>());
            let script = Script::parse(SCRIPT).unwrap();
            let mut client = Client::new(&script, release.parse().unwrap(), "accept").unwrap();
            client.turn("One.");
            let thread = client.thread.clone();
            let review = json!({"threadId": thread, "target": {"type": "uncommittedChanges"}});
            let compact = json!({"threadId": thread});
            client.request(
                method,
                if method == "review/start" {
                    &review
                } else {
                    &compact
                },
            );
            let played = client
                .lines
                .iter()
                .map(|(from, line)| ((*from).to_owned(), serde_json::from_str(line).unwrap()));
            let played = after(method, &played.collect::<Vec<_>>());
            let cut = |kinds: Vec<String>| -> Vec<String> {
                // The reviewer of the recordings found something, in a format of its own.
                let cut = |kind: String| {
                    kind.split("\\n\\nReview comment")
                        .next()
                        .unwrap()
                        .trim_end_matches('"')
                        .to_owned()
                };
                kinds.into_iter().map(cut).collect()
            };
            let (played, recorded) = (cut(kinds(&played)), cut(kinds(&recorded)));
            if played != recorded {
                let differs = |(played, recorded): (&String, &String)| played != recorded;
                let at = played.iter().zip(&recorded).position(differs);
                let from = at.unwrap_or(played.len().min(recorded.len()));
                complaints.push(format!(
                    "{release} {method}, from message {from}\n  played   {:#?}\n  recorded {:#?}",
                    &played[from..],
                    &recorded[from..]
                ));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// What a client gets that asks for a review in a thread of its own: the thread of the turn that follows, and how
/// it ends; or the error.
fn detached(release: &str) -> String {
    let script = Script::parse(SCRIPT).unwrap();
    let mut client = Client::new(&script, release.parse().unwrap(), "accept").unwrap();
    let thread = client.thread.clone();
    let target = json!({"type": "custom", "instructions": "Look for bugs"});
    let params = json!({"threadId": thread, "target": target, "delivery": "detached"});
    let before = client.lines.len();
    let result = client.request("review/start", &params);
    let messages: Vec<Value> = client.lines[before..]
        .iter()
        .filter(|(from, _)| *from == "codex")
        .map(|(_, line)| serde_json::from_str(line).unwrap())
        .collect();
    let error = messages
        .iter()
        .find_map(|message| message["error"]["message"].as_str());
    if let Some(error) = error {
        return error.to_owned();
    }
    assert_ne!(result["reviewThreadId"], thread);
    let of = |message: &&Value| message["params"]["threadId"] == result["reviewThreadId"];
    let items = messages.iter().filter(of).filter_map(|message| {
        let item = message["params"]["item"]["type"].as_str()?;
        (message["method"] == "item/completed").then_some(item)
    });
    items.collect::<Vec<_>>().join(" ")
}

/// Observed of 0.98.0, 0.144.0, 0.145.0, 0.151.0, 0.165.0 and 0.166.0.
#[test]
fn a_review_in_a_thread_of_its_own() {
    let as_review = "enteredReviewMode userMessage exitedReviewMode agentMessage";
    assert_eq!(detached("0.98.0"), as_review);
    assert_eq!(detached("0.144.0"), as_review);
    assert_eq!(detached("0.145.0"), "userMessage agentMessage");
    let refused = "paginated threads do not support detached review";
    assert_eq!(detached("0.151.0"), refused);
    assert_eq!(detached("0.165.0"), refused);
    assert_eq!(
        detached("0.166.0"),
        "Invalid request: unknown variant `detached`, expected `inline`"
    );
}

#[test]
fn what_cannot_be_reviewed_is_refused() {
    let script = Script::parse(SCRIPT).unwrap();
    let mut client = Client::new(&script, Release::new(0, 98, 0), "accept").unwrap();
    for (target, error) in [
        (
            json!({"type": "commit", "sha": ""}),
            "sha must not be empty",
        ),
        (
            json!({"type": "baseBranch", "branch": " "}),
            "branch must not be empty",
        ),
    ] {
        let params = json!({"threadId": client.thread, "target": target});
        client.request("review/start", &params);
        let answer = client.messages().pop().unwrap();
        assert_eq!(answer["error"]["message"], error);
    }
}

/// The summary is the model's own: the next prompt gets the next turn of the script.
#[test]
fn a_compaction_plays_no_turn_of_the_script() {
    let script = Script::parse(SCRIPT).unwrap();
    let mut client = Client::new(&script, Release::new(0, 169, 0), "accept").unwrap();
    client.request("thread/compact/start", &json!({"threadId": client.thread}));
    client.turn("One.");
    let messages = client.messages();
    let said = messages.iter().rfind(|message| {
        message["method"] == "item/completed" && message["params"]["item"]["type"] == "agentMessage"
    });
    assert_eq!(said.unwrap()["params"]["item"]["text"], "One.");
}
