//! The steps of the model as events of the core, which `codex exec` up to 0.41.0 and `codex proto` write.

use codex_wire_base::{MessageSet, Release};

use super::answers::Used;
use super::model::{Action, Call, Patch, Plan, Reason, Run, Search, Tokens};
use super::output::{kept, pieces};
use super::patch::{ChangeKind, FileChange, changes, turn_diff, updated_files};
use super::refuse::Refused;
use super::words::words;
use crate::compose::ids::Ids;
use crate::compose::json::{Node, object, texts};
use crate::compose::observed::Observed;
use crate::compose::settings::Settings;
use crate::compose::writer::Writer;

/// What the model can read.
pub(super) const CONTEXT_WINDOW: i64 = 272_000;

/// Writes events.
#[derive(Debug)]
pub(super) struct Events {
    set: MessageSet,
    pub(super) writer: Writer,
    pub(super) observed: Observed,
    pub(super) settings: Settings,
    pub(super) ids: Ids,
    /// The id of the submission that the events are about.
    pub(super) id: String,
    pub(super) lines: Vec<String>,
    changes: Vec<FileChange>,
    pub(super) tokens: Tokens,
    used: Used,
}

impl Events {
    pub(super) fn new(set: MessageSet, release: Release, settings: &Settings) -> Self {
        Events {
            set,
            writer: Writer::new(&[set], release),
            observed: Observed(release),
            ids: Ids::new(settings.seed, settings.now_ms),
            settings: settings.clone(),
            id: "0".to_owned(),
            lines: Vec::new(),
            changes: Vec::new(),
            tokens: Tokens::default(),
            used: Used::default(),
        }
    }

    /// A turn begins.
    pub(super) fn begin(&mut self) {
        self.changes.clear();
        self.note(object! { "type" => "task_started", "model_context_window" => CONTEXT_WINDOW });
    }

    /// A step of the model, as far as no client decides.
    pub(super) fn step(&mut self, action: &Action) -> Result<(), Refused> {
        match action {
            Action::Say(say) => {
                self.deltas("agent_message_delta", &say.say);
                self.event(object! { "type" => "agent_message", "message" => &say.say })
            }
            Action::Reason(reason) => self.reason(reason),
            Action::Run(run) => {
                let call = self.ids.model("call");
                self.run(run, &call)
            }
            Action::Patch(patch) => {
                let call = self.ids.model("call");
                self.patch(patch, &call, true)
            }
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
                    .observed
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
            // There is not a client to answer a question.
            Action::Ask(_) | Action::Hang(_) => Ok(()),
        }
    }

    fn reason(&mut self, reason: &Reason) -> Result<(), Refused> {
        let parts = reason.reason.as_slice();
        for part in parts {
            self.note(object! { "type" => "agent_reasoning_section_break" });
            self.deltas("agent_reasoning_delta", part);
        }
        for part in parts {
            self.event(object! { "type" => "agent_reasoning", "text" => part })?;
        }
        Ok(())
    }

    /// The text as it comes, if anyone gets it so.
    fn deltas(&mut self, kind: &str, text: &str) {
        if self.set == MessageSet::CoreEvents {
            for delta in words(text) {
                self.note(object! { "type" => kind, "delta" => delta });
            }
        }
    }

    /// Asks whether a command may run.
    pub(super) fn ask_to_run(&mut self, run: &Run, call: &str) -> Result<(), Refused> {
        self.event(object! {
            "type" => "exec_approval_request",
            "call_id" => call,
            "command" => texts(["bash", "-lc", &run.run]),
            "cwd" => &self.settings.cwd,
        })
    }

    pub(super) fn run(&mut self, run: &Run, id: &str) -> Result<(), Refused> {
        let parsed = [
            object! { "type" => "unknown", "cmd" => &run.run },
            object! { "Unknown" => object! { "cmd" => &run.run } },
        ];
        self.event(object! {
            "type" => "exec_command_begin",
            "call_id" => id,
            "command" => texts(["bash", "-lc", &run.run]),
            "cwd" => &self.settings.cwd,
            "parsed_cmd" => vec![Node::OneOf(parsed.to_vec())],
        })?;
        let parts = run.output.as_slice();
        for piece in parts.iter().flat_map(|part| pieces(part)) {
            self.note(object! {
                "type" => "exec_command_output_delta",
                "call_id" => id,
                "stream" => "stdout",
                "chunk" => piece,
            });
        }
        let output = kept(self.observed, parts);
        self.event(object! {
            "type" => "exec_command_end",
            "call_id" => id,
            "stdout" => &output,
            "stderr" => "",
            "aggregated_output" => &output,
            "exit_code" => run.exit,
            "duration" => object! { "secs" => 0, "nanos" => 8_000_000 },
            "formatted_output" => &output,
        })
    }

    /// Asks whether files may be changed.
    pub(super) fn ask_to_patch(&mut self, patch: &Patch, call: &str) -> Result<(), Refused> {
        let described = self.described(patch);
        self.event(object! {
            "type" => "apply_patch_approval_request",
            "call_id" => call,
            "changes" => described,
        })
    }

    fn described(&self, patch: &Patch) -> Node {
        let changes = changes(&patch.patch).unwrap_or_default();
        let described = changes
            .iter()
            .map(|change| (self.settings.absolute(&change.path), self.change(change)));
        Node::Object(described.collect())
    }

    pub(super) fn patch(&mut self, patch: &Patch, id: &str, auto: bool) -> Result<(), Refused> {
        let changes = changes(&patch.patch).unwrap_or_default();
        let described = self.described(patch);
        self.event(object! {
            "type" => "patch_apply_begin",
            "call_id" => id,
            "auto_approved" => auto,
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
            "call_id" => id,
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

    /// An answer of the model begins. Codex says what was used before it.
    pub(super) fn answer_begins(&mut self) {
        if self.observed.core_reports_limits() {
            let used = self.used;
            let info = (used.input > 0).then(|| self.info());
            self.note(
                object! { "type" => "token_count", "info" => info, "rate_limits" => no_limits() },
            );
        }
    }

    pub(super) fn answer_ends(&mut self) {
        self.used.add(self.tokens);
        // Up to 0.28.0 only the tokens of the answer.
        let mut count = object! {
            "type" => "token_count",
            "info" => self.info(),
            "rate_limits" => no_limits(),
        };
        let mut last = Used::default();
        last.add(self.tokens);
        if let (Node::Object(members), Node::Object(flat)) = (&mut count, tokens(&last)) {
            members.extend(flat);
        }
        self.note(count);
        self.diff();
    }

    fn info(&self) -> Node {
        let mut last = Used::default();
        last.add(self.tokens);
        object! {
            "total_token_usage" => tokens(&self.used),
            "last_token_usage" => tokens(&last),
            "model_context_window" => CONTEXT_WINDOW,
        }
    }

    fn diff(&mut self) {
        if !self.changes.is_empty() {
            let diff = turn_diff(&self.changes);
            self.note(object! { "type" => "turn_diff", "unified_diff" => diff });
        }
    }

    /// An event that the script is not played without.
    pub(super) fn event(&mut self, event: Node) -> Result<(), Refused> {
        self.write(object! { "id" => &self.id, "msg" => event })
    }

    /// An event that not every release has.
    pub(super) fn note(&mut self, event: Node) {
        let _ = self.event(event);
    }

    /// A line that is not an event.
    pub(super) fn write(&mut self, wanted: Node) -> Result<(), Refused> {
        self.ids.tick();
        let message = self.writer.message(self.set, &wanted).ok_or(Refused)?;
        self.lines.push(message.to_string());
        Ok(())
    }
}

fn tokens(used: &Used) -> Node {
    object! {
        "input_tokens" => used.input,
        "cached_input_tokens" => used.cached,
        "output_tokens" => used.output,
        "reasoning_output_tokens" => used.reasoning,
        "total_tokens" => used.input + used.output,
    }
}

fn no_limits() -> Node {
    object! { "primary" => Node::Null, "secondary" => Node::Null }
}
