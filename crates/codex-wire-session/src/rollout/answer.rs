//! What the answers of tools say.

use std::borrow::Cow;

use serde_json::Value;

use crate::members::{Members, joined};
use crate::model::{Body, Command, Item, Status};
use crate::values::status_of;

/// The text of an answer, without its images.
pub(super) fn text_of(output: &Value) -> String {
    match output {
        Value::String(text) => text.clone(),
        Value::Array(parts) => joined(parts, "text", "\n"),
        other => other.to_string(),
    }
}

/// Puts the answer to a call into its item.
pub(super) fn answer(item: &mut Item, output: &str) {
    let read = Answer::read(output);
    match &mut item.body {
        Body::Command(command) => {
            item.duration_ms = item.duration_ms.or(read.duration_ms);
            answer_command(command, read);
        }
        Body::Patch(patch) => {
            let status = read.exit_code.map(status_of);
            let status = status.or_else(|| refused_patch(output));
            let was_open = patch.status == Some(Status::InProgress);
            patch.status = patch.status.filter(|_| !was_open).or(status);
            patch.output = Some(read.output.into_owned());
        }
        Body::McpCall(call) if call.result.is_null() => {
            call.result = Value::String(read.output.into_owned());
            // Another text does not say whether the call failed.
            let status = call.status.filter(|status| *status != Status::InProgress);
            call.status = unsupported(output, &call.tool).or(status);
        }
        Body::SubAgent(agent) => {
            agent.status = agent.status.or_else(|| unsupported(output, ""));
        }
        Body::ToolCall(call) => {
            call.status = call.status.or_else(|| unsupported(output, &call.name));
            call.output.get_or_insert_with(|| output.to_owned());
        }
        _ => {}
    }
}

/// How a patch ended that was not applied, as Codex says it without an exit code.
fn refused_patch(output: &str) -> Option<Status> {
    // `error: ` up to 0.42.0.
    let failed = ["apply_patch verification failed: ", "error: "];
    if failed.iter().any(|words| output.starts_with(words)) {
        return Some(Status::Failed);
    }
    (output == "patch rejected by user").then_some(Status::Declined)
}

/// Whether Codex answers that it has no such tool.
fn unsupported(output: &str, tool: &str) -> Option<Status> {
    let words = ["unsupported call: ", "unsupported custom tool call: "];
    let name = words.iter().find_map(|words| output.strip_prefix(words))?;
    name.ends_with(tool).then_some(Status::Failed)
}

fn answer_command(command: &mut Command, read: Answer<'_>) {
    command.exit_code = command.exit_code.or(read.exit_code);
    if command
        .status
        .is_none_or(|status| status == Status::InProgress)
    {
        command.status = command.exit_code.map(status_of);
    }
    if command.output.is_none() {
        command.output = Some(read.output.into_owned());
    }
}

/// What an answer says, in the form of whichever release:
/// - JSON with `output` and `metadata`, up to 0.58.0 and of patches up to 0.125.0
/// - `Exit code: …`, `Wall time: …`, `Output:`, from 0.60.0
/// - `Chunk ID: …`, `Wall time: …`, `Process exited with code …`, `Output:`, from 0.98.0
struct Answer<'a> {
    output: Cow<'a, str>,
    exit_code: Option<i64>,
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
        let seconds = metadata.get("duration_seconds").and_then(Value::as_f64);
        Some(Answer {
            output: value.owned("output")?.into(),
            exit_code: metadata.int("exit_code"),
            duration_ms: seconds.map(milliseconds),
        })
    }

    fn headed(text: &'a str) -> Option<Self> {
        let heads = ["Exit code: ", "Chunk ID: ", "Wall time: ", "Command: "];
        if !heads.iter().any(|head| text.starts_with(head)) {
            return None;
        }
        // Without it, it is the text of a tool that begins so.
        let (head, output) = text.split_once("\nOutput:")?;
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
    let time = std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default();
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
