//! What of a session is compared, as values, and which members of two values differ.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{Body, Item, Thread, Turn};

/// A member that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MemberDifference {
    /// Its name, below others after dots: `changes.0.path`.
    pub member: String,
    /// Its value in the first session; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// Its value in the second session; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

/// What never is the same in two runs, or is compared for itself.
const LEFT_OUT: [&str; 17] = [
    "id",
    "root",
    "lines",
    "started",
    "completed",
    "ended",
    "created",
    "duration_ms",
    "children",
    "lineage",
    "turns",
    "outside",
    "items",
    "responses",
    "rate_limits",
    "reported",
    "tokens",
];

/// Those of an item that name another item or thread.
const NAMES: [&str; 2] = ["item", "threads"];

/// A thread without its turns.
pub(super) fn of_thread(thread: &Thread) -> Value {
    let mut members = members(serde_json::to_value(Thread {
        // Large, and compared one by one.
        turns: Vec::new(),
        outside: Vec::new(),
        ..thread.clone()
    }));
    let lineage = &thread.lineage;
    for (name, is_there) in [
        ("is_fork", lineage.forked_from.is_some()),
        ("is_sub_agent", lineage.is_sub_agent),
        ("is_review", lineage.is_review),
    ] {
        if is_there {
            members.insert(name.to_owned(), true.into());
        }
    }
    Value::Object(members)
}

/// A turn without its items, with its tokens.
pub(super) fn of_turn(turn: &Turn) -> Value {
    let mut members = members(serde_json::to_value(Turn {
        items: Vec::new(),
        responses: Vec::new(),
        ..turn.clone()
    }));
    if let Ok(tokens) = serde_json::to_value(turn.tokens()) {
        members.insert("tokens".to_owned(), tokens);
    }
    Value::Object(members)
}

/// The kind of an item, and the item.
pub(super) fn of_item(item: &Item) -> (String, Value) {
    let mut members = members(serde_json::to_value(item));
    for name in NAMES {
        members.remove(name);
    }
    let kind = match members.remove("type") {
        Some(Value::String(kind)) => kind,
        _ => String::new(),
    };
    (kind, Value::Object(members))
}

/// How much of a text says what an item is about, in characters.
const ABOUT: usize = 100;

/// What an item is about.
pub(super) fn about(item: &Item) -> String {
    let text = match &item.body {
        Body::Message(message) => &message.text,
        Body::Reasoning(reasoning) => &reasoning.summary,
        Body::Command(command) => &command.command,
        Body::Patch(patch) => patch.changes.first().map_or("", |change| &change.path),
        Body::McpCall(call) => return format!("{}/{}", call.server, call.tool),
        Body::ToolCall(call) => &call.name,
        Body::WebSearch(search) => &search.query,
        Body::Plan(plan) => &plan.text,
        Body::Approval(approval) => approval.command.as_deref().unwrap_or(&approval.about),
        Body::SubAgent(agent) => &agent.action,
        Body::Error(error) => &error.message,
        Body::Warning(warning) => &warning.message,
        Body::HookRun(run) => &run.event,
        Body::Other(other) => &other.kind,
        _ => "",
    };
    first_line(text)
}

/// What a turn is about: its prompt.
pub(super) fn about_turn(turn: &Turn) -> String {
    first_line(turn.prompt().unwrap_or_default())
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(ABOUT) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

/// The members of what is serialised, without those that are left out.
fn members(value: serde_json::Result<Value>) -> Map<String, Value> {
    let Ok(Value::Object(mut members)) = value else {
        return Map::new();
    };
    members.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
    members
}

/// Which members of two values differ. Objects, and arrays of the same length, are compared member by member.
pub(super) fn members_of(before: Value, after: Value) -> Vec<MemberDifference> {
    let mut out = Vec::new();
    let mut open = vec![(String::new(), Some(before), Some(after))];
    while let Some((member, before, after)) = open.pop() {
        if before == after {
            continue;
        }
        let below = |name: &str| match member.is_empty() {
            true => name.to_owned(),
            false => format!("{member}.{name}"),
        };
        let at = open.len();
        match (before, after) {
            (Some(Value::Object(before)), Some(Value::Object(mut after))) => {
                for (name, old) in before {
                    let new = after.remove(&name);
                    open.push((below(&name), Some(old), new));
                }
                for (name, new) in after {
                    open.push((below(&name), None, Some(new)));
                }
            }
            (Some(Value::Array(before)), Some(Value::Array(after)))
                if before.len() == after.len() =>
            {
                for (number, (old, new)) in before.into_iter().zip(after).enumerate() {
                    open.push((below(&number.to_string()), Some(old), Some(new)));
                }
            }
            (before, after) => out.push(MemberDifference {
                member,
                before,
                after,
            }),
        }
        // What was put last is taken first.
        open[at..].reverse();
    }
    out
}
