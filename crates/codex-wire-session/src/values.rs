//! Reads values that several protocols write.

use serde_json::Value;

use crate::members::{Members, kind};
use crate::model::{
    ChangeKind, FileChange, Git, McpCall, Status, TodoList, TodoStep, TurnError, WebSearch,
};

/// A status, in the spelling of either protocol.
pub(crate) fn status(word: &str) -> Option<Status> {
    Some(match word {
        "in_progress" | "inProgress" => Status::InProgress,
        "completed" => Status::Completed,
        "failed" => Status::Failed,
        "declined" => Status::Declined,
        _ => return None,
    })
}

/// What a command has written; absent if it has only begun.
pub(crate) fn output(status: Option<&str>, output: Option<&str>) -> Option<String> {
    let has_begun = matches!(status, Some("in_progress" | "inProgress"));
    output
        .filter(|output| !has_begun || !output.is_empty())
        .map(str::to_owned)
}

/// How a command ended that has this exit code: as Codex says it.
pub(crate) fn status_of(exit_code: i64) -> Status {
    match exit_code {
        0 => Status::Completed,
        _ => Status::Failed,
    }
}

/// An error as the events of core have it.
pub(crate) fn turn_error(error: &Value) -> TurnError {
    let info = error.some("codex_error_info");
    TurnError {
        message: error.owned("message").unwrap_or_default(),
        kind: info.and_then(kind).map(str::to_owned),
    }
}

/// What became of a file, in the word that all protocols use.
pub(crate) fn change_kind(word: &str) -> ChangeKind {
    match word {
        "add" => ChangeKind::Add,
        "delete" => ChangeKind::Delete,
        "update" => ChangeKind::Update,
        _ => ChangeKind::Other,
    }
}

/// The changes of a patch as core has them: files with what becomes of each.
pub(crate) fn changes(changes: &Value) -> Vec<FileChange> {
    let changes = changes.as_object().into_iter().flatten();
    let mut changes: Vec<FileChange> = changes
        .map(|(path, change)| of_file(path, change))
        .collect();
    // Core has them in any order.
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

fn of_file(path: &str, change: &Value) -> FileChange {
    // In older releases the kind is the key of the change.
    let keyed = ["add", "delete", "update"];
    let keyed = keyed.into_iter().find(|kind| change.some(kind).is_some());
    let (kind, change) = match keyed {
        Some(kind) => (kind, &change[kind]),
        None => (change.text("type").unwrap_or_default(), change),
    };
    FileChange {
        moved_to: change.owned("move_path"),
        diff: change.owned("unified_diff"),
        content: change.owned("content"),
        ..FileChange::new(path, change_kind(kind))
    }
}

/// A call of an MCP tool as the event of core has it.
pub(crate) fn mcp_of_core(event: &Value) -> McpCall {
    let invocation = &event["invocation"];
    let result = event.some("result");
    let answer = result.and_then(|result| result.some("Ok")).cloned();
    let error = result.and_then(|result| result.owned("Err"));
    let says_so = |answer: &Value| answer.is("isError") || answer.is("is_error");
    let status = match result {
        None => Status::InProgress,
        Some(_) if error.is_some() || answer.as_ref().is_some_and(says_so) => Status::Failed,
        Some(_) => Status::Completed,
    };
    McpCall {
        server: invocation.owned("server").unwrap_or_default(),
        tool: invocation.owned("tool").unwrap_or_default(),
        status: Some(status),
        arguments: invocation.get("arguments").cloned().unwrap_or_default(),
        result: answer.unwrap_or_default(),
        error,
    }
}

/// A call of an MCP tool as the items of the stream of `codex exec` and of the app-server have it.
pub(crate) fn mcp_call(item: &Value) -> McpCall {
    McpCall {
        server: item.owned("server").unwrap_or_default(),
        tool: item.owned("tool").unwrap_or_default(),
        status: item.text("status").and_then(status),
        arguments: item.get("arguments").cloned().unwrap_or_default(),
        result: item.get("result").cloned().unwrap_or_default(),
        error: item.some("error").and_then(|error| error.owned("message")),
    }
}

/// A search of the web, in the spelling of core.
pub(crate) fn web_search(search: &Value) -> WebSearch {
    let action = search.some("action");
    WebSearch {
        query: search.owned("query").unwrap_or_default(),
        action: action.and_then(|action| action.owned("type")),
    }
}

/// A list of steps, as an item has it.
pub(crate) fn todo_list(item: &Value) -> TodoList {
    let step =
        |step: &Value| TodoStep::new(step.text("text").unwrap_or_default(), step.is("completed"));
    TodoList {
        explanation: None,
        steps: item.list("items").iter().map(step).collect(),
    }
}

/// How many of the parts of a message are images: of one of these kinds.
pub(crate) fn images(parts: &[Value], kinds: &[&str]) -> u32 {
    let is_image = |part: &&Value| part.text("type").is_some_and(|kind| kinds.contains(&kind));
    let images = parts.iter().filter(is_image).count();
    u32::try_from(images).unwrap_or(u32::MAX)
}

/// The steps of a plan, as the tool, core and the app-server have them.
pub(crate) fn steps(plan: &[Value]) -> Vec<TodoStep> {
    let step = |step: &Value| {
        let is_done = step.text("status") == Some("completed");
        TodoStep::new(step.text("step").unwrap_or_default(), is_done)
    };
    plan.iter().map(step).collect()
}

/// The repository of a working folder, in the spelling of either protocol.
pub(crate) fn git(git: &Value) -> Git {
    Git {
        commit: git.owned("commit_hash").or_else(|| git.owned("sha")),
        branch: git.owned("branch"),
        origin: git
            .owned("repository_url")
            .or_else(|| git.owned("originUrl")),
    }
}
