//! Scripts that have one answer to a request for approval only.

use codex_wire_base::Release;
use codex_wire_replay::script::{AppServer, ExecRun, Proto, Script, Settings, exec};
use codex_wire_replay::{Conversation, Reaction};
use serde_json::{Value, json};

use super::support::lines;

const NEWEST: Release = Release::new(0, 169, 0);

fn script(step: &str, decision: &str) -> Script {
    let text = format!("[[step]]\n{step}\napproval = '{decision}'\n[[step]]\nsay = 'Left it.'\n");
    Script::parse(&text).unwrap()
}

const RUN: &str = "run = 'rm -rf build'";

/// What follows from the answer of a client to the only request of a script.
fn answered(release: Release, script: Script, answer: &Value) -> Reaction {
    let mut server = AppServer::new(script, release, Settings::default()).unwrap();
    let mut send = |message: Value| server.line(&message.to_string());
    send(
        json!({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "a", "version": "1"}}}),
    );
    let started = send(json!({"id": 2, "method": "thread/start", "params": {}}));
    let response: Value = serde_json::from_str(&started.emissions[0].line).unwrap();
    let thread = &response["result"]["thread"]["id"];
    let input = json!([{"type": "text", "text": "Go."}]);
    send(json!({"id": 3, "method": "turn/start", "params": {"threadId": thread, "input": input}}));
    send(json!({"id": 0, "result": {"decision": answer}}))
}

fn text(reaction: &Reaction) -> String {
    let lines = reaction
        .emissions
        .iter()
        .map(|emission| emission.line.as_str());
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_turn_goes_on_with_the_answer_that_the_script_has() {
    for (decision, end) in [
        ("accept", "completed"),
        ("acceptForSession", "completed"),
        ("decline", "completed"),
        ("cancel", "interrupted"),
    ] {
        let reaction = answered(NEWEST, script(RUN, decision), &decision.into());
        assert!(!reaction.ends && reaction.miss.is_none(), "{decision}");
        let text = text(&reaction);
        assert!(
            text.contains(&format!("\"status\":\"{end}\"")),
            "{decision}: {text}"
        );
        assert_eq!(
            text.contains("Left it."),
            decision != "cancel",
            "{decision}"
        );
    }
    let old = answered(
        Release::new(0, 58, 0),
        script(RUN, "decline"),
        &"denied".into(),
    );
    assert!(old.miss.is_none());
}

#[test]
fn words_of_other_requests_decline() {
    let patch = "patch = \"*** Begin Patch\\n*** Add File: a\\n+a\\n*** End Patch\"";
    for (release, step, word) in [
        (NEWEST, RUN, "approved"),
        (NEWEST, RUN, "acceptAll"),
        (Release::new(0, 98, 0), RUN, "approved_for_session"),
        (Release::new(0, 63, 0), RUN, "approved"),
        (NEWEST, patch, "acceptWithExecpolicyAmendment"),
    ] {
        let open = format!("[[step]]\n{step}\napproval = true\n");
        let answered = answered(release, Script::parse(&open).unwrap(), &word.into());
        let text = text(&answered);
        assert!(text.contains("\"declined\""), "{release} {word}: {text}");
    }
}

#[test]
fn any_other_answer_ends_the_session() {
    let patch =
        "patch = '*** Begin Patch\\n*** Delete File: a\\n*** End Patch'".replace('\'', "\"");
    let amendment = json!({"acceptWithExecpolicyAmendment": {"execpolicy_amendment": ["rm"]}});
    for (step, decision, answer, shown) in [
        (RUN, "decline", json!("accept"), "accept"),
        (RUN, "accept", json!("decline"), "decline"),
        (RUN, "accept", json!("acceptForSession"), "acceptForSession"),
        (RUN, "accept", amendment, "acceptWithExecpolicyAmendment"),
        (patch.as_str(), "decline", json!("cancel"), "cancel"),
    ] {
        let reaction = answered(NEWEST, script(step, decision), &answer);
        assert!(reaction.ends && reaction.emissions.is_empty(), "{answer}");
        let message = reaction.miss.unwrap().message();
        let kind = if step == RUN {
            "commandExecution"
        } else {
            "fileChange"
        };
        assert_eq!(
            message,
            format!(
                "the script does not go on after the answer `{shown}` to item/{kind}/requestApproval: it has \
                 `{decision}` only"
            )
        );
    }
}

#[test]
fn codex_proto_takes_the_answer_that_the_script_has() {
    let send = |answer: &str| {
        let release = Release::new(0, 40, 0);
        let proto = Proto::new(script(RUN, "decline"), release, &Settings::default());
        let mut proto = proto.unwrap();
        let items = json!([{"type": "text", "text": "Go."}]);
        proto.line(&json!({"id": "1", "op": {"type": "user_input", "items": items}}).to_string());
        let op = json!({"type": "exec_approval", "id": "1", "decision": answer});
        proto.line(&json!({"id": "2", "op": op}).to_string())
    };
    let right = send("denied");
    assert!(!right.ends && text(&right).contains("Left it."));
    let wrong = send("approved");
    assert!(wrong.ends);
    assert_eq!(
        wrong.miss.unwrap().message(),
        "the script does not go on after the answer `accept` to exec_approval: it has `decline` only"
    );
}

#[test]
fn codex_exec_shows_a_declined_command_where_it_can() {
    let play = |release, decision| {
        let script = script(RUN, decision);
        let play = exec(&script, release, &ExecRun::default(), &Settings::default());
        play.map(|play| lines(&play))
            .map_err(|error| error.to_string())
    };
    let declined = play(NEWEST, "decline").unwrap();
    assert!(
        declined[3].contains("\"status\":\"declined\""),
        "{declined:?}"
    );
    assert!(declined[4].contains("Left it."), "{declined:?}");
    assert_eq!(
        play(Release::new(0, 44, 0), "decline").unwrap_err(),
        "line 2, column 1: `run` needs 0.63.0 or later, not 0.44.0"
    );
    let cancelled = play(NEWEST, "cancel").unwrap_err();
    assert_eq!(
        cancelled,
        "line 2, column 1: no release can play this `run`"
    );
    let accepted = play(NEWEST, "accept").unwrap();
    assert!(
        accepted[3].contains("\"status\":\"completed\""),
        "{accepted:?}"
    );
}
