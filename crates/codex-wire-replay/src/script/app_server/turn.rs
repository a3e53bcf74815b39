//! A turn: its start, its steps until Codex has to wait, and its end.

use serde_json::Value;

use super::super::answers::Answers;
use super::super::decision::Answered;
use super::super::model::{Action, Decision, Step};
use super::super::refuse::Refused;
use super::running::{Running, TurnKind, Wait};
use super::state::AppServer;
use super::templates::rate_limits;
use crate::compose::json::{Node, object};

impl AppServer {
    /// Makes a turn of a thread, and returns it for the response.
    pub(super) fn begin(&mut self, thread: &str, steps: Vec<Step>) -> Node {
        let id = self.ids.uuid();
        let began = self.ids.ms();
        let Some(state) = self.threads.get_mut(thread) else {
            return Node::Null;
        };
        let turn = match self.observed.turns_have_ids() {
            true => id,
            false => state.turns.to_string(),
        };
        state.turns += 1;
        let running = Running {
            thread: thread.to_owned(),
            turn,
            kind: TurnKind::Prompt,
            began,
            last_message: None,
            changes: Vec::new(),
            wait: None,
            steps,
            next: 0,
            answers: Answers::default(),
            is_reported: false,
        };
        let node = self.turn_node(&running, "inProgress", false, Node::Null);
        if let Some(state) = self.threads.get_mut(thread) {
            state.running = Some(running);
        }
        node
    }

    /// Makes a turn that plays the next one of the script.
    pub(super) fn begin_of_script(&mut self, thread: &str) -> Node {
        let played = self.threads.get(thread).map_or(0, |state| state.played);
        let steps = self.script.turn(played).steps.clone();
        let turn = self.begin(thread, steps);
        if let Some(state) = self.threads.get_mut(thread) {
            state.played += 1;
        }
        turn
    }

    /// What comes before the first step: the turn starts, with what the user says.
    pub(super) fn started(&mut self, thread: &str, input: &Value) {
        let Some(running) = self.running(thread) else {
            return;
        };
        let turn = self.turn_node(&running, "inProgress", true, Node::Null);
        let started = object! { "threadId" => thread, "turn" => turn };
        if self.observed.active_before_turn() {
            self.active(thread, &[]);
            self.note("turn/started", started);
        } else {
            self.note("turn/started", started);
            self.active(thread, &[]);
        }
        self.user_message(&running, input);
    }

    /// Plays the steps until the turn ends or waits.
    pub(super) fn go_on(&mut self, thread: &str) -> Result<(), Refused> {
        while let Some(mut running) = self.take(thread) {
            if running.wait.is_some() {
                self.put(running);
                return Ok(());
            }
            let Some(step) = running.steps.get(running.next).cloned() else {
                if running.answers.end() {
                    self.answer_ends(&mut running);
                }
                if running.is_review() {
                    self.review_ends(&mut running);
                }
                self.end(&running, "completed", Node::Null);
                return Ok(());
            };
            running.next += 1;
            match &step.action {
                Action::Fail(fail) => return self.fail(&running, fail),
                Action::Hang(_) => running.wait = Some(Wait::Forever),
                Action::Usage(usage) => {
                    if let Some(state) = self.threads.get_mut(thread) {
                        state.tokens = usage.usage;
                    }
                }
                Action::Retry(retry) => {
                    // Of an answer that breaks, only the limits are known.
                    match self.observed.reports_answers_early() {
                        true => self.answer_begins(&mut running),
                        false => self.report(&running),
                    }
                    running.is_reported = false;
                    self.retry(&running, retry)?;
                }
                action => {
                    self.answer_begins(&mut running);
                    let ends = running.answers.end_with(action);
                    if self.observed.reports_answers_early() {
                        (0..ends).for_each(|_| self.answer_ends(&mut running));
                    }
                    self.step(&mut running, action)?;
                    if running.wait.is_none() {
                        (0..ends).for_each(|_| self.tool_ended(&mut running));
                    }
                }
            }
            self.put(running);
        }
        Ok(())
    }

    /// Goes on with what the client decided.
    pub(super) fn decided(&mut self, thread: &str, result: Option<&Value>) -> Result<(), Refused> {
        let Some(mut running) = self.take(thread) else {
            return Ok(());
        };
        let Some(Wait::Client {
            request,
            item,
            started,
            action,
            method,
        }) = running.wait.take()
        else {
            self.put(running);
            return Ok(());
        };
        let resolved = object! { "threadId" => thread, "requestId" => request };
        self.note("serverRequest/resolved", resolved);
        let decision = match action {
            // Whatever the user says is an answer.
            Action::Ask(_) => Decision::Accept,
            _ => Answered::of(method, result).decision,
        };
        let cancelled = decision == Decision::Cancel;
        let is_command = matches!(action, Action::Run(_));
        let first = match decision {
            Decision::Accept | Decision::AcceptForSession => false,
            Decision::Decline => self.observed.declines_before_active(is_command),
            Decision::Cancel => is_command != self.observed.reports_answers_early(),
        };
        if first {
            self.finish(&mut running, &action, &item, started, decision)?;
            self.active(thread, &[]);
        } else {
            self.active(thread, &[]);
            self.finish(&mut running, &action, &item, started, decision)?;
        }
        if cancelled {
            if !self.observed.reports_answers_early() {
                self.answer_ends(&mut running);
            }
            self.end(&running, "interrupted", Node::Null);
            return Ok(());
        }
        self.tool_ended(&mut running);
        self.put(running);
        self.go_on(thread)
    }

    /// What comes before the response that a turn is interrupted: the answer of the model whose tool
    /// waits for the client has ended.
    pub(super) fn interrupting(&mut self, thread: &str) {
        let Some(mut running) = self.take(thread) else {
            return;
        };
        if !self.observed.reports_answers_early() {
            match running.waits_for() {
                Some(_) => self.answer_ends(&mut running),
                // Of an answer that never ends, only the limits are known.
                None => self.report(&running),
            }
        }
        self.put(running);
    }

    /// Ends a turn because the client says so.
    pub(super) fn interrupted(&mut self, thread: &str) {
        let Some(mut running) = self.take(thread) else {
            return;
        };
        let request = running.waits_for();
        if let Some(Wait::Client {
            item,
            started,
            action: action @ Action::Patch(_),
            ..
        }) = running.wait.take()
        {
            // A file change that waits is cancelled. Every step was tried when the server was made.
            let _ = self.finish(&mut running, &action, &item, started, Decision::Cancel);
        }
        self.end(&running, "interrupted", Node::Null);
        if let Some(request) = request {
            let resolved = object! { "threadId" => thread, "requestId" => request };
            self.note("serverRequest/resolved", resolved);
        }
    }

    fn answer_begins(&mut self, running: &mut Running) {
        if running.is_reported || !self.observed.reports_answers_early() {
            return;
        }
        running.is_reported = true;
        self.report(running);
    }

    pub(super) fn answer_ends(&mut self, running: &mut Running) {
        running.is_reported = false;
        if !self.is_reported(running) {
            return;
        }
        if let Some(state) = self.threads.get_mut(&running.thread) {
            state.used.add(state.tokens);
        }
        self.report_usage(running);
        self.note("account/rateLimits/updated", rate_limits());
    }

    /// What follows a tool: the answer is reported, in releases that do so only then, and what the turn has
    /// changed so far.
    fn tool_ended(&mut self, running: &mut Running) {
        if !self.observed.reports_answers_early() {
            self.answer_ends(running);
        }
        if self.observed.repeats_diffs() {
            self.diff(running);
        }
    }

    pub(super) fn running(&self, thread: &str) -> Option<Running> {
        self.threads.get(thread)?.running.clone()
    }

    pub(super) fn take(&mut self, thread: &str) -> Option<Running> {
        self.threads.get_mut(thread)?.running.take()
    }

    pub(super) fn put(&mut self, running: Running) {
        if let Some(state) = self.threads.get_mut(&running.thread) {
            state.running = Some(running);
        }
    }
}
