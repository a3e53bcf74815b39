//! What the release of Codex does not know is refused, left out or sent, by choice.

use codex_wire::Maybe;
use codex_wire::app_server::methods::client_requests::{
    Initialize, ThreadRead, ThreadStart, ThreadTurnsList, TurnSteer,
};
use codex_wire::app_server::methods::server_requests::{
    ItemFileChangeRequestApproval, ItemPermissionsRequestApproval,
};
use codex_wire::app_server::{
    ClientInfo, FileChangeApprovalDecision, FileChangeRequestApprovalResponse,
    GrantedPermissionProfile, InitializeCapabilities, InitializeParams,
    PermissionsRequestApprovalResponse, ThreadStartParams, TurnSteerParams,
};
use codex_wire_client::{Error, OnUnsupported, Received, Session};

/// A session with a Codex of this release.
fn with(
    release: &str,
    choice: OnUnsupported,
    capabilities: Maybe<InitializeCapabilities>,
) -> Session {
    let mut session = Session::new().on_unsupported(choice);
    let mut params = InitializeParams::new(ClientInfo::new("mine", "1.0"));
    params.capabilities = capabilities;
    let (_ticket, _) = session
        .request::<Initialize>(params)
        .expect("no release yet");
    let line = format!(r#"{{"id":0,"result":{{"userAgent":"mine/{release} (Linux)"}}}}"#);
    session.receive(line).expect("an answer");
    session
}

fn session(release: &str, choice: OnUnsupported) -> Session {
    with(release, choice, Maybe::Absent)
}

fn start() -> ThreadStartParams {
    let mut params = ThreadStartParams::new();
    params.model = Maybe::Value("gpt".into());
    params.service_name = Maybe::Value("mine".into());
    params
}

#[test]
fn by_default_it_is_not_sent() {
    let mut session = session("0.98.0", OnUnsupported::default());
    let error = session
        .request::<ThreadStart>(start())
        .expect_err("a member");
    assert_eq!(
        error.to_string(),
        "thread/start was not sent: Codex 0.98.0 does not know the member `serviceName` at \
         /params/serviceName (0.105.0 or later)"
    );
    assert!(matches!(error, Error::Unsupported { .. }));
    assert_eq!(session.unanswered().count(), 0);
    // The session goes on as if nothing had been asked.
    let (_ticket, line) = session
        .request::<ThreadStart>(ThreadStartParams::new())
        .expect("it knows this");
    assert_eq!(line, r#"{"id":1,"method":"thread/start","params":{}}"#);
}

#[test]
fn it_is_left_out() {
    let mut session = session("0.98.0", OnUnsupported::Drop);
    let (ticket, line) = session.request::<ThreadStart>(start()).expect("a request");
    assert_eq!(
        line,
        r#"{"id":1,"method":"thread/start","params":{"model":"gpt"}}"#
    );
    assert_eq!(ticket.dropped()[0].name, "serviceName");
    let steer = TurnSteerParams::new("t", "u", vec![]);
    let error = session.request::<TurnSteer>(steer).expect_err("a method");
    assert_eq!(
        error.to_string(),
        "turn/steer was not sent: Codex 0.98.0 does not know the method `turn/steer` (0.99.0 or later)"
    );
}

#[test]
fn it_is_sent() {
    for (release, choice) in [
        ("0.98.0", OnUnsupported::Send),
        ("0.169.0", OnUnsupported::Refuse),
        // A build that is not a release.
        ("dev", OnUnsupported::Refuse),
    ] {
        let mut session = session(release, choice);
        let (ticket, line) = session.request::<ThreadStart>(start()).expect("a request");
        assert!(line.contains("serviceName"), "{release}: {line}");
        assert!(ticket.dropped().is_empty());
    }
}

#[test]
fn methods_that_a_release_has() {
    assert_eq!(Session::new().supports::<TurnSteer>(), None);
    let choice = OnUnsupported::Refuse;
    assert_eq!(
        session("0.98.0", choice).supports::<TurnSteer>(),
        Some(false)
    );
    assert_eq!(
        session("0.99.0", choice).supports::<TurnSteer>(),
        Some(true)
    );
    assert_eq!(session("dev", choice).supports::<TurnSteer>(), None);
    assert_eq!(
        session("0.58.0", choice).supports::<ThreadRead>(),
        Some(false)
    );
    // An experimental method is for clients that asked for them.
    assert_eq!(
        session("0.130.0", choice).supports::<ThreadTurnsList>(),
        Some(false)
    );
    let mut wanted = InitializeCapabilities::new();
    wanted.experimental_api = Maybe::Value(true);
    let session = with("0.130.0", choice, Maybe::Value(wanted));
    assert_eq!(session.supports::<ThreadTurnsList>(), Some(true));
}

#[test]
fn answers_too() {
    let mut session = session("0.98.0", OnUnsupported::Refuse);
    let line = r#"{"id":7,"method":"item/fileChange/requestApproval","params":{"threadId":"t","turnId":"u","itemId":"i"}}"#;
    let Ok(Received::Request(request)) = session.receive(line) else {
        panic!("a request");
    };
    let answer = |word| FileChangeRequestApprovalResponse::new(word);
    let walrus = answer(FileChangeApprovalDecision::from("walrus"));
    let error = session
        .answer::<ItemFileChangeRequestApproval>(&request.id, &walrus)
        .expect_err("a value");
    assert_eq!(
        error.to_string(),
        "item/fileChange/requestApproval was not sent: Codex 0.98.0 does not know the value \
         `walrus` at /decision (in no known release)"
    );
    // It waits for another answer.
    let accept = answer(FileChangeApprovalDecision::Accept);
    let (line, dropped) = session
        .answer::<ItemFileChangeRequestApproval>(&request.id, &accept)
        .expect("an answer");
    assert_eq!(line, r#"{"id":7,"result":{"decision":"accept"}}"#);
    assert!(dropped.is_empty());
}

#[test]
fn what_is_left_out_of_an_answer_is_said() {
    let mut session = session("0.120.0", OnUnsupported::Drop);
    let line = r#"{"id":7,"method":"item/permissions/requestApproval","params":{"threadId":"t","turnId":"u","itemId":"i","cwd":"/w","permissions":{},"startedAtMs":1}}"#;
    let Ok(Received::Request(request)) = session.receive(line) else {
        panic!("a request");
    };
    let mut granted = PermissionsRequestApprovalResponse::new(GrantedPermissionProfile::new());
    granted.strict_auto_review = Maybe::Value(true);
    let (line, dropped) = session
        .answer::<ItemPermissionsRequestApproval>(&request.id, &granted)
        .expect("an answer");
    assert_eq!(line, r#"{"id":7,"result":{"permissions":{}}}"#);
    let names: Vec<_> = dropped.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["strictAutoReview"]);
}
