//! Calls of tools, whatever kind of item they are.

use std::borrow::Cow;

use codex_wire_session::{Body, Item, Status};
use serde_json::{Value, json};

/// A call of a tool.
#[derive(Debug)]
pub(crate) struct Tool<'a> {
    pub(crate) item: &'a Item,
    /// Its name, by which `codex-wire usage` counts, behind the group of tools that it is of.
    pub(crate) name: Cow<'a, str>,
    pub(crate) status: Option<Status>,
    pub(crate) exit_code: Option<i64>,
}

impl<'a> Tool<'a> {
    /// The call that an item is, if it is one.
    pub(crate) fn of(item: &'a Item) -> Option<Self> {
        let (mut name, status) = item.body.tool()?;
        if let Body::ToolCall(call) = &item.body
            && let Some(namespace) = &call.namespace
        {
            name = format!("{namespace}/{name}").into();
        }
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
