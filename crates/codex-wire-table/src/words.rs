//! Words of the tables for what the model of a session names.

use codex_wire_session::{Body, Role, Status, Time};

pub(crate) fn of_status(status: Status) -> Option<&'static str> {
    Some(match status {
        Status::InProgress => "in_progress",
        Status::Completed => "completed",
        Status::Failed => "failed",
        Status::Declined => "declined",
        _ => return None,
    })
}

pub(crate) fn of_role(role: Role) -> Option<&'static str> {
    Some(match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Context => "context",
        Role::Agent => "agent",
        _ => return None,
    })
}

pub(crate) fn of_body(body: &Body) -> Option<&'static str> {
    Some(match body {
        Body::Message(_) => "message",
        Body::Reasoning(_) => "reasoning",
        Body::Command(_) => "command",
        Body::Patch(_) => "patch",
        Body::McpCall(_) => "mcp_call",
        Body::ToolCall(_) => "tool_call",
        Body::WebSearch(_) => "web_search",
        Body::Plan(_) => "plan",
        Body::TodoList(_) => "todo_list",
        Body::Image(_) => "image",
        Body::Compaction(_) => "compaction",
        Body::Review(_) => "review",
        Body::Approval(_) => "approval",
        Body::SubAgent(_) => "sub_agent",
        Body::Error(_) => "error",
        Body::Warning(_) => "warning",
        Body::HookRun(_) => "hook_run",
        Body::Other(_) => "other",
        _ => return None,
    })
}

/// The day in UTC, in days from the beginning of 1970.
pub(crate) fn day_of(time: Time) -> Option<i32> {
    i32::try_from(time.ms().div_euclid(24 * 60 * 60 * 1000)).ok()
}

/// When an id was made, if it is a UUID of version 7.
pub(crate) fn time_in_id(id: &str) -> Option<Time> {
    let bytes = id.as_bytes();
    let has_dashes = [8, 13, 18, 23]
        .iter()
        .all(|at| bytes.get(*at) == Some(&b'-'));
    if bytes.len() != 36 || !has_dashes || bytes[14] != b'7' {
        return None;
    }
    let (high, low) = (id.get(..8)?, id.get(9..13)?);
    let high = i64::from(u32::from_str_radix(high, 16).ok()?);
    let low = i64::from(u16::from_str_radix(low, 16).ok()?);
    Time::from_ms((high << 16) | low)
}
