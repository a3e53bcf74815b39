//! Makes facts of core events and core items: session files, `codex proto` and the older format of
//! `codex exec` have the same.

use serde_json::Value;

use super::facts::{
    Fact, Fingerprint, Kind, Status, changes_of, lines, script_of, texts, tool_of, words_of,
};

/// What one event or item holds.
#[derive(Debug)]
pub(super) enum Content {
    /// An item, as one fact or, for reasoning, several.
    Facts(Vec<Fact>),
    /// The turn is a review.
    Review,
    Nothing,
}

impl From<Fact> for Content {
    fn from(fact: Fact) -> Self {
        Content::Facts(vec![fact])
    }
}

/// Reads a core event, such as `exec_command_end`. The caller adds what its beginning has.
pub(super) fn event(event: &Value, line: u64) -> Content {
    let text = |name: &str| event[name].as_str().unwrap_or_default();
    match text("type") {
        "user_message" => Fact::text(Kind::Prompt, line, text("message")).into(),
        "agent_message" => Fact::text(Kind::Message, line, text("message")).into(),
        "agent_reasoning" => Content::Facts(Fact::reasoning(line, text("text")).collect()),
        // The command of the user is not a call. Only newer session files keep it.
        "exec_command_end" if text("source") == "user_shell" => Content::Nothing,
        "exec_command_end" => command(event, line, text("call_id")).into(),
        "patch_apply_end" => {
            let mut fact = patch(event, line, text("call_id"));
            let success = event["success"].as_bool();
            fact.status = fact.status.or(success.map(of_success));
            fact.into()
        }
        "mcp_tool_call_end" => {
            let call = &event["invocation"];
            let mut fact = mcp(call, line, text("call_id"));
            let result = &event["result"]["Ok"];
            let is_error = ["isError", "is_error"]
                .iter()
                .any(|name| result[*name] == true);
            fact.status = Some(of_success(result.is_object() && !is_error));
            fact.into()
        }
        "web_search_end" => web(event, line, text("call_id")).into(),
        "entered_review_mode" | "exited_review_mode" => Content::Review,
        _ => Content::Nothing,
    }
}

/// Reads an item of `item_completed`.
pub(super) fn item(item: &Value, line: u64) -> Content {
    let id = item["id"].as_str().unwrap_or_default();
    match item["type"].as_str().unwrap_or_default() {
        "UserMessage" => Fact::text(Kind::Prompt, line, &texts(&item["content"])).into(),
        "AgentMessage" => Fact::text(Kind::Message, line, &texts(&item["content"])).into(),
        "Reasoning" => {
            Content::Facts(Fact::reasoning(line, &lines(&item["summary_text"])).collect())
        }
        "CommandExecution" if item["source"] == "user_shell" => Content::Nothing,
        "CommandExecution" => command(item, line, id).into(),
        "FileChange" => patch(item, line, id).into(),
        "McpToolCall" => {
            let mut fact = mcp(item, line, id);
            fact.status = status(item);
            fact.into()
        }
        "WebSearch" => web(item, line, id).into(),
        "EnteredReviewMode" | "ExitedReviewMode" => Content::Review,
        _ => Content::Nothing,
    }
}

fn of_success(success: bool) -> Status {
    match success {
        true => Status::Completed,
        false => Status::Failed,
    }
}

fn status(item: &Value) -> Option<Status> {
    item["status"].as_str().and_then(Status::read)
}

fn command(item: &Value, line: u64, id: &str) -> Fact {
    let words = words_of(&item["command"]);
    let what = (!words.is_empty()).then(|| script_of(&words));
    Fact {
        id: Some(Fingerprint::of(id)),
        status: status(item),
        exit_code: item["exit_code"].as_i64(),
        output: item["aggregated_output"]
            .as_str()
            .and_then(Fingerprint::of_output),
        ..Fact::new(Kind::Command, line, what)
    }
}

/// What the change to one file is: `{"type":"add"}`, in older releases `{"add":{}}` or `"delete"`.
fn kind_of_change(change: &Value) -> &str {
    let named = change["type"].as_str().or_else(|| change.as_str());
    named.unwrap_or_else(|| {
        let members = change.as_object();
        let first = members.and_then(|members| members.keys().next());
        first.map_or("", String::as_str)
    })
}

/// The changes of a core event, by path.
pub(super) fn changes(changes: &Value) -> Option<Fingerprint> {
    let changes = changes.as_object()?;
    let each = changes.iter();
    Some(changes_of(each.map(|(path, change)| {
        (path.as_str(), kind_of_change(change))
    })))
}

fn patch(item: &Value, line: u64, id: &str) -> Fact {
    Fact {
        id: Some(Fingerprint::of(id)),
        status: status(item),
        ..Fact::new(Kind::FileChange, line, changes(&item["changes"]))
    }
}

fn mcp(call: &Value, line: u64, id: &str) -> Fact {
    let tool = call["tool"].as_str().unwrap_or_default();
    let server = call["server"].as_str().unwrap_or_default();
    Fact {
        id: Some(Fingerprint::of(id)),
        arguments: call.get("arguments").map(Fingerprint::of_json),
        ..Fact::new(Kind::McpCall, line, Some(tool_of(server, tool)))
    }
}

fn web(item: &Value, line: u64, id: &str) -> Fact {
    let query = item["query"].as_str().map(Fingerprint::of);
    Fact {
        id: Some(Fingerprint::of(id)),
        ..Fact::new(Kind::WebSearch, line, query)
    }
}
