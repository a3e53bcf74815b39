//! A script as the standard output of `codex exec --json` up to 0.41.0: two header lines, then
//! events of the core.

use codex_wire_base::{MessageSet, Release};

use super::answers::{Answers, Used};
use super::habits::Habits;
use super::ids::Ids;
use super::json::{Node, object, texts};
use super::model::{Action, Call, Patch, Plan, Reason, Run, Script, Search, Step, Tokens};
use super::patch::{ChangeKind, FileChange, changes, turn_diff, updated_files};
use super::play::ExecRun;
use super::refuse::Refused;
use super::settings::Settings;
use super::writer::Writer;
use crate::exec::ExecPlay;

const SET: MessageSet = MessageSet::ExecLegacy;

/// What the model can read.
const CONTEXT_WINDOW: i64 = 272_000;

/// Plays a turn of a script, up to a step that the release cannot say.
pub(super) fn play<'t>(
    script: &'t Script,
    release: Release,
    run: &ExecRun,
    settings: &Settings,
) -> Result<ExecPlay, &'t Step> {
    let turn = run.resumes.as_ref().map_or(0, |(_, turns)| *turns);
    Stream::new(release, settings).play(script, turn, &run.prompt)
}

struct Stream<'s> {
    writer: Writer,
    habits: Habits,
    settings: &'s Settings,
    ids: Ids,
    lines: Vec<String>,
    changes: Vec<FileChange>,
    tokens: Tokens,
    used: Used,
}

impl<'s> Stream<'s> {
    fn new(release: Release, settings: &'s Settings) -> Self {
        Stream {
            writer: Writer::new(&[SET], release),
            habits: Habits(release),
            settings,
            ids: Ids::new(settings.seed, settings.now_ms),
            lines: Vec::new(),
            changes: Vec::new(),
            tokens: Tokens::default(),
            used: Used::default(),
        }
    }

    /// Plays a turn, or returns the step that the release cannot play.
    fn play<'t>(
        &mut self,
        script: &'t Script,
        turn: usize,
        prompt: &str,
    ) -> Result<ExecPlay, &'t Step> {
        // Every release has the two header lines.
        let _ = self.write(object! {
            "workdir" => &self.settings.cwd,
            "model" => &script.model,
            "provider" => "openai",
            "approval" => "never",
            "sandbox" => "danger-full-access",
            "reasoning effort" => "medium",
            "reasoning summaries" => "auto",
        });
        let _ = self.write(object! { "prompt" => prompt });
        self.note(object! { "type" => "task_started", "model_context_window" => CONTEXT_WINDOW });
        let mut answers = Answers::default();
        for step in &script.turn(turn).steps {
            self.step(&step.action).map_err(|_| step)?;
            for _ in 0..answers.end_with(&step.action) {
                self.answer_ends();
            }
            match &step.action {
                Action::Hang(_) => return Ok(self.hanging()),
                Action::Fail(_) => return Ok(self.ended(0)),
                _ => {}
            }
        }
        if answers.end() {
            self.answer_ends();
        }
        Ok(self.ended(0))
    }

    fn ended(&self, status: i32) -> ExecPlay {
        ExecPlay::of_lines(&self.lines, status, false)
    }

    /// Nothing more comes until the run is interrupted.
    fn hanging(&self) -> ExecPlay {
        let status = self.habits.exec_interrupted();
        ExecPlay::of_lines(&self.lines, status, true)
    }

    fn step(&mut self, action: &Action) -> Result<(), Refused> {
        match action {
            Action::Say(say) => {
                self.event(object! { "type" => "agent_message", "message" => &say.say })
            }
            Action::Reason(reason) => self.reason(reason),
            Action::Run(run) => self.run(run),
            Action::Patch(patch) => self.patch(patch),
            Action::Plan(plan) => self.plan(plan),
            Action::Search(search) => {
                self.search(search);
                Ok(())
            }
            Action::Call(call) => self.call(call),
            // These releases know no other agents.
            Action::Spawn(_) => Err(Refused),
            Action::Retry(retry) => {
                let message = self
                    .habits
                    .exec_retry(retry.attempt, retry.of, &retry.retry);
                let kind = ["stream_error", "background_event"].map(Node::from);
                self.event(object! { "type" => Node::OneOf(kind.to_vec()), "message" => message })
            }
            Action::Fail(fail) => {
                self.event(object! { "type" => "error", "message" => &fail.fail })
            }
            Action::Usage(usage) => {
                self.tokens = usage.usage;
                Ok(())
            }
            // There is no client to answer a question.
            Action::Ask(_) | Action::Hang(_) => Ok(()),
        }
    }

    fn reason(&mut self, reason: &Reason) -> Result<(), Refused> {
        let parts = reason.reason.as_slice();
        for _ in parts {
            self.note(object! { "type" => "agent_reasoning_section_break" });
        }
        for part in parts {
            self.event(object! { "type" => "agent_reasoning", "text" => part })?;
        }
        Ok(())
    }

    fn run(&mut self, run: &Run) -> Result<(), Refused> {
        let id = self.ids.model("call");
        let parsed = [
            object! { "type" => "unknown", "cmd" => &run.run },
            object! { "Unknown" => object! { "cmd" => &run.run } },
        ];
        self.event(object! {
            "type" => "exec_command_begin",
            "call_id" => &id,
            "command" => texts(["bash", "-lc", &run.run]),
            "cwd" => &self.settings.cwd,
            "parsed_cmd" => vec![Node::OneOf(parsed.to_vec())],
        })?;
        let parts = run.output.as_slice();
        for part in parts.iter().filter(|part| !part.is_empty()) {
            self.note(object! {
                "type" => "exec_command_output_delta",
                "call_id" => &id,
                "stream" => "stdout",
                "chunk" => part,
            });
        }
        let output = parts.concat();
        self.event(object! {
            "type" => "exec_command_end",
            "call_id" => &id,
            "stdout" => &output,
            "stderr" => "",
            "aggregated_output" => &output,
            "exit_code" => run.exit,
            "duration" => object! { "secs" => 0, "nanos" => 8_000_000 },
            "formatted_output" => &output,
        })
    }

    fn patch(&mut self, patch: &Patch) -> Result<(), Refused> {
        let id = self.ids.model("call");
        let changes = changes(&patch.patch).unwrap_or_default();
        let described = changes
            .iter()
            .map(|change| (self.settings.absolute(&change.path), self.change(change)));
        let described = Node::Object(described.collect());
        self.event(object! {
            "type" => "patch_apply_begin",
            "call_id" => &id,
            "auto_approved" => true,
            "changes" => described,
        })?;
        let output = if patch.fails {
            String::new()
        } else {
            updated_files(&changes)
        };
        let error = if patch.fails {
            "The files could not be changed.\n"
        } else {
            ""
        };
        self.event(object! {
            "type" => "patch_apply_end",
            "call_id" => &id,
            "stdout" => output,
            "stderr" => error,
            "success" => !patch.fails,
        })?;
        if !patch.fails {
            self.changes.extend(changes);
            self.diff();
        }
        Ok(())
    }

    fn change(&self, change: &FileChange) -> Node {
        match &change.kind {
            ChangeKind::Add => object! { "add" => object! { "content" => &change.diff } },
            // The oldest releases do not say what was in the file.
            ChangeKind::Delete => Node::OneOf(vec![
                object! { "delete" => object! { "content" => "" } },
                Node::from("delete"),
            ]),
            ChangeKind::Update(moved) => object! {
                "update" => object! {
                    "unified_diff" => &change.diff,
                    "move_path" => moved.as_ref().map(|path| self.settings.absolute(path)),
                },
            },
        }
    }

    fn plan(&mut self, plan: &Plan) -> Result<(), Refused> {
        let steps = plan.plan.iter().map(|step| {
            object! { "step" => &step.step, "status" => step.status.as_str() }
        });
        self.event(object! {
            "type" => "plan_update",
            "explanation" => plan.explanation.clone(),
            "plan" => Node::List(steps.collect()),
        })
    }

    /// The oldest releases do not report searches.
    fn search(&mut self, search: &Search) {
        let id = self.ids.model("ws");
        self.note(object! { "type" => "web_search_begin", "call_id" => &id });
        self.note(object! {
            "type" => "web_search_end",
            "call_id" => &id,
            "query" => &search.search,
        });
    }

    fn call(&mut self, call: &Call) -> Result<(), Refused> {
        let id = self.ids.model("call");
        let invocation = object! {
            "server" => &call.server,
            "tool" => &call.call,
            "arguments" => Node::from(&call.arguments),
        };
        self.event(object! {
            "type" => "mcp_tool_call_begin",
            "call_id" => &id,
            "invocation" => invocation.clone(),
        })?;
        let text = object! { "type" => "text", "text" => &call.result };
        let result = object! { "content" => vec![text], "isError" => call.fails };
        self.event(object! {
            "type" => "mcp_tool_call_end",
            "call_id" => &id,
            "invocation" => invocation,
            "duration" => object! { "secs" => 0, "nanos" => 400_000 },
            "result" => object! { "Ok" => result },
        })
    }

    fn answer_ends(&mut self) {
        self.used.add(self.tokens);
        let tokens = |used: &Used| {
            object! {
                "input_tokens" => used.input,
                "cached_input_tokens" => used.cached,
                "output_tokens" => used.output,
                "reasoning_output_tokens" => used.reasoning,
                "total_tokens" => used.input + used.output,
            }
        };
        let mut last = Used::default();
        last.add(self.tokens);
        // Up to 0.28.0 only the tokens of the answer.
        let mut count = object! {
            "type" => "token_count",
            "info" => object! {
                "total_token_usage" => tokens(&self.used),
                "last_token_usage" => tokens(&last),
                "model_context_window" => CONTEXT_WINDOW,
            },
            "rate_limits" => object! { "primary" => Node::Null, "secondary" => Node::Null },
        };
        if let (Node::Object(members), Node::Object(flat)) = (&mut count, tokens(&last)) {
            members.extend(flat);
        }
        self.note(count);
        self.diff();
    }

    fn diff(&mut self) {
        if !self.changes.is_empty() {
            let diff = turn_diff(&self.changes);
            self.note(object! { "type" => "turn_diff", "unified_diff" => diff });
        }
    }

    /// An event that the script is not played without.
    fn event(&mut self, event: Node) -> Result<(), Refused> {
        self.write(object! { "id" => "0", "msg" => event })
    }

    /// An event that not every release has.
    fn note(&mut self, event: Node) {
        let _ = self.event(event);
    }

    fn write(&mut self, wanted: Node) -> Result<(), Refused> {
        let message = self.writer.message(SET, &wanted).ok_or(Refused)?;
        self.lines.push(message.to_string());
        Ok(())
    }
}
