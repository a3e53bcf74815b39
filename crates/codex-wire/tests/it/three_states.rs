//! Absent, `null` and a value are three states, and stay apart.

use codex_wire::exec::{
    CollabToolCallItem, CommandExecutionItem, Event, McpToolCallItem, McpToolCallResult,
    ThreadItemDetails, WebSearchItem,
};
use codex_wire::json::Raw;
use codex_wire::{Maybe, Wire};
use serde::Serialize;

/// Puts the three states of a member into a text at `#`, and requires them back.
#[track_caller]
fn three_states<T, M>(template: &str, member: &str, value: &str, get: fn(&T) -> &Maybe<M>)
where
    T: Wire + Serialize,
    M: Wire + Serialize,
{
    let [front, back] = template.split('#').collect::<Vec<_>>()[..] else {
        panic!("{template} has one place for the member");
    };
    let state = |text: String| {
        let read: T = codex_wire::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert_eq!(codex_wire::to_string(&read), text);
        read
    };

    let absent = state(format!("{front}{back}"));
    assert!(get(&absent).is_absent() && !get(&absent).is_null());
    assert!(get(&absent).value().is_none());

    let null = state(format!("{front}\"{member}\":null,{back}"));
    assert!(get(&null).is_null() && !get(&null).is_absent());
    assert!(get(&null).value().is_none());

    let some = state(format!("{front}\"{member}\":{value},{back}"));
    assert!(!get(&some).is_null() && !get(&some).is_absent());
    let found = get(&some).value().expect("the member has a value");
    assert_eq!(codex_wire::to_string(found), value);
}

#[test]
fn exit_code() {
    three_states::<CommandExecutionItem, _>(
        r#"{"command":"c","aggregated_output":"",#"status":"in_progress"}"#,
        "exit_code",
        "-1",
        |item| &item.exit_code,
    );
}

#[test]
fn prompt() {
    three_states::<CollabToolCallItem, _>(
        r#"{"tool":"wait","sender_thread_id":"p","receiver_thread_ids":[],#"agents_states":{},"status":"completed"}"#,
        "prompt",
        r#""""#,
        |item| &item.prompt,
    );
}

#[test]
fn arguments_result_and_error() {
    let template = r#"{"server":"s","tool":"t",#"status":"failed"}"#;
    three_states::<McpToolCallItem, _>(template, "arguments", "{ }", |item| &item.arguments);
    three_states::<McpToolCallItem, _>(
        template,
        "result",
        r#"{"content":[],"structured_content":null}"#,
        |item| &item.result,
    );
    three_states::<McpToolCallItem, _>(template, "error", r#"{"message":"m"}"#, |item| &item.error);
}

#[test]
fn structured_content_and_meta() {
    let front = r#"{"content":[],#"x":0}"#;
    three_states::<McpToolCallResult, _>(front, "structured_content", "false", |result| {
        &result.structured_content
    });
    three_states::<McpToolCallResult, _>(front, "_meta", "[]", |result| &result.meta);
}

#[test]
fn search_id_and_action() {
    let template = r##"{#"query":"q"}"##;
    three_states::<WebSearchItem, _>(template, "id", r#""ws""#, |item| &item.search_id);
    let template = r##"{"query":"q",#"x":0}"##;
    three_states::<WebSearchItem, _>(template, "action", r#"{"type":"other"}"#, |item| {
        &item.action
    });
}

/// The states survive within a whole line too, beside the other two of their kind.
#[test]
fn within_a_line() {
    let states = ["", r#""exit_code":null,"#, r#""exit_code":0,"#];
    let read = states.map(|state| {
        let line = format!(
            r#"{{"type":"item.started","item":{{"id":"item_0","type":"command_execution","command":"c","aggregated_output":"",{state}"status":"in_progress"}}}}"#
        );
        let event: Event = codex_wire::from_str(&line).unwrap();
        assert_eq!(codex_wire::to_string(&event), line);
        match &event.item().unwrap().details {
            ThreadItemDetails::CommandExecution(item) => item.exit_code,
            other => panic!("{other:?}"),
        }
    });
    assert_eq!(read, [Maybe::Absent, Maybe::Null, Maybe::Value(0)]);
}

#[test]
fn a_required_member_is_never_null() {
    let text = r#"{"command":null,"aggregated_output":"","status":"in_progress"}"#;
    let error = codex_wire::from_str::<CommandExecutionItem>(text).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected a string, found null in /command at line 1 column 12"
    );
}

#[test]
fn states_of_a_value_of_ones_own() {
    assert_eq!(Maybe::<i32>::default(), Maybe::Absent);
    assert_eq!(Maybe::from(3).into_value(), Some(3));
    assert_eq!(Maybe::<i32>::Null.into_value(), None);
    let mut item = CommandExecutionItem::new("c", "", "in_progress");
    assert!(item.exit_code.is_absent());
    item.exit_code = Maybe::Null;
    assert_eq!(
        codex_wire::to_string(&item),
        r#"{"command":"c","aggregated_output":"","exit_code":null,"status":"in_progress"}"#
    );
}

/// There is one `null`: a kept text that says so reads back as the state.
#[test]
fn a_kept_null_reads_back_as_the_null_state() {
    let mut item = McpToolCallItem::new("s", "t", "failed");
    item.arguments = Raw::new("null").unwrap().into();
    let text = codex_wire::to_string(&item);
    item.arguments = Maybe::Null;
    assert_eq!(codex_wire::to_string(&item), text);
    assert_eq!(
        codex_wire::from_str::<McpToolCallItem>(&text).unwrap(),
        item
    );
}
