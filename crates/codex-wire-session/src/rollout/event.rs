//! What events add to a thread.

use serde_json::Value;

use super::once::Source;
use super::state::RolloutReader;
use crate::build::counter::Report;
use crate::build::script;
use crate::members::{Members, milliseconds};
use crate::model::{Body, Command, Message, Reasoning, Role, Status, Turn, TurnStatus};
use crate::tokens;
use crate::values::{changes, mcp_of_core, status, status_of, turn_error, web_search};

impl RolloutReader {
    pub(super) fn event(&mut self, event: &Value) {
        match event.text("type").unwrap_or_default() {
            "user_message" => {
                let images = event.list("images").len() + event.list("local_images").len();
                let message = Message {
                    images: u32::try_from(images).unwrap_or(u32::MAX),
                    ..Message::new(Role::User, event.text("message").unwrap_or_default())
                };
                let item = self.new_item(Body::Message(message));
                self.prompt(None, item);
            }
            "agent_message" => {
                let message = Message {
                    phase: event.owned("phase"),
                    ..Message::new(Role::Assistant, event.text("message").unwrap_or_default())
                };
                let item = self.new_item(Body::Message(message));
                self.agent_message(None, item);
            }
            "agent_reasoning" => {
                let reasoning = Reasoning {
                    summary: event.owned("text").unwrap_or_default(),
                    ..Reasoning::default()
                };
                let item = self.new_item(Body::Reasoning(reasoning));
                self.reasoning(None, Source::Event, item);
            }
            "token_count" => self.token_count(event),
            "task_started" => self.task_started(event),
            "task_complete" => self.task_complete(event),
            "turn_aborted" => {
                self.ended(event, TurnStatus::Interrupted);
            }
            "error" => self.failed(turn_error(event)),
            "entered_review_mode" => self.review_started(None, event.owned("user_facing_hint")),
            "exited_review_mode" => self.review_ended(None, event.some("review_output")),
            "thread_rolled_back" => {
                self.builder
                    .roll_back(event.count("num_turns").unwrap_or(0));
            }
            "thread_settings_applied" => self.change_settings(&event["thread_settings"]),
            "thread_name_updated" => {
                self.builder.thread.name = event.owned("thread_name");
            }
            "sub_agent_activity" if event.text("kind") == Some("started") => {
                if let Some(id) = event.text("agent_thread_id") {
                    self.builder.child(id);
                }
            }
            "collab_agent_spawn_end" => {
                if let Some(id) = event.text("new_thread_id") {
                    self.builder.child(id);
                }
            }
            "exec_command_end" => self.command_event(event),
            "patch_apply_end" => {
                let status = match event.is("success") {
                    true => Status::Completed,
                    false => Status::Failed,
                };
                self.patch(
                    event.text("turn_id"),
                    event.text("call_id").unwrap_or_default(),
                    Some(status),
                    changes(&event["changes"]),
                );
            }
            "mcp_tool_call_end" => self.mcp_event(event),
            "web_search_end" => {
                let id = event.text("call_id");
                self.web_search(id, web_search(event), Source::Event, None);
            }
            "item_completed" => self.turn_item(event),
            _ => {}
        }
    }

    fn task_started(&mut self, event: &Value) {
        self.begin(event.text("turn_id"));
        let window = event.count("model_context_window");
        let thread = &mut self.builder.thread;
        thread.context_window = window.or(thread.context_window);
        if let Some(turn) = self.last_begun() {
            turn.root = event.owned("root_turn_id");
            if let Some(mode) = event.text("collaboration_mode_kind") {
                turn.settings.mode = Some(mode.into());
            }
        }
    }

    fn task_complete(&mut self, event: &Value) {
        let error = event.some("error").map(turn_error);
        if self.ended(event, TurnStatus::Completed)
            && let Some(turn) = self.ended_turn(event)
        {
            // Where the file keeps errors, one came before.
            turn.error = error.or(turn.error.take());
            if turn.error.is_some() {
                turn.status = TurnStatus::Failed;
            }
        }
    }

    /// A turn ends. Returns whether one did.
    fn ended(&mut self, event: &Value, status: TurnStatus) -> bool {
        let turn = self.end(event.text("turn_id"), status);
        let has_ended = turn.is_some();
        if let Some(turn) = turn {
            turn.duration_ms = event.count("duration_ms").or(turn.duration_ms);
        }
        self.is_reviewing = false;
        has_ended
    }

    /// The turn that an event has just ended.
    fn ended_turn(&mut self, event: &Value) -> Option<&mut Turn> {
        let named = event.text("turn_id");
        let number = named.and_then(|id| self.builder.turn_of(id));
        match number {
            Some(number) => self.builder.turn_mut(number),
            None => self.last_begun(),
        }
    }

    fn token_count(&mut self, event: &Value) {
        let limits = event.some("rate_limits");
        if let Some(limits) = limits {
            self.builder.thread.rate_limits = Some(limits.clone());
        }
        let info = event.some("info");
        if let Some(info) = info {
            let total = tokens::snake(&info["total_token_usage"]);
            self.builder.thread.reported = Some(total);
        }
        // A review repeats the counts of the reviewer's file in that of its parent.
        if self.is_reviewing {
            return;
        }
        let Some(info) = info else {
            self.counter.unknown();
            return;
        };
        let report = Report {
            total: tokens::snake(&info["total_token_usage"]),
            last: tokens::snake(&info["last_token_usage"]),
            // 0.100.0 names the limit; from 0.80.0 totals go on at a resume, which the rest does not tell apart,
            // but there no count follows an unknown one in a running thread.
            may_restart: limits.is_none_or(|limits| limits.get("limit_id").is_none()),
            repeats: event.get("rate_limits").is_some(),
            has_answered: self.has_answered,
        };
        if let Some(tokens) = self.counter.count(report) {
            self.response(tokens);
        }
    }

    fn command_event(&mut self, event: &Value) {
        let exit_code = event.int("exit_code");
        let command = Command {
            cwd: event.owned("cwd"),
            status: event
                .text("status")
                .and_then(status)
                .or(exit_code.map(status_of)),
            exit_code,
            output: event.owned("aggregated_output"),
            is_by_user: event.text("source") == Some("user_shell"),
            ..script::of_words(event.texts("command"))
        };
        let id = event.text("call_id").unwrap_or_default();
        let duration = event.get("duration").and_then(milliseconds);
        self.command(event.text("turn_id"), id, duration, command);
    }

    fn mcp_event(&mut self, event: &Value) {
        let call = mcp_of_core(event);
        let duration = event.get("duration").and_then(milliseconds);
        let id = event.text("call_id").unwrap_or_default();
        self.mcp_call(None, id, duration, call);
    }
}
