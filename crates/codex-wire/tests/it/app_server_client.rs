//! What a small client needs: everything it sends can be made, everything it receives can be
//! read, from the first request to the last.

use codex_wire::app_server::methods::client_requests::{
    Initialize, ThreadCompactStart, ThreadResume, ThreadStart, TurnInterrupt, TurnStart,
};
use codex_wire::app_server::methods::server_notifications::{
    ItemAgentMessageDelta, ItemCompleted, ItemStarted, ThreadTokenUsageUpdated, TurnCompleted,
};
use codex_wire::app_server::methods::server_requests::{
    ItemCommandExecutionRequestApproval, ItemFileChangeRequestApproval,
};
use codex_wire::app_server::{
    ApprovalDecision, AskForApproval, ClientInfo, ClientMessage, ClientRequest,
    CommandExecutionApprovalDecision, CommandExecutionRequestApprovalParams,
    CommandExecutionRequestApprovalResponse, CommandText, ErrorResponse, ExecCommandApprovalParams,
    FileChangeApprovalDecision, FileChangeRequestApprovalResponse, InitializeCapabilities,
    InitializeParams, JsonRpcMessage, Method, Response, ServerMessage, ServerNotification,
    ServerRequest, ServerSide, ThreadCompactStartParams, ThreadItem, ThreadItemDetails,
    ThreadResumeParams, ThreadStartParams, TurnInterruptParams, TurnStartParams, TurnStatus,
    UserInput,
};
use codex_wire::app_server::{ReasoningEffort, TextUserInput};
use codex_wire::{from_str, to_string};

use crate::support::tree::assert_same;

#[track_caller]
fn sends<M: Method<Call = codex_wire::app_server::ClientRequestParams>>(
    params: M::Params,
    expected: &str,
) {
    let request = ClientRequest::new(1, M::call(params));
    let text = to_string(&ClientMessage::from(request));
    assert_eq!(
        text,
        format!(r#"{{"id":1,"method":"{}","params":{expected}}}"#, M::NAME)
    );
    from_str::<ClientMessage>(&text).expect("what is written can be read");
}

#[test]
fn requests() {
    let mut params = InitializeParams::new(ClientInfo::new("client", "1.0"));
    params.capabilities = InitializeCapabilities::new().into();
    sends::<Initialize>(
        params,
        r#"{"clientInfo":{"name":"client","version":"1.0"},"capabilities":{}}"#,
    );

    let mut params = ThreadStartParams::new();
    params.model = "m".to_owned().into();
    params.cwd = "/w".to_owned().into();
    params.approval_policy = AskForApproval::Untrusted.into();
    sends::<ThreadStart>(
        params,
        r#"{"approvalPolicy":"untrusted","cwd":"/w","model":"m"}"#,
    );
    sends::<ThreadResume>(ThreadResumeParams::new("t"), r#"{"threadId":"t"}"#);
    sends::<ThreadCompactStart>(ThreadCompactStartParams::new("t"), r#"{"threadId":"t"}"#);

    let input = vec![UserInput::Text(TextUserInput::new("Hello"))];
    let mut params = TurnStartParams::new("t", input);
    params.model = "m".to_owned().into();
    params.effort = ReasoningEffort::from("high").into();
    sends::<TurnStart>(
        params,
        r#"{"threadId":"t","input":[{"type":"text","text":"Hello"}],"effort":"high","model":"m"}"#,
    );
    sends::<TurnInterrupt>(
        TurnInterruptParams::new("t", "u"),
        r#"{"threadId":"t","turnId":"u"}"#,
    );
}

#[track_caller]
fn received(text: &str) -> ServerMessage {
    let message = from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_same(&to_string(&message), text);
    message
}

#[track_caller]
fn notification(text: &str) -> ServerNotification {
    match received(text) {
        JsonRpcMessage::Notification(notification) => notification,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn request(text: &str) -> ServerRequest {
    match received(text) {
        JsonRpcMessage::Request(request) => request,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_thread_as_it_was_started() {
    // From the first release to the last, thread and model are there.
    for text in [
        r#"{"thread":{"id":"t","preview":"","modelProvider":"openai","createdAt":1},"model":"m","modelProvider":"openai","cwd":"/w"}"#,
        r#"{"thread":{"id":"t","preview":"","modelProvider":"openai","createdAt":1,"turns":[]},"model":"m"}"#,
    ] {
        let raw = codex_wire::json::Raw::new(text).unwrap();
        let answer = Response::<codex_wire::app_server::ClientSide>::new(1, raw);
        let result = answer.result::<ThreadStart>().unwrap();
        assert_eq!(
            (result.thread.id.as_str(), result.model.value()),
            ("t", Some(&"m".to_owned()))
        );
    }
}

#[test]
fn items_and_turns() {
    let started = notification(
        r#"{"method":"item/started","params":{"threadId":"t","turnId":"u","item":{"type":"commandExecution","id":"i","command":"ls","status":"inProgress","commandActions":[],"cwd":"/w"},"startedAtMs":5}}"#,
    );
    let params = started.params_of::<ItemStarted>().unwrap();
    assert_eq!(params.item.id, "i");
    assert!(
        matches!(&params.item.details, ThreadItemDetails::CommandExecution(item) if item.command == "ls")
    );

    let completed = notification(
        r#"{"method":"item/completed","params":{"threadId":"t","turnId":"u","item":{"type":"contextCompaction","id":"i"}}}"#,
    );
    let params = completed.params_of::<ItemCompleted>().unwrap();
    assert_eq!(params.item.details.tag(), "contextCompaction");

    let delta = notification(
        r#"{"method":"item/agentMessage/delta","params":{"threadId":"t","turnId":"u","itemId":"i","delta":"Hel"}}"#,
    );
    assert_eq!(
        delta.params_of::<ItemAgentMessageDelta>().unwrap().delta,
        "Hel"
    );

    let turn = notification(
        r#"{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","items":[],"status":"failed","error":{"message":"m","codexErrorInfo":"other"}}}}"#,
    );
    let turn = &turn.params_of::<TurnCompleted>().unwrap().turn;
    assert_eq!(turn.status, TurnStatus::Failed);
    assert_eq!(turn.error.value().unwrap().message, "m");

    let usage = notification(
        r#"{"method":"thread/tokenUsage/updated","params":{"threadId":"t","turnId":"u","tokenUsage":{"last":{"cachedInputTokens":0,"inputTokens":1,"outputTokens":2,"reasoningOutputTokens":0,"totalTokens":3},"total":{"cachedInputTokens":0,"inputTokens":10,"outputTokens":20,"reasoningOutputTokens":0,"totalTokens":30}}}}"#,
    );
    let usage = &usage
        .params_of::<ThreadTokenUsageUpdated>()
        .unwrap()
        .token_usage;
    assert_eq!(
        (usage.total.input_tokens, usage.total.output_tokens),
        (10, 20)
    );
}

#[test]
fn errors() {
    let JsonRpcMessage::Error(error) =
        received(r#"{"id":1,"error":{"code":-32600,"message":"Not initialized","data":{"a":1}}}"#)
    else {
        panic!("an error");
    };
    assert_eq!(error.error.to_string(), "Not initialized (-32600)");
    assert_eq!(error.error.data.value().unwrap().get(), r#"{"a":1}"#);
    let _: ErrorResponse<codex_wire::app_server::ClientSide> = error;
}

#[test]
fn an_approval_is_answered() {
    let asked = request(
        r#"{"id":0,"method":"item/commandExecution/requestApproval","params":{"threadId":"t","turnId":"u","itemId":"i","command":"touch a","cwd":"/w","reason":"why","proposedExecpolicyAmendment":["touch","a"]}}"#,
    );
    let params = asked
        .params_of::<ItemCommandExecutionRequestApproval>()
        .unwrap();
    assert_eq!(params.reason.value().unwrap(), "why");
    assert_eq!(
        params.command_text(None),
        Some(CommandText::Whole("touch a"))
    );
    let decisions = [
        (CommandExecutionApprovalDecision::Accept, "accept"),
        (
            CommandExecutionApprovalDecision::AcceptForSession,
            "acceptForSession",
        ),
        (CommandExecutionApprovalDecision::Decline, "decline"),
        (CommandExecutionApprovalDecision::Cancel, "cancel"),
    ];
    for (decision, word) in decisions {
        let answer = CommandExecutionRequestApprovalResponse::new(decision);
        let answer = Response::to::<ItemCommandExecutionRequestApproval>(asked.id.clone(), &answer);
        assert_eq!(
            to_string(&ClientMessage::from(answer)),
            format!(r#"{{"id":0,"result":{{"decision":"{word}"}}}}"#)
        );
    }
    // What clients of the first releases answered.
    let answer = CommandExecutionRequestApprovalResponse::new(ApprovalDecision::Accept);
    assert_eq!(to_string(&answer), r#"{"decision":"accept"}"#);

    let asked = request(
        r#"{"id":1,"method":"item/fileChange/requestApproval","params":{"threadId":"t","turnId":"u","itemId":"i","grantRoot":"/w","reason":null}}"#,
    );
    let params = asked.params_of::<ItemFileChangeRequestApproval>().unwrap();
    assert_eq!(params.grant_root.value().unwrap(), "/w");
    let answer = FileChangeRequestApprovalResponse::new(FileChangeApprovalDecision::Decline);
    let answer = Response::<ServerSide>::to::<ItemFileChangeRequestApproval>(asked.id, &answer);
    assert_eq!(
        to_string(&answer),
        r#"{"id":1,"result":{"decision":"decline"}}"#
    );
}

/// Where the request does not say which command it is about, others do, and how much they say is
/// told apart.
#[test]
fn the_command_of_an_approval() {
    let params = |members: &str| {
        let text = format!(r#"{{"threadId":"t","turnId":"u","itemId":"i"{members}}}"#);
        from_str::<CommandExecutionRequestApprovalParams>(&text).unwrap()
    };
    let shown = |members: &str, item: Option<&ThreadItem>| {
        params(members)
            .command_text(item)
            .map(|text| text.to_string())
    };
    let item: ThreadItem = from_str(
        r#"{"type":"commandExecution","id":"i","command":"bash -lc 'a && b'","status":"inProgress"}"#,
    )
    .unwrap();
    let other: ThreadItem = from_str(r#"{"type":"plan","id":"i","text":""}"#).unwrap();
    let actions = r#","commandActions":[{"type":"unknown","command":"a"},{"type":"listFiles","command":"ls","path":null}]"#;
    let rule = r#","proposedExecpolicyAmendment":["a b","c"]"#;
    assert_eq!(shown(r#","command":"x y""#, Some(&item)).unwrap(), "x y");
    assert_eq!(shown(actions, Some(&item)).unwrap(), "bash -lc 'a && b'");
    assert_eq!(shown(&format!("{actions}{rule}"), None).unwrap(), "a; ls");
    assert_eq!(shown(rule, Some(&other)).unwrap(), "'a b' c …");
    assert_eq!(
        shown(
            r#","command":null,"commandActions":[],"proposedExecpolicyAmendment":[]"#,
            None
        ),
        None
    );
    assert_eq!(
        shown(r#","commandActions":[{"type":"newKind"}]"#, None),
        None
    );
    assert_eq!(shown("", None), None);
    assert!(
        matches!(params(rule).command_text(None), Some(CommandText::Beginning(words)) if words.len() == 2)
    );

    let old: ExecCommandApprovalParams = from_str(
        r#"{"callId":"c","command":["bash","-lc","echo it's","","a=b"],"conversationId":"t","cwd":"/w","parsedCmd":[]}"#,
    )
    .unwrap();
    assert_eq!(old.command_text(), r"bash -lc 'echo it'\''s' '' a=b");
}
