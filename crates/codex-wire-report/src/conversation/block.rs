//! Turns an item into a block: what is written of it, in whatever form.

use std::borrow::Cow;

use codex_wire_session::{
    Approval, Body, ChangeKind, Command, FileChange, Item, McpCall, Message, Patch, Plan,
    Reasoning, Role, Status, SubAgent, TodoList, ToolCall,
};
use serde_json::Value;

use super::options::Topic;
use crate::numbers::{counted, duration_text};
use crate::words::spaced;

/// What is written of an item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Block {
    pub(super) topic: Topic,
    /// Who speaks, or what is done: one word.
    pub(super) label: &'static str,
    pub(super) tone: Tone,
    /// What it is about, such as the command.
    pub(super) title: String,
    /// How it ended.
    pub(super) notes: Vec<String>,
    pub(super) parts: Vec<Part>,
}

/// How a block is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Tone {
    Plain,
    /// Somebody speaks.
    Speaker,
    /// It is of less interest.
    Dim,
    Warning,
    Bad,
}

/// A part of a block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// What somebody wrote for people, in Markdown.
    Prose(String),
    /// What a program or a tool wrote.
    Output(String),
    /// A unified diff.
    Diff(String),
    /// Arguments in JSON.
    Json(String),
    /// Something that was done, or is to be done.
    Step(bool, String),
}

/// How texts get into a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texts {
    /// Whether they are masked.
    pub(super) mask: bool,
    /// Whether details are wanted.
    pub(super) full: bool,
    /// Whether details are folded, so that they can be there without being in the way.
    pub(super) folds: bool,
}

/// The longest arguments that stand on the line of the title if longer ones are folded.
const SHORT_ARGUMENTS: usize = 100;

impl Texts {
    /// A text that may be private.
    pub(super) fn text(self, text: &str) -> String {
        match (self.mask, text.chars().count() as u64) {
            (false, _) => text.to_owned(),
            (true, 0) => String::new(),
            (true, count) => format!("… ({})", counted(count, "character", "characters")),
        }
    }

    /// Whether what is not wanted at first sight is there.
    fn has_details(self) -> bool {
        self.full || self.folds
    }

    fn json(self, value: &Value) -> String {
        let text = match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        self.text(&text)
    }

    /// The arguments of a tool: on the line of the title, or in full below it.
    fn arguments(self, block: &mut Block, value: &Value) {
        let text = self.json(value);
        let is_long = self.full || self.folds && text.len() > SHORT_ARGUMENTS;
        match is_long && !self.mask && matches!(value, Value::Object(_) | Value::Array(_)) {
            true => block.parts.push(Part::Json(format!("{value:#}"))),
            false => {
                if !text.is_empty() {
                    block.title.push(' ');
                    block.title.push_str(&text);
                }
            }
        }
    }

    /// What is written of an item.
    pub(super) fn block(self, item: &Item) -> Block {
        let mut block = self.body(&item.body);
        let has_duration = matches!(
            item.body,
            Body::Command(_)
                | Body::Patch(_)
                | Body::McpCall(_)
                | Body::ToolCall(_)
                | Body::HookRun(_)
        );
        if let Some(ms) = item.took_ms().filter(|ms| has_duration && *ms > 0) {
            block.notes.push(duration_text(ms));
        }
        block
    }

    fn body(self, body: &Body) -> Block {
        match body {
            Body::Message(message) => self.message(message),
            Body::Reasoning(reasoning) => self.reasoning(reasoning),
            Body::Command(command) => self.command(command),
            Body::Patch(patch) => self.patch(patch),
            Body::McpCall(call) => self.mcp_call(call),
            Body::ToolCall(call) => self.tool_call(call),
            Body::WebSearch(search) => {
                let mut block = Block::new(Topic::Searches, "search", self.text(&search.query));
                let action = search
                    .action
                    .as_deref()
                    .filter(|action| *action != "search");
                block.notes.extend(action.map(spaced));
                block
            }
            Body::Plan(Plan { text, .. }) => {
                Block::new(Topic::Plans, "plan", "").part(Part::Prose(self.text(text)))
            }
            Body::TodoList(list) => self.todo_list(list),
            Body::Image(image) => {
                let label = if image.is_generated { "drew" } else { "image" };
                let path = image.path.as_deref().unwrap_or_default();
                Block::new(Topic::Images, label, self.text(path))
            }
            Body::Compaction(compaction) => {
                let mut block = Block::new(Topic::Other, "compacted", "the history was summed up");
                block.tone = Tone::Dim;
                if let Some(summary) = compaction.summary.as_deref().filter(|_| self.has_details())
                {
                    block.parts.push(Part::Prose(self.text(summary)));
                }
                block
            }
            Body::Review(review) => {
                let title = if review.is_end { "ended" } else { "began" };
                let block = Block::new(Topic::Reviews, "review", title);
                match review.text.as_deref() {
                    Some(text) => block.part(Part::Prose(self.text(text))),
                    None => block,
                }
            }
            Body::Approval(approval) => self.approval(approval),
            Body::SubAgent(agent) => self.sub_agent(agent),
            Body::Error(error) => {
                let mut block = Block::new(Topic::Errors, "error", self.text(&error.message));
                block.tone = Tone::Bad;
                block.notes.extend(error.kind.as_deref().map(spaced));
                if error.will_retry {
                    block.notes.push("Codex tries again".to_owned());
                }
                block
            }
            Body::Warning(warning) => {
                let mut block = Block::new(Topic::Errors, "warning", self.text(&warning.message));
                block.tone = Tone::Warning;
                block
            }
            Body::HookRun(hook) => {
                let mut block = Block::new(Topic::Hooks, "hook", spaced(&hook.event));
                block.tone = Tone::Dim;
                block.notes.extend(hook.status.as_deref().map(spaced));
                block
            }
            Body::Other(other) => {
                let mut block = Block::new(Topic::Other, "other", other.kind.clone());
                block.tone = Tone::Dim;
                if self.has_details() {
                    self.arguments(&mut block, &other.value);
                }
                block
            }
            // A kind of a later version of the model.
            _ => Block::new(Topic::Other, "other", ""),
        }
    }

    fn message(self, message: &Message) -> Block {
        let (topic, label) = match message.role {
            Role::User => (Topic::Messages, "user"),
            Role::Assistant => (Topic::Messages, "agent"),
            Role::Agent => (Topic::Messages, "sub-agent"),
            _ => (Topic::Context, "context"),
        };
        let mut block = Block::new(topic, label, "");
        block.tone = match message.role {
            Role::Context => Tone::Dim,
            _ => Tone::Speaker,
        };
        block.notes.extend(message.author.clone());
        if message.images > 0 {
            let images = counted(message.images.into(), "image", "images");
            block.notes.push(images);
        }
        block.part(Part::Prose(self.text(&message.text)))
    }

    fn reasoning(self, reasoning: &Reasoning) -> Block {
        let mut block = Block::new(Topic::Reasoning, "thought", "");
        block.tone = Tone::Dim;
        let has_summary = !reasoning.summary.is_empty();
        if has_summary {
            block.parts.push(Part::Prose(self.text(&reasoning.summary)));
        }
        if !reasoning.content.is_empty() && (self.has_details() || !has_summary) {
            block.parts.push(Part::Prose(self.text(&reasoning.content)));
        }
        block
    }

    fn command(self, command: &Command) -> Block {
        let mut block = Block::new(Topic::Commands, "command", self.text(&command.command));
        if command.is_by_user {
            block.notes.push("by the user".to_owned());
        }
        match command.exit_code {
            Some(0) => {}
            Some(code) => {
                block.notes.push(format!("exit {code}"));
                block.tone = Tone::Bad;
            }
            None => block.status(command.status),
        }
        if command.status == Some(Status::Declined) && command.exit_code.is_some() {
            block.status(command.status);
        }
        block.output(command.output.as_deref().map(|text| self.text(text)));
        block
    }

    fn patch(self, patch: &Patch) -> Block {
        let title = match patch.changes.as_slice() {
            [] => String::new(),
            [one] => self.change(one),
            changes => counted(changes.len() as u64, "file", "files"),
        };
        let mut block = Block::new(Topic::Patches, "patch", title);
        block.status(patch.status);
        let several = patch.changes.len() > 1;
        for change in &patch.changes {
            if several {
                block.parts.push(Part::Step(true, self.change(change)));
            }
            let diff = match (&change.diff, &change.content, change.kind) {
                (Some(diff), ..) => diff.clone(),
                (None, Some(content), ChangeKind::Add) => prefixed(content, '+'),
                (None, Some(content), ChangeKind::Delete) => prefixed(content, '-'),
                _ => continue,
            };
            block.parts.push(match self.mask {
                true => Part::Prose(self.text(&diff)),
                false => Part::Diff(diff),
            });
        }
        if patch.changes.is_empty()
            && let Some(text) = &patch.text
        {
            block.parts.push(match self.mask {
                true => Part::Prose(self.text(text)),
                false => Part::Diff(text.clone()),
            });
        }
        // Of a patch that went well it says what the changes say.
        if self.full || patch.status != Some(Status::Completed) {
            block.output(patch.output.as_deref().map(|text| self.text(text)));
        }
        block
    }

    /// A changed file, with how many lines came and went.
    fn change(self, change: &FileChange) -> String {
        let verb = match change.kind {
            ChangeKind::Add => "added ",
            ChangeKind::Delete => "deleted ",
            _ => "",
        };
        let mut out = format!("{verb}{}", self.text(&change.path));
        if let Some(to) = &change.moved_to {
            out.push_str(" → ");
            out.push_str(&self.text(to));
        }
        if let Some(diff) = &change.diff {
            let (mut added, mut removed, mut in_hunk) = (0, 0, false);
            for line in diff.lines() {
                in_hunk = (in_hunk || line.starts_with("@@")) && !line.starts_with("diff --git ");
                // Before the hunks stand the names of the file.
                let is_name = !in_hunk && (line.starts_with("+++ ") || line.starts_with("--- "));
                added += usize::from(line.starts_with('+') && !is_name);
                removed += usize::from(line.starts_with('-') && !is_name);
            }
            out.push_str(&format!(" (+{added} −{removed})"));
        }
        out
    }

    fn mcp_call(self, call: &McpCall) -> Block {
        let title = format!("{}.{}", call.server, call.tool);
        let mut block = Block::new(Topic::Tools, "mcp", title);
        self.arguments(&mut block, &call.arguments);
        block.status(call.status);
        let answer = answer(&call.result);
        if let Some(error) = &call.error {
            block.tone = Tone::Bad;
            block.output(Some(self.text(error)));
        }
        // Session files of older releases have the error in both places.
        if call.error.as_deref() != Some(&*answer) {
            block.output(Some(self.text(&answer)));
        }
        block
    }

    fn tool_call(self, call: &ToolCall) -> Block {
        let title = match &call.namespace {
            Some(namespace) => format!("{namespace}.{}", call.name),
            None => call.name.clone(),
        };
        let mut block = Block::new(Topic::Tools, "tool", title);
        self.arguments(&mut block, &call.arguments);
        block.status(call.status);
        block.output(call.output.as_deref().map(|text| self.text(text)));
        block
    }

    fn todo_list(self, list: &TodoList) -> Block {
        let title = self.text(list.explanation.as_deref().unwrap_or_default());
        let mut block = Block::new(Topic::Plans, "steps", title);
        let steps = list.steps.iter();
        block
            .parts
            .extend(steps.map(|step| Part::Step(step.is_done, self.text(&step.text))));
        block
    }

    fn approval(self, approval: &Approval) -> Block {
        let mut title = spaced(&approval.about);
        for text in [&approval.command, &approval.reason].into_iter().flatten() {
            title.push_str(": ");
            title.push_str(&self.text(text));
        }
        let mut block = Block::new(Topic::Approvals, "approval", title);
        match &approval.answer {
            Some(answer) => {
                let decision = answer.decision.as_deref().unwrap_or("answered");
                if answer.is_refusal() {
                    block.tone = Tone::Bad;
                }
                let by = answer.by.as_ref().map(|by| format!(" by {by}"));
                let decision = spaced(decision);
                block
                    .notes
                    .push(format!("{decision}{}", by.unwrap_or_default()));
            }
            None => block.notes.push("no answer here".to_owned()),
        }
        block
    }

    fn sub_agent(self, agent: &SubAgent) -> Block {
        let mut title = spaced(&agent.action);
        for thread in &agent.threads {
            title.push(' ');
            title.push_str(thread);
        }
        let mut block = Block::new(Topic::Agents, "sub-agent", title);
        block.status(agent.status);
        if let Some(prompt) = agent.prompt.as_deref().filter(|prompt| !prompt.is_empty()) {
            block.parts.push(Part::Prose(self.text(prompt)));
        }
        block
    }
}

impl Block {
    pub(super) fn new(topic: Topic, label: &'static str, title: impl Into<String>) -> Self {
        Block {
            topic,
            label,
            tone: Tone::Plain,
            title: title.into(),
            notes: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// How it is drawn: a class of the style sheet.
    pub(super) fn kind(&self) -> &'static str {
        match self.tone {
            Tone::Bad => "bad",
            _ => self.topic.name(),
        }
    }

    fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    fn output(&mut self, text: Option<String>) {
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            self.parts.push(Part::Output(text));
        }
    }

    fn status(&mut self, status: Option<Status>) {
        let (note, tone) = match status {
            Some(Status::Failed) => ("failed", Tone::Bad),
            Some(Status::Declined) => ("declined", Tone::Bad),
            Some(Status::InProgress) => ("still running", Tone::Warning),
            _ => return,
        };
        self.tone = tone;
        self.notes.push(note.to_owned());
    }

    /// Whether a text stands in it.
    pub(super) fn holds(&self, pattern: &str) -> bool {
        let is_exact = pattern.chars().any(char::is_uppercase);
        let fold = |text: &str| match is_exact {
            true => text.contains(pattern),
            false => text.to_lowercase().contains(pattern),
        };
        let in_part = |part: &Part| match part {
            Part::Prose(text)
            | Part::Output(text)
            | Part::Diff(text)
            | Part::Json(text)
            | Part::Step(_, text) => fold(text),
        };
        fold(&self.title)
            || self.notes.iter().any(|note| fold(note))
            || self.parts.iter().any(in_part)
    }
}

/// What an MCP server answered, as text.
fn answer(result: &Value) -> Cow<'_, str> {
    if let Value::String(text) = result {
        return Cow::Borrowed(text);
    }
    let Some(content) = result.get("content").and_then(Value::as_array) else {
        return match result {
            Value::Null => Cow::Borrowed(""),
            result => Cow::Owned(result.to_string()),
        };
    };
    let part = |part: &Value| match part.get("text").and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => {
            let kind = part.get("type").and_then(Value::as_str);
            format!("[{}]", kind.unwrap_or("content"))
        }
    };
    let parts: Vec<String> = content.iter().map(part).collect();
    Cow::Owned(parts.join("\n"))
}

/// Each line behind a sign.
fn prefixed(text: &str, sign: char) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.lines() {
        out.push(sign);
        out.push_str(line);
        out.push('\n');
    }
    out
}
