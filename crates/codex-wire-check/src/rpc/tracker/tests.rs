//! Tests which request a response belongs to.

use codex_wire_base::lines::Line;
use codex_wire_prefilter::{Keys, Tape};
use serde_json::{Value, json};

use super::*;
use crate::line::{Origin, Text};
use crate::writer::Writer::{Client, Codex};

/// A conversation, line by line.
struct Talk {
    rpc: Rpc,
    line: u64,
    connection: Option<u32>,
}

/// What was said of a line.
struct Said {
    call: Call,
    rules: Vec<&'static str>,
}

/// The fewer members a result has that are not called like the method, the better it fits.
struct FewestOthers;

impl Fit for FewestOthers {
    fn mismatch(&self, message: &Message<'_>, _: MessageSet, method: &str) -> usize {
        let members = message.tree()["result"].as_object().into_iter().flatten();
        members.filter(|(name, _)| *name != method).count()
    }
}

impl Talk {
    fn new() -> Self {
        Talk::with(Limits::default())
    }

    fn with(limits: Limits) -> Self {
        Talk {
            rpc: Rpc::new(&limits),
            line: 0,
            connection: None,
        }
    }

    /// One that began as it should, with the lines of both sides.
    fn begun() -> Self {
        let mut talk = Talk::new();
        talk.say(
            Client,
            json!({"id": 0, "method": "initialize", "params": {}}),
        );
        talk.say(
            Codex,
            json!({"id": 0, "result": {"userAgent": "a/0.169.0 (b)"}}),
        );
        talk
    }

    fn say(&mut self, from: impl Into<Option<Writer>>, message: Value) -> Said {
        self.line += 1;
        let (text, mut tape) = (message.to_string(), Tape::new());
        let line = Line {
            bytes: text.as_bytes(),
            number: self.line,
            offset: 0,
            ended: true,
            length: text.len() as u64,
            column: None,
        };
        let from = from.into();
        let line = Text::new(Origin::of(&line, from), &text);
        let view = View::of(&text, &mut tape, Keys::Last);
        let mut message = Message::accepted(view, &line, usize::MAX);
        message.number = self.line;
        let incoming = Incoming {
            message: &message,
            from,
            connection: self.connection,
        };
        let mut out = Vec::new();
        let call = self.rpc.observe(&incoming, &FewestOthers, &mut out);
        let rules = out.iter().map(|violation| violation.rule.id).collect();
        Said { call, rules }
    }

    fn end(&self, cut: bool) -> usize {
        let end = End {
            cut,
            ..End::default()
        };
        let out = self.rpc.end(&end);
        assert!(out.iter().all(|b| *b.rule == RPC_NEVER_ANSWERED));
        out.len()
    }
}

fn ask(id: i64, method: &str) -> Value {
    json!({"id": id, "method": method, "params": {}})
}

fn answer(id: i64) -> Value {
    json!({"id": id, "result": {}})
}

#[test]
fn kinds_follow_from_members() {
    let kind = |message: Value| {
        let (text, mut tape) = (message.to_string(), Tape::new());
        Kind::of(View::of(&text, &mut tape, Keys::Last))
    };
    assert_eq!(kind(json!({"method": "a", "id": null})), Kind::Request);
    assert_eq!(
        kind(json!({"method": "a", "result": 1})),
        Kind::Notification
    );
    assert_eq!(kind(json!({"id": 1, "result": null})), Kind::Response);
    assert_eq!(
        kind(json!({"id": 1, "result": 1, "error": {}})),
        Kind::Response
    );
    assert_eq!(kind(json!({"error": {}})), Kind::Error);
    assert_eq!(kind(json!({"id": 1})), Kind::Neither);
}

#[test]
fn ids_of_the_two_sides_are_separate() {
    let mut talk = Talk::begun();
    talk.say(Client, ask(7, "thread/start"));
    talk.say(Codex, ask(7, "item/tool/call"));
    let said = talk.say(Codex, answer(7));
    assert_eq!(said.call.method, Some("thread/start"));
    assert_eq!(said.call.request.map(|request| request.line), Some(3));
    assert_eq!(
        said.call.message_set,
        Some(MessageSet::AppServerServerResponses)
    );
    let said = talk.say(Client, answer(7));
    assert_eq!(said.call.method, Some("item/tool/call"));
    assert_eq!(
        said.call.message_set,
        Some(MessageSet::AppServerClientResponses)
    );
    assert_eq!(said.rules, [""; 0]);
    assert_eq!(talk.end(false), 0);
}

#[test]
fn the_type_of_an_id_counts() {
    let mut talk = Talk::begun();
    talk.say(Client, ask(7, "thread/start"));
    let said = talk.say(Codex, json!({"id": "7", "result": {}}));
    assert_eq!(said.rules, ["rpc/answer-unasked"]);
    assert_eq!(said.call.message_set, None);
    assert_eq!(talk.end(false), 1);
    assert_eq!(talk.end(true), 0, "what is cut may have been answered");
    for id in [
        json!(null),
        json!(1.0),
        json!(true),
        json!(u64::MAX),
        json!([]),
    ] {
        let said = talk.say(Client, json!({"id": id, "method": "model/list"}));
        assert_eq!(said.rules, ["rpc/id-kind"], "{id}");
    }
    for id in [json!(""), json!(-1), json!(i64::MIN)] {
        let said = talk.say(Client, json!({"id": id, "method": "model/list"}));
        assert_eq!(said.rules, [""; 0], "{id}");
    }
}

#[test]
fn one_answer_each() {
    let mut talk = Talk::begun();
    talk.say(Client, ask(1, "model/list"));
    assert_eq!(
        talk.say(Client, ask(1, "thread/list")).rules,
        ["rpc/id-in-use"]
    );
    // Of two with one id the answer belongs to the one it is most like.
    let said = talk.say(Codex, json!({"id": 1, "result": {"thread/list": 1}}));
    assert_eq!(said.call.method, Some("thread/list"));
    assert_eq!(said.rules, [""; 0]);
    assert_eq!(talk.say(Codex, answer(1)).call.method, Some("model/list"));
    assert_eq!(talk.say(Codex, answer(1)).rules, ["rpc/answered-again"]);
    // An id may be used again.
    assert_eq!(talk.say(Client, ask(1, "model/list")).rules, [""; 0]);
    let error = json!({"id": 1, "error": {"code": -32600, "message": "m"}});
    let said = talk.say(Codex, error);
    assert_eq!(said.call.kind, Kind::Error);
    assert_eq!(said.call.method, Some("model/list"));
    assert_eq!(said.rules, [""; 0]);
}

#[test]
fn each_of_many_with_one_id_is_answered() {
    let mut talk = Talk::begun();
    for _ in 0..=SAME_ID {
        talk.say(Client, ask(1, "model/list"));
    }
    for _ in 0..=SAME_ID {
        assert_eq!(talk.say(Codex, answer(1)).rules, [""; 0]);
    }
    assert_eq!(talk.say(Codex, answer(1)).rules, ["rpc/answered-again"]);
    assert_eq!(talk.end(false), 0);
}

#[test]
fn an_unseen_message_is_not_reported_as_missing() {
    // One side alone.
    let mut talk = Talk::new();
    for id in [3, 3, 4] {
        assert_eq!(talk.say(Codex, answer(id)).rules, [""; 0]);
        assert_eq!(talk.say(Codex, ask(id, "item/tool/call")).rules, [""; 0]);
    }
    assert_eq!(talk.end(false), 0);
    // The end of a longer one.
    let mut talk = Talk::new();
    talk.say(Client, ask(9, "turn/start"));
    assert_eq!(talk.say(Codex, answer(8)).rules, [""; 0]);
    assert_eq!(talk.end(false), 0);
    // With a line that could not be read.
    let mut talk = Talk::begun();
    talk.rpc.lost(None);
    assert_eq!(talk.say(Codex, answer(8)).rules, [""; 0]);
}

#[test]
fn resolved_requests_need_no_answer() {
    let mut talk = Talk::begun();
    talk.say(Codex, ask(0, "item/tool/requestUserInput"));
    talk.say(Codex, ask(1, "item/tool/call"));
    assert_eq!(talk.end(false), 2);
    let resolved = |id: i64| {
        let params = json!({"threadId": "t", "requestId": id});
        json!({"method": "serverRequest/resolved", "params": params})
    };
    talk.say(Codex, resolved(0));
    assert_eq!(talk.end(false), 1);
    // A late answer is not a second one.
    assert_eq!(talk.say(Client, answer(0)).rules, [""; 0]);
}

#[test]
fn connections_have_ids_of_their_own() {
    let mut talk = Talk::begun();
    talk.connection = Some(1);
    talk.say(Client, ask(0, "initialize"));
    talk.connection = Some(2);
    talk.say(Client, ask(0, "initialize"));
    assert_eq!(talk.say(Codex, answer(0)).rules, [""; 0]);
    assert_eq!(talk.say(Codex, answer(0)).rules, ["rpc/answered-again"]);
    talk.connection = Some(1);
    assert_eq!(talk.say(Codex, answer(0)).rules, [""; 0]);
    // A number may be used again.
    talk.rpc.connected(1);
    talk.say(Client, ask(0, "initialize"));
    assert_eq!(talk.say(Codex, answer(0)).rules, [""; 0]);
    assert_eq!(talk.rpc.number_of("a"), talk.rpc.number_of("a"));
    assert_ne!(talk.rpc.number_of("a"), talk.rpc.number_of("b"));
}

#[test]
fn a_plain_log_tells_who_wrote_what() {
    let mut talk = Talk::new();
    let writer = |said: Said| said.call.writer;
    assert_eq!(writer(talk.say(None, ask(0, "initialize"))), Client);
    assert_eq!(
        writer(talk.say(None, json!({"method": "initialized"}))),
        Client
    );
    assert_eq!(writer(talk.say(None, ask(0, "item/tool/call"))), Codex);
    let turn = json!({"method": "turn/started", "params": {}});
    assert_eq!(writer(talk.say(None, turn)), Codex);
    // Two requests wait under one id; the result decides.
    let called = json!({"id": 0, "result": {"item/tool/call": 1}});
    assert_eq!(writer(talk.say(None, called)), Client);
    assert_eq!(writer(talk.say(None, answer(0))), Codex);
    // Another process begins.
    let said = talk.say(None, ask(0, "initialize"));
    assert_eq!(said.rules, [""; 0]);
    assert_eq!(talk.say(None, answer(0)).rules, [""; 0]);
}

#[test]
fn messages_of_the_wrong_side_are_known_as_what_they_are() {
    let mut talk = Talk::begun();
    let said = talk.say(Codex, ask(5, "thread/start"));
    assert_eq!(said.call.writer, Client);
    let said = talk.say(Client, answer(5));
    assert_eq!(said.call.writer, Codex);
    assert_eq!(said.rules, [""; 0]);
    // The real answer may still come.
    assert_eq!(talk.say(Codex, answer(5)).rules, [""; 0]);
    let said = talk.say(Client, ask(6, "no/such"));
    assert_eq!(said.call.writer, Client);
    assert_eq!(
        said.call.message_set,
        Some(MessageSet::AppServerClientRequests)
    );
}

#[test]
fn what_initialize_asks_for_counts_if_codex_takes_it() {
    let begin = |talk: &mut Talk, id: i64, api: Value| {
        let params = json!({"capabilities": {"experimentalApi": api}});
        talk.say(
            Client,
            json!({"id": id, "method": "initialize", "params": params}),
        );
    };
    let mut talk = Talk::new();
    assert!(!talk.rpc.is_stable(None), "nothing is known yet");
    begin(&mut talk, 0, json!("yes"));
    assert!(talk.rpc.is_stable(None));
    let error = json!({"id": 0, "error": {"code": -32600, "message": "m"}});
    talk.say(Codex, error);
    begin(&mut talk, 1, json!(true));
    talk.say(Codex, answer(1));
    assert!(!talk.rpc.is_stable(None));
    begin(&mut talk, 2, json!(false));
    assert!(!talk.rpc.is_stable(None), "a second one changes nothing");
}

#[test]
fn what_is_kept_is_bounded() {
    let limits = Limits {
        sequence_ids: 8,
        ..Limits::default()
    };
    let mut talk = Talk::with(limits);
    talk.say(Client, ask(0, "initialize"));
    talk.say(Codex, answer(0));
    for id in 1..100 {
        talk.say(Client, ask(id, "model/list"));
        talk.say(Client, ask(50, "model/list"));
    }
    assert_eq!(talk.rpc.waiting[Client as usize].len(), 8);
    assert_eq!(
        talk.say(Codex, answer(1)).rules,
        [""; 0],
        "it was forgotten"
    );
    for connection in 0..100 {
        talk.connection = Some(connection);
        talk.say(Client, ask(0, "initialize"));
        talk.say(Codex, answer(0));
    }
    assert_eq!(talk.rpc.connections.len(), 8);
    assert_eq!(talk.rpc.answered[Client as usize].len(), 8);
}
