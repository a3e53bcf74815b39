//! The Agent Client Protocol, version 1: what an agent tells a client that loads a session, as notifications
//! `session/update`.

use std::borrow::Cow;
use std::collections::HashMap;

use codex_wire_session::{
    Body, ChangeKind, FileChange, Item, Role, Session, Status, Thread, TodoList, Turn,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::reasoning::thought;
use crate::source;
use crate::tool::{Tool, object};

/// A notification of JSON-RPC.
#[derive(Debug, Serialize)]
pub(crate) struct Notification<'a> {
    jsonrpc: &'static str,
    method: &'static str,
    params: Params<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    session_id: Cow<'a, str>,
    update: Update<'a>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "sessionUpdate", rename_all = "snake_case")]
enum Update<'a> {
    UserMessageChunk(Chunk<'a>),
    AgentMessageChunk(Chunk<'a>),
    AgentThoughtChunk(Chunk<'a>),
    ToolCall(ToolCall<'a>),
    ToolCallUpdate(ToolCallUpdate<'a>),
    Plan {
        entries: Vec<Entry<'a>>,
    },
    #[serde(rename = "session_info_update")]
    Info(SessionInfo<'a>),
    #[serde(rename = "usage_update")]
    Usage {
        used: u64,
        size: u64,
    },
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Chunk<'a> {
    content: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<Cow<'a, str>>,
}

#[derive(Debug, Serialize)]
struct Text<'a> {
    r#type: &'static str,
    text: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolCall<'a> {
    tool_call_id: Cow<'a, str>,
    title: Cow<'a, str>,
    kind: &'static str,
    status: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Place<'a>>,
    #[serde(skip_serializing_if = "Value::is_null")]
    raw_input: Value,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolCallUpdate<'a> {
    tool_call_id: Cow<'a, str>,
    status: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    content: Vec<Content<'a>>,
    #[serde(skip_serializing_if = "Value::is_null")]
    raw_output: Value,
}

#[derive(Debug, Serialize)]
struct Place<'a> {
    path: Cow<'a, str>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content<'a> {
    Content {
        content: Output<'a>,
    },
    Diff {
        path: Cow<'a, str>,
        #[serde(rename = "newText")]
        new_text: &'a str,
    },
}

#[derive(Debug, Serialize)]
struct Output<'a> {
    r#type: &'static str,
    text: Cow<'a, str>,
}

#[derive(Debug, Serialize)]
struct Entry<'a> {
    content: &'a str,
    priority: &'static str,
    status: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionInfo<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
}

/// The updates of a session, in the order of its lines. Those of several threads stand between one another.
pub(crate) fn updates(session: &Session) -> Vec<Notification<'_>> {
    let counts_responses = source::counts_responses(session.protocol.as_deref());
    let mut updates = Vec::new();
    for (number, thread) in session.threads.iter().enumerate() {
        let id = match &thread.id {
            Some(id) => Cow::Borrowed(id.as_str()),
            // Ids are given by the agent, which here is us.
            None => format!("thread-{number}").into(),
        };
        let mut of = Updates {
            thread,
            number: 0,
            ids: HashMap::new(),
            updates: Vec::new(),
        };
        of.info();
        // A client that loads a session gets its history: what was copied, and not what was taken back.
        for turn in thread.history() {
            of.number += 1;
            of.turn(turn, counts_responses);
        }
        of.number = 0;
        for item in &thread.outside {
            of.item(item, None);
        }
        let of = of.updates.into_iter();
        updates.extend(of.map(|(line, update)| (line, id.clone(), update)));
    }
    updates.sort_by_key(|(line, ..)| *line);
    let updates = updates.into_iter();
    updates
        .map(|(_, session_id, update)| Notification {
            jsonrpc: "2.0",
            method: "session/update",
            params: Params { session_id, update },
        })
        .collect()
}

/// The updates of a thread, each with its line.
struct Updates<'a> {
    thread: &'a Thread,
    /// The number of the turn, or 0 outside of turns.
    number: usize,
    /// The ids of items, and the number of the first turn that has each.
    ids: HashMap<&'a str, usize>,
    updates: Vec<(u64, Update<'a>)>,
}

impl<'a> Updates<'a> {
    fn info(&mut self) {
        let ended = self.thread.turns.iter().filter_map(|turn| turn.ended).max();
        let info = SessionInfo {
            title: self.thread.name.as_deref(),
            updated_at: ended.map(|time| time.to_string()),
        };
        if info.title.is_some() {
            self.push(0, Update::Info(info));
        }
    }

    fn turn(&mut self, turn: &'a Turn, counts_responses: bool) {
        for item in &turn.items {
            self.item(item, Some(turn));
        }
        let Some(size) = self.thread.context_window.filter(|_| counts_responses) else {
            return;
        };
        for response in &turn.responses {
            let used = response.tokens.total;
            self.push(response.line, Update::Usage { used, size });
        }
    }

    fn item(&mut self, item: &'a Item, turn: Option<&'a Turn>) {
        let Some((line, update)) = self.said(item) else {
            if let Some(tool) = Tool::of(item) {
                self.call(&tool, turn);
            }
            return;
        };
        self.push(line, update);
    }

    /// What is said at once: messages, thoughts and plans.
    fn said(&mut self, item: &'a Item) -> Option<(u64, Update<'a>)> {
        let mut chunk = |text: &'a str| Chunk {
            content: Text {
                r#type: "text",
                text,
            },
            message_id: item.id.as_deref().map(|id| self.id(id)),
        };
        let update = match &item.body {
            Body::Message(message) => match message.role {
                Role::Assistant => Update::AgentMessageChunk(chunk(&message.text)),
                Role::User | Role::Agent => Update::UserMessageChunk(chunk(&message.text)),
                _ => return None,
            },
            Body::Reasoning(reasoning) => Update::AgentThoughtChunk(chunk(thought(reasoning))),
            Body::Plan(plan) => Update::AgentMessageChunk(chunk(&plan.text)),
            Body::TodoList(list) => Update::Plan {
                entries: entries(list),
            },
            _ => return None,
        };
        Some((item.lines.to, update))
    }

    /// A call of a tool: that it began, and how it ended.
    fn call(&mut self, tool: &Tool<'a>, turn: Option<&'a Turn>) {
        let item = tool.item;
        let id = match &item.id {
            Some(id) => self.id(id),
            None => format!("line-{}", item.lines.from).into(),
        };
        let cwd = turn.and_then(|turn| turn.settings.cwd.as_deref());
        let cwd = cwd.or(self.thread.cwd.as_deref());
        let changes = match &item.body {
            Body::Patch(patch) => patch.changes.as_slice(),
            _ => &[],
        };
        let places = changes
            .iter()
            .filter_map(|change| absolute(&change.path, cwd));
        let began = ToolCall {
            tool_call_id: id.clone(),
            title: title(tool),
            kind: kind(item),
            status: "in_progress",
            locations: places.map(|path| Place { path }).collect(),
            raw_input: tool.arguments(),
        };
        self.push(item.lines.from, Update::ToolCall(began));
        let status = match tool.status {
            Some(Status::InProgress) => return,
            Some(Status::Failed | Status::Declined) => "failed",
            // Those without a status are on record when they are over.
            _ => "completed",
        };
        let mut content: Vec<Content<'a>> = changes
            .iter()
            .filter_map(|change| diff(change, cwd))
            .collect();
        if let Some(text) = tool.output() {
            content.push(text_of(text));
        }
        let declined = tool.status == Some(Status::Declined);
        let raw_output = object([
            ("exit_code", json!(tool.exit_code)),
            ("status", json!(declined.then_some("declined"))),
        ]);
        let ended = ToolCallUpdate {
            tool_call_id: id,
            status,
            content,
            raw_output: match raw_output
                .as_object()
                .is_some_and(serde_json::Map::is_empty)
            {
                true => Value::Null,
                false => raw_output,
            },
        };
        self.push(item.lines.to, Update::ToolCallUpdate(ended));
    }

    /// The id of an item in the session. Each run of `codex exec` counts its items again from 0, also if it resumes
    /// a thread.
    fn id(&mut self, id: &'a str) -> Cow<'a, str> {
        match *self.ids.entry(id).or_insert(self.number) {
            first if first == self.number => id.into(),
            _ => format!("{id}-{}", self.number).into(),
        }
    }

    fn push(&mut self, line: u64, update: Update<'a>) {
        self.updates.push((line, update));
    }
}

/// The kinds of tools that the protocol has.
fn kind(item: &Item) -> &'static str {
    match &item.body {
        Body::Command(_) => "execute",
        Body::Patch(patch) => match patch.changes.as_slice() {
            [one] if one.kind == ChangeKind::Delete => "delete",
            [one] if one.moved_to.is_some() => "move",
            _ => "edit",
        },
        Body::WebSearch(search) => match search.action.as_deref() {
            Some("open_page" | "find_in_page") => "fetch",
            _ => "search",
        },
        _ => "other",
    }
}

/// What a client shows of a tool.
fn title<'a>(tool: &Tool<'a>) -> Cow<'a, str> {
    match &tool.item.body {
        Body::Command(command) => (&*command.command).into(),
        Body::WebSearch(search) if !search.query.is_empty() => (&*search.query).into(),
        Body::Patch(patch) if !patch.changes.is_empty() => {
            let paths: Vec<&str> = patch.changes.iter().map(|change| &*change.path).collect();
            paths.join(", ").into()
        }
        _ => tool.name.clone(),
    }
}

/// The steps of a plan. The protocol wants priorities, which Codex has none of: all have the one in the middle.
fn entries(list: &TodoList) -> Vec<Entry<'_>> {
    let steps = list.steps.iter();
    steps
        .map(|step| Entry {
            content: &step.text,
            priority: "medium",
            status: match step.is_done {
                true => "completed",
                false => "pending",
            },
        })
        .collect()
}

/// The change of a file. The protocol wants all of its text, which only a new file has.
fn diff<'a>(change: &'a FileChange, cwd: Option<&str>) -> Option<Content<'a>> {
    let path = absolute(&change.path, cwd);
    match (change.kind, path, &change.content, &change.diff) {
        (ChangeKind::Add, Some(path), Some(new_text), _) => Some(Content::Diff { path, new_text }),
        (.., Some(diff)) => Some(text_of(diff.into())),
        _ => None,
    }
}

fn text_of(text: Cow<'_, str>) -> Content<'_> {
    Content::Content {
        content: Output {
            r#type: "text",
            text,
        },
    }
}

/// A path from the root: the protocol has no others.
fn absolute<'a>(path: &'a str, cwd: Option<&str>) -> Option<Cow<'a, str>> {
    if is_absolute(path) {
        return Some(path.into());
    }
    let cwd = cwd.filter(|cwd| is_absolute(cwd))?;
    let cwd = cwd.trim_end_matches('/');
    Some(format!("{cwd}/{path}").into())
}

/// On whatever system the session was written.
fn is_absolute(path: &str) -> bool {
    let drive = path.as_bytes();
    path.starts_with('/') || drive.len() > 2 && drive[1] == b':' && matches!(drive[2], b'\\' | b'/')
}
