//! Calls of tools, whatever kind of item they are.

use std::borrow::Cow;

use codex_wire_session::{Body, Item, Status};
use serde_json::{Value, json};

/// A call of a tool.
#[derive(Debug)]
pub(crate) struct Tool<'a> {
    pub(crate) item: &'a Item,
    /// Its name: that of the tool, or of the kind of item where the session does not keep which tool it was. The
    /// same as `codex-wire usage` counts by.
    pub(crate) name: Cow<'a, str>,
    pub(crate) status: Option<Status>,
    pub(crate) exit_code: Option<i64>,
}

impl<'a> Tool<'a> {
    /// The call that an item is, if it is one.
    pub(crate) fn of(item: &'a Item) -> Option<Self> {
        let (name, status): (Cow<'a, str>, _) = match &item.body {
            Body::Command(command) if !command.is_by_user => ("command".into(), command.status),
            Body::Patch(patch) => ("patch".into(), patch.status),
            Body::McpCall(call) => (format!("{}/{}", call.server, call.tool).into(), call.status),
            Body::ToolCall(call) => match &call.namespace {
                Some(namespace) => (format!("{namespace}/{}", call.name).into(), call.status),
                None => (call.name.as_str().into(), call.status),
            },
            Body::WebSearch(_) => ("web_search".into(), None),
            Body::SubAgent(agent) => (agent.action.as_str().into(), agent.status),
            Body::TodoList(_) => ("update_plan".into(), None),
            _ => return None,
        };
        let exit_code = match &item.body {
            Body::Command(command) => command.exit_code,
            _ => None,
        };
        Some(Tool {
            item,
            name,
            status,
            exit_code,
        })
    }

    /// What a failure is called, if it is one.
    pub(crate) fn failure(&self) -> Option<&'static str> {
        match self.status? {
            Status::Failed => Some("failed"),
            Status::Declined => Some("declined"),
            _ => None,
        }
    }

    /// What it was called with; null if that is not known.
    pub(crate) fn arguments(&self) -> Value {
        match &self.item.body {
            Body::Command(command) => object([
                ("command", json!(command.command)),
                ("cwd", json!(command.cwd)),
            ]),
            Body::Patch(patch) => match &patch.text {
                Some(text) => json!({ "patch": text }),
                None => json!({ "changes": patch.changes }),
            },
            Body::McpCall(call) => call.arguments.clone(),
            Body::ToolCall(call) => call.arguments.clone(),
            Body::WebSearch(search) => object([
                ("query", json!(search.query)),
                ("action", json!(search.action)),
            ]),
            Body::SubAgent(agent) => object([
                ("prompt", json!(agent.prompt)),
                (
                    "threads",
                    json!((!agent.threads.is_empty()).then_some(&agent.threads)),
                ),
            ]),
            Body::TodoList(list) => object([
                ("explanation", json!(list.explanation)),
                ("steps", json!(list.steps)),
            ]),
            _ => Value::Null,
        }
    }

    /// What it answered, as text.
    pub(crate) fn output(&self) -> Option<Cow<'a, str>> {
        match &self.item.body {
            Body::Command(command) => command.output.as_deref().map(Cow::Borrowed),
            Body::Patch(patch) => patch.output.as_deref().map(Cow::Borrowed),
            Body::McpCall(call) => match (&call.result, &call.error) {
                (Value::Null, error) => error.as_deref().map(Cow::Borrowed),
                (Value::String(text), _) => Some(text.into()),
                (result, _) => Some(result.to_string().into()),
            },
            Body::ToolCall(call) => call.output.as_deref().map(Cow::Borrowed),
            _ => None,
        }
    }
}

/// An object without the members that are null.
pub(crate) fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let members = members.into_iter().filter(|(_, value)| !value.is_null());
    let members = members.map(|(name, value)| (name.to_owned(), value));
    Value::Object(members.collect())
}
