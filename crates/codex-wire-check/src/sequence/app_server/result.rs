//! Checks the results of commands and tool calls: empty at the start, and as the status says at the
//! end.

use codex_wire_program::View;

use super::state::At;
use crate::rules;
use crate::violation::Violation;

/// Members that tell what an item of a kind has come to.
fn results_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "commandExecution" => &["aggregatedOutput", "exitCode", "durationMs"],
        "dynamicToolCall" => &["contentItems", "success", "durationMs"],
        "mcpToolCall" => &["result", "error", "durationMs"],
        _ => &[],
    }
}

/// An item that is started has come to nothing yet.
pub(super) fn none_yet(at: &mut At<'_, '_>, kind: &str, item: View<'_>) {
    for name in results_of(kind) {
        let told = item
            .get(name)
            .filter(|value| !value.is_null() && value.as_str() != Some(""));
        if told.is_some() {
            let text = format!("an item that is started has `{name}` already");
            let pointer = format!("/params/item/{name}");
            at.breach(Violation::new(&rules::APP_STARTED_RESULT, pointer, text).of(kind));
        }
    }
}

/// The status of a completed item says the same as its result.
pub(super) fn fits(at: &mut At<'_, '_>, kind: &str, item: View<'_>) {
    let code = item.get("exitCode").and_then(View::as_i64);
    let success = item.get("success").and_then(View::as_bool);
    let fails = item.get("error").is_some_and(|error| !error.is_null());
    let text = match (kind, item.get_str("status")) {
        ("commandExecution", Some("completed")) if code.is_some_and(|code| code != 0) => {
            "a command with another exit code than 0 is `completed`"
        }
        ("commandExecution", Some("failed")) if code == Some(0) => {
            "a command with exit code 0 is `failed`"
        }
        ("mcpToolCall", Some("completed")) if fails => "a call with an error is `completed`",
        ("dynamicToolCall", Some("completed")) if success == Some(false) => {
            "a call without `success` is `completed`"
        }
        ("dynamicToolCall", Some("failed")) if success == Some(true) => {
            "a call with `success` is `failed`"
        }
        _ => return,
    };
    let rule = &rules::APP_ITEM_RESULT;
    at.breach(Violation::new(rule, "/params/item/status", text).of(kind));
}
