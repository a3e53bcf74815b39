//! Reads the stream of `codex exec --json`, from 0.42.0 on.
//!
//! It names no user messages, no models and no times; whoever reads along may know them. Its totals go on over resumed runs since 0.80.0, so the
//! tokens of a turn are known only if the stream began the thread; [`Thread::reported`] has what Codex wrote.

use std::collections::HashMap;

use serde_json::Value;

use crate::build::script;
use crate::build::thread::{Finished, Here, Taken, ThreadBuilder};
use crate::members::Members;
use crate::model::{
    Body, Command, ErrorReport, FileChange, Item, Message, Other, Patch, Reasoning, Role, SubAgent,
    Thread, TurnError, TurnStatus, Warning,
};
use crate::tokens;
use crate::values::{self, change_kind, status};

/// How many turns of a run may still change. From 0.94.0 to 0.111.0 turns of sub-agents begin while a call of another turn runs.
const OPEN_TURNS: usize = 16;

/// Reads the stream of `codex exec --json` into threads: a log may hold several runs, of one thread or of many.
#[derive(Clone, Debug)]
pub(crate) struct ExecReader {
    /// In the order in which they appear. There is always one.
    threads: Vec<ThreadBuilder>,
    by_id: HashMap<String, usize>,
    /// The thread of the run before this one.
    before: usize,
    /// The thread of this run.
    current: usize,
    /// The turn that runs.
    turn: Option<usize>,
}

impl Default for ExecReader {
    fn default() -> Self {
        ExecReader {
            threads: vec![ThreadBuilder::default()],
            by_id: HashMap::new(),
            before: 0,
            current: 0,
            turn: None,
        }
    }
}

impl ExecReader {
    /// Takes the next message.
    pub(crate) fn message(&mut self, here: Here, message: &Value) {
        match message.text("type").unwrap_or_default() {
            "thread.started" => self.run_started(here, message.text("thread_id")),
            // 0.42.0 marks no turns.
            "session.created" => {
                self.run_started(here, message.text("session_id"));
                let turn = self.builder().begin(None, here);
                self.unmarked(turn);
            }
            "turn.started" => self.turn = Some(self.builder().begin(None, here)),
            "turn.completed" => self.completed(here, message),
            "turn.failed" => {
                let error = TurnError {
                    message: message["error"].owned("message").unwrap_or_default(),
                    kind: None,
                };
                self.drop_repeated(&error.message);
                self.end(here, TurnStatus::Failed, Some(error));
            }
            "item.started" => self.item(here, &message["item"], false),
            "item.updated" => self.item(here, &message["item"], false),
            "item.completed" => self.item(here, &message["item"], true),
            "error" => self.error(here, message.text("message").unwrap_or_default()),
            _ => {}
        }
    }

    /// What is known of a thread by its number.
    pub(crate) fn thread(&self, number: usize) -> Option<&Thread> {
        Some(&self.threads.get(number)?.thread)
    }

    /// All threads.
    pub(crate) fn builders(&mut self) -> impl Iterator<Item = &mut ThreadBuilder> {
        self.threads.iter_mut()
    }

    /// Calls `each` for the threads that the last message can have changed: that of the run before, and that of this one.
    pub(crate) fn each_changed(&mut self, each: &mut dyn FnMut(usize, &mut ThreadBuilder)) {
        if self.before != self.current {
            each(self.before, &mut self.threads[self.before]);
        }
        each(self.current, &mut self.threads[self.current]);
    }

    /// Takes out what can no longer change, by thread.
    pub(crate) fn take(&mut self) -> Vec<(usize, Taken)> {
        let mut taken = Vec::new();
        self.each_changed(&mut |number, builder| {
            let keep = if builder.is_over { 0 } else { OPEN_TURNS };
            taken.push((number, builder.take(keep)));
        });
        taken
    }

    /// The threads so far.
    pub(crate) fn finish(self) -> Vec<Finished> {
        let threads = self.threads.into_iter();
        threads.map(ThreadBuilder::finish).collect()
    }

    fn builder(&mut self) -> &mut ThreadBuilder {
        &mut self.threads[self.current]
    }

    /// A run begins, of a new thread or of one that it resumes. Its items are numbered from the first again.
    fn run_started(&mut self, here: Here, id: Option<&str>) {
        self.turn = None;
        self.before = self.current;
        let known = id.and_then(|id| self.by_id.get(id));
        let is_first = self.by_id.is_empty() && self.threads[self.current].thread.id.is_none();
        self.current = match known {
            Some(number) => *number,
            None if is_first => self.current,
            None => {
                self.threads.push(ThreadBuilder::default());
                self.threads.len() - 1
            }
        };
        self.threads[self.before].is_over = true;
        if let Some(id) = id {
            self.by_id.insert(id.to_owned(), self.current);
        }
        let builder = self.builder();
        builder.run_started();
        if builder.thread.id.is_none() {
            builder.thread.id = id.map(str::to_owned);
            builder.thread.created = here.at;
        }
    }

    fn unmarked(&mut self, turn: usize) {
        self.turn = Some(turn);
        if let Some(turn) = self.builder().turn_mut(turn) {
            turn.status = TurnStatus::Unmarked;
        }
    }

    fn completed(&mut self, here: Here, message: &Value) {
        if let Some(usage) = message.some("usage") {
            let total = tokens::snake(usage);
            // Since 0.80.0 it is the total of the thread; a stream of several turns has each once more.
            let before = self.builder().thread.reported.unwrap_or_default();
            let new = total.checked_sub(before).unwrap_or(total);
            self.builder().thread.reported = Some(total);
            if let Some(turn) = self.turn
                && !new.is_zero()
            {
                self.builder().response(turn, here, new);
                if before.is_zero() {
                    self.builder().last_response_is_cumulative(turn);
                }
            }
        }
        self.end(here, TurnStatus::Completed, None);
    }

    fn end(&mut self, here: Here, status: TurnStatus, error: Option<TurnError>) {
        let Some(turn) = self.turn.take() else { return };
        if let Some(turn) = self.builder().turn_mut(turn) {
            turn.lines.extend(here.line);
            turn.ended = here.at;
            turn.status = status;
            turn.error = error;
        }
    }

    /// The error that ends a turn was said just before.
    fn drop_repeated(&mut self, message: &str) {
        let turn = self.turn.and_then(|turn| self.builder().turn_mut(turn));
        let is_same =
            |item: &mut Item| matches!(&item.body, Body::Error(error) if error.message == message);
        if let Some(turn) = turn {
            turn.items.pop_if(is_same);
        }
    }

    /// An error that is not the end: Codex tries again, or the end follows with the same words.
    fn error(&mut self, here: Here, message: &str) {
        let will_retry = message.starts_with("Reconnecting");
        let body = Body::Error(ErrorReport {
            message: message.to_owned(),
            kind: None,
            will_retry,
        });
        let turn = self.turn;
        self.builder().add(turn, Item::new(here.line, body));
        if will_retry && let Some(turn) = self.turn.and_then(|turn| self.builder().turn_mut(turn)) {
            turn.retries += 1;
        }
    }

    fn item(&mut self, here: Here, item: &Value, is_end: bool) {
        let id = item.text("id").unwrap_or_default();
        let kind = item.text("type").or_else(|| item.text("item_type"));
        let body = body(kind.unwrap_or_default(), item);
        if let Body::SubAgent(agent) = &body
            && agent.action == "spawn_agent"
        {
            for id in agent.threads.clone() {
                self.builder().child(&id);
            }
        }
        let turn = self.turn;
        if is_end {
            self.builder().item_completed(turn, id, here, body);
        } else {
            self.builder().item_started(turn, id, here, body);
        }
    }
}

fn body(kind: &str, item: &Value) -> Body {
    match kind {
        "agent_message" | "assistant_message" => {
            let text = item.text("text").unwrap_or_default();
            Body::Message(Message::new(Role::Assistant, text))
        }
        "reasoning" => Body::Reasoning(Reasoning {
            summary: item.owned("text").unwrap_or_default(),
            content: String::new(),
        }),
        "command_execution" => Body::Command(Command {
            status: item.text("status").and_then(status),
            exit_code: item.int("exit_code"),
            output: values::output(item.text("status"), item.text("aggregated_output")),
            ..script::of_line(item.text("command").unwrap_or_default())
        }),
        "file_change" => {
            let change = |change: &Value| {
                let kind = change.text("kind").unwrap_or_default();
                FileChange::new(change.text("path").unwrap_or_default(), change_kind(kind))
            };
            let mut changes: Vec<FileChange> = item.list("changes").iter().map(change).collect();
            changes.sort_by(|a, b| a.path.cmp(&b.path));
            Body::Patch(Patch {
                status: item.text("status").and_then(status),
                changes,
                ..Patch::default()
            })
        }
        "mcp_tool_call" => Body::McpCall(values::mcp_call(item)),
        "web_search" => Body::WebSearch(values::web_search(item)),
        "todo_list" => Body::TodoList(values::todo_list(item)),
        "collab_tool_call" => Body::SubAgent(SubAgent {
            action: item.owned("tool").unwrap_or_default(),
            status: item.text("status").and_then(status),
            threads: item.texts("receiver_thread_ids"),
            prompt: item.owned("prompt"),
        }),
        "error" => Body::Warning(Warning {
            message: item.owned("message").unwrap_or_default(),
        }),
        other => Body::Other(Other {
            kind: other.to_owned(),
            value: item.clone(),
        }),
    }
}
