//! Counts the kinds of messages.

use codex_wire_base::MessageSet;
use codex_wire_check::{Event, Step};
use codex_wire_report::Kinds;
use serde_json::Value;

/// Counts the message of a line, if it has one.
pub(crate) fn count(step: &Step<'_>, kinds: &mut Kinds) {
    let (Some((message_set, name)), Event::Message { message, .. }) = (step.kind(), step.event)
    else {
        return;
    };
    // A line of a session file holds a message of one of many kinds.
    match message.pointer("/payload/type").and_then(Value::as_str) {
        Some(inner) if message_set == MessageSet::Rollout => {
            kinds.add(message_set, &format!("{name}/{inner}"));
        }
        _ => kinds.add(message_set, name),
    }
}
