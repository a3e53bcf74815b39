//! `codex app-server`.

use codex_wire_base::{Protocol, Release};
use codex_wire_replay::script::{AppServer, Script, Settings};
use serde_json::{Value, json};

use super::client::Client;
use super::support::{checker, findings, names, script, shortened, transcript};

/// Plays every turn of a script to a client, which interrupts a turn that hangs.
fn play(script: &Script, release: Release, decision: &'static str) -> Result<Client, String> {
    let mut client = Client::new(script, release, decision)?;
    for index in 0..script.turns.len() {
        let turn = client.turn(&format!("Prompt {index}."));
        if client.server.is_busy() {
            let thread = client.thread.clone();
            client.request(
                "turn/interrupt",
                &json!({"threadId": thread, "turnId": turn}),
            );
        }
        assert!(!client.server.is_busy());
    }
    Ok(client)
}

/// Why old releases refuse a script.
const NEEDS: [&str; 3] = [
    "`ask` needs 0.89.0 or later",
    "`patch` needs 0.63.0 or later",
    "`spawn` needs ",
];

#[test]
fn every_release_plays_every_script_without_a_finding() {
    let mut complaints = Vec::new();
    let mut played = 0;
    for release in sampling::spread(Protocol::AppServer.release_list().releases(), 18) {
        let checker = checker(Protocol::AppServer, *release);
        for name in names() {
            let script = script(&name);
            let decisions = match name.as_str() {
                "decline" => &["decline", ""][..],
                name if name.ends_with("approval") => &["accept", "decline", "cancel", ""],
                _ => &["accept"],
            };
            for decision in decisions {
                let client = match play(&script, *release, decision) {
                    Ok(client) => client,
                    Err(error) => {
                        let known = NEEDS.iter().any(|why| error.contains(why));
                        if !known {
                            complaints.push(format!("{release} {name} {decision} {error}"));
                        }
                        continue;
                    }
                };
                let transcript = transcript(Protocol::AppServer, *release, &client.lines, None);
                let outcome = checker.check(&name, transcript.as_bytes());
                let found = findings(&outcome, &transcript).into_iter();
                let found = found.filter(|found| !is_real(found, *release));
                complaints
                    .extend(found.map(|found| format!("{release} {name} {decision} {found}")));
                played += 1;
            }
        }
    }
    assert!(complaints.is_empty(), "{}", shortened(&complaints));
    assert!(played > sampling::few_or(350, 2000), "{played} streams");
}

/// Rules of order that Codex itself breaks: since when, before when, the rule and what it is about. The page
/// of each rule lists this as an exception, with the recordings that show it, and the checker makes a
/// note of it.
const EXCEPTIONS: [(Release, Release, &str, &str); 8] = [
    // A command that is interrupted while it waits for the client never completes.
    (
        Release::new(0, 58, 0),
        LATER,
        "sequence/app-server-item-open",
        "the `commandExecution` has not completed",
    ),
    // Nor does a file change that is cancelled: see `Observed::completes_cancelled_patches`.
    (
        Release::new(0, 142, 0),
        LATER,
        "sequence/app-server-item-open",
        "the `fileChange` has not completed",
    ),
    // A command starts when the client has accepted it, so Codex asks before there is an item, and a
    // declined one is never started: see `Observed::starts_commands_late`.
    (
        Release::new(0, 98, 0),
        Release::new(0, 125, 0),
        "sequence/app-server-approval-item",
        "the item it asks about is not open",
    ),
    (
        Release::new(0, 98, 0),
        Release::new(0, 125, 0),
        "sequence/app-server-item-never-started",
        "the `commandExecution` was not started",
    ),
    // The thread is active after its turn has started: see `Observed::active_before_turn`.
    (
        Release::new(0, 105, 0),
        Release::new(0, 111, 0),
        "sequence/app-server-status-turn",
        "the thread was not reported as `active`",
    ),
    // What a reviewer says begins, and never completes.
    (
        Release::new(0, 63, 0),
        LATER,
        "sequence/app-server-item-open",
        "the `agentMessage` has not completed",
    ),
    // A compaction has no turn that starts: see `Observed::starts_compactions`.
    (
        Release::new(0, 96, 0),
        Release::new(0, 111, 0),
        "sequence/app-server-outside-turn",
        "`item/started` comes before its turn is started",
    ),
    (
        Release::new(0, 96, 0),
        Release::new(0, 111, 0),
        "sequence/app-server-turn-never-started",
        "the turn was not started",
    ),
];

/// Later than any release.
const LATER: Release = Release::new(u32::MAX, 0, 0);

/// Whether real recordings of the release have the finding, too.
pub(super) fn is_real(found: &str, release: Release) -> bool {
    EXCEPTIONS.iter().any(|(since, until, rule, about)| {
        (*since..*until).contains(&release) && found.starts_with(&format!("note {rule}: {about}"))
    })
}

#[test]
fn the_decision_of_the_client_is_what_happens() {
    let script = script("approval");
    for release in [
        Release::new(0, 63, 0),
        Release::new(0, 98, 0),
        Release::new(0, 169, 0),
    ] {
        let ends = |decision| {
            let client = play(&script, release, decision).unwrap();
            let item = |message: &&Value| {
                let item = &message["params"]["item"];
                message["method"] == "item/completed" && item["type"] == "commandExecution"
            };
            let messages = client.messages();
            let command = messages.iter().find(item);
            let command = command.map(|item| item["params"]["item"]["status"].clone());
            let turn = messages
                .iter()
                .rfind(|message| message["method"] == "turn/completed");
            (command, turn.unwrap()["params"]["turn"]["status"].clone())
        };
        assert_eq!(
            ends("accept"),
            (Some("completed".into()), "completed".into()),
            "{release}"
        );
        assert_eq!(
            ends("decline"),
            (Some("declined".into()), "completed".into()),
            "{release}"
        );
        assert_eq!(
            ends("cancel"),
            (Some("declined".into()), "interrupted".into()),
            "{release}"
        );
        // Nobody answers, so the turn waits until it is interrupted.
        assert_eq!(ends(""), (None, "interrupted".into()), "{release}");
    }
}

#[test]
fn deltas_join_to_the_text() {
    let text = "  Two  spaces,\n\nlines and a tail.  ";
    let script = Script::parse(&format!("[[step]]\nsay = '''{text}'''\n")).unwrap();
    let client = play(&script, Release::new(0, 125, 0), "accept").unwrap();
    let messages = client.messages();
    let deltas = messages
        .iter()
        .filter(|message| message["method"] == "item/agentMessage/delta");
    let deltas: Vec<&str> = deltas
        .map(|message| message["params"]["delta"].as_str().unwrap())
        .collect();
    assert_eq!(deltas.concat(), text);
    assert!(deltas.len() > 4, "{deltas:?}");
}

#[test]
fn requests_have_answers_before_and_after_the_handshake() {
    let script = script("say");
    let mut client = Client::new(&script, Release::new(0, 169, 0), "accept").unwrap();
    let answer = |client: &mut Client, line: &str| -> Value {
        let lines = client.server.receive(line);
        lines
            .first()
            .map_or(Value::Null, |line| serde_json::from_str(line).unwrap())
    };
    let again = answer(
        &mut client,
        r#"{"id":"x","method":"initialize","params":{}}"#,
    );
    assert_eq!(again["error"]["message"], "Already initialized");
    assert_eq!(again["id"], "x");
    let unknown = answer(&mut client, r#"{"id":7,"method":"no/such","params":{}}"#);
    assert_eq!(unknown["error"]["code"], -32600);
    let list = answer(&mut client, r#"{"id":8,"method":"model/list","params":{}}"#);
    assert_eq!(list["result"]["data"][0]["model"], "gpt-5");
    let start = |thread: &str| {
        json!({"id": 9, "method": "turn/start", "params": {"threadId": thread, "input": []}})
            .to_string()
    };
    let nobody = "01a1f985-0000-7cf1-a49c-3848a4230ae1";
    assert_eq!(
        answer(&mut client, &start(nobody))["error"]["message"],
        format!("thread not found: {nobody}")
    );
    let no_id = answer(&mut client, &start("no"));
    let message = no_id["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("invalid thread id: "), "{message}");
    let lacking = answer(
        &mut client,
        r#"{"id":10,"method":"turn/start","params":{}}"#,
    );
    let message = &lacking["error"]["message"];
    assert_eq!(message, "Invalid request: missing field `threadId`");
    // A thread can be read and listed, and continued in a copy of it.
    let thread = client.thread.clone();
    client.turn("Go.");
    let read = client.request("thread/read", &json!({"threadId": thread}));
    assert_eq!(read["thread"]["id"], thread);
    let list = client.request("thread/list", &json!({}));
    assert_eq!(list["data"][0]["id"], thread);
    let copy = client.request("thread/fork", &json!({"threadId": thread}));
    assert_ne!(copy["thread"]["id"], thread);
    client.thread = copy["thread"]["id"].clone();
    client.turn("Go on.");
    assert!(!client.server.is_busy());
    for nothing in [
        "",
        "[]",
        "7",
        "{\"id\":3,\"result\":{}}",
        "{\"method\":\"initialized\"}",
    ] {
        assert_eq!(answer(&mut client, nothing), Value::Null, "{nothing}");
    }
}

#[test]
fn parameters_of_wrong_types_are_refused() {
    for release in ["0.98.0", "0.169.0"] {
        let release: Release = release.parse().unwrap();
        let mut client = Client::new(&script("say"), release, "accept").unwrap();
        let thread = client.thread.clone();
        for (method, params) in [
            ("thread/start", json!({"approvalPolicy": "sometimes"})),
            ("thread/start", json!({"cwd": 5})),
            ("turn/start", json!({"threadId": thread, "input": "wrong"})),
            (
                "turn/start",
                json!({"threadId": thread, "input": [{"type": "text"}]}),
            ),
            (
                "thread/read",
                json!({"threadId": thread, "includeTurns": "yes"}),
            ),
        ] {
            let request = json!({"id": 9, "method": method, "params": params}).to_string();
            let answer: Value = serde_json::from_str(&client.server.receive(&request)[0]).unwrap();
            let message = answer["error"]["message"].as_str().unwrap_or_default();
            let refuses = "Invalid request: ";
            assert!(
                message.starts_with(refuses),
                "{release} {request}: {answer}"
            );
        }
    }
}

/// A patch is made where the thread works, and where a turn is told to.
#[test]
fn patches_are_seen_from_the_folder_of_the_thread() {
    let patch = Script::parse(
        "[[step]]\npatch = \"*** Begin Patch\\n*** Add File: a\\n+a\\n*** End Patch\"\n",
    );
    let mut client = Client::new(&patch.unwrap(), Release::new(0, 169, 0), "accept").unwrap();
    let input = json!([{"type": "text", "text": "Go."}]);
    let params = json!({"threadId": client.thread, "input": input, "cwd": "/other"});
    let paths = |client: &Client| {
        let messages = client.messages();
        let path = "/params/item/changes/0/path";
        let mut paths = messages.iter().filter_map(|message| message.pointer(path));
        paths.next_back().cloned()
    };
    client.turn("Go.");
    assert_eq!(paths(&client), Some("/workspace/project/a".into()));
    client.request("turn/start", &params);
    assert_eq!(paths(&client), Some("/other/a".into()));
}

/// What is unread is said to those who ask for the experimental part of the protocol, and to nobody else.
#[test]
fn what_is_unread_is_experimental() {
    let script = Script::parse("step = [{ say = 'Hello.' }]").unwrap();
    for (capabilities, expected) in [("{}", false), (r#"{"experimentalApi":true}"#, true)] {
        let release = Release::new(0, 169, 0);
        let mut server = AppServer::new(script.clone(), release, Settings::default()).unwrap();
        let info = r#"{"name":"tester","version":"1.0.0"}"#;
        let initialize = format!(
            r#"{{"id":1,"method":"initialize","params":{{"clientInfo":{info},"capabilities":{capabilities}}}}}"#
        );
        server.receive(&initialize);
        let started = server.receive(r#"{"id":2,"method":"thread/start","params":{}}"#);
        let started: Value = serde_json::from_str(&started[0]).unwrap();
        let thread = &started["result"]["thread"]["id"];
        let input = r#"[{"type":"text","text":"Hi."}]"#;
        let lines = server.receive(&format!(
            r#"{{"id":3,"method":"turn/start","params":{{"threadId":{thread},"input":{input}}}}}"#
        ));
        let is_said = lines
            .iter()
            .any(|line| line.contains("thread/readState/changed"));
        assert_eq!(is_said, expected, "{lines:?}");
    }
}

/// Of a line with several commands, Codex proposes to allow the first one that it asks about.
#[test]
fn the_first_command_is_proposed() {
    let line = "touch a.txt && echo yes";
    let script = format!("step = [{{ run = '{line}', approval = true }}]");
    let script = Script::parse(&script).unwrap();
    let mut client = Client::new(&script, Release::new(0, 169, 0), "accept").unwrap();
    client.turn("Go.");
    let asked = client.lines.iter().find_map(|(_, line)| {
        let message: Value = serde_json::from_str(line).unwrap();
        Some(message["params"]["proposedExecpolicyAmendment"].clone()).filter(Value::is_array)
    });
    assert_eq!(asked, Some(json!(["touch", "a.txt"])));
}

/// A server that has heard `initialize`, and what it answers to a line.
fn initialized(script: &str, release: &str) -> impl FnMut(&str) -> Value + use<> {
    let script = Script::parse(script).unwrap();
    let mut server = AppServer::new(script, release.parse().unwrap(), Settings::default()).unwrap();
    let info = json!({"name": "tester", "version": "1.0.0"});
    let params = json!({"clientInfo": info, "capabilities": {"experimentalApi": true}});
    server.receive(&json!({"id": 1, "method": "initialize", "params": params}).to_string());
    move |line: &str| {
        let lines = server.receive(line);
        let mut messages = lines
            .iter()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let answer = messages.find(|message| message.get("method").is_none());
        answer.unwrap_or(Value::Null)
    }
}

/// Lines as 0.98.0 and 0.169.0 read them.
#[test]
fn lines_are_read_as_codex_reads_them() {
    for release in ["0.98.0", "0.169.0"] {
        let mut answer = initialized("step = [{ say = 'Hello.' }]", release);
        for id in ["null", "1.5", "true", "[1]", "18446744073709551615"] {
            let line = format!(r#"{{"id":{id},"method":"thread/loaded/list","params":{{}}}}"#);
            assert_eq!(answer(&line), Value::Null, "{release} {line}");
        }
        let twice = r#"{"id":3,"id":4,"method":"thread/loaded/list","params":{}}"#;
        assert_eq!(answer(twice), Value::Null, "{release}");
        assert_eq!(answer(r#"[5,"thread/loaded/list",{}]"#)["id"], 5);
        assert_eq!(
            answer(r#"{"id":"x","method":"thread/loaded/list","params":{}}"#)["id"],
            "x"
        );
    }
}

/// An answer without a result or an error is none.
#[test]
fn an_answer_has_a_result() {
    let mut client = Client::new(&script("approval"), Release::new(0, 169, 0), "").unwrap();
    client.turn("Go.");
    let asked = client.messages();
    let asked = asked
        .iter()
        .rfind(|message| message.get("method").is_some() && message.get("id").is_some());
    let id = &asked.unwrap()["id"];
    assert!(
        client
            .server
            .receive(&json!({"id": id}).to_string())
            .is_empty()
    );
    let accepts = json!({"id": id, "result": {"decision": "accept"}}).to_string();
    assert!(!client.server.receive(&accepts).is_empty());
}

/// What 0.125.0 and 0.169.0 answered to the same requests, while a model was writing.
#[test]
fn turns_and_threads_that_are_not_there_are_refused() {
    let nothing = Value::Null;
    for (release, other_turn, id) in [
        ("0.125.0", None, "thread"),
        (
            "0.169.0",
            Some("expected active turn id bogus but found "),
            "session",
        ),
    ] {
        let mut answer = initialized("step = [{ hang = true }]", release);
        let mut call = |method: &str, params: Value| {
            answer(&json!({"id": 9, "method": method, "params": params}).to_string())
        };
        let message = |answer: &Value| answer["error"]["message"].as_str().map(str::to_owned);
        let thread = call("thread/start", json!({}))["result"]["thread"]["id"].clone();
        let input = json!([{"type": "text", "text": "Go."}]);
        let steer = |turn: &Value, input: &Value| json!({"threadId": thread, "expectedTurnId": turn, "input": input});
        let steered = call("turn/steer", steer(&"bogus".into(), &input));
        assert_eq!(message(&steered).unwrap(), "no active turn to steer");
        let start = json!({"threadId": thread, "input": input});
        let turn = call("turn/start", start.clone())["result"]["turn"]["id"].clone();
        let id_of_turn = turn.as_str().unwrap();
        let steered = call("turn/steer", steer(&"bogus".into(), &input));
        let expected = format!("expected active turn id `bogus` but found `{id_of_turn}`");
        assert_eq!(message(&steered).unwrap(), expected);
        let steered = call("turn/steer", steer(&"".into(), &input));
        assert_eq!(
            message(&steered).unwrap(),
            "expectedTurnId must not be empty"
        );
        let steered = call("turn/steer", steer(&turn, &json!([])));
        assert_eq!(message(&steered).unwrap(), "input must not be empty");
        let steered = call("turn/steer", steer(&turn, &input));
        assert_eq!(steered["result"]["turnId"], turn);
        let interrupt = json!({"threadId": thread, "turnId": "bogus"});
        let interrupted = message(&call("turn/interrupt", interrupt));
        let expected = other_turn.map(|words| format!("{words}{id_of_turn}"));
        assert_eq!(interrupted, expected);
        let interrupt = json!({"threadId": thread, "turnId": turn});
        let interrupted = call("turn/interrupt", interrupt);
        assert_eq!(interrupted["result"].is_object(), other_turn.is_some());
        for method in ["thread/resume", "thread/fork"] {
            let resumed = message(&call(method, json!({"threadId": "nope"}))).unwrap();
            let begin = format!("invalid {id} id: invalid character: ");
            assert!(resumed.starts_with(&begin), "{release} {resumed}");
        }
        let read = message(&call("thread/read", json!({"threadId": "nope"}))).unwrap();
        assert!(read.starts_with("invalid thread id: "), "{read}");
        if release == "0.125.0" {
            continue;
        }
        let name = thread.as_str().unwrap();
        let deleted = call("thread/delete", json!({"threadId": thread}));
        assert_eq!(deleted["error"], nothing);
        let started = message(&call("turn/start", start)).unwrap();
        assert_eq!(started, format!("thread not found: {name}"));
        let resumed = message(&call("thread/resume", json!({"threadId": thread}))).unwrap();
        assert_eq!(resumed, format!("no rollout found for thread id {name}"));
    }
}

/// A deleted thread says so, in the order of 0.169.0.
#[test]
fn a_thread_is_deleted() {
    let mut client = Client::new(&script("hang"), Release::new(0, 169, 0), "").unwrap();
    client.turn("Go.");
    let thread = client.thread.clone();
    let from = client.messages().len();
    client.request("thread/delete", &json!({"threadId": thread}));
    let said: Vec<Value> = client.messages().split_off(from);
    let mut methods = said
        .iter()
        .map(|message| message["method"].as_str().unwrap_or("response"));
    assert!(methods.any(|method| method == "turn/completed"));
    let rest: Vec<&str> = methods.collect();
    let expected = ["thread/status/changed", "response", "thread/deleted"];
    assert_eq!(&rest[rest.len() - 3..], expected);
}

/// What the client says of a thread is what the answer says. The folders are as 0.98.0, 0.125.0 and 0.169.0 answer them.
#[test]
fn a_thread_is_what_the_client_asks_for() {
    for release in ["0.98.0", "0.125.0", "0.169.0"] {
        let mut answer = initialized("step = [{ say = 'Hello.' }]", release);
        let mut start = |params: Value| {
            let request = json!({"id": 2, "method": "thread/start", "params": params});
            answer(&request.to_string())["result"].clone()
        };
        let started = start(json!({"model": "other", "ephemeral": true}));
        assert_eq!(started["model"], "other", "{release}");
        assert_eq!(started["thread"]["path"], Value::Null, "{release}");
        if release != "0.98.0" {
            assert_eq!(started["thread"]["ephemeral"], true, "{release}");
        }
        let folder = "/workspace/project";
        for (cwd, expected) in [
            ("rel", "/workspace/project/rel"),
            ("./rel/", "/workspace/project/rel"),
            ("", folder),
            ("/workspace/project/", folder),
            ("/workspace/project/../wd", "/workspace/wd"),
            ("/workspace/project/./x//y", "/workspace/project/x/y"),
            ("/..", "/"),
        ] {
            let started = start(json!({"cwd": cwd}));
            assert_eq!(started["cwd"], expected, "{release} {cwd}");
            assert_eq!(started["thread"]["cwd"], expected, "{release} {cwd}");
        }
        let started = start(json!({}));
        assert_eq!(started["model"], "gpt-5", "{release}");
        assert!(started["thread"]["path"].is_string(), "{release}");
    }
}

/// A kind of failure that the release does not have is `other`.
#[test]
fn a_failure_has_a_kind_of_the_release() {
    let kind = |script: &str, release: Release| {
        let script = Script::parse(script).unwrap();
        let client = play(&script, release, "accept").unwrap();
        let messages = client.messages();
        let failed = messages
            .iter()
            .find(|message| message["method"] == "turn/completed");
        failed.unwrap()["params"]["turn"]["error"]["codexErrorInfo"].clone()
    };
    let policy = "step = [{ fail = 'No.', kind = 'cyberPolicy' }]";
    assert_eq!(kind(policy, Release::new(0, 98, 0)), "other");
    assert_eq!(kind(policy, Release::new(0, 169, 0)), "cyberPolicy");
    let lost = "step = [{ fail = 'No.', kind = 'httpConnectionFailed' }]";
    for release in [Release::new(0, 98, 0), Release::new(0, 169, 0)] {
        assert!(kind(lost, release)["httpConnectionFailed"].is_object());
    }
}
