//! Checks the results of commands and tool calls: empty at the start, and as the status says at the
//! end.

use codex_wire_prefilter::View;

use super::evidence::NOTIFICATIONS;
use super::state::MessageContext;
use crate::rule_macros::{connected, rules};
use crate::violation::Broken;

/// The members that hold the result of an item, for each kind.
fn results_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "commandExecution" => &["aggregatedOutput", "exitCode", "durationMs"],
        "dynamicToolCall" => &["contentItems", "success", "durationMs"],
        "mcpToolCall" => &["result", "error", "durationMs"],
        _ => &[],
    }
}

/// An item that is started has come to nothing yet.
pub(super) fn none_yet(at: &mut MessageContext<'_, '_>, kind: &str, item: View<'_>) {
    for name in results_of(kind) {
        let reported = item
            .get(name)
            .filter(|value| !value.is_null() && value.as_str() != Some(""));
        if reported.is_some() {
            let pointer = format!("/params/item/{name}");
            at.violation(ResultAtStart { name }.at(pointer).of(kind));
        }
    }
}

/// The status of a completed item says the same as its result.
pub(super) fn fits(at: &mut MessageContext<'_, '_>, kind: &str, item: View<'_>) {
    let code = item.get("exitCode").and_then(View::as_i64);
    let success = item.get("success").and_then(View::as_bool);
    let fails = item.get("error").is_some_and(|error| !error.is_null());
    let place = "/params/item/status";
    let violation = match (kind, item.get_str("status")) {
        ("commandExecution", Some("completed")) if code.is_some_and(|code| code != 0) => {
            FailureCompleted.at(place)
        }
        ("commandExecution", Some("failed")) if code == Some(0) => SuccessFailed.at(place),
        ("mcpToolCall", Some("completed")) if fails => ErrorCompleted.at(place),
        ("dynamicToolCall", Some("completed")) if success == Some(false) => {
            UnsuccessfulCompleted.at(place)
        }
        ("dynamicToolCall", Some("failed")) if success == Some(true) => SuccessfulFailed.at(place),
        _ => return,
    };
    at.violation(violation.of(kind));
}

rules! {
    APP_ITEM_RESULT {
        summary: "the status and the result of a completed item agree: a command is `completed` \
            with exit code 0 and not with another, an MCP call with an error is not `completed`, \
            a client tool call is `completed` if `success` is true and `failed` if it is false",
        id: "sequence/app-server-item-result",
        about: NOTIFICATIONS,
        explanation: "If they disagree, a client that reads the status and a client that reads the \
            result show different things. A declined command can have any exit code or none.",
        evidence: connected!("45 commands complete with an exit code other than 0, none of them \
            as `completed`, and 212 with 0, all of them so; 46 MCP calls and 11 client tool \
            calls."),
    } => {
        FailureCompleted: "a command with an exit code other than 0 is `completed`",
        SuccessFailed: "a command with exit code 0 is `failed`",
        ErrorCompleted: "a call with an error is `completed`",
        UnsuccessfulCompleted: "a call whose `success` is false is `completed`",
        SuccessfulFailed: "a call whose `success` is true is `failed`",
    }
    APP_STARTED_RESULT {
        summary: "`item/started` has no result yet: a command has no `aggregatedOutput`, \
            `exitCode` or `durationMs`, an MCP call no `result`, `error` or `durationMs`, a \
            client tool call no `contentItems`, `success` or `durationMs`",
        id: "sequence/app-server-started-result",
        about: NOTIFICATIONS,
        explanation: "A client that takes the result from the first message that has one takes it too \
            early.",
        evidence: connected!("275 commands, 46 MCP calls and 11 client tool calls are started; \
            none breaks it."),
    } => {
        ResultAtStart { name: &'static str }: "an item that is started has `{name}` already",
    }
}
