//! The envelope: kinds of lines, ids, pairs of requests and answers.

use std::collections::HashMap;

use codex_wire::app_server::methods::client_notifications::Initialized;
use codex_wire::app_server::methods::client_requests::{
    ThreadArchive, ThreadLoadedList, TurnStart,
};
use codex_wire::app_server::methods::server_notifications::{ItemAgentMessageDelta, TurnCompleted};
use codex_wire::app_server::methods::server_requests::ItemToolCall;
use codex_wire::app_server::{
    ClientMessage, ClientNotification, ClientRequest, ClientRequestParams, ClientRequestResult,
    ClientSide, ErrorObject, ErrorResponse, Id, JsonRpcMessage, Method, RequestId, Response,
    ServerMessage, ServerNotification, ServerSide, ThreadArchiveParams, ThreadLoadedListResponse,
};
use codex_wire::json::Raw;
use codex_wire::{ErrorKind, Wire, from_str, to_string};

use crate::support::tree::assert_same;

#[track_caller]
fn line<T: Wire + serde::Serialize>(text: &str) -> T {
    let value: T = from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_same(&to_string(&value), text);
    value
}

/// Which members a line has decides what it is, in this order.
#[test]
fn kinds_of_lines() {
    let kind = |text: &str| match from_str::<ServerMessage>(text) {
        Ok(JsonRpcMessage::Request(_)) => "request",
        Ok(JsonRpcMessage::Notification(_)) => "notification",
        Ok(JsonRpcMessage::Response(_)) => "response",
        Ok(JsonRpcMessage::Error(_)) => "error",
        Ok(_) => "another",
        Err(_) => "none",
    };
    assert_eq!(kind(r#"{"id":1,"method":"x"}"#), "request");
    assert_eq!(kind(r#"{"method":"x"}"#), "notification");
    assert_eq!(kind(r#"{"id":1,"result":null}"#), "response");
    assert_eq!(
        kind(r#"{"id":1,"error":{"code":-1,"message":""}}"#),
        "error"
    );
    assert_eq!(kind(r#"{"id":1,"method":"x","result":{}}"#), "request");
    assert_eq!(
        kind(r#"{"id":1,"result":{},"error":{"code":1}}"#),
        "response"
    );
    assert_eq!(kind(r#"{"method":"x","result":{}}"#), "notification");
    for text in ["{}", r#"{"id":1}"#, r#"{"params":{}}"#, "[]", "1", "null"] {
        assert_eq!(kind(text), "none", "{text}");
    }
    let error = from_str::<ServerMessage>(r#" {"id":1}"#).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Missing("method"));
    assert_eq!(error.offset(), 1);
    // An answer without id cannot be paired, and is not a message.
    let error = from_str::<ServerMessage>(r#"{"result":{}}"#).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Missing("id"));
}

/// All orders of some things.
fn orders(of: &[usize]) -> Vec<Vec<usize>> {
    if of.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, first) in of.iter().enumerate() {
        let rest = [&of[..index], &of[index + 1..]].concat();
        for mut order in orders(&rest) {
            order.insert(0, *first);
            all.push(order);
        }
    }
    all
}

/// The first members of a line let guess what it is; the others, in any order, decide.
#[test]
fn the_order_of_members_never_decides() {
    let members = [
        r#""id":1"#,
        r#""method":"x""#,
        r#""params":{}"#,
        r#""result":{}"#,
        r#""error":{"code":-1,"message":""}"#,
        r#""more":[1]"#,
    ];
    let mut tried = 0;
    for chosen in 0..1_u32 << members.len() {
        let there = |at: &usize| chosen & 1 << at != 0;
        let chosen: Vec<usize> = (0..members.len()).filter(there).collect();
        for order in orders(&chosen) {
            let written: Vec<&str> = order.iter().map(|at| members[*at]).collect();
            let text = format!("{{{}}}", written.join(","));
            let read = from_str::<ServerMessage>(&text);
            match (there(&1), there(&0), there(&3), there(&4)) {
                (true, true, ..) => assert_eq!(read, from_str(&text).map(JsonRpcMessage::Request)),
                (true, false, ..) => {
                    assert_eq!(read, from_str(&text).map(JsonRpcMessage::Notification));
                }
                (false, true, true, _) => {
                    assert_eq!(read, from_str(&text).map(JsonRpcMessage::Response));
                }
                (false, true, false, true) => {
                    assert_eq!(read, from_str(&text).map(JsonRpcMessage::Error));
                }
                _ => assert!(read.is_err(), "{text}"),
            }
            tried += 1;
        }
    }
    assert_eq!(tried, 1957);
}

/// A guess that fails says nothing: the error is the same as without the guess.
#[test]
fn faults_are_told_as_of_the_kind_of_line() {
    let notification = r#"{"method":"turn/started","params":{"threadId":1}}"#;
    let error = from_str::<ServerMessage>(notification).unwrap_err();
    assert_eq!(
        error,
        from_str::<ServerNotification>(notification).unwrap_err()
    );
    assert_eq!(error.pointer(), "/params/threadId");
    // As a request it has an unknown method.
    let request = r#"{"method":"turn/started","params":{"threadId":1},"id":7}"#;
    assert!(matches!(
        from_str::<ServerMessage>(request),
        Ok(JsonRpcMessage::Request(_))
    ));
    // Invalid JSON is reported before anything else.
    for text in [
        r#"{"method":"turn/started","params":{"threadId":1},"id":tru}"#,
        r#"{"id":1,"method":"x","params":{},}"#,
        r#"{"id":{},"result":{},"#,
        r#"{"error":7,"id":1"#,
    ] {
        let error = from_str::<ServerMessage>(text).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Syntax(_)),
            "{text}: {error}"
        );
    }
    let answer = r#"{"error":7,"id":1}"#;
    let error = from_str::<ServerMessage>(answer).unwrap_err();
    assert_eq!(
        error,
        from_str::<ErrorResponse<ClientSide>>(answer).unwrap_err()
    );
}

#[test]
fn the_version_of_json_rpc_is_kept() {
    let text = r#"{"id":1,"method":"thread/archive","params":{"threadId":"t"},"jsonrpc":"2.0"}"#;
    let JsonRpcMessage::Request(request) = line::<ClientMessage>(text) else {
        panic!("a request");
    };
    assert_eq!(request.extra.get("jsonrpc").unwrap().get(), r#""2.0""#);
    let text = r#"{"id":1,"result":{},"jsonrpc":"2.0"}"#;
    let JsonRpcMessage::Response(response) = line::<ServerMessage>(text) else {
        panic!("a response");
    };
    assert_eq!(response.extra.len(), 1);
}

/// The ids Codex answers, as seen: 64 bits, spelt without point and exponent, or a string.
#[test]
fn ids_have_the_limits_that_were_seen() {
    let id = |text: &str| line::<RequestId>(text);
    for number in [0, -5, i64::MIN, i64::MAX] {
        assert_eq!(id(&number.to_string()), RequestId::Integer(number));
    }
    assert_eq!(id(r#""""#), RequestId::Text(String::new()));
    assert_eq!(id(r#""a-1""#), RequestId::from("a-1"));
    for text in [
        "9223372036854775808",
        "-9223372036854775809",
        "1.5",
        "1.0",
        "1e2",
        "null",
        "true",
        "[1]",
        "{}",
    ] {
        assert!(
            matches!(id(text), RequestId::Unknown(raw) if raw.get() == text),
            "{text}"
        );
        let whole =
            format!(r#"{{"id":{text},"method":"thread/archive","params":{{"threadId":"t"}}}}"#);
        line::<ClientMessage>(&whole);
    }
    // A string is not a number, though it may look like one.
    assert_ne!(id("7"), id(r#""7""#));
}

/// The ids of the two sides are keys of different types.
#[test]
fn each_side_has_its_own_ids() {
    let mut waiting: HashMap<Id<ClientSide>, &str> = HashMap::new();
    let mut asked: HashMap<Id<ServerSide>, &str> = HashMap::new();
    waiting.insert(0.into(), "thread/archive");
    let request: ServerMessage = line(
        r#"{"id":0,"method":"item/tool/call","params":{"callId":"c","threadId":"t","turnId":"u","tool":"x","arguments":{}}}"#,
    );
    asked.insert(request.id().unwrap().clone(), "item/tool/call");
    assert_eq!(request.answers(), None);
    let answer: ServerMessage = line(r#"{"id":0,"result":{}}"#);
    assert_eq!(answer.id(), None);
    assert_eq!(
        waiting.remove(answer.answers().unwrap()),
        Some("thread/archive")
    );
    assert_eq!(asked.len(), 1);
    let refusal: ClientMessage = line(r#"{"id":0,"error":{"code":-32603,"message":"no"}}"#);
    assert_eq!(
        asked.remove(refusal.answers().unwrap()),
        Some("item/tool/call")
    );
}

#[test]
fn requests_are_made_of_a_method_and_its_params() {
    let request = ClientRequest::new(7, ThreadArchive::call(ThreadArchiveParams::new("t")));
    assert_eq!(request.params_of::<ThreadArchive>().unwrap().thread_id, "t");
    assert!(request.params_of::<TurnStart>().is_none());
    let message = ClientMessage::from(request);
    assert_eq!(message.method(), Some(ThreadArchive::NAME));
    assert_eq!(
        to_string(&message),
        r#"{"id":7,"method":"thread/archive","params":{"threadId":"t"}}"#
    );
    let ready = ClientNotification::new(Initialized::call(()));
    assert_eq!(ready.params_of::<Initialized>(), Some(&()));
    assert_eq!(
        to_string(&ClientMessage::from(ready)),
        r#"{"method":"initialized"}"#
    );
}

#[test]
fn answers_have_the_type_their_request_asks_for() {
    let answer: ServerMessage = line(r#"{"id":3,"result":{"data":["a","b"],"nextCursor":null}}"#);
    let JsonRpcMessage::Response(response) = answer else {
        panic!("a response");
    };
    let result: ThreadLoadedListResponse = response.result::<ThreadLoadedList>().unwrap();
    assert_eq!(result.data, ["a", "b"]);
    match response.result_of("thread/loaded/list").unwrap() {
        ClientRequestResult::ThreadLoadedList(found) => assert_eq!(found, result),
        other => panic!("{other:?}"),
    }
    match response.result_of("no/such").unwrap() {
        ClientRequestResult::Unknown(call) => assert_eq!(call.content, Some(response.raw.clone())),
        other => panic!("{other:?}"),
    }
    let error = Response::<ClientSide>::new(3, Raw::new(r#"{"data":[1]}"#).unwrap());
    let error = error.result::<ThreadLoadedList>().unwrap_err();
    assert_eq!(error.pointer(), "/data/0");

    let back = Response::<ClientSide>::to::<ThreadLoadedList>(3, &result);
    assert_eq!(back, response);
    let refusal: ErrorResponse<ServerSide> = ErrorResponse::new(0, ErrorObject::new(-32603, "no"));
    assert_eq!(
        to_string(&ClientMessage::from(refusal)),
        r#"{"id":0,"error":{"code":-32603,"message":"no"}}"#
    );
}

#[test]
fn unknown_methods_are_kept() {
    for text in [
        r#"{"id":1,"method":"new/thing","params":{"b":1.0,"a":[ ]}}"#,
        r#"{"id":1,"method":"new/thing","params":null}"#,
        r#"{"id":1,"method":"new/thing"}"#,
        r#"{"id":1,"method":"new/thing","params":[1]}"#,
    ] {
        let JsonRpcMessage::Request(request) = line::<ClientMessage>(text) else {
            panic!("a request");
        };
        assert!(matches!(request.params, ClientRequestParams::Unknown(_)));
        assert_eq!(request.params.tag(), "new/thing");
    }
    line::<ServerMessage>(r#"{"method":"new/news","params":{"x":1},"emittedAtMs":5}"#);
    line::<ServerMessage>(r#"{"id":"a","method":"new/question","params":{"x":1}}"#);
}

/// Sides belong to methods: which of the four kinds a method is shows in its types.
#[test]
fn a_method_knows_its_side() {
    fn sent_by_client<M: Method<Sender = ClientSide>>() -> &'static str {
        M::NAME
    }
    fn sent_by_codex<M: Method<Sender = ServerSide>>() -> &'static str {
        M::NAME
    }
    assert_eq!(sent_by_client::<TurnStart>(), "turn/start");
    assert_eq!(sent_by_codex::<TurnCompleted>(), "turn/completed");
    assert_eq!(sent_by_codex::<ItemToolCall>(), "item/tool/call");
    let text = r#"{"method":"item/agentMessage/delta","params":{"threadId":"t","turnId":"u","itemId":"i","delta":"d"}}"#;
    let JsonRpcMessage::Notification(delta) = line::<ServerMessage>(text) else {
        panic!("a notification");
    };
    assert_eq!(
        delta.params_of::<ItemAgentMessageDelta>().unwrap().delta,
        "d"
    );
}

/// Messages fit into anyone's serde types.
#[test]
fn through_serde() {
    let text = r#"[{"id":1,"result":{"z":1,"a":2}},{"method":"initialized"}]"#;
    let messages: Vec<ClientMessage> = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&messages).unwrap(), text);
}
