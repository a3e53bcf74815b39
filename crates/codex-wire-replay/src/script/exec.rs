//! A script as the standard output of `codex exec --json`; up to 0.41.0 see `legacy`.

use codex_wire_base::{MessageSet, Release};

use super::answers::{Answers, Used};
use super::model::{
    Action, Call, Decision, Patch, Plan, PlanStatus, Reason, Run, Script, Search, Spawn, Step,
    Tokens,
};
use super::output::kept;
use super::patch::{FileChange, changes};
use super::play::ExecRun;
use super::refuse::Refused;
use crate::compose::ids::Ids;
use crate::compose::json::{Node, object};
use crate::compose::observed::Observed;
use crate::compose::settings::Settings;
use crate::compose::writer::Writer;
use crate::exec::ExecPlay;

const SET: MessageSet = MessageSet::Exec;

/// Plays a turn of a script, up to a step that the release cannot say.
pub(super) fn play<'t>(
    script: &'t Script,
    release: Release,
    run: &ExecRun,
    settings: &Settings,
) -> Result<ExecPlay, &'t Step> {
    let (thread, before) = match &run.resumed {
        Some(thread) => (Some(&thread.id), thread.turns),
        None => (None, 0),
    };
    Stream::new(release, settings).play(script, before, thread)
}

struct Stream<'s> {
    writer: Writer,
    observed: Observed,
    settings: &'s Settings,
    ids: Ids,
    thread: String,
    lines: Vec<String>,
    items: u32,
    /// The id of the to-do list, and its items.
    plan: Option<(String, Node)>,
    tokens: Tokens,
    usage: Used,
}

impl<'s> Stream<'s> {
    fn new(release: Release, settings: &'s Settings) -> Self {
        Stream {
            writer: Writer::new(&[SET], release),
            observed: Observed(release),
            settings,
            ids: Ids::new(settings.seed, settings.now_ms),
            thread: String::new(),
            lines: Vec::new(),
            items: 0,
            plan: None,
            tokens: Tokens::default(),
            usage: Used::default(),
        }
    }

    /// Plays a turn, or returns the step that the release cannot play.
    fn play<'t>(
        &mut self,
        script: &'t Script,
        before: usize,
        thread: Option<&String>,
    ) -> Result<ExecPlay, &'t Step> {
        for turn in 0..before {
            self.past(&script.turn(turn).steps);
        }
        if !self.observed.exec_adds_usage() {
            self.usage = Used::default();
        }
        let new = self.ids.uuid();
        self.thread = thread.cloned().unwrap_or(new);
        let id = self.thread.clone();
        // Up to 0.43.0-alpha.4 the thread was a session.
        if !self.optional(object! { "type" => "thread.started", "thread_id" => &id }) {
            self.optional(object! { "type" => "session.created", "session_id" => &id });
        }
        self.optional(object! { "type" => "turn.started" });
        let mut answers = Answers::default();
        for step in &script.turn(before).steps {
            if let Action::Hang(_) = &step.action {
                return Ok(self.hanging());
            }
            self.step(&step.action).map_err(|_| step)?;
            for _ in 0..answers.end_with(&step.action) {
                self.usage.add(self.tokens);
            }
            if let Action::Fail(fail) = &step.action {
                let error = object! { "message" => &fail.fail };
                let failed = self.optional(object! { "type" => "turn.failed", "error" => error });
                return Ok(self.ended(i32::from(failed)));
            }
        }
        if answers.end() {
            self.usage.add(self.tokens);
        }
        self.close_plan();
        let usage = object! {
            "input_tokens" => self.usage.input,
            "cached_input_tokens" => self.usage.cached,
            "cache_write_input_tokens" => 0,
            "output_tokens" => self.usage.output,
            "reasoning_output_tokens" => self.usage.reasoning,
        };
        self.optional(object! { "type" => "turn.completed", "usage" => usage });
        Ok(self.ended(0))
    }

    /// Counts the tokens of a turn of an earlier run.
    fn past(&mut self, steps: &[Step]) {
        let mut answers = Answers::default();
        for step in steps {
            if let Action::Usage(usage) = &step.action {
                self.tokens = usage.usage;
            }
            for _ in 0..answers.end_with(&step.action) {
                self.usage.add(self.tokens);
            }
        }
        if answers.end() {
            self.usage.add(self.tokens);
        }
    }

    fn ended(&self, status: i32) -> ExecPlay {
        ExecPlay::of_lines(&self.lines, status, false)
    }

    /// Nothing more comes until the run is interrupted.
    fn hanging(&self) -> ExecPlay {
        let status = self.observed.exec_interrupted();
        ExecPlay::of_lines(&self.lines, status, true)
    }

    fn step(&mut self, action: &Action) -> Result<(), Refused> {
        match action {
            Action::Say(say) => self.say(&say.say),
            Action::Reason(reason) => self.reason(reason),
            Action::Run(run) => self.run(run),
            Action::Patch(patch) => self.patch(patch),
            Action::Plan(plan) => self.plan(plan),
            Action::Search(search) => self.search(search),
            Action::Call(call) => self.call(call),
            Action::Spawn(spawn) => self.spawn(spawn),
            Action::Retry(retry) => {
                let message = self
                    .observed
                    .exec_retry(retry.attempt, retry.of, &retry.retry);
                self.error(&message)
            }
            Action::Usage(usage) => {
                self.tokens = usage.usage;
                Ok(())
            }
            Action::Fail(fail) => {
                self.error(&fail.fail)?;
                self.close_plan();
                Ok(())
            }
            // There is not a client to answer a question.
            Action::Ask(_) | Action::Hang(_) => Ok(()),
        }
    }

    fn say(&mut self, text: &str) -> Result<(), Refused> {
        let id = self.item_id();
        let kind = ["agent_message", "assistant_message"].map(Node::from);
        let item = object! { "id" => id, "type" => Node::OneOf(kind.to_vec()), "text" => text };
        self.item("item.completed", item)
    }

    fn reason(&mut self, reason: &Reason) -> Result<(), Refused> {
        let parts = reason.reason.as_slice();
        let texts = match self.observed.exec_joins_reasoning() {
            true => vec![parts.join("\n")],
            false => parts.to_vec(),
        };
        for text in texts {
            let id = self.item_id();
            let item = object! { "id" => id, "type" => "reasoning", "text" => text };
            self.item("item.completed", item)?;
        }
        Ok(())
    }

    fn run(&mut self, run: &Run) -> Result<(), Refused> {
        let id = self.item_id();
        let command = self.observed.command(&run.run);
        let item = |output: &str, exit: Option<i32>, status: &str| {
            object! {
                "id" => &id,
                "type" => "command_execution",
                "command" => &command,
                "aggregated_output" => output,
                "exit_code" => exit,
                "status" => status,
            }
        };
        match run.approval.only() {
            // The turn cannot be cancelled.
            Some(Decision::Cancel) => return Err(Refused),
            Some(Decision::Decline) => {
                self.item("item.started", item("", None, "in_progress"))?;
                return self.item("item.completed", item("", None, "declined"));
            }
            _ => {}
        }
        let status = if run.exit == 0 { "completed" } else { "failed" };
        let output = kept(self.observed, run.output.as_slice());
        self.item("item.started", item("", None, "in_progress"))?;
        self.item("item.completed", item(&output, Some(run.exit), status))
    }

    fn patch(&mut self, patch: &Patch) -> Result<(), Refused> {
        let changes = changes(&patch.patch).unwrap_or_default();
        let id = self.item_id();
        let settings = self.settings;
        let changed = |change: &FileChange| {
            object! {
                "path" => settings.absolute(&change.path),
                "kind" => change.kind.as_str(),
            }
        };
        let changes: Vec<Node> = changes.iter().map(changed).collect();
        let item = |status: &str| {
            object! {
                "id" => &id,
                "type" => "file_change",
                "changes" => changes.clone(),
                "status" => status,
            }
        };
        let decision = patch.approval.only();
        if decision == Some(Decision::Cancel) {
            return Err(Refused);
        }
        if self.observed.exec_starts_patches() {
            self.item("item.started", item("in_progress"))?;
        }
        // There is no other word for one that was declined.
        let fails = patch.fails || decision == Some(Decision::Decline);
        let status = if fails { "failed" } else { "completed" };
        self.item("item.completed", item(status))
    }

    /// The first plan starts the to-do list, further ones update it, and the end of the turn
    /// completes it.
    fn plan(&mut self, plan: &Plan) -> Result<(), Refused> {
        let items = plan.plan.iter().map(|step| {
            object! {
                "text" => &step.step,
                "completed" => step.status == PlanStatus::Completed,
            }
        });
        let items = Node::List(items.collect());
        let (event, id) = match self.plan.take() {
            Some((id, _)) => ("item.updated", id),
            None => ("item.started", self.item_id()),
        };
        self.plan = Some((id, items));
        self.plan_item(event)
    }

    /// Every release that started the to-do list can complete it.
    fn close_plan(&mut self) {
        let _ = self.plan_item("item.completed");
        self.plan = None;
    }

    fn plan_item(&mut self, event: &str) -> Result<(), Refused> {
        let Some((id, items)) = &self.plan else {
            return Ok(());
        };
        let item = object! { "id" => id, "type" => "todo_list", "items" => items.clone() };
        self.item(event, item)
    }

    /// The item has two ids from 0.92.0 on: its own and that of the model.
    fn search(&mut self, search: &Search) -> Result<(), Refused> {
        if !self.observed.exec_has_tools() {
            return Ok(());
        }
        let (id, call) = (self.item_id(), self.ids.model("ws"));
        let query = &search.search;
        let item = |query: &str, action: Node| {
            object! {
                "id" => &id,
                "type" => "web_search",
                "id" => &call,
                "query" => query,
                "action" => action,
            }
        };
        if self.observed.exec_starts_searches() {
            self.item("item.started", item("", object! { "type" => "other" }))?;
        }
        let action = object! { "type" => "search", "query" => query };
        self.item("item.completed", item(query, action))
    }

    fn call(&mut self, call: &Call) -> Result<(), Refused> {
        if !self.observed.exec_has_tools() {
            return Ok(());
        }
        let id = self.item_id();
        let item = |result: Node, status: &str| {
            object! {
                "id" => &id,
                "type" => "mcp_tool_call",
                "server" => &call.server,
                "tool" => &call.call,
                "arguments" => Node::from(&call.arguments),
                "result" => result,
                "error" => Node::Null,
                "status" => status,
            }
        };
        let text = object! { "type" => "text", "text" => &call.result };
        let result = object! { "content" => vec![text], "structured_content" => Node::Null };
        let status = if call.fails { "failed" } else { "completed" };
        self.item("item.started", item(Node::Null, "in_progress"))?;
        self.item("item.completed", item(result, status))
    }

    fn spawn(&mut self, spawn: &Spawn) -> Result<(), Refused> {
        let agent = self.ids.uuid();
        let (prompt, nobody) = (Node::from(&spawn.spawn), Node::Object(Vec::new()));
        let state = |status: &str, message: Option<&String>| {
            let message = message.map(String::as_str);
            let state = object! { "status" => status, "message" => message };
            Node::Object(vec![(agent.clone(), state)])
        };
        let one = || Node::List(vec![Node::from(&agent)]);
        let none = || Node::List(Vec::new());
        let mut call = |tool: &str, prompt: Node, before: Node, states: Node| {
            let id = self.item_id();
            let sender = self.thread.clone();
            let mut item = |event: &str, receivers: Node, states: Node, status: &str| {
                let item = object! {
                    "id" => &id,
                    "type" => "collab_tool_call",
                    "tool" => tool,
                    "sender_thread_id" => &sender,
                    "receiver_thread_ids" => receivers,
                    "prompt" => prompt.clone(),
                    "agents_states" => states,
                    "status" => status,
                };
                self.item(event, item)
            };
            item("item.started", before, nobody.clone(), "in_progress")?;
            item("item.completed", one(), states, "completed")
        };
        call("spawn_agent", prompt, none(), state("pending_init", None))?;
        match &spawn.answer {
            Some(answer) => call("wait", Node::Null, one(), state("completed", Some(answer))),
            None => Ok(()),
        }
    }

    fn error(&mut self, message: &str) -> Result<(), Refused> {
        self.write(object! { "type" => "error", "message" => message })
    }

    fn item_id(&mut self) -> String {
        let id = format!("item_{}", self.items);
        self.items += 1;
        id
    }

    fn item(&mut self, event: &str, item: Node) -> Result<(), Refused> {
        self.write(object! { "type" => event, "item" => item })
    }

    /// A message without which the script is not played.
    fn write(&mut self, wanted: Node) -> Result<(), Refused> {
        let Some(message) = self.writer.message(SET, &wanted) else {
            return Err(Refused);
        };
        self.lines.push(message.to_string());
        Ok(())
    }

    /// A message that not every release has. Says whether this one has it.
    fn optional(&mut self, wanted: Node) -> bool {
        self.write(wanted).is_ok()
    }
}
