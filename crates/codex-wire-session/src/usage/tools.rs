//! Which tools a turn used.

use crate::model::{Body, Item, Status};

/// A call of a tool.
pub(super) struct Call<'a> {
    pub(super) name: std::borrow::Cow<'a, str>,
    pub(super) has_failed: bool,
    pub(super) ms: u64,
}

/// The call that an item is, if it is one.
pub(super) fn call(item: &Item) -> Option<Call<'_>> {
    let (name, status) = match &item.body {
        Body::Command(command) if !command.is_by_user => ("command".into(), command.status),
        Body::Patch(patch) => ("patch".into(), patch.status),
        Body::McpCall(call) => (format!("{}/{}", call.server, call.tool).into(), call.status),
        Body::ToolCall(call) => (call.name.as_str().into(), call.status),
        Body::WebSearch(_) => ("web_search".into(), None),
        Body::SubAgent(agent) => (agent.action.as_str().into(), agent.status),
        Body::TodoList(_) => ("update_plan".into(), None),
        _ => return None,
    };
    let between = |(from, to): (crate::model::Time, crate::model::Time)| to.since(from);
    let measured = item.started.zip(item.completed).map(between);
    Some(Call {
        name,
        has_failed: status == Some(Status::Failed),
        ms: item.duration_ms.or(measured).unwrap_or(0),
    })
}
