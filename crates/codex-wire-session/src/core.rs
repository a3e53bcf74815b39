//! Reads the events of core: the stream of `codex proto`, of `codex exec --json` before its own format (up to
//! 0.42.0), and what the app-server relays of old conversations as `codex/event/…` (up to 0.104.0).

use std::collections::VecDeque;

use serde_json::Value;

use crate::build::counter::{Report, TokenCounter};
use crate::build::script;
use crate::build::thread::{Finished, Here, Place, Taken, ThreadBuilder};
use crate::members::{Members, joined, milliseconds, word};
use crate::model::{
    Approval, Body, Command, Compaction, Decision, ErrorReport, Image, Item, Message, Patch,
    Reasoning, Review, Role, Status, SubAgent, Thread, TodoList, Turn, TurnStatus, Warning,
    WebSearch,
};
use crate::tokens;
use crate::values::{changes, mcp_of_core, status_of, steps, turn_error, web_search};

/// Reads the events of core into a thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct CoreReader {
    builder: ThreadBuilder,
    counter: TokenCounter,
    /// The turn that runs.
    turn: Option<usize>,
    has_answered: bool,
    /// What the client has said of which no event has come yet.
    said: VecDeque<String>,
    /// What the client has said since the last turn: the next one begins with it.
    opening: Vec<Item>,
    /// The approvals without an answer, by the id of their submission.
    asked: VecDeque<(String, Place)>,
    /// The stream marks no ends: that of `codex exec`.
    is_unmarked: bool,
    /// Requests for approval come as requests of the app-server, too.
    asks_by_request: bool,
}

/// How many things wait for their other half at most.
const WAITING: usize = 256;

impl CoreReader {
    /// Reads the events that the app-server relays.
    pub(crate) fn relayed() -> Self {
        CoreReader {
            asks_by_request: true,
            ..CoreReader::default()
        }
    }

    /// Takes the next line of a stream: an event, a submission, or a header of `codex exec`.
    pub(crate) fn message(&mut self, here: Here, message: &Value) {
        if let Some(event) = message.get("msg") {
            self.event(here, message.text("id"), event);
        } else if let Some(op) = message.get("op") {
            self.submission(here, op);
        } else if let Some(prompt) = message.text("prompt") {
            self.is_unmarked = true;
            let turn = self.current(here);
            let body = Body::Message(Message::new(Role::User, prompt));
            self.builder.add(Some(turn), Item::new(here.line, body));
            self.note_said(prompt);
        } else {
            let settings = &mut self.builder.settings;
            settings.model = message.text("model").map(Into::into);
            settings.effort = message.text("reasoning effort").map(Into::into);
            settings.cwd = message.text("workdir").map(Into::into);
            settings.approval_policy = message.text("approval").map(Into::into);
            self.builder.thread.cwd = message.owned("workdir");
            self.builder.thread.model_provider = message.owned("provider");
        }
    }

    /// Takes the next event, which belongs to a submission.
    pub(crate) fn event(&mut self, here: Here, submission: Option<&str>, event: &Value) {
        match event.text("type").unwrap_or_default() {
            "session_configured" => self.configured(event),
            "task_started" | "turn_started" => {
                let id = event.text("turn_id").or(submission);
                self.begin(here, id);
                let window = event.count("model_context_window");
                let thread = &mut self.builder.thread;
                thread.context_window = window.or(thread.context_window);
            }
            "task_complete" | "turn_complete" => {
                let failed = event.some("error").map(turn_error);
                if let Some(turn) = self.running() {
                    turn.error = failed.or(turn.error.take());
                    turn.duration_ms = event.count("duration_ms");
                }
                let has_failed = self.running().is_some_and(|turn| turn.error.is_some());
                let status = match has_failed {
                    true => TurnStatus::Failed,
                    false => TurnStatus::Completed,
                };
                self.end(here, status);
            }
            "turn_aborted" => self.end(here, TurnStatus::Interrupted),
            // Up to 0.22.0 an interrupted turn ends so.
            "error" if self.turn.is_some() && is_interruption(event) => {
                self.end(here, TurnStatus::Interrupted);
            }
            "error" => {
                let error = turn_error(event);
                match self.running() {
                    Some(turn) => turn.error = Some(error),
                    None => self.add(
                        here,
                        Body::Error(ErrorReport {
                            message: error.message,
                            kind: error.kind,
                            will_retry: false,
                        }),
                    ),
                }
            }
            "stream_error" => {
                self.add(
                    here,
                    Body::Error(ErrorReport {
                        message: event.owned("message").unwrap_or_default(),
                        kind: None,
                        will_retry: true,
                    }),
                );
                if let Some(turn) = self.running() {
                    turn.retries += 1;
                }
            }
            "warning" | "background_event" | "deprecation_notice" => {
                let message = event.owned("message").or_else(|| event.owned("summary"));
                let message = message.unwrap_or_default();
                self.add(here, Body::Warning(Warning { message }));
            }
            "token_count" => self.token_count(here, event),
            _ => self.item_event(here, submission, event),
        }
    }

    /// What is known of the thread.
    pub(crate) fn thread(&self) -> &Thread {
        &self.builder.thread
    }

    /// Whether nothing has happened yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.builder.len() == 0 && self.builder.thread.outside.is_empty()
    }

    /// The thread, to say more of it.
    pub(crate) fn thread_mut(&mut self) -> &mut Thread {
        &mut self.builder.thread
    }

    /// What is read so far.
    pub(crate) fn builder(&mut self) -> &mut ThreadBuilder {
        &mut self.builder
    }

    /// Takes out the turns that can no longer change.
    pub(crate) fn take(&mut self) -> Taken {
        self.builder.take(2)
    }

    /// The thread so far.
    pub(crate) fn finish(mut self) -> Finished {
        for item in std::mem::take(&mut self.opening) {
            self.builder.add(None, item);
        }
        self.builder.finish()
    }

    fn configured(&mut self, event: &Value) {
        let thread = &mut self.builder.thread;
        thread.id = event.owned("session_id").or(thread.id.take());
        self.builder.settings.model = event.text("model").map(Into::into);
        self.builder.settings.effort = event.text("reasoning_effort").map(Into::into);
    }

    /// The number of the turn that runs. Begins one where the stream marks none.
    fn current(&mut self, here: Here) -> usize {
        match self.turn {
            Some(turn) => turn,
            None => self.begin(here, None),
        }
    }

    fn begin(&mut self, here: Here, id: Option<&str>) -> usize {
        // The prompt of `codex exec` stands before the event.
        let begun = self.turn.filter(|_| self.is_unmarked);
        let turn = begun.unwrap_or_else(|| self.builder.begin(None, here));
        if let Some(id) = id
            && !self.is_unmarked
        {
            self.builder.name_turn(turn, id);
        }
        if self.is_unmarked
            && let Some(turn) = self.builder.turn_mut(turn)
        {
            turn.status = TurnStatus::Unmarked;
        }
        self.turn = Some(turn);
        for item in std::mem::take(&mut self.opening) {
            if let Some(turn) = self.builder.turn_mut(turn) {
                turn.lines.from = turn.lines.from.min(item.lines.from);
            }
            self.builder.add(Some(turn), item);
        }
        turn
    }

    fn running(&mut self) -> Option<&mut Turn> {
        let turn = self.turn?;
        self.builder.turn_mut(turn)
    }

    fn end(&mut self, here: Here, status: TurnStatus) {
        let Some(number) = self.turn.take() else {
            return;
        };
        if let Some(turn) = self.builder.turn_mut(number) {
            turn.status = status;
            turn.ended = here.at;
            turn.lines.extend(here.line);
        }
    }

    fn add(&mut self, here: Here, body: Body) {
        let item = Item {
            completed: here.at,
            ..Item::new(here.line, body)
        };
        self.builder.add(self.turn, item);
    }

    fn note_said(&mut self, text: &str) {
        if self.said.len() == WAITING {
            self.said.pop_front();
        }
        self.said.push_back(text.to_owned());
    }

    /// Something that happens in a turn.
    fn item_event(&mut self, here: Here, submission: Option<&str>, event: &Value) {
        let id = event.text("call_id").unwrap_or_default();
        let text = |key: &str| event.owned(key).unwrap_or_default();
        match event.text("type").unwrap_or_default() {
            "user_message" => {
                let message = text("message");
                // The submission, or the header, has said it.
                if let Some(at) = self.said.iter().position(|said| *said == message) {
                    self.said.remove(at);
                    return;
                }
                self.add(here, Body::Message(Message::new(Role::User, message)));
            }
            "agent_message" => {
                self.has_answered = true;
                let message = Message {
                    phase: event.owned("phase"),
                    ..Message::new(Role::Assistant, text("message"))
                };
                self.add(here, Body::Message(message));
            }
            "agent_reasoning" => {
                self.has_answered = true;
                let reasoning = Reasoning {
                    summary: text("text"),
                    ..Reasoning::default()
                };
                self.add(here, Body::Reasoning(reasoning));
            }
            "exec_command_begin" => {
                self.has_answered = true;
                let turn = Some(self.current(here));
                self.builder.item_started(turn, id, here, begun(event));
            }
            "exec_command_end" => self.command_end(here, id, event),
            "patch_apply_begin" => {
                self.has_answered = true;
                let patch = Patch {
                    status: Some(Status::InProgress),
                    changes: changes(&event["changes"]),
                    ..Patch::default()
                };
                let turn = Some(self.current(here));
                self.builder
                    .item_started(turn, id, here, Body::Patch(patch));
            }
            "patch_apply_end" => self.patch_end(here, id, event),
            "mcp_tool_call_begin" => {
                self.has_answered = true;
                let turn = Some(self.current(here));
                let body = Body::McpCall(mcp_of_core(event));
                self.builder.item_started(turn, id, here, body);
            }
            "mcp_tool_call_end" => {
                let body = Body::McpCall(mcp_of_core(event));
                let duration = event.get("duration").and_then(milliseconds);
                let item = self.builder.item_completed(self.turn, id, here, body);
                if let Some(item) = item {
                    item.duration_ms = duration;
                }
            }
            "web_search_begin" => {
                self.has_answered = true;
                let turn = Some(self.current(here));
                let body = Body::WebSearch(WebSearch::default());
                self.builder.item_started(turn, id, here, body);
            }
            "web_search_end" => {
                let body = Body::WebSearch(web_search(event));
                self.builder.item_completed(self.turn, id, here, body);
            }
            "view_image_tool_call" => {
                let image = Image {
                    path: event.owned("path"),
                    is_generated: false,
                };
                let body = Body::Image(image);
                self.builder.item_completed(self.turn, id, here, body);
            }
            "plan_update" => {
                let list = TodoList {
                    explanation: event.owned("explanation"),
                    steps: steps(event.list("plan")),
                };
                self.builder.todo_list(self.turn, None, here, list);
            }
            "context_compacted" => self.add(here, Body::Compaction(Compaction::default())),
            "entered_review_mode" => self.add(
                here,
                Body::Review(Review {
                    is_end: false,
                    text: event.owned("user_facing_hint"),
                }),
            ),
            "exited_review_mode" => self.add(
                here,
                Body::Review(Review {
                    is_end: true,
                    text: event
                        .some("review_output")
                        .and_then(|output| output.owned("overall_explanation")),
                }),
            ),
            "exec_approval_request" if !self.asks_by_request => {
                self.ask(here, submission, "command", event);
            }
            "apply_patch_approval_request" if !self.asks_by_request => {
                self.ask(here, submission, "patch", event);
            }
            "collab_agent_spawn_end" => {
                let child = event.owned("new_thread_id");
                if let Some(child) = &child {
                    self.builder.child(child);
                }
                self.add(
                    here,
                    Body::SubAgent(SubAgent {
                        action: "spawn_agent".to_owned(),
                        threads: child.into_iter().collect(),
                        prompt: event.owned("prompt"),
                        ..SubAgent::default()
                    }),
                );
            }
            _ => {}
        }
    }

    fn command_end(&mut self, here: Here, id: &str, event: &Value) {
        let exit_code = event.int("exit_code");
        let output = event.owned("aggregated_output").or_else(|| {
            // Up to 0.2x.0 the two streams come apart.
            let both = event.owned("stdout").unwrap_or_default();
            Some(both + event.text("stderr").unwrap_or_default())
        });
        let begun = self.builder.place_of(id);
        let begun = begun.and_then(|place| self.builder.item(place));
        let begun = match begun.map(|item| &item.body) {
            Some(Body::Command(command)) => command.clone(),
            _ => script::of_words(event.texts("command")),
        };
        let command = Command {
            status: exit_code.map(status_of),
            exit_code,
            output,
            ..begun
        };
        let duration = event.get("duration").and_then(milliseconds);
        let body = Body::Command(command);
        if let Some(item) = self.builder.item_completed(self.turn, id, here, body) {
            item.duration_ms = duration;
        }
    }

    fn patch_end(&mut self, here: Here, id: &str, event: &Value) {
        let begun = self.builder.place_of(id);
        let begun = begun.and_then(|place| self.builder.item(place));
        let begun = match begun.map(|item| &item.body) {
            Some(Body::Patch(patch)) => patch.clone(),
            _ => Patch {
                changes: changes(&event["changes"]),
                ..Patch::default()
            },
        };
        let status = match event.is("success") {
            true => Status::Completed,
            false => Status::Failed,
        };
        let output = event.owned("stdout").unwrap_or_default();
        let patch = Patch {
            status: Some(status),
            output: Some(output + event.text("stderr").unwrap_or_default()),
            ..begun
        };
        let body = Body::Patch(patch);
        self.builder.item_completed(self.turn, id, here, body);
    }

    /// Adds an item to the turn that runs. Returns its place.
    pub(crate) fn add_item(&mut self, item: Item) -> Place {
        self.builder.add(self.turn, item)
    }

    /// The item at a place.
    pub(crate) fn item(&mut self, place: Place) -> Option<&mut Item> {
        self.builder.item(place)
    }

    fn ask(&mut self, here: Here, submission: Option<&str>, about: &str, event: &Value) {
        let words = event.texts("command");
        let command = (!words.is_empty()).then(|| script::of_words(words).command);
        let approval = Approval {
            about: about.to_owned(),
            item: event.owned("call_id"),
            command,
            reason: event.owned("reason"),
            answer: None,
        };
        let item = Item::new(here.line, Body::Approval(approval));
        let place = self.builder.add(self.turn, item);
        if self.asked.len() == WAITING {
            self.asked.pop_front();
        }
        let submission = submission.unwrap_or_default().to_owned();
        self.asked.push_back((submission, place));
    }

    /// What the client sends.
    fn submission(&mut self, here: Here, op: &Value) {
        match op.text("type").unwrap_or_default() {
            "user_input" | "user_turn" => {
                if let Some(model) = op.text("model") {
                    self.builder.settings.model = Some(model.into());
                }
                self.said(here, joined(op.list("items"), "text", ""));
            }
            "exec_approval" | "patch_approval" => self.decided(here, op),
            _ => {}
        }
    }

    /// The user says something: the next turn begins with it, or it steers the one that runs.
    pub(crate) fn said(&mut self, here: Here, text: String) {
        self.note_said(&text);
        let body = Body::Message(Message::new(Role::User, text));
        match self.turn {
            None if self.opening.len() < WAITING => self.opening.push(Item::new(here.line, body)),
            _ => self.add(here, body),
        }
    }

    /// The client answers a request for approval.
    fn decided(&mut self, here: Here, op: &Value) {
        let id = op.text("id").unwrap_or_default();
        let at = self.asked.iter().position(|(asked, _)| asked == id);
        let Some((_, place)) = at.and_then(|at| self.asked.remove(at)) else {
            return;
        };
        if let Some(item) = self.builder.item(place)
            && let Body::Approval(approval) = &mut item.body
        {
            item.lines.extend(here.line);
            item.completed = here.at;
            approval.answer = Some(Decision {
                decision: op.get("decision").map(word),
                by: None,
            });
        }
    }

    fn token_count(&mut self, here: Here, event: &Value) {
        let limits = event.some("rate_limits");
        if let Some(limits) = limits {
            self.builder.thread.rate_limits = Some(limits.clone());
        }
        let is_flat = event.get("input_tokens").is_some();
        let (total, last) = match event.some("info") {
            Some(info) => (
                tokens::snake(&info["total_token_usage"]),
                tokens::snake(&info["last_token_usage"]),
            ),
            // Up to 0.34.0 the event is the total.
            None if is_flat => {
                let total = tokens::snake(event);
                let before = self.builder.thread.reported.unwrap_or_default();
                (total, total.checked_sub(before).unwrap_or(total))
            }
            None => {
                self.counter.unknown();
                return;
            }
        };
        self.builder.thread.reported = Some(total);
        let report = Report {
            total,
            last,
            may_restart: limits.is_none_or(|limits| limits.get("limit_id").is_none()),
            repeats: event.get("rate_limits").is_some(),
            has_answered: self.has_answered,
        };
        if let Some(tokens) = self.counter.count(report) {
            let last = self.builder.len().checked_sub(1);
            let turn = self.turn.or(last).unwrap_or_else(|| self.current(here));
            self.builder.response(turn, here, tokens);
        }
    }
}

fn is_interruption(error: &Value) -> bool {
    let message = error.text("message").map(str::trim);
    message == Some("Turn interrupted")
}

/// A command that begins.
fn begun(event: &Value) -> Body {
    Body::Command(Command {
        cwd: event.owned("cwd"),
        status: Some(Status::InProgress),
        is_by_user: event.text("source") == Some("user_shell"),
        ..script::of_words(event.texts("command"))
    })
}
