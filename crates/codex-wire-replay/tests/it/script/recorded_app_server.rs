//! The same steps in the app-server, recorded with the real program and played from a script: the
//! same messages in the same order.

use codex_wire_base::Release;
use codex_wire_replay::script::Script;
use serde_json::{Value, json};

use super::client::Client;
use super::support::fixtures;

/// What kind of message it is: its method, with the kind and the status of its item, turn or thread.
/// None for what has nothing to do with the script: news of the machine, and what the client asked
/// to be sent beside.
pub(super) fn kind(message: &Value) -> Option<String> {
    let Some(method) = message["method"].as_str() else {
        let kind = if message.get("error").is_some() {
            "error"
        } else {
            "result"
        };
        return Some(kind.to_owned());
    };
    let beside = [
        "codex/event/",
        "configWarning",
        "deprecationNotice",
        "item/reasoning/textDelta",
        "mcpServer/startupStatus/",
        "rawResponse",
        "remoteControl/",
        "thread/settings/",
        "warning",
    ];
    if beside.iter().any(|prefix| method.starts_with(prefix)) {
        return None;
    }
    let params = &message["params"];
    let mut kind = method.to_owned();
    for pointer in [
        "/item/type",
        "/item/status",
        "/turn/status",
        "/status/type",
        "/status/activeFlags/0",
    ] {
        if let Some(text) = params.pointer(pointer).and_then(Value::as_str) {
            kind += &format!(" {text}");
        }
    }
    Some(kind)
}

/// The kinds up to the end of the first turn. Deltas stand once, however many there are; so does the
/// end of an item that Codex sends twice.
fn kinds<'a>(messages: impl Iterator<Item = &'a Value>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for kind in messages.filter_map(kind) {
        let again = out.last().is_some_and(|last| {
            let delta = kind.ends_with("Delta") || kind.ends_with("/delta");
            let ended = |kind: &str| kind.starts_with("item/completed fileChange");
            delta && *last == kind || ended(last) && ended(&kind)
        });
        if !again {
            out.push(kind);
        }
    }
    let resolved = |kind: &String| kind == "serverRequest/resolved";
    let end = out
        .iter()
        .position(|kind| kind.starts_with("turn/completed"))
        .unwrap();
    let end = end + usize::from(out.get(end + 1).is_some_and(resolved));
    out.truncate(end + 1);
    out
}

#[test]
fn recordings_of_the_same_steps_have_the_same_messages() {
    let mut complaints = Vec::new();
    for (release, recording, decision, text) in RECORDED {
        let path = fixtures().join(format!("app-server/{release}/{recording}.jsonl"));
        let recorded = std::fs::read_to_string(path).unwrap();
        let recorded: Vec<Value> = recorded
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let codex = recorded.iter().filter(|record| record["from"] == "codex");
        let recorded: Vec<Value> = codex
            .map(|line| serde_json::from_str(line["line"].as_str().unwrap()).unwrap())
            .collect();
        let release: Release = release.parse().unwrap();
        let script = Script::parse(text).unwrap_or_else(|error| panic!("{recording}: {error}"));
        let mut client = Client::new(&script, release, decision).unwrap();
        let turn = client.turn("Go.");
        if client.server.is_busy() {
            let thread = client.thread.clone();
            client.request(
                "turn/interrupt",
                &json!({"threadId": thread, "turnId": turn}),
            );
        }
        let (played, recorded) = (kinds(client.messages().iter()), kinds(recorded.iter()));
        if played != recorded {
            let same = played
                .iter()
                .zip(&recorded)
                .take_while(|(played, real)| played == real);
            let from = same.count().saturating_sub(1);
            complaints.push(format!(
                "{release} {recording}, from message {from}\n  played   {:?}\n  recorded {:?}",
                &played[from..],
                &recorded[from..]
            ));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// A release, a recording, what the client decides, and a script of the same steps.
const RECORDED: &[(&str, &str, &str, &str)] = &[
    (
        "0.98.0",
        "02b_reasoning_raw",
        "",
        "step = [{ reason = '**Plan**' }, { say = 'Done.' }]",
    ),
    ("0.98.0", "04c_patch_cancel", "cancel", PATCH_WITH_APPROVAL),
    (
        "0.125.0",
        "03b_command_untrusted_decline",
        "decline",
        COMMAND_WITH_APPROVAL,
    ),
    (
        "0.125.0",
        "14a_web_search",
        "",
        "step = [{ search = 'a' }, { search = 'b' }, { search = 'c' }, { say = 'Found.' }]",
    ),
    (
        "0.125.0",
        "14f_request_user_input",
        "accept",
        "step = [{ ask = 'Which?' }, { say = 'Thank you.' }]",
    ),
    (
        "0.151.0",
        "14f_request_user_input",
        "accept",
        "step = [{ ask = 'Which?' }, { say = 'Thank you.' }]",
    ),
    (
        "0.157.0",
        "04b_patch_decline",
        "decline",
        PATCH_WITH_APPROVAL,
    ),
    (
        "0.169.0",
        "02_reasoning",
        "",
        "step = [{ reason = ['**One**', '**Two**'] }, { say = 'Done.' }]",
    ),
    (
        "0.169.0",
        "03a_command_untrusted_accept",
        "accept",
        COMMAND_WITH_APPROVAL,
    ),
    ("0.169.0", "04a_patch_accept", "accept", PATCH_WITH_APPROVAL),
    (
        "0.169.0",
        "08c_interrupt_with_pending_approval",
        "",
        "step = [{ run = 'touch made.txt', approval = true }, { say = 'Done.' }]",
    ),
    (
        "0.169.0",
        "12b_http_500_exhausts",
        "",
        "step = [{ fail = 'High demand.', kind = 'internalServerError' }]",
    ),
];

const COMMAND_WITH_APPROVAL: &str = "step = [{ say = 'Running it.' },
    { run = 'touch made.txt', output = \"made\\n\", approval = true }, { say = 'All done.' }]";

const PATCH_WITH_APPROVAL: &str = "[[step]]
approval = true
patch = '''
*** Begin Patch
*** Add File: docs/new.md
+# new
*** End Patch'''
[[step]]
say = 'Patched.'";
