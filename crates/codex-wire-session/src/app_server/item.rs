//! Items as the app-server writes them.

use serde_json::Value;

use super::header::snake;
use crate::build::script;
use crate::members::{Members, joined};
use crate::model::{
    Body, ChangeKind, Command, Compaction, FileChange, HookRun, Image, Message, Other, Patch, Plan,
    Reasoning, Review, Role, SubAgent, ToolCall, WebSearch,
};
use crate::values::{change_kind, images, mcp_call, output, status, todo_list};

/// What an item is.
pub(super) fn body(item: &Value) -> Body {
    let text = |key: &str| item.owned(key).unwrap_or_default();
    let kind = item.text("type").unwrap_or_default();
    match kind {
        "userMessage" => Body::Message(user_message(item.list("content"))),
        "agentMessage" => Body::Message(Message {
            phase: item.owned("phase"),
            ..Message::new(Role::Assistant, text("text"))
        }),
        "reasoning" => Body::Reasoning(Reasoning {
            summary: item.texts("summary").join("\n\n"),
            content: item.texts("content").join("\n\n"),
        }),
        "commandExecution" => Body::Command(command(item)),
        "fileChange" => Body::Patch(patch(item)),
        "mcpToolCall" => Body::McpCall(mcp_call(item)),
        "dynamicToolCall" => Body::ToolCall(tool_call(item)),
        "collabAgentToolCall" => Body::SubAgent(SubAgent {
            action: snake(item.text("tool").unwrap_or_default()),
            status: item.text("status").and_then(status),
            threads: item.texts("receiverThreadIds"),
            prompt: item.owned("prompt"),
        }),
        "subAgentActivity" => Body::SubAgent(SubAgent {
            action: snake(item.text("kind").unwrap_or_default()),
            status: None,
            threads: item.owned("agentThreadId").into_iter().collect(),
            prompt: None,
        }),
        "webSearch" => Body::WebSearch(WebSearch {
            query: text("query"),
            action: item
                .some("action")
                .and_then(|action| action.text("type"))
                .map(snake),
        }),
        "plan" => Body::Plan(Plan { text: text("text") }),
        "todoList" => Body::TodoList(todo_list(item)),
        "imageView" => Body::Image(Image {
            path: item.owned("path"),
            is_generated: false,
        }),
        "imageGeneration" => Body::Image(Image {
            path: item.owned("savedPath"),
            is_generated: true,
        }),
        "enteredReviewMode" => Body::Review(Review {
            is_end: false,
            text: item.owned("review"),
        }),
        "exitedReviewMode" | "codeReview" => Body::Review(Review {
            is_end: true,
            text: item.owned("review"),
        }),
        "contextCompaction" => Body::Compaction(Compaction::default()),
        "hookPrompt" => Body::HookRun(HookRun::default()),
        _ => Body::Other(Other {
            kind: kind.to_owned(),
            value: item.clone(),
        }),
    }
}

/// What the user said in these parts.
pub(super) fn user_message(content: &[Value]) -> Message {
    Message {
        images: images(content, &["image", "localImage"]),
        ..Message::new(Role::User, joined(content, "text", ""))
    }
}

fn command(item: &Value) -> Command {
    let written = item.text("aggregatedOutput");
    let written = written.or_else(|| item.text("aggregated_output"));
    Command {
        cwd: item.owned("cwd"),
        status: item.text("status").and_then(status),
        exit_code: item.int("exitCode").or_else(|| item.int("exit_code")),
        output: output(item.text("status"), written),
        is_by_user: item.text("source") == Some("userShell"),
        ..script::of_line(item.text("command").unwrap_or_default())
    }
}

/// How long an item took.
pub(super) fn duration_ms(item: &Value) -> Option<u64> {
    item.count("durationMs")
        .or_else(|| item.count("duration_ms"))
}

fn patch(item: &Value) -> Patch {
    Patch {
        status: item.text("status").and_then(status),
        changes: changes(item.list("changes")),
        ..Patch::default()
    }
}

/// The changes of files.
pub(super) fn changes(changes: &[Value]) -> Vec<FileChange> {
    let mut changes: Vec<FileChange> = changes.iter().map(change).collect();
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

fn change(change: &Value) -> FileChange {
    let kind = &change["kind"];
    let word = kind.text("type").or(kind.as_str()).unwrap_or_default();
    let kind_of = change_kind(word);
    let diff = change.owned("diff");
    let path = change.text("path").unwrap_or_default();
    // Of a file that is new or gone, the diff is its content.
    let (diff, content) = match kind_of {
        ChangeKind::Add | ChangeKind::Delete => (None, diff),
        _ => (diff, None),
    };
    let moved_to = kind.owned("move_path").or_else(|| kind.owned("movePath"));
    FileChange {
        moved_to,
        diff,
        content,
        ..FileChange::new(path, kind_of)
    }
}

fn tool_call(item: &Value) -> ToolCall {
    let output = item.some("contentItems").and_then(Value::as_array);
    ToolCall {
        namespace: item.owned("namespace"),
        name: item.owned("tool").unwrap_or_default(),
        status: item.text("status").and_then(status),
        arguments: item.get("arguments").cloned().unwrap_or_default(),
        output: output.map(|parts| joined(parts, "text", "\n")),
    }
}
