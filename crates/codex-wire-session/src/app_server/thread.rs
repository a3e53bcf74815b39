//! A thread on the connections of an app-server.

use serde_json::Value;

use super::header;
use super::item::{body, duration_ms, user_message};
use crate::build::counter::{Report, TokenCounter};
use crate::build::thread::{Here, Taken, ThreadBuilder};
use crate::members::{Members, kind};
use crate::model::{
    Body, Compaction, ErrorReport, HookRun, Item, Lines, Message, Role, Time, TodoList, TurnError,
    TurnStatus,
};
use crate::tokens;
use crate::values::steps;

/// A thread on the connections of an app-server.
#[derive(Clone, Debug, Default)]
pub(super) struct AppThread {
    pub(super) builder: ThreadBuilder,
    counter: TokenCounter,
    /// The turn that runs.
    turn: Option<usize>,
    /// Whether `turn/started` has named it. In some releases items come before.
    is_announced: bool,
    has_answered: bool,
    /// The last turn that a client asked for: where, its id, and the prompt.
    accepted: Option<(Here, String, Message)>,
}

impl AppThread {
    /// Takes a notification about the thread.
    pub(super) fn notification(&mut self, here: Here, method: &str, params: &Value) {
        match method {
            "thread/started" => {
                header::read(&mut self.builder.thread, &params["thread"]);
                // A detached review is a fork that no client asked for.
                if self.builder.thread.lineage.forked_from.is_some()
                    && self.counter.total().is_none()
                {
                    self.goes_on();
                }
            }
            "thread/name/updated" => self.builder.thread.name = params.owned("threadName"),
            "thread/settings/updated" => {
                header::read_settings(&mut self.builder.settings, &params["threadSettings"]);
            }
            "turn/started" => self.started(here, &params["turn"]),
            "turn/completed" => self.completed(here, &params["turn"]),
            "item/started" => self.item(here, params, false),
            "item/completed" => self.item(here, params, true),
            "item/agentMessage/delta"
            | "item/plan/delta"
            | "item/commandExecution/outputDelta"
            | "item/reasoning/summaryTextDelta" => {
                let id = params.text("itemId").unwrap_or_default();
                let delta = params.text("delta").unwrap_or_default();
                self.builder.item_grows(id, here, delta);
            }
            "turn/plan/updated" => {
                let turn = self.turn_for(here, params.text("turnId"));
                let list = TodoList {
                    explanation: params.owned("explanation"),
                    steps: steps(params.list("plan")),
                };
                self.builder.todo_list(turn, None, here, list);
            }
            // The total goes back to that of the turns that are left.
            "thread/reverted" => self.counter.continue_from(None),
            "thread/compacted" => self.compacted(here, params),
            "thread/tokenUsage/updated" => self.usage(here, params),
            "error" => self.error(here, params),
            "hook/completed" => self.hook(here, params),
            _ => {}
        }
    }

    /// The thread goes on from a time that the connection does not show: its total is reported before the
    /// model answers.
    pub(super) fn goes_on(&mut self) {
        if self.builder.len() == 0 {
            self.counter.continue_from(None);
            self.has_answered = false;
        }
    }

    /// Takes an event of core that repeats what a notification says. The oldest releases report the end of a
    /// turn only so.
    pub(super) fn relayed_event(&mut self, here: Here, event: &Value) {
        let status = match event.text("type") {
            Some("task_complete") => TurnStatus::Completed,
            Some("turn_aborted") => TurnStatus::Interrupted,
            _ => return,
        };
        let Some(number) = self.turn else { return };
        if let Some(turn) = self.builder.turn_mut(number) {
            turn.status = match turn.error {
                Some(_) => TurnStatus::Failed,
                None => status,
            };
            turn.ended = here.at.or(turn.ended);
            turn.lines.extend(here.line);
        }
    }

    /// The turn with this id. If it is not known, it is the running one under another name (a review has two),
    /// or one that begins before it is announced.
    pub(super) fn turn_for(&mut self, here: Here, id: Option<&str>) -> Option<usize> {
        let Some(id) = id else { return self.turn };
        let known = self.builder.known_turn(id);
        if known.is_some() {
            return known;
        }
        let number = match self.turn {
            Some(running) => running,
            None => {
                self.is_announced = false;
                self.builder.begin(None, here)
            }
        };
        self.builder.name_turn(number, id);
        self.turn = Some(number);
        Some(number)
    }

    fn started(&mut self, here: Here, turn: &Value) {
        let id = turn.text("id");
        let known = id.and_then(|id| self.builder.turn_of(id));
        let number = match (known, self.turn) {
            (Some(known), _) => known,
            // Its items came first.
            (None, Some(running)) if !self.is_announced => running,
            // Up to 0.98.0 a turn that is started while another runs never ends.
            _ => self.builder.begin(None, here),
        };
        if known.is_none()
            && let Some(id) = id
        {
            self.builder.name_turn(number, id);
        }
        self.turn = Some(number);
        self.is_announced = true;
        let settings = self.builder.settings.clone();
        if let Some(begun) = self.builder.turn_mut(number) {
            begun.lines.extend(here.line);
            begun.settings = settings;
            begun.root = turn.owned("rootTurnId").or(begun.root.take());
            let started = turn.int("startedAt").and_then(Time::from_seconds);
            begun.started = here.at.or(started);
        }
    }

    /// Codex has accepted a turn.
    pub(super) fn accepted(&mut self, here: Here, id: Option<&str>, input: &[Value]) {
        self.accepted = id.map(|id| (here, id.to_owned(), user_message(input)));
    }

    /// A turn ends that has not begun: its thread was deleted, say.
    fn ended_early(&mut self, here: Here, id: Option<&str>) -> Option<usize> {
        let accepted = self.accepted.take();
        let accepted = accepted.filter(|(_, accepted, _)| Some(&**accepted) == id);
        let Some((from, _, prompt)) = accepted else {
            return self.turn_for(here, id);
        };
        let number = self.turn_for(from, id)?;
        let item = Item {
            completed: from.at,
            ..Item::new(from.line, Body::Message(prompt))
        };
        self.builder.add(Some(number), item);
        self.builder.prompted(number);
        Some(number)
    }

    fn completed(&mut self, here: Here, turn: &Value) {
        let id = turn.text("id");
        let known = id.and_then(|id| self.builder.known_turn(id));
        let Some(number) = known.or(self.turn).or_else(|| self.ended_early(here, id)) else {
            return;
        };
        if self.turn == Some(number) {
            self.turn = None;
        }
        let error = turn.some("error").map(turn_error);
        let Some(ended) = self.builder.turn_mut(number) else {
            return;
        };
        if let Some(id) = id {
            // The id of a review's end is that of its items.
            ended.id = Some(id.to_owned());
        }
        ended.root = turn.owned("rootTurnId").or(ended.root.take());
        ended.lines.extend(here.line);
        let completed = turn.int("completedAt").and_then(Time::from_seconds);
        ended.ended = here.at.or(completed);
        ended.duration_ms = turn.count("durationMs").or(ended.duration_ms);
        ended.status = match turn.text("status") {
            Some("failed") => TurnStatus::Failed,
            Some("interrupted") => TurnStatus::Interrupted,
            _ => TurnStatus::Completed,
        };
        ended.error = match ended.status {
            TurnStatus::Failed => error.or(ended.error.take()),
            _ => None,
        };
    }

    fn item(&mut self, here: Here, params: &Value, is_end: bool) {
        let item = &params["item"];
        let id = item.text("id").unwrap_or_default();
        let turn = self.turn_for(here, params.text("turnId"));
        let body = body(item);
        match &body {
            Body::Message(message) if message.role == Role::User => {
                if let Some(turn) = turn {
                    self.builder.prompted(turn);
                }
            }
            _ => self.has_answered = true,
        }
        if let Body::SubAgent(agent) = &body
            && matches!(agent.action.as_str(), "spawn_agent" | "started")
        {
            for id in agent.threads.clone() {
                self.builder.child(&id);
            }
        }
        // Up to 0.142.0 both ends of a review have one id.
        let id = match &body {
            Body::Review(review) if review.is_end => format!("{id}#end"),
            _ => id.to_owned(),
        };
        // A declined command comes twice: the first says why.
        let is_declined = |body: &Body| match body {
            Body::Command(command) => command.status == Some(crate::model::Status::Declined),
            Body::Patch(patch) => patch.status == Some(crate::model::Status::Declined),
            _ => false,
        };
        let known = self.builder.place_of(&id);
        let known = known.and_then(|place| self.builder.item(place));
        if is_end
            && let Some(known) = known
            && is_declined(&known.body)
        {
            known.lines.extend(here.line);
            return;
        }
        let at = |key: &str| {
            let time = item.int(key).or_else(|| params.int(key));
            time.and_then(Time::from_ms).or(here.at)
        };
        let item = match is_end {
            true => {
                let here = Here {
                    at: at("completedAtMs"),
                    ..here
                };
                let started = item.int("startedAtMs").and_then(Time::from_ms);
                let duration = duration_ms(item);
                let ended = self.builder.item_completed(turn, &id, here, body);
                if let Some(ended) = ended {
                    ended.started = started.or(ended.started);
                    ended.duration_ms = duration;
                }
                self.builder.place_of(&id)
            }
            false => {
                let here = Here {
                    at: at("startedAtMs"),
                    ..here
                };
                self.builder.item_started(turn, &id, here, body);
                self.builder.place_of(&id)
            }
        };
        if let Some(item) = item.and_then(|place| self.builder.item(place))
            && let Some(id) = item.id.as_deref().and_then(|id| id.strip_suffix("#end"))
        {
            item.id = Some(id.to_owned());
        }
    }

    /// Up to 0.116.0. Since 0.98.0 an item says it, too.
    fn compacted(&mut self, here: Here, params: &Value) {
        let turn = self.turn_for(here, params.text("turnId"));
        let is_compaction = |item: &Item| matches!(item.body, Body::Compaction(_));
        let items = turn.and_then(|turn| self.builder.turn(turn));
        let is_known = items.is_some_and(|turn| turn.items.iter().rev().take(4).any(is_compaction));
        if !is_known {
            let item = Item {
                completed: here.at,
                ..Item::new(here.line, Body::Compaction(Compaction::default()))
            };
            self.builder.add(turn, item);
        }
    }

    fn usage(&mut self, here: Here, params: &Value) {
        let usage = &params["tokenUsage"];
        let (total, last) = (
            tokens::camel(&usage["total"]),
            tokens::camel(&usage["last"]),
        );
        let thread = &mut self.builder.thread;
        thread.reported = Some(total);
        thread.context_window = usage.count("modelContextWindow").or(thread.context_window);
        let turn = params.text("turnId");
        let turn = turn.and_then(|id| self.builder.turn_of(id)).or(self.turn);
        let Some(turn) = turn else {
            // A resume and a fork repeat the total of before.
            self.counter.continue_from(Some(total));
            return;
        };
        let report = Report {
            total,
            last,
            may_restart: false,
            repeats: true,
            has_answered: self.has_answered,
        };
        if let Some(tokens) = self.counter.count(report) {
            self.builder.response(turn, here, tokens);
        }
    }

    fn error(&mut self, here: Here, params: &Value) {
        let error = turn_error(&params["error"]);
        // The oldest releases do not say whether they try again.
        let will_retry = params.is("willRetry") || error.message.starts_with("Reconnecting...");
        let turn = match params.text("turnId") {
            Some(id) => {
                let known = self.builder.known_turn(id);
                known.or_else(|| self.failed_early(here, id))
            }
            None => self.turn,
        };
        if !will_retry && let Some(turn) = turn.and_then(|turn| self.builder.turn_mut(turn)) {
            // The end of the turn repeats it, except for the oldest releases.
            turn.error = Some(error);
            turn.lines.extend(here.line);
            return;
        }
        let report = ErrorReport {
            message: error.message,
            kind: error.kind,
            will_retry,
        };
        let item = Item {
            completed: here.at,
            ..Item::new(here.line, Body::Error(report))
        };
        // A request may fail with the id of a turn that was never asked for.
        let turn = turn.or(self.turn);
        self.builder.add(turn, item);
        if will_retry && let Some(turn) = turn.and_then(|turn| self.builder.turn_mut(turn)) {
            turn.retries += 1;
        }
    }

    /// A turn that Codex has accepted fails before it begins.
    fn failed_early(&mut self, here: Here, id: &str) -> Option<usize> {
        let (_, accepted, _) = self.accepted.as_ref()?;
        if accepted != id || self.turn.is_some() {
            return None;
        }
        let number = self.turn_for(here, Some(id));
        // The next turn is another one.
        self.is_announced = true;
        number
    }

    fn hook(&mut self, here: Here, params: &Value) {
        let turn = self.turn_for(here, params.text("turnId"));
        let run = &params["run"];
        let hook = HookRun {
            event: run.owned("eventName").unwrap_or_default(),
            status: run.owned("status"),
        };
        let item = Item {
            id: run.owned("id"),
            lines: Lines::at(here.line),
            started: run.int("startedAt").and_then(Time::from_seconds),
            completed: here.at,
            duration_ms: run.count("durationMs"),
            body: Body::HookRun(hook),
        };
        self.builder.add(turn, item);
    }

    /// Takes out what can no longer change.
    pub(super) fn take(&mut self) -> Taken {
        self.builder.take(4)
    }
}

/// An error of a turn.
fn turn_error(error: &Value) -> TurnError {
    TurnError {
        message: error.owned("message").unwrap_or_default(),
        kind: error
            .some("codexErrorInfo")
            .and_then(kind)
            .map(str::to_owned),
    }
}
