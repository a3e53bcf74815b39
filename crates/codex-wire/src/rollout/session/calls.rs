//! Calls of tools: what they are, and what their answers say.

use serde_json::Value;

use crate::core::Duration;
use crate::rollout::session::{Command, Entry, McpCall, Patch, ToolCall};
use crate::rollout::{FunctionCallOutputBody, FunctionCallOutputContentItem};

/// The tools that run commands, by all their names.
const SHELLS: [&str; 7] = [
    "shell",
    "container.exec",
    "shell_command",
    "exec_command",
    "unified_exec",
    "local_shell",
    "write_stdin",
];

/// What a call of a function is.
pub(super) fn of_function(
    call_id: &str,
    namespace: Option<&str>,
    name: &str,
    arguments: &str,
    mcp_servers: bool,
) -> Entry {
    if SHELLS.contains(&name) && namespace.is_none() {
        return of_shell(call_id, name, arguments);
    }
    if name == "apply_patch" {
        let text = serde_json::from_str::<Value>(arguments).ok();
        let text = text.and_then(|value| Some(value.get("input")?.as_str()?.to_owned()));
        return of_patch(call_id, text);
    }
    if let Some((server, tool)) = mcp_tool(namespace, name, mcp_servers) {
        return Entry::McpCall(McpCall {
            call_id: call_id.to_owned(),
            server,
            tool,
            arguments: arguments.to_owned(),
            output: None,
            is_error: None,
            duration_ms: None,
        });
    }
    Entry::ToolCall(ToolCall {
        call_id: Some(call_id.to_owned()),
        namespace: namespace.map(str::to_owned),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
        output: None,
    })
}

/// A patch that the model wrote.
pub(super) fn of_patch(call_id: &str, text: Option<String>) -> Entry {
    Entry::Patch(Patch {
        call_id: Some(call_id.to_owned()),
        text,
        ..Patch::default()
    })
}

/// The server and the tool: `mcp__server__tool`, or a namespace `mcp__server`; up to 0.42.0
/// `server__tool`, which any function may be called.
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

fn of_shell(call_id: &str, name: &str, arguments: &str) -> Entry {
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    let text = |key: &str| {
        arguments
            .get(key)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let words = |value: &Value| -> Vec<String> {
        match value {
            Value::Array(words) => words
                .iter()
                .filter_map(|w| Some(w.as_str()?.to_owned()))
                .collect(),
            Value::String(line) => vec![line.clone()],
            _ => Vec::new(),
        }
    };
    let keys: [&str; 3] = if name == "write_stdin" {
        ["chars", "input", "cmd"]
    } else {
        ["command", "cmd", "input"]
    };
    let command = keys.iter().find_map(|key| arguments.get(*key)).map(words);
    let command = command.unwrap_or_default();
    // A patch may come through the shell.
    if command
        .first()
        .is_some_and(|program| program == "apply_patch")
    {
        return of_patch(call_id, command.get(1).cloned());
    }
    Entry::Command(Command {
        call_id: Some(call_id.to_owned()),
        command,
        cwd: text("workdir").or_else(|| text("cwd")),
        ..Command::default()
    })
}

/// The text of an answer, without its images.
pub(super) fn text_of(output: &FunctionCallOutputBody) -> String {
    match output {
        FunctionCallOutputBody::Text(text) => text.clone(),
        FunctionCallOutputBody::Parts(parts) => {
            let texts = parts.iter().filter_map(|part| match part {
                FunctionCallOutputContentItem::InputText(text) => Some(text.text.as_str()),
                _ => None,
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        FunctionCallOutputBody::Unknown(raw) => raw.get().to_owned(),
    }
}

/// Puts the answer to a call into its entry.
pub(super) fn answer(entry: &mut Entry, output: &str) {
    match entry {
        Entry::Command(command) => answer_command(command, output),
        Entry::Patch(patch) => {
            let read = Answer::read(output);
            patch.is_applied = patch.is_applied.or(read.exit_code.map(|code| code == 0));
            patch.output = Some(read.output.into_owned());
        }
        Entry::McpCall(call) => call.output = Some(Answer::read(output).output.into_owned()),
        Entry::ToolCall(call) => call.output = Some(output.to_owned()),
        _ => {}
    }
}

fn answer_command(command: &mut Command, output: &str) {
    let read = Answer::read(output);
    command.exit_code = command.exit_code.or(read.exit_code);
    command.duration_ms = command.duration_ms.or(read.duration_ms);
    if command.output.is_none() {
        command.output = Some(read.output.into_owned());
    }
}

/// What an answer says, in the form of whichever release:
/// - JSON with `output` and `metadata`, up to 0.58.0 and of patches up to 0.125.0
/// - `Exit code: …`, `Wall time: …`, `Output:`, from 0.60.0
/// - `Chunk ID: …`, `Wall time: …`, `Process exited with code …`, `Output:`, from 0.98.0
struct Answer<'a> {
    output: std::borrow::Cow<'a, str>,
    exit_code: Option<i32>,
    duration_ms: Option<u64>,
}

impl<'a> Answer<'a> {
    fn read(text: &'a str) -> Self {
        Self::json(text)
            .or_else(|| Self::headed(text))
            .unwrap_or(Answer {
                output: text.into(),
                exit_code: None,
                duration_ms: None,
            })
    }

    fn json(text: &str) -> Option<Self> {
        if !text.starts_with('{') {
            return None;
        }
        let value: Value = serde_json::from_str(text).ok()?;
        let metadata = value.get("metadata")?;
        let code = metadata.get("exit_code").and_then(Value::as_i64);
        let seconds = metadata.get("duration_seconds").and_then(Value::as_f64);
        Some(Answer {
            output: value.get("output")?.as_str()?.to_owned().into(),
            exit_code: code.and_then(|code| i32::try_from(code).ok()),
            duration_ms: seconds.map(milliseconds),
        })
    }

    fn headed(text: &'a str) -> Option<Self> {
        let heads = ["Exit code: ", "Chunk ID: ", "Wall time: ", "Command: "];
        if !heads.iter().any(|head| text.starts_with(head)) {
            return None;
        }
        let (head, output) = text.split_once("\nOutput:").unwrap_or((text, ""));
        let after = |label: &str| head.lines().find_map(|line| line.strip_prefix(label));
        let code = after("Exit code: ").or_else(|| after("Process exited with code "));
        let seconds = after("Wall time: ").and_then(|rest| rest.split(' ').next());
        Some(Answer {
            output: output.strip_prefix('\n').unwrap_or(output).into(),
            exit_code: code.and_then(|code| code.trim().parse().ok()),
            duration_ms: seconds.and_then(|text| text.parse().ok()).map(milliseconds),
        })
    }
}

fn milliseconds(seconds: f64) -> u64 {
    std::time::Duration::try_from_secs_f64(seconds).map_or(0, |time| whole(time.as_millis()))
}

/// A stretch of time on the wire in milliseconds.
pub(super) fn duration(duration: &Duration) -> Option<u64> {
    duration.to_std().map(|time| whole(time.as_millis()))
}

fn whole(milliseconds: u128) -> u64 {
    u64::try_from(milliseconds).unwrap_or(u64::MAX)
}

/// The thread that a call started, if it did.
pub(super) fn spawned(entry: &Entry) -> Option<String> {
    let Entry::ToolCall(call) = entry else {
        return None;
    };
    if call.name != "spawn_agent" {
        return None;
    }
    let answer: Value = serde_json::from_str(call.output.as_deref()?).ok()?;
    Some(answer.get("agent_id")?.as_str()?.to_owned())
}

/// Who speaks to another agent, and what: up to 0.141.0 such a message is an answer whose text is an
/// object.
pub(super) fn between_agents(text: &str) -> Option<(String, String)> {
    if !text.starts_with('{') {
        return None;
    }
    let message: Value = serde_json::from_str(text).ok()?;
    let _recipient = message.get("recipient")?.as_str()?;
    let member = |name: &str| Some(message.get(name)?.as_str()?.to_owned());
    let is_sent = message.get("trigger_turn").is_some_and(Value::is_boolean);
    is_sent.then_some((member("author")?, member("content")?))
}
