//! Items of both protocols, seen alike; among them every example the tests of the shared item
//! type held that this view grew from.

use std::collections::BTreeSet;

use codex_wire::generate::Recipe;
use codex_wire::items::{ChangeKind, Item, ItemKind, ItemView, Status};
use codex_wire::shape::Form;
use codex_wire::{Protocol, Release, app_server, exec, from_str};
use proptest::test_runner::TestRunner;

use crate::app_server_samples::of;
use crate::support::{files, recordings};

#[track_caller]
fn item(text: &str) -> Item {
    from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn agent_message() {
    let item = item(r#"{"type":"agent_message","id":"msg_1","text":"Hello world"}"#);
    assert_eq!(item.view().kind(), ItemKind::AgentMessage);
    assert_eq!(item.view().id(), "msg_1");
    assert_eq!(item.view().text().as_deref(), Some("Hello world"));
}

#[test]
fn command_execution() {
    let item = item(
        r#"{"type":"command_execution","id":"cmd_1","command":"ls -la","aggregated_output":"total 0","exit_code":0,"status":"completed"}"#,
    );
    let item = item.view();
    assert_eq!(item.kind(), ItemKind::CommandExecution);
    assert_eq!(item.command(), Some("ls -la"));
    assert_eq!(item.output(), Some("total 0"));
    assert_eq!(item.exit_code(), Some(0));
    assert_eq!(item.status(), Some(Status::Completed));
}

/// A tag of exec with a change as the app-server writes it.
#[test]
fn file_change() {
    let item = item(
        r#"{"type":"file_change","id":"fc_1","changes":[{"path":"src/main.rs","kind":{"type":"update"},"diff":"@@ -1 +1 @@\n-a\n+b\n"}],"status":"completed"}"#,
    );
    assert_eq!(item.view().kind(), ItemKind::FileChange);
    let changes = item.view().changes();
    assert_eq!(changes[0].path, "src/main.rs");
    assert_eq!(changes[0].kind, ChangeKind::Update);
    assert_eq!(changes[0].diff, Some("@@ -1 +1 @@\n-a\n+b\n"));
    assert_eq!(changes[0].move_path, None);
}

#[test]
fn todo_list() {
    let item = item(
        r#"{"type":"todo_list","id":"td_1","items":[{"text":"Fix bug","completed":false},{"text":"Write tests","completed":true}]}"#,
    );
    assert_eq!(item.view().kind(), ItemKind::TodoList);
    let todos = item.view().todos();
    assert_eq!(todos.len(), 2);
    assert_eq!((todos[1].text, todos[1].completed), ("Write tests", true));
}

#[test]
fn error() {
    let item = item(r#"{"type":"error","id":"err_1","message":"something went wrong"}"#);
    assert_eq!(item.view().kind(), ItemKind::Error);
    assert_eq!(item.view().text().as_deref(), Some("something went wrong"));
}

#[test]
fn reasoning() {
    let item = item(r#"{"type":"reasoning","id":"r_1","text":"Let me think about this..."}"#);
    assert_eq!(item.view().kind(), ItemKind::Reasoning);
    assert_eq!(
        item.view().text().as_deref(),
        Some("Let me think about this...")
    );
}

#[test]
fn web_search() {
    let item = item(r#"{"type":"web_search","id":"ws_1","query":"rust serde tutorial"}"#);
    assert_eq!(item.view().kind(), ItemKind::WebSearch);
    assert_eq!(item.view().query(), Some("rust serde tutorial"));
}

#[test]
fn mcp_tool_call() {
    let item = item(
        r#"{"type":"mcp_tool_call","id":"mcp_1","server":"my-server","tool":"my-tool","arguments":{"key":"value"},"status":"completed","result":{"content":[],"structured_content":null}}"#,
    );
    assert_eq!(item.view().kind(), ItemKind::McpToolCall);
    let call = item.view().tool_call().unwrap();
    assert_eq!((call.server, call.tool), (Some("my-server"), "my-tool"));
    assert_eq!(call.arguments.unwrap().get(), r#"{"key":"value"}"#);
    assert_eq!(
        (call.texts.len(), call.structured, call.error),
        (0, None, None)
    );
}

#[test]
fn camel_case_agent_message() {
    let item = item(r#"{"type":"agentMessage","id":"msg_1","text":"Hello"}"#);
    assert_eq!(item.view().kind(), ItemKind::AgentMessage);
    assert_eq!(item.view().text().as_deref(), Some("Hello"));
}

/// A tag of the app-server with members as exec writes them.
#[test]
fn camel_case_command_execution() {
    let item = item(
        r#"{"type":"commandExecution","id":"cmd_1","command":"ls","aggregated_output":"","status":"completed"}"#,
    );
    assert_eq!(item.view().kind(), ItemKind::CommandExecution);
    assert_eq!(item.view().output(), Some(""));
}

#[test]
fn camel_case_file_change() {
    let item = item(r#"{"type":"fileChange","id":"fc_1","changes":[],"status":"completed"}"#);
    assert_eq!(item.view().kind(), ItemKind::FileChange);
    assert!(item.view().changes().is_empty());
}

#[test]
fn command_execution_status_declined() {
    let item = item(
        r#"{"type":"command_execution","id":"cmd_1","command":"rm -rf /","aggregated_output":"","status":"declined"}"#,
    );
    assert_eq!(item.view().status(), Some(Status::Declined));
}

/// Mixed spellings, as that type wrote items again: none of the two protocols knows them.
#[test]
fn mixed_spellings() {
    let kinds = [
        (
            r#"{"type":"command_execution","id":"c","command":"ls","aggregatedOutput":null,"exitCode":1,"status":"in_progress"}"#,
            ItemKind::CommandExecution,
        ),
        (
            r#"{"type":"user_message","id":"u","content":[{"type":"text","text":"Hi"}]}"#,
            ItemKind::UserMessage,
        ),
        (
            r#"{"type":"todoList","id":"t","items":[{"text":"x","completed":true}]}"#,
            ItemKind::TodoList,
        ),
        (
            r#"{"type":"collab_tool_call","id":"c","tool":"spawnAgent","senderThreadId":"s","receiverThreadIds":[],"agentsStates":{},"status":"inProgress"}"#,
            ItemKind::CollabToolCall,
        ),
        (
            r#"{"id":"r","summary":["a","b"],"type":"reasoning"}"#,
            ItemKind::Reasoning,
        ),
    ];
    for (text, kind) in kinds {
        assert_eq!(item(text).view().kind(), kind, "{text}");
    }
    let item = item(kinds[0].0);
    assert_eq!(
        (item.view().output(), item.view().exit_code()),
        (None, Some(1))
    );
}

#[test]
fn what_only_one_protocol_says() {
    let command = item(
        r#"{"type":"commandExecution","id":"c","command":"ls","cwd":"/w","commandActions":[],"aggregatedOutput":"a","exitCode":0,"durationMs":7,"status":"completed"}"#,
    );
    let command = command.view();
    assert_eq!(
        (command.cwd(), command.duration_ms()),
        (Some("/w"), Some(7))
    );
    let moved = item(
        r#"{"type":"fileChange","id":"f","changes":[{"path":"a","kind":{"type":"update","move_path":"b"},"diff":"d"},{"path":"c","kind":{"type":"sew"},"diff":""},{"path":"e","kind":7,"diff":""}],"status":"inProgress"}"#,
    );
    let changes = moved.view().changes();
    assert_eq!(
        (changes[0].kind, changes[0].move_path),
        (ChangeKind::Update, Some("b"))
    );
    assert_eq!(changes[1].kind, ChangeKind::Other("sew"));
    assert_eq!(changes[2].kind, ChangeKind::Other("7"));
    let text = |text: &str| item(text).view().text().map(std::borrow::Cow::into_owned);
    assert_eq!(
        text(r#"{"type":"reasoning","id":"r","summary":["a","b"],"content":["c"]}"#).unwrap(),
        "a\n\nb"
    );
    assert_eq!(
        text(r#"{"type":"reasoning","id":"r","summary":[],"content":["c"]}"#).unwrap(),
        "c"
    );
    assert_eq!(
        text(r#"{"type":"reasoning","id":"r","summary":[],"content":[]}"#),
        None
    );
    assert_eq!(
        text(r#"{"type":"userMessage","id":"u","content":[{"type":"text","text":"Hi"},{"type":"image","url":"x"},{"type":"text","text":"you"}]}"#).unwrap(),
        "Hi\n\nyou"
    );
    let call = item(
        r#"{"type":"mcpToolCall","id":"m","server":"s","tool":"t","arguments":{},"status":"failed","result":{"content":[{"type":"text","text":"T"},{"type":"image","data":"","mimeType":"m"}],"structuredContent":{"a":1}},"error":{"message":"E"}}"#,
    );
    let call = call.view().tool_call().unwrap();
    assert_eq!((call.texts, call.error), (vec!["T".to_owned()], Some("E")));
    assert_eq!(call.structured.unwrap().get(), r#"{"a":1}"#);
    let call = item(
        r#"{"type":"dynamicToolCall","id":"d","tool":"t","arguments":[1],"status":"completed","contentItems":[{"type":"inputText","text":"T"}],"success":true}"#,
    );
    let call = call.view().tool_call().unwrap();
    assert_eq!(
        (call.server, call.tool, call.texts),
        (None, "t", vec!["T".to_owned()])
    );
    assert_eq!(call.arguments.unwrap().get(), "[1]");
}

#[test]
fn unknown_kinds_and_words() {
    for text in [
        r#"{"type":"painting","id":"p","strokes":[]}"#,
        r#"{"type":"finePainting","id":"p","strokes":[]}"#,
        r#"{"type":"fine_painting","id":"p","strokes":[]}"#,
    ] {
        let item = item(text);
        assert_eq!(
            (item.view().kind(), item.view().id()),
            (ItemKind::Unknown, "p")
        );
        assert!(item.view().tag().ends_with("ainting"));
        assert_eq!((item.view().status(), item.view().text()), (None, None));
    }
    let paused =
        item(r#"{"type":"commandExecution","id":"c","command":"ls","status":"paused","x":1}"#);
    assert_eq!(paused.view().status(), Some(Status::Other("paused")));
}

/// Every kind of item that a release of the app-server has is a kind here.
#[test]
fn every_kind_of_the_app_server_is_known() {
    let ty = of::<app_server::ThreadItem>();
    let Form::Tagged { variants, .. } = &ty.shape.form else {
        panic!("items have no tag");
    };
    let mut left: BTreeSet<&str> = variants.iter().map(|variant| variant.tag).collect();
    let mut runner = TestRunner::deterministic();
    for release in [
        Release::new(0, 63, 0),
        Protocol::AppServer.release_list().latest(),
    ] {
        let mut next = (ty.values)(Recipe {
            release,
            unknown: false,
        });
        for _ in 0..1000 {
            let text = next(&mut runner).text;
            let item: app_server::ThreadItem = from_str(&text).unwrap();
            let view = ItemView::from(&item);
            assert_ne!(view.kind(), ItemKind::Unknown, "{text}");
            left.remove(view.tag());
        }
    }
    assert!(left.is_empty(), "never made: {left:?}");
}

/// The error is that of the item as it was written.
#[test]
fn what_is_no_item() {
    let error = |text: &str| from_str::<Item>(text).unwrap_err().to_string();
    assert_eq!(
        error(r#"{"type":"commandExecution","id":"c","command":7,"status":"completed"}"#),
        "expected a string, found a number in /command at line 1 column 47"
    );
    assert_eq!(
        error(r#"{"id":"c"}"#),
        "missing member `type` at line 1 column 1"
    );
    assert_eq!(
        error("[]"),
        "expected an object, found an array at line 1 column 1"
    );
    assert!(error(r#"{"type":"todo_list","id":"#).contains("malformed"));
}

/// Every item that was recorded, of both protocols, has a known kind and reads the same through
/// its own type and without it.
#[test]
fn recorded_items() {
    let mut seen = BTreeSet::new();
    for path in files::recorded() {
        for (place, line) in files::lines(&path) {
            let event: exec::Event = from_str(&line).unwrap();
            if let Some(own) = event.item() {
                let text = codex_wire::to_string(own);
                let read = item(&text);
                assert_eq!(read, Item::Exec(own.clone()), "{place}");
                assert_ne!(read.view().kind(), ItemKind::Unknown, "{place}");
                seen.insert(("exec", format!("{:?}", read.view().kind())));
            }
        }
    }
    for path in recordings::app_server() {
        for line in recordings::lines(&path).iter().filter(|line| line.of_codex) {
            let Ok(app_server::JsonRpcMessage::Notification(message)) =
                from_str::<app_server::ServerMessage>(&line.text)
            else {
                continue;
            };
            let own = match &message.params {
                app_server::ServerNotificationParams::ItemStarted(params) => &params.item,
                app_server::ServerNotificationParams::ItemCompleted(params) => &params.item,
                _ => continue,
            };
            let read = item(&codex_wire::to_string(own));
            // `reasoning` is spelt alike; everything else is known by its tag.
            assert_eq!(read.view(), ItemView::from(own), "{}", line.place);
            assert_ne!(read.view().kind(), ItemKind::Unknown, "{}", line.place);
            seen.insert(("app-server", format!("{:?}", read.view().kind())));
        }
    }
    assert!(seen.len() > 20, "{seen:?}");
}
