//! What events and turn items add to a session.

use crate::Release;
use crate::rollout::session::once::{Side, Source};
use crate::rollout::session::state::State;
use crate::rollout::session::{
    Command, Entry, McpCall, Message, MessageKind, Patch, Plan, ReviewStarted, Tokens, ToolCall,
    TurnStatus, calls, settings,
};
use crate::rollout::{
    CollabTool, CommandExecutionTurnItem, CommandSource, CommandStatus, EventMsg,
    ExecCommandEndEvent, ItemCompletedEvent, McpCallStatus, McpToolCallTurnItem, McpToolOutcome,
    MessagePhase, PatchChange, PatchStatus, SubAgentActivityKind, TokenCountEvent, TurnItem,
};
use crate::{Map, Maybe};

impl State {
    pub(super) fn event(&mut self, event: &EventMsg) {
        match event {
            EventMsg::UserMessage(event) => self.prompt(None, &event.message),
            EventMsg::AgentMessage(event) => {
                self.agent_message(None, &event.message, event.phase.value());
            }
            EventMsg::TokenCount(event) => self.token_count(event),
            EventMsg::TaskStarted(event) => {
                self.begin(Some(&event.turn_id));
                let root = event.root_turn_id.value().cloned();
                if let Some(turn) = self.last_begun() {
                    turn.root_id = root;
                    turn.settings.mode = Some(event.collaboration_mode_kind.as_str().into());
                }
            }
            EventMsg::TaskComplete(event) => {
                let error = event.error.value().map(|error| error.message.clone());
                let status = match error {
                    Some(_) => TurnStatus::Failed,
                    None => TurnStatus::Completed,
                };
                if let Some(turn) = self.end(Some(&event.turn_id), status)
                    && error.is_some()
                {
                    turn.error = error;
                }
                self.is_reviewing = false;
            }
            EventMsg::TurnAborted(event) => {
                let id = event.turn_id.value().map(String::as_str);
                self.end(id, TurnStatus::Aborted);
                self.is_reviewing = false;
            }
            EventMsg::Error(event) => {
                if let Some(turn) = self.last_begun() {
                    turn.error = Some(event.message.clone());
                }
            }
            EventMsg::EnteredReviewMode(event) => {
                self.review_started(None, event.user_facing_hint.value());
            }
            EventMsg::ExitedReviewMode(_) => self.review_ended(None),
            EventMsg::ThreadRolledBack(event) => self.roll_back(event.num_turns),
            EventMsg::ThreadSettingsApplied(event) => {
                self.change_settings(|held| settings::change(held, &event.thread_settings));
            }
            EventMsg::SubAgentActivity(event) if event.kind == SubAgentActivityKind::Started => {
                self.child(&event.agent_thread_id);
            }
            EventMsg::CollabAgentSpawnEnd(event) => {
                if let Some(id) = event.new_thread_id.value() {
                    self.child(id);
                }
            }
            EventMsg::ExecCommandEnd(event) => self.command_event(event),
            EventMsg::PatchApplyEnd(event) => {
                let applied = Some(event.success);
                self.patch(
                    Some(&event.turn_id),
                    &event.call_id,
                    &event.changes,
                    applied,
                );
            }
            EventMsg::McpToolCallEnd(event) => {
                let is_error = match &event.result {
                    McpToolOutcome::Answered(result) => is_true(&result.is_error),
                    _ => true,
                };
                let call = McpCall {
                    call_id: event.call_id.clone(),
                    server: event.invocation.server.clone(),
                    tool: event.invocation.tool.clone(),
                    arguments: json(event.invocation.arguments.value()),
                    output: None,
                    is_error: Some(is_error),
                    duration_ms: calls::duration(&event.duration),
                };
                self.mcp_call(None, call);
            }
            EventMsg::WebSearchEnd(event) => {
                self.web_search(Some(&event.call_id), &event.query, Source::Event, None);
            }
            EventMsg::ItemCompleted(event) => self.item(event),
            _ => {}
        }
    }

    fn item(&mut self, event: &ItemCompletedEvent) {
        let turn = Some(event.turn_id.as_str());
        match &*event.item {
            TurnItem::UserMessage(item) => self.prompt(turn, &item.text()),
            TurnItem::AgentMessage(item) => {
                self.agent_message(turn, &item.text(), item.phase.value());
            }
            TurnItem::Plan(item) => {
                let plan = Plan {
                    text: item.text.clone(),
                };
                self.add(turn, Entry::Plan(plan));
            }
            TurnItem::CommandExecution(item) => self.command_item(turn, item),
            TurnItem::FileChange(item) => {
                let applied = item
                    .status
                    .value()
                    .map(|status| *status == PatchStatus::Completed);
                self.patch(turn, &item.id, &item.changes, applied);
            }
            TurnItem::McpToolCall(item) => {
                let call = mcp_call_of(item);
                self.mcp_call(turn, call);
            }
            TurnItem::DynamicToolCall(item) if !self.calls.contains_key(&item.id) => {
                let call = ToolCall {
                    call_id: Some(item.id.clone()),
                    namespace: item.namespace.value().cloned(),
                    name: item.tool.clone(),
                    arguments: item.arguments.get().to_owned(),
                    output: None,
                };
                self.add(turn, Entry::ToolCall(call));
            }
            TurnItem::CollabAgentToolCall(item) if item.tool == CollabTool::SpawnAgent => {
                item.receiver_thread_ids
                    .iter()
                    .for_each(|id| self.child(id));
            }
            TurnItem::SubAgentActivity(item) if item.kind == SubAgentActivityKind::Started => {
                self.child(&item.agent_thread_id);
            }
            TurnItem::WebSearch(item) => {
                self.web_search(Some(&item.id), &item.query, Source::Event, turn);
            }
            TurnItem::EnteredReviewMode(item) => {
                self.review_started(turn, item.user_facing_hint.value());
            }
            TurnItem::ExitedReviewMode(_) => self.review_ended(turn),
            _ => {}
        }
    }

    fn token_count(&mut self, event: &TokenCountEvent) {
        if let Some(info) = event.info.value() {
            self.session.reported = Some(Tokens::from(&info.total_token_usage));
        }
        // A review repeats the counts of the reviewer's file in that of its parent.
        if self.is_reviewing {
            return;
        }
        let Some(info) = event.info.value() else {
            self.counter.unknown();
            return;
        };
        let limits = event.rate_limits.value();
        // 0.100.0 names the limit; from 0.80.0 totals go on at a resume, which `plan_type` and the
        // rest do not tell apart, but there no count follows an unknown one in a running thread.
        let may_restart = limits.is_none_or(|limits| limits.limit_id.is_absent());
        let repeats = !event.rate_limits.is_absent();
        let has_answered = self.has_answered;
        if let Some(tokens) = self.counter.count(info, may_restart, repeats, has_answered) {
            self.response(tokens);
        }
    }

    fn agent_message(&mut self, turn: Option<&str>, text: &str, phase: Option<&MessagePhase>) {
        let at = self.at.clone();
        self.has_answered = true;
        let said = text.to_owned();
        let entry = || {
            Entry::Message(Message {
                at,
                kind: MessageKind::Answer,
                text: said,
                phase: phase.cloned(),
            })
        };
        let (place, is_second) = self.add_once(turn, Side::Agent, Source::Event, text, entry);
        if is_second && let Some(Entry::Message(message)) = self.entry(place) {
            message.phase = message.phase.take().or_else(|| phase.cloned());
        }
    }

    fn review_started(&mut self, turn: Option<&str>, hint: Option<&String>) {
        // Before 0.100.0 nothing else says that a turn begins.
        if turn.is_none() && !self.made_since(Release::new(0, 100, 0)) {
            self.begin(None);
        }
        let entry = ReviewStarted {
            hint: hint.cloned(),
        };
        self.add(turn, Entry::ReviewStarted(entry));
        self.is_reviewing = true;
    }

    fn review_ended(&mut self, turn: Option<&str>) {
        self.add(turn, Entry::ReviewEnded);
        self.is_reviewing = false;
    }

    fn command_event(&mut self, event: &ExecCommandEndEvent) {
        let command = Command {
            call_id: Some(event.call_id.clone()),
            command: event.command.clone(),
            cwd: Some(event.cwd.clone()),
            output: Some(event.aggregated_output.clone()),
            exit_code: Some(event.exit_code),
            duration_ms: calls::duration(&event.duration),
            is_declined: event.status == CommandStatus::Declined,
            is_by_user: event.source == CommandSource::UserShell,
        };
        self.command(Some(&event.turn_id), &event.call_id, command);
    }

    fn command_item(&mut self, turn: Option<&str>, item: &CommandExecutionTurnItem) {
        let command = Command {
            call_id: Some(item.id.clone()),
            command: item.command.clone(),
            cwd: Some(item.cwd.clone()),
            output: item.aggregated_output.value().cloned(),
            exit_code: item.exit_code.value().copied(),
            duration_ms: item.duration.value().and_then(calls::duration),
            is_declined: item.status == CommandStatus::Declined,
            is_by_user: item.source == CommandSource::UserShell,
        };
        self.command(turn, &item.id, command);
    }

    /// What is known of a command when it has ended: more than the call says.
    fn command(&mut self, turn: Option<&str>, id: &str, ended: Command) {
        if let Some(place) = self.calls.get(id).copied()
            && let Some(Entry::Command(command)) = self.entry(place)
        {
            *command = ended;
            return;
        }
        let place = self.add(turn, Entry::Command(ended));
        self.calls.insert(id.to_owned(), place);
    }

    fn patch(
        &mut self,
        turn: Option<&str>,
        id: &str,
        changes: &Map<PatchChange>,
        is_applied: Option<bool>,
    ) {
        if let Some(place) = self.calls.get(id).copied()
            && let Some(entry) = self.entry(place)
        {
            match entry {
                Entry::Patch(patch) => {
                    patch.changes = changes.clone();
                    patch.is_applied = is_applied;
                    return;
                }
                // A shell command that is a patch.
                Entry::Command(command) => {
                    *entry = Entry::Patch(Patch {
                        call_id: command.call_id.take(),
                        text: command.command.pop(),
                        changes: changes.clone(),
                        output: command.output.take(),
                        is_applied,
                    });
                    return;
                }
                _ => {}
            }
        }
        let patch = Patch {
            call_id: Some(id.to_owned()),
            changes: changes.clone(),
            is_applied,
            ..Patch::default()
        };
        let place = self.add(turn, Entry::Patch(patch));
        self.calls.insert(id.to_owned(), place);
    }

    fn mcp_call(&mut self, turn: Option<&str>, ended: McpCall) {
        let id = ended.call_id.clone();
        if let Some(place) = self.calls.get(&id).copied()
            && let Some(entry) = self.entry(place)
        {
            let (output, arguments) = match entry {
                Entry::McpCall(call) => (call.output.take(), std::mem::take(&mut call.arguments)),
                Entry::ToolCall(call) => (call.output.take(), std::mem::take(&mut call.arguments)),
                _ => return,
            };
            *entry = Entry::McpCall(McpCall {
                output,
                arguments,
                ..ended
            });
            return;
        }
        let place = self.add(turn, Entry::McpCall(ended));
        self.calls.insert(id, place);
    }
}

fn mcp_call_of(item: &McpToolCallTurnItem) -> McpCall {
    let failed = item.error.value().is_some() || item.status == McpCallStatus::Failed;
    let says_so = item
        .result
        .value()
        .is_some_and(|result| is_true(&result.is_error));
    McpCall {
        call_id: item.id.clone(),
        server: item.server.clone(),
        tool: item.tool.clone(),
        arguments: item.arguments.get().to_owned(),
        output: None,
        is_error: Some(failed || says_so),
        duration_ms: item.duration.value().and_then(calls::duration),
    }
}

fn is_true(member: &Maybe<bool>) -> bool {
    matches!(member, Maybe::Value(true))
}

fn json(raw: Option<&crate::json::Raw>) -> String {
    raw.map(|raw| raw.get().to_owned()).unwrap_or_default()
}
