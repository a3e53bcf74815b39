//! Messages with one thing changed, the way programs get things wrong.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// The ways to change a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    DropMember,
    Retype,
    MisspellTag,
    InventValue,
    AddForeignMember,
    PutNull,
    AddUnknownMember,
    PutNumber,
    EmptyContainer,
    RenameMember,
}

impl Change {
    /// All of them.
    pub(crate) const ALL: [Change; 10] = [
        Change::DropMember,
        Change::Retype,
        Change::MisspellTag,
        Change::InventValue,
        Change::AddForeignMember,
        Change::PutNull,
        Change::AddUnknownMember,
        Change::PutNumber,
        Change::EmptyContainer,
        Change::RenameMember,
    ];

    /// Changes one place of a message, chosen by `seed`. Returns false where the message has
    /// no such place.
    pub(crate) fn apply(self, message: &mut Value, seed: usize) -> bool {
        let places = self.places(message);
        if places.is_empty() {
            return false;
        }
        let value = message.pointer_mut(&places[seed % places.len()]).unwrap();
        let detail = seed / places.len();
        match self {
            Change::DropMember => {
                let members = value.as_object_mut().unwrap();
                let name = members.keys().nth(detail % members.len()).cloned();
                members.remove(&name.unwrap());
            }
            Change::Retype => {
                let others: Vec<Value> = [
                    json!(true),
                    json!(7),
                    json!(7.5),
                    json!("text"),
                    json!([]),
                    json!({}),
                    json!([{"type": "text", "text": ""}]),
                ]
                .into_iter()
                .filter(|other| kind(other) != kind(value))
                .collect();
                *value = others[detail % others.len()].clone();
            }
            Change::MisspellTag => {
                let text = value.as_str().unwrap();
                *value = match detail % 4 {
                    0 => json!(format!("{text}s")),
                    1 => json!(text.to_uppercase()),
                    2 => json!(text.replace(['_', '.'], "-")),
                    _ => json!(TAGS[detail / 4 % TAGS.len()]),
                };
            }
            Change::InventValue => {
                *value = json!(VALUES[detail % VALUES.len()]);
            }
            Change::AddForeignMember => {
                let foreign = foreign();
                let (name, member) = &foreign[detail % foreign.len()];
                let members = value.as_object_mut().unwrap();
                members.entry(*name).or_insert(member.clone());
            }
            Change::PutNull => *value = Value::Null,
            Change::AddUnknownMember => {
                value["x_unknown"] = json!(detail % 3);
            }
            Change::PutNumber => {
                *value = NUMBERS.with(|numbers| numbers[detail % numbers.len()].clone());
            }
            Change::RenameMember => {
                let members = value.as_object_mut().unwrap();
                let name = members.keys().nth(detail % members.len()).cloned().unwrap();
                let member = members.remove(&name).unwrap();
                members.insert(other_name(&name, detail), member);
            }
            Change::EmptyContainer => match value {
                Value::Array(array) => array.clear(),
                Value::Object(members) => members.clear(),
                _ => unreachable!("only containers are chosen"),
            },
        }
        true
    }

    /// The pointers of the values it could change.
    fn places(self, message: &Value) -> Vec<String> {
        let mut out = Vec::new();
        visit("", message, &mut |pointer, value| {
            let fits = match self {
                Change::DropMember | Change::RenameMember => {
                    value.as_object().is_some_and(|m| !m.is_empty())
                }
                Change::Retype | Change::PutNull => !pointer.is_empty(),
                Change::MisspellTag => {
                    let name = pointer.rsplit('/').next().unwrap_or_default();
                    ["type", "item_type", "method"].contains(&name) && value.is_string()
                }
                Change::InventValue => {
                    let name = pointer.rsplit('/').next().unwrap_or_default();
                    ENUMS.contains(&name) && value.is_string()
                }
                Change::AddForeignMember | Change::AddUnknownMember => value.is_object(),
                Change::PutNumber => value.is_number(),
                Change::EmptyContainer => {
                    !pointer.is_empty() && (value.is_array() || value.is_object())
                }
            };
            if fits {
                out.push(pointer.to_owned());
            }
        });
        out
    }
}

/// One or two changes; few messages are wrong in more ways at once.
pub(crate) fn changes() -> impl Strategy<Value = Vec<(Change, usize)>> {
    prop::collection::vec((select(Change::ALL.as_slice()), 0..10_000usize), 1..3)
}

/// The name of a member in another spelling, or another of the names around a value.
fn other_name(name: &str, detail: usize) -> String {
    let mut letters = name.chars();
    match (detail / 7 % 4, letters.next()) {
        (0, Some(first)) => first.to_uppercase().chain(letters).collect(),
        (1, Some(first)) => first.to_lowercase().chain(letters).collect(),
        (2, _) => format!("{name}_"),
        _ => KINDS[detail / 28 % KINDS.len()].to_owned(),
    }
}

/// Members whose values are of a list.
const ENUMS: [&str; 24] = [
    "status",
    "kind",
    "tool",
    "type",
    "reason",
    "stream",
    "mode",
    "effort",
    "summary",
    "decision",
    "approval_policy",
    "role",
    "sandbox_permissions",
    "phase",
    "scope",
    "source",
    "action",
    "approvalPolicy",
    "approvalsReviewer",
    "networkAccess",
    "sandboxPolicy",
    "planType",
    "codexErrorInfo",
    "itemsView",
];

/// Names that stand around values, each right somewhere.
const KINDS: [&str; 8] = [
    "Ok", "Err", "Read", "Unknown", "add", "delete", "update", "op",
];

/// Tags, each right somewhere.
const TAGS: [&str; 36] = [
    "turn.started",
    "session.created",
    "thread.started",
    "item.updated",
    "error",
    "agent_message",
    "assistant_message",
    "todo_list",
    "search",
    "other",
    "text",
    "task_started",
    "user_turn",
    "user_message",
    "get_history",
    "read",
    "workspace-write",
    "",
    "agentMessage",
    "commandExecution",
    "fileChange",
    "todoList",
    "userMessage",
    "contextCompaction",
    "turn/started",
    "item/completed",
    "thread/start",
    "thread/rollback",
    "account/read",
    "codex/event/task_started",
    "readOnly",
    "dangerFullAccess",
    "localImage",
    "apiKey",
    "openPage",
    "idle",
];

/// Values of enumerations, most of them right somewhere.
const VALUES: [&str; 31] = [
    "in_progress",
    "completed",
    "declined",
    "interrupted",
    "add",
    "wait",
    "invented",
    "stdout",
    "minimal",
    "detailed",
    "review_ended",
    "approved_for_session",
    "on-failure",
    "read-only",
    "delete",
    "Completed",
    "completed ",
    "",
    "inProgress",
    "failed",
    "accept",
    "acceptForSession",
    "read-only",
    "readOnly",
    "untrusted",
    "unlessTrusted",
    "commentary",
    "session",
    "plus",
    "summary",
    "unifiedExecStartup",
];

thread_local! {
    /// Numbers at and beyond the bounds of the types.
    static NUMBERS: [Value; 9] = [
        json!(i64::from(i32::MAX) + 1),
        json!(i64::from(i32::MIN) - 1),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(1.5),
        json!(-1),
        json!(1e300),
        json!(3.0),
    ];
}

/// Members of other releases or other objects, with values that would be right there.
fn foreign() -> [(&'static str, Value); 45] {
    [
        ("reasoning_output_tokens", json!(1)),
        ("cache_write_input_tokens", json!(1)),
        ("exit_code", json!(0)),
        ("arguments", json!({"a": 1})),
        ("result", Value::Null),
        ("error", json!({"message": "m"})),
        ("action", json!({"type": "other"})),
        ("queries", json!(["q"])),
        ("_meta", json!({})),
        ("item_type", json!("reasoning")),
        ("type", json!("reasoning")),
        ("session_id", json!("s")),
        ("thread_id", json!("t")),
        ("id", json!("item_1")),
        ("chunk", json!("aGk=")),
        ("chunk", json!([104, 105])),
        ("info", Value::Null),
        ("rate_limits", Value::Null),
        ("input_tokens", json!(1)),
        ("conversation_id", json!("c")),
        ("Err", json!("e")),
        ("changes", json!({"a": "delete"})),
        ("parsed_cmd", json!([{"Noop": {"cmd": "true"}}])),
        ("network_access", json!(true)),
        ("effort", Value::Null),
        ("final_output_json_schema", Value::Null),
        ("model_context_window", Value::Null),
        ("threadId", json!("t")),
        ("turnId", json!("u")),
        ("emittedAtMs", json!(1)),
        ("startedAtMs", json!(1)),
        ("durationMs", Value::Null),
        ("cwd", json!("/a")),
        ("jsonrpc", json!("2.0")),
        ("trace", Value::Null),
        ("aggregatedOutput", Value::Null),
        ("phase", json!("commentary")),
        ("itemsView", json!("full")),
        ("processId", json!("1")),
        ("nextCursor", Value::Null),
        ("experimentalApi", json!(true)),
        ("data", json!([])),
        ("status", json!({"type": "idle"})),
        ("availableDecisions", json!(["accept"])),
        ("willRetry", json!(false)),
    ]
}

fn kind(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

fn visit(pointer: &str, value: &Value, found: &mut impl FnMut(&str, &Value)) {
    found(pointer, value);
    match value {
        Value::Array(array) => {
            for (index, element) in array.iter().enumerate() {
                visit(&format!("{pointer}/{index}"), element, found);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                visit(&format!("{pointer}/{name}"), member, found);
            }
        }
        _ => {}
    }
}

/// Whether two trees are equal as JSON values: `1.0` is the number `1`, and the order of
/// members is nothing.
pub(crate) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same = |(name, a): (&String, &Value)| b.get(name).is_some_and(|b| equal(a, b));
            a.len() == b.len() && a.iter().all(same)
        }
        _ => a == b,
    }
}
