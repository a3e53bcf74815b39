//! Says what the model does, and how it is played.

use std::marker::PhantomData;
use std::path::PathBuf;

use codex_wire_replay::OnMiss;
use codex_wire_replay::script::model::{Decision, PlanStatus, Tokens};
use serde_json::{Map, Value, json};

use super::error::Error;
use super::plan::{Manner, Plan, Played, Script, Speed};
use super::running::Double;
use super::step::{
    Approvable, Asking, Beginning, Calling, Failing, Fallible, Patching, Planning, Retrying,
    Running, Spawning,
};

/// What a double of Codex does: a script, and how it is played. The type says what may be said of the last step.
#[derive(Clone, Debug)]
#[must_use = "nothing is there before it starts"]
pub struct FakeCodex<S = Beginning> {
    script: Script,
    manner: Manner,
    step: PhantomData<S>,
}

impl FakeCodex {
    /// A double of the newest release. A turn of it has no steps yet.
    pub fn new() -> Self {
        FakeCodex {
            script: Script {
                model: None,
                turns: vec![Vec::new()],
            },
            manner: Manner::default(),
            step: PhantomData,
        }
    }

    /// A double of this release, such as `0.169.0`.
    pub fn release(release: impl Into<String>) -> Self {
        let mut codex = FakeCodex::new();
        codex.manner.release = Some(release.into());
        codex
    }
}

impl Default for FakeCodex {
    fn default() -> Self {
        FakeCodex::new()
    }
}

/// Steps of the model, and how they are played.
impl<S> FakeCodex<S> {
    /// Writes a message.
    pub fn say(self, text: impl Into<String>) -> FakeCodex {
        self.step("say", text.into())
    }

    /// Thinks: the parts of a summary.
    pub fn reason<T: Into<String>>(self, parts: impl IntoIterator<Item = T>) -> FakeCodex {
        let parts: Vec<String> = parts.into_iter().map(Into::into).collect();
        self.step("reason", parts)
    }

    /// Runs a command.
    pub fn run(self, command: impl Into<String>) -> FakeCodex<Running> {
        self.step("run", command.into())
    }

    /// Changes files: a patch in the format of Codex, from `*** Begin Patch` to `*** End Patch`.
    pub fn patch(self, patch: impl Into<String>) -> FakeCodex<Patching> {
        self.step("patch", patch.into())
    }

    /// Asks the user a question.
    pub fn ask(self, question: impl Into<String>) -> FakeCodex<Asking> {
        self.step("ask", question.into())
    }

    /// Says what it is going to do: the whole plan.
    pub fn plan<T: Into<String>>(
        self,
        steps: impl IntoIterator<Item = (T, PlanStatus)>,
    ) -> FakeCodex<Planning> {
        let steps = steps.into_iter().map(|(step, status)| {
            let step: String = step.into();
            json!({"step": step, "status": status.as_str()})
        });
        self.step("plan", steps.collect::<Vec<Value>>())
    }

    /// Searches the web.
    pub fn search(self, query: impl Into<String>) -> FakeCodex {
        self.step("search", query.into())
    }

    /// Calls a tool of an MCP server.
    pub fn call(self, tool: impl Into<String>) -> FakeCodex<Calling> {
        self.step("call", tool.into())
    }

    /// Starts another agent.
    pub fn spawn(self, task: impl Into<String>) -> FakeCodex<Spawning> {
        self.step("spawn", task.into())
    }

    /// The connection to the model breaks for this reason, and Codex connects again.
    pub fn retry(self, reason: impl Into<String>) -> FakeCodex<Retrying> {
        self.step("retry", reason.into())
    }

    /// The turn fails. Nothing follows in it.
    pub fn fail(self, message: impl Into<String>) -> FakeCodex<Failing> {
        self.step("fail", message.into())
    }

    /// Nothing more comes until the client interrupts. Nothing follows in the turn.
    pub fn hang(self) -> FakeCodex {
        self.step("hang", true)
    }

    /// Each answer of the model costs this many tokens from here on.
    pub fn usage(self, tokens: Tokens) -> FakeCodex {
        let tokens = json!({
            "input": tokens.input,
            "cached": tokens.cached,
            "output": tokens.output,
            "reasoning": tokens.reasoning,
        });
        self.step("usage", tokens)
    }

    /// What follows is the next turn. After the last one, that one comes again.
    pub fn turn(mut self) -> FakeCodex {
        self.script.turns.push(Vec::new());
        self.of()
    }

    /// The name of the model.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.script.model = Some(model.into());
        self
    }

    /// Something goes wrong on purpose: a fault, such as `turn-fails` or `turn-fails@2`.
    pub fn fault(mut self, id: impl Into<String>) -> Self {
        self.manner.faults.push(id.into());
        self
    }

    /// What faults leave open follows from this number.
    pub fn seed(mut self, seed: u64) -> Self {
        self.manner.seed = seed;
        self
    }

    /// What happens when the client asks for something that has nothing to do with the script. If this is not said, it
    /// gets the smallest valid answer of the release.
    pub fn on_miss(mut self, on_miss: OnMiss) -> Self {
        self.manner.on_miss = Some(on_miss);
        self
    }

    /// When lines are written; at once if this is not said.
    pub fn speed(mut self, speed: Speed) -> Self {
        self.manner.speed = speed;
        self
    }

    /// Times begin now. If this is not said, they are the same in every run.
    pub fn times_now(mut self) -> Self {
        self.manner.times_now = true;
        self
    }

    /// The program `codex-wire` that plays, if it is [another](super#the-program) than without this.
    pub fn program(mut self, path: impl Into<PathBuf>) -> Self {
        self.manner.program = Some(path.into());
        self
    }

    /// Writes the program.
    ///
    /// # Errors
    /// If there is no program that plays, or the release cannot play what was said.
    pub fn start(self) -> Result<Double, Error> {
        Double::start(Plan {
            played: Played::Script(self.script.to_json()),
            manner: self.manner,
        })
    }

    fn step<N>(mut self, key: &str, value: impl Into<Value>) -> FakeCodex<N> {
        let step = Map::from_iter([(key.to_owned(), value.into())]);
        if let Some(turn) = self.script.turns.last_mut() {
            turn.push(step);
        }
        self.of()
    }

    fn of<N>(self) -> FakeCodex<N> {
        FakeCodex {
            script: self.script,
            manner: self.manner,
            step: PhantomData,
        }
    }

    /// Says something of the last step.
    fn key(mut self, key: &str, value: impl Into<Value>) -> Self {
        let turn = self.script.turns.last_mut();
        if let Some(step) = turn.and_then(|turn| turn.last_mut()) {
            step.insert(key.to_owned(), value.into());
        }
        self
    }
}

/// What may be said of a command.
impl FakeCodex<Running> {
    /// What it writes, when it has ended.
    pub fn output(self, text: impl Into<String>) -> Self {
        self.key("output", text.into())
    }

    /// What it writes, in parts, while it runs.
    pub fn output_in_parts<T: Into<String>>(self, parts: impl IntoIterator<Item = T>) -> Self {
        let parts: Vec<String> = parts.into_iter().map(Into::into).collect();
        self.key("output", parts)
    }

    /// Its exit code; 0 if this is not said.
    pub fn exit(self, code: i32) -> Self {
        self.key("exit", code)
    }
}

/// What may be said of a command and of a patch.
impl<S: Approvable> FakeCodex<S> {
    /// Codex asks the client first, and the turn goes on with any answer.
    pub fn asks(self) -> Self {
        self.key("approval", true)
    }

    /// Codex asks the client first, and there is this answer only. Any other one ends the session, and
    /// [`unexpected`](Double::unexpected) has it.
    pub fn approval(self, decision: Decision) -> Self {
        self.key("approval", decision.as_str())
    }
}

/// What may be said of a patch and of a call.
impl<S: Fallible> FakeCodex<S> {
    /// It fails.
    pub fn fails(self) -> Self {
        self.key("fails", true)
    }
}

/// What may be said of a question.
impl FakeCodex<Asking> {
    /// A word or two above it.
    pub fn header(self, header: impl Into<String>) -> Self {
        self.key("header", header.into())
    }

    /// The answers to choose from, each with what it means.
    pub fn options<L: Into<String>, D: Into<String>>(
        self,
        options: impl IntoIterator<Item = (L, D)>,
    ) -> Self {
        let options = options.into_iter().map(|(label, description)| {
            let (label, description): (String, String) = (label.into(), description.into());
            json!({"label": label, "description": description})
        });
        self.key("options", options.collect::<Vec<Value>>())
    }
}

/// What may be said of a plan.
impl FakeCodex<Planning> {
    /// Why it changes.
    pub fn explanation(self, text: impl Into<String>) -> Self {
        self.key("explanation", text.into())
    }
}

/// What may be said of a call.
impl FakeCodex<Calling> {
    /// The name of the server.
    pub fn server(self, name: impl Into<String>) -> Self {
        self.key("server", name.into())
    }

    /// The arguments, an object.
    pub fn arguments(self, arguments: Value) -> Self {
        self.key("arguments", arguments)
    }

    /// The text that the tool returns, or why it fails.
    pub fn result(self, text: impl Into<String>) -> Self {
        self.key("result", text.into())
    }
}

/// What may be said of another agent.
impl FakeCodex<Spawning> {
    /// What it answers. The model waits for it.
    pub fn answer(self, text: impl Into<String>) -> Self {
        self.key("answer", text.into())
    }
}

/// What may be said of a connection that breaks.
impl FakeCodex<Retrying> {
    /// Which attempt this is, and how many Codex makes at most.
    pub fn attempt(self, attempt: u32, of: u32) -> Self {
        self.key("attempt", attempt).key("of", of)
    }
}

/// What may be said of a failure.
impl FakeCodex<Failing> {
    /// Its kind: `codexErrorInfo` of the app-server, such as `usageLimitExceeded`.
    pub fn kind(self, kind: impl Into<String>) -> Self {
        self.key("kind", kind.into())
    }
}
