//! Rows of an item: of all items, of commands and of calls of tools.

use std::borrow::Cow;

use codex_wire_session::{Body, Item};

use crate::rows::{Place, Rows};
use crate::tables::{CommandRow, ItemRow, Table, ToolRow};
use crate::words;

/// Where an item stands.
#[derive(Clone, Copy)]
pub(crate) struct Position<'a> {
    pub(crate) thread: Option<&'a str>,
    pub(crate) thread_number: u64,
    pub(crate) turn_number: Option<u64>,
    pub(crate) item_number: u64,
    pub(crate) is_copied: bool,
}

/// Adds the rows of an item.
pub(crate) fn add(rows: &mut Rows, place: &Place<'_>, at: Position<'_>, item: &Item) {
    if rows.has(Table::Items) {
        add_item(rows, place, at, item);
    }
    if rows.has(Table::Commands) {
        add_command(rows, place, at, item);
    }
    if rows.has(Table::Tools) {
        add_tool(rows, place, at, item);
    }
}

fn add_item(rows: &mut Rows, place: &Place<'_>, at: Position<'_>, item: &Item) {
    let tool = item.body.tool();
    let (tool, status) = match &tool {
        Some((name, status)) => (Some(name.as_ref()), *status),
        None => (None, None),
    };
    let said = Said::of(&item.body);
    let mut row = ItemRow {
        thread: at.thread,
        thread_number: Some(at.thread_number),
        turn_number: at.turn_number,
        item_number: Some(at.item_number),
        item: item.id.as_deref(),
        item_type: words::of_body(&item.body),
        first_line: Some(item.lines.from),
        last_line: Some(item.lines.to),
        started_at: item.started,
        completed_at: item.completed,
        duration_ms: item.took_ms(),
        status: status.and_then(words::of_status),
        is_copied: Some(at.is_copied),
        tool,
        text: said.text.as_deref(),
        output: said.output.as_deref(),
        ..ItemRow::default()
    };
    let mut files = Vec::new();
    match &item.body {
        Body::Message(message) => {
            row.role = words::of_role(message.role);
            row.kind = message.phase.as_deref();
            row.images = Some(message.images.into());
        }
        Body::Command(command) => {
            row.status = command.status.and_then(words::of_status);
            row.exit_code = command.exit_code;
        }
        Body::Patch(patch) => files.extend(patch.changes.iter().map(|change| &*change.path)),
        Body::Image(image) => files.extend(image.path.as_deref()),
        Body::WebSearch(search) => row.kind = search.action.as_deref(),
        Body::Approval(approval) => {
            row.kind = Some(&approval.about);
            row.about_item = approval.item.as_deref();
            if let Some(answer) = &approval.answer {
                row.decision = answer.decision.as_deref();
                row.decided_by = answer.by.as_deref();
                row.is_declined = row.decision.map(|_| answer.is_refusal());
            }
        }
        Body::SubAgent(agent) => row.kind = Some(&agent.action),
        Body::Error(error) => row.kind = error.kind.as_deref(),
        Body::HookRun(hook) => {
            row.kind = Some(&hook.event);
            row.status = hook.status.as_deref();
        }
        Body::Other(other) => row.kind = Some(&other.kind),
        _ => {}
    }
    let has_files = matches!(item.body, Body::Patch(_) | Body::Image(_));
    row.files = has_files.then_some(&files);
    rows.add(place, &row);
}

fn add_command(rows: &mut Rows, place: &Place<'_>, at: Position<'_>, item: &Item) {
    let Body::Command(command) = &item.body else {
        return;
    };
    let row = CommandRow {
        thread: at.thread,
        thread_number: Some(at.thread_number),
        turn_number: at.turn_number,
        item_number: Some(at.item_number),
        item: item.id.as_deref(),
        first_line: Some(item.lines.from),
        last_line: Some(item.lines.to),
        started_at: item.started,
        completed_at: item.completed,
        duration_ms: item.took_ms(),
        status: command.status.and_then(words::of_status),
        exit_code: command.exit_code,
        is_by_user: Some(command.is_by_user),
        is_copied: Some(at.is_copied),
        cwd: command.cwd.as_deref(),
        output_bytes: command.output.as_ref().map(|output| output.len() as u64),
        command: Some(&command.command),
        output: command.output.as_deref(),
    };
    rows.add(place, &row);
}

fn add_tool(rows: &mut Rows, place: &Place<'_>, at: Position<'_>, item: &Item) {
    let Some((tool, status)) = item.body.tool() else {
        return;
    };
    let said = Said::of(&item.body);
    let server = match &item.body {
        Body::McpCall(call) => Some(&*call.server),
        _ => None,
    };
    let row = ToolRow {
        thread: at.thread,
        thread_number: Some(at.thread_number),
        turn_number: at.turn_number,
        item_number: Some(at.item_number),
        item: item.id.as_deref(),
        tool: Some(&tool),
        server,
        started_at: item.started,
        completed_at: item.completed,
        duration_ms: item.took_ms(),
        status: status.and_then(words::of_status),
        is_copied: Some(at.is_copied),
        arguments: said.text.as_deref(),
        output: said.output.as_deref(),
    };
    rows.add(place, &row);
}

/// The texts of an item.
#[derive(Default)]
struct Said<'a> {
    /// What was said, or what a tool was called with.
    text: Option<Cow<'a, str>>,
    /// What a tool answered.
    output: Option<Cow<'a, str>>,
}

impl<'a> Said<'a> {
    fn of(body: &'a Body) -> Self {
        let (text, output) = match body {
            Body::Message(message) => (Some(message.text.as_str().into()), None),
            Body::Reasoning(reasoning) => (Some(reasoning.summary.as_str().into()), None),
            Body::Command(command) => (
                Some(command.command.as_str().into()),
                command.output.as_deref().map(Cow::from),
            ),
            Body::Patch(patch) => (
                patch.text.as_deref().map(Cow::from),
                patch.output.as_deref().map(Cow::from),
            ),
            Body::McpCall(call) => (json(&call.arguments), {
                let error = call.error.as_deref().map(Cow::from);
                error.or_else(|| json(&call.result))
            }),
            Body::ToolCall(call) => (json(&call.arguments), call.output.as_deref().map(Cow::from)),
            Body::WebSearch(search) => (Some(search.query.as_str().into()), None),
            Body::Plan(plan) => (Some(plan.text.as_str().into()), None),
            Body::TodoList(list) => (serde_json::to_string(&list.steps).ok().map(Cow::from), None),
            Body::Compaction(compaction) => (compaction.summary.as_deref().map(Cow::from), None),
            Body::Review(review) => (review.text.as_deref().map(Cow::from), None),
            Body::Approval(approval) => (
                approval
                    .command
                    .as_deref()
                    .or(approval.reason.as_deref())
                    .map(Cow::from),
                None,
            ),
            Body::SubAgent(agent) => (agent.prompt.as_deref().map(Cow::from), None),
            Body::Error(error) => (Some(error.message.as_str().into()), None),
            Body::Warning(warning) => (Some(warning.message.as_str().into()), None),
            Body::Other(other) => (json(&other.value), None),
            _ => (None, None),
        };
        Said { text, output }
    }
}

/// A text as it is, and another value as its JSON.
fn json(value: &serde_json::Value) -> Option<Cow<'_, str>> {
    match value {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(text.as_str().into()),
        value => Some(value.to_string().into()),
    }
}
