//! Steps: what happened in a thread, one response of the model each where the session tells them apart.

use std::borrow::Cow;
use std::collections::HashSet;

use codex_wire_session::{Body, Item, Response, Role, Thread, Time, Turn, TurnStatus};
use serde_json::{Map, Value, json};

use super::members::{details, members};
use super::model::{Metrics, Observation, ObservationResult, Source, Step, SubAgentRef, ToolCall};
use crate::reasoning::thought;
use crate::tool::Tool;

/// The steps of a thread. `embedded` are the sub-agents whose trajectories stand in that of the thread.
pub(super) fn steps<'a>(
    thread: &'a Thread,
    counts_after_items: bool,
    embedded: HashSet<&'a str>,
) -> Vec<Step<'a>> {
    let mut steps = Steps {
        counts_after_items,
        embedded,
        steps: Vec::new(),
        turn: None,
    };
    let mut outside = thread.outside.iter().peekable();
    for turn in &thread.turns {
        steps.turn = None;
        while let Some(item) = outside.next_if(|item| item.lines.from < turn.lines.from) {
            steps.alone(item);
        }
        steps.turn(turn);
    }
    steps.turn = None;
    for item in outside {
        steps.alone(item);
    }
    steps.steps
}

struct Steps<'a> {
    counts_after_items: bool,
    /// The sub-agents that no step refers to yet.
    embedded: HashSet<&'a str>,
    steps: Vec<Step<'a>>,
    turn: Option<&'a Turn>,
}

impl<'a> Steps<'a> {
    fn turn(&mut self, turn: &'a Turn) {
        self.turn = Some(turn);
        let mut responses: &[Response] = match self.counts_after_items {
            true => &turn.responses,
            false => &[],
        };
        let first = self.steps.len();
        let mut open: Option<usize> = None;
        for item in &turn.items {
            while let [response, rest @ ..] = responses
                && response.line < item.lines.from
            {
                self.counted(response, open.take());
                responses = rest;
            }
            if !is_of_agent(item) {
                self.alone(item);
            } else if responses.is_empty() {
                let at = self.push(Source::Agent, time(item));
                self.add(at, item);
            } else {
                let at = match open {
                    Some(at) => at,
                    None => self.push(Source::Agent, time(item)),
                };
                open = Some(at);
                self.add(at, item);
            }
        }
        for response in responses {
            self.counted(response, open.take());
        }
        // The model was asked, and the session keeps nothing of what it said.
        let is_empty = |steps: &[Step<'_>]| steps.iter().all(|step| step.source != Source::Agent);
        if let Some(response) = turn.responses.last()
            && is_empty(&self.steps[first..])
        {
            self.push(Source::Agent, response.at);
        }
        self.end_of(turn);
    }

    /// Adds what a response used to its step, or makes one if the session keeps nothing else of it.
    fn counted(&mut self, response: &'a Response, open: Option<usize>) {
        let at = match open {
            Some(at) => at,
            None => self.push(Source::Agent, response.at),
        };
        let step = &mut self.steps[at];
        step.llm_call_count = Some(1);
        if response.model.is_some() {
            step.model_name = response.model.as_deref();
        }
        // What was copied counts where it comes from.
        if step.is_copied_context.is_none() {
            let mut extra = details(response.tokens);
            extra.remove("total_tokens");
            step.metrics = Some(Metrics {
                prompt_tokens: response.tokens.input,
                completion_tokens: response.tokens.output,
                cached_tokens: response.tokens.cached_input,
                extra,
            });
        }
    }

    /// That a turn failed or was interrupted. The format has no turns.
    fn end_of(&mut self, turn: &'a Turn) {
        let (kind, error) = match turn.status {
            TurnStatus::Failed => ("turn_failed", turn.error.as_ref()),
            TurnStatus::Interrupted => ("turn_interrupted", None),
            _ => return,
        };
        let at = self.push(Source::System, turn.ended);
        let step = &mut self.steps[at];
        step.extra.insert("type".to_owned(), json!(kind));
        if let Some(error) = error {
            step.message = (&*error.message).into();
            step.extra.extend(members([("kind", json!(error.kind))]));
        }
    }

    /// Adds an item that is a step of its own.
    fn alone(&mut self, item: &'a Item) {
        match &item.body {
            _ if is_of_agent(item) => {
                let at = self.push(Source::Agent, time(item));
                self.add(at, item);
            }
            Body::Message(message) => {
                let source = match message.role {
                    Role::Context => Source::System,
                    _ => Source::User,
                };
                let at = self.push(source, time(item));
                let step = &mut self.steps[at];
                step.message = (&*message.text).into();
                let images = (message.images > 0).then_some(message.images);
                step.extra.extend(members([
                    ("author", json!(message.author)),
                    ("images", json!(images)),
                ]));
            }
            Body::Command(command) => {
                let at = self.push(Source::User, time(item));
                let step = &mut self.steps[at];
                step.message = (&*command.command).into();
                step.extra.extend(members([
                    ("type", json!("command")),
                    ("exit_code", json!(command.exit_code)),
                ]));
                if let Some(output) = &command.output {
                    step.observation = Some(Observation {
                        results: vec![ObservationResult {
                            source_call_id: None,
                            content: Some(output.into()),
                            subagent_trajectory_ref: Vec::new(),
                        }],
                    });
                }
            }
            body => {
                let (text, member) = match body {
                    Body::Error(error) => (Some(&*error.message), "message"),
                    Body::Warning(warning) => (Some(&*warning.message), "message"),
                    Body::Compaction(compaction) => (compaction.summary.as_deref(), "summary"),
                    Body::Review(review) => (review.text.as_deref(), "text"),
                    _ => (None, ""),
                };
                let at = self.push(Source::System, time(item));
                let step = &mut self.steps[at];
                step.message = text.unwrap_or_default().into();
                // All the rest, as the session has it.
                if let Ok(Value::Object(mut rest)) = serde_json::to_value(body) {
                    rest.remove(member);
                    step.extra.extend(rest);
                }
            }
        }
    }

    /// Adds what the agent said, thought or called to a step.
    fn add(&mut self, at: usize, item: &'a Item) {
        let step = &mut self.steps[at];
        match &item.body {
            Body::Message(message) => {
                append(&mut step.message, &message.text);
                step.extra
                    .extend(members([("phase", json!(message.phase))]));
            }
            Body::Plan(plan) => append(&mut step.message, &plan.text),
            Body::Reasoning(reasoning) => {
                let content = step.reasoning_content.get_or_insert_default();
                append(content, thought(reasoning));
            }
            _ => {
                if let Some(tool) = Tool::of(item) {
                    self.call(at, &tool);
                }
            }
        }
    }

    fn call(&mut self, at: usize, tool: &Tool<'a>) {
        let step = &mut self.steps[at];
        let id = match &tool.item.id {
            Some(id) => Cow::Borrowed(id.as_str()),
            None => format!("line_{}", tool.item.lines.from).into(),
        };
        let arguments = match tool.arguments() {
            Value::Object(arguments) => arguments,
            Value::Null => Map::new(),
            other => members([("value", other)]),
        };
        let error = match &tool.item.body {
            Body::McpCall(call) => call.error.as_deref(),
            _ => None,
        };
        step.tool_calls.push(ToolCall {
            tool_call_id: id.clone(),
            function_name: tool.name.clone(),
            arguments,
            extra: members([
                ("status", json!(tool.status)),
                ("exit_code", json!(tool.exit_code)),
                ("error", json!(error)),
            ]),
        });
        let threads = match &tool.item.body {
            Body::SubAgent(agent) => agent.threads.as_slice(),
            _ => &[],
        };
        // The first item that names a sub-agent started it.
        let embedded = &mut self.embedded;
        let refs = threads
            .iter()
            .filter(|thread| embedded.remove(thread.as_str()))
            .map(|thread| SubAgentRef {
                trajectory_id: thread,
            });
        let refs: Vec<_> = refs.collect();
        let content = tool.output();
        if content.is_some() || !refs.is_empty() {
            let observation = step.observation.get_or_insert_default();
            observation.results.push(ObservationResult {
                source_call_id: Some(id),
                content,
                subagent_trajectory_ref: refs,
            });
        }
    }

    fn push(&mut self, source: Source, at: Option<Time>) -> usize {
        let turn = self.turn;
        let is_copied = turn.is_some_and(|turn| turn.is_copied);
        let is_rolled_back = turn.is_some_and(|turn| turn.is_rolled_back);
        let settings = turn.filter(|_| source == Source::Agent);
        let settings = settings.map(|turn| &turn.settings);
        self.steps.push(Step {
            step_id: self.steps.len() + 1,
            timestamp: at.map(|time| time.to_string()),
            source,
            model_name: settings.and_then(|settings| settings.model.as_deref()),
            reasoning_effort: settings.and_then(|settings| settings.effort.as_deref()),
            message: Cow::Borrowed(""),
            reasoning_content: None,
            tool_calls: Vec::new(),
            observation: None,
            metrics: None,
            is_copied_context: is_copied.then_some(true),
            llm_call_count: None,
            extra: members([
                ("turn_id", json!(turn.and_then(|turn| turn.id.as_ref()))),
                ("is_rolled_back", json!(is_rolled_back.then_some(true))),
            ]),
        });
        self.steps.len() - 1
    }
}

/// Whether an item is the agent's doing.
fn is_of_agent(item: &Item) -> bool {
    match &item.body {
        Body::Message(message) => message.role == Role::Assistant,
        Body::Reasoning(_) | Body::Plan(_) => true,
        _ => Tool::of(item).is_some(),
    }
}

fn time(item: &Item) -> Option<Time> {
    item.started.or(item.completed)
}

/// Paragraphs are separated by an empty line.
fn append<'a>(text: &mut Cow<'a, str>, more: &'a str) {
    match text.is_empty() {
        true => *text = more.into(),
        false => {
            let text = text.to_mut();
            text.push_str("\n\n");
            text.push_str(more);
        }
    }
}
