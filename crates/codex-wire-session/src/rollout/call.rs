//! What the calls of tools are.

use serde_json::Value;

use super::patch_text;
use crate::build::script;
use crate::members::Members;
use crate::model::{Body, Command, McpCall, Patch, Status, SubAgent, TodoList, ToolCall};
use crate::values::steps;

/// The tools that run commands, by all their names.
const SHELLS: [&str; 6] = [
    "shell",
    "container.exec",
    "shell_command",
    "exec_command",
    "unified_exec",
    "local_shell",
];

/// The tools of sub-agents, and what `codex exec` and the app-server call what they do.
const AGENTS: [(&str, &str); 9] = [
    ("spawn_agent", "spawn_agent"),
    ("send_input", "send_input"),
    ("wait", "wait"),
    ("close_agent", "close_agent"),
    ("resume_agent", "resume_agent"),
    // Since 0.116.0.
    ("wait_agent", "wait"),
    // Since 0.125.0.
    ("followup_task", "send_input"),
    ("send_message", "send_input"),
    // Since 0.139.0.
    ("interrupt_agent", "close_agent"),
];

/// What a call of a function is. `bare` says that the release names the tools of MCP servers without a mark:
/// before 0.50.0.
/// `folder` is the one that tools work in.
pub(super) fn of_function(call: &Value, bare: bool, folder: Option<&str>) -> Body {
    let name = call.text("name").unwrap_or_default();
    let namespace = call.text("namespace");
    let text = call.text("arguments").unwrap_or_default();
    let arguments = || serde_json::from_str::<Value>(text);
    if SHELLS.contains(&name) && namespace.is_none() {
        return of_shell(&arguments().unwrap_or_default(), folder);
    }
    if name == "apply_patch" {
        let text = arguments().ok().and_then(|value| value.owned("input"));
        return of_patch(text, folder);
    }
    if name == "update_plan"
        && let Ok(value) = arguments()
    {
        return Body::TodoList(todo_list(&value));
    }
    if let Some((_, action)) = AGENTS.iter().find(|(tool, _)| *tool == name)
        && let Ok(value) = arguments()
    {
        return Body::SubAgent(sub_agent(action, &value));
    }
    if let Some((server, tool)) = mcp_tool(namespace, name, bare) {
        return Body::McpCall(McpCall {
            server,
            tool,
            status: Some(Status::InProgress),
            arguments: arguments().unwrap_or_else(|_| text.into()),
            ..McpCall::default()
        });
    }
    Body::ToolCall(ToolCall {
        namespace: namespace.map(str::to_owned),
        name: name.to_owned(),
        status: None,
        arguments: arguments().unwrap_or_else(|_| text.into()),
        output: None,
    })
}

/// A tool that takes plain text.
pub(super) fn of_custom(call: &Value, folder: Option<&str>) -> Body {
    let name = call.text("name").unwrap_or_default();
    let input = call.text("input").unwrap_or_default();
    if name == "apply_patch" {
        return of_patch(Some(input.to_owned()), folder);
    }
    Body::ToolCall(ToolCall {
        name: name.to_owned(),
        arguments: input.into(),
        ..ToolCall::default()
    })
}

/// The shell of the model's own.
pub(super) fn of_local_shell(call: &Value) -> Body {
    let action = &call["action"];
    Body::Command(Command {
        cwd: action.owned("working_directory"),
        status: Some(Status::InProgress),
        ..script::of_words(action.texts("command"))
    })
}

/// A patch that the model wrote.
fn of_patch(text: Option<String>, folder: Option<&str>) -> Body {
    let changes = text
        .as_deref()
        .map(|text| patch_text::changes(text, folder));
    Body::Patch(Patch {
        status: Some(Status::InProgress),
        changes: changes.unwrap_or_default(),
        text,
        output: None,
    })
}

fn todo_list(arguments: &Value) -> TodoList {
    TodoList {
        explanation: arguments.owned("explanation"),
        steps: steps(arguments.list("plan")),
    }
}

fn sub_agent(name: &str, arguments: &Value) -> SubAgent {
    let mut threads = arguments.texts("ids");
    threads.extend(arguments.owned("id"));
    let prompt = arguments.owned("message");
    SubAgent {
        action: name.to_owned(),
        status: None,
        threads,
        prompt: prompt.or_else(|| arguments.owned("prompt")),
    }
}

/// The server and the tool: `mcp__server__tool`, or a namespace `mcp__server`; up to 0.42.0 `server__tool`,
/// which any function may be called.
fn mcp_tool(namespace: Option<&str>, name: &str, bare: bool) -> Option<(String, String)> {
    let (server, tool) = match namespace {
        Some(namespace) => (
            namespace.strip_prefix("mcp__")?.trim_end_matches("__"),
            name,
        ),
        None => match name.strip_prefix("mcp__") {
            Some(rest) => rest.split_once("__")?,
            None if bare => name.split_once("__")?,
            None => return None,
        },
    };
    Some((server.to_owned(), tool.to_owned()))
}

fn of_shell(arguments: &Value, folder: Option<&str>) -> Body {
    let keys = ["command", "cmd", "input"];
    let command = match keys.iter().find_map(|key| arguments.some(key)) {
        Some(Value::Array(words)) => {
            let words = words.iter().filter_map(Value::as_str);
            script::of_words(words.map(str::to_owned).collect())
        }
        Some(Value::String(line)) => Command {
            command: line.clone(),
            ..Command::default()
        },
        _ => Command::default(),
    };
    let cwd = arguments
        .owned("workdir")
        .or_else(|| arguments.owned("cwd"));
    // A patch may come through the shell.
    if let Some([program, patch, ..]) = command.argv.as_deref()
        && program == "apply_patch"
    {
        return of_patch(Some(patch.clone()), cwd.as_deref().or(folder));
    }
    Body::Command(Command {
        cwd,
        status: Some(Status::InProgress),
        ..command
    })
}

/// The thread that a call started, if it did, by its answer.
pub(super) fn spawned(body: &Body, answer: &str) -> Option<String> {
    match body {
        Body::SubAgent(agent) if agent.action == "spawn_agent" => {}
        _ => return None,
    }
    let answer: Value = serde_json::from_str(answer).ok()?;
    answer.owned("agent_id")
}

/// Who speaks to another agent, and what: up to 0.141.0 such a message is an answer whose text is an object.
pub(super) fn between_agents(text: &str) -> Option<(String, String)> {
    if !text.starts_with('{') {
        return None;
    }
    let message: Value = serde_json::from_str(text).ok()?;
    message.text("recipient")?;
    let is_sent = message.get("trigger_turn").is_some_and(Value::is_boolean);
    is_sent.then_some((message.owned("author")?, message.owned("content")?))
}
