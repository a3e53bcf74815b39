//! A script as a connection of `codex proto`.

use codex_wire_base::{MessageSet, Protocol, Release};
use serde_json::Value;

use super::answers::Answers;
use super::decision::Answered;
use super::events::Events;
use super::model::{Action, Decision, Script, Step};
use super::refuse::{self, Refused};
use crate::compose::json::{Node, object};
use crate::compose::settings::Settings;
use crate::conversation::{Conversation, Emission, OnMiss, Reaction};
use crate::error::Error;
use crate::miss::{self, Miss};

const SET: MessageSet = MessageSet::CoreEvents;

/// Plays a script to one client of `codex proto`.
#[derive(Debug)]
pub struct Proto {
    script: Script,
    events: Events,
    on_miss: OnMiss,
    /// How many turns there were, with the one that runs.
    turns: usize,
    running: Option<Running>,
    miss: Option<Miss>,
}

/// A turn that runs.
#[derive(Clone, Debug)]
struct Running {
    /// The id of the submission that started it.
    id: String,
    steps: Vec<Step>,
    next: usize,
    answers: Answers,
    /// Whether the answer that has begun was reported.
    is_reported: bool,
    last_message: Option<String>,
    wait: Option<Wait>,
}

/// What a turn waits for.
#[derive(Clone, Debug)]
enum Wait {
    /// The decision of the client about the call of a tool with this id.
    Client { call: String, action: Action },
    /// An interrupt.
    Forever,
}

impl Proto {
    /// A server that plays a script to the next client.
    ///
    /// # Errors
    /// If the release cannot say what the script does.
    pub fn new(script: Script, release: Release, settings: &Settings) -> Result<Self, Error> {
        if let Some(step) = unplayable(&script, release, settings) {
            let list = SET.release_list();
            return Err(refuse::explain(step, release, list, |script, release| {
                unplayable(script, release, settings).is_none()
            }));
        }
        Ok(Proto {
            script,
            events: Events::new(SET, release, settings),
            on_miss: OnMiss::default(),
            turns: 0,
            running: None,
            miss: None,
        })
    }

    /// What happens when the client sends something that the script has nothing for. If this is never
    /// called, it gets an error. There are no answers to make: nearly nothing is answered.
    #[must_use]
    pub fn on_miss(mut self, on_miss: OnMiss) -> Self {
        self.on_miss = on_miss;
        self
    }

    /// Whether a turn is running.
    pub fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    fn submitted(&mut self, id: &str, kind: &str, op: &Value) {
        match kind {
            // What is said during a turn is a part of it.
            "user_input" | "user_turn" if self.is_busy() => {}
            "user_input" | "user_turn" => self.begin(id),
            "interrupt" => self.abort(),
            "exec_approval" | "patch_approval" => self.decided(op),
            // Nothing follows from these.
            "override_turn_context" | "add_to_history" => {}
            "list_mcp_tools" => self.answer(
                id,
                object! { "type" => "mcp_list_tools_response", "tools" => Node::Object(Vec::new()) },
            ),
            "list_custom_prompts" => {
                let prompts = Node::List(Vec::new());
                self.answer(
                    id,
                    object! { "type" => "list_custom_prompts_response", "custom_prompts" => prompts },
                );
            }
            "get_history_entry_request" => self.answer(
                id,
                object! {
                    "type" => "get_history_entry_response",
                    "offset" => Node::from(&op["offset"]),
                    "log_id" => Node::from(&op["log_id"]),
                },
            ),
            "shutdown" => {
                self.abort();
                self.answer(id, object! { "type" => "shutdown_complete" });
            }
            other => {
                let message = miss::not_scripted(other).message;
                // An error outside of a turn is nothing that Codex writes, and one within is of the turn.
                if !self.is_busy() {
                    id.clone_into(&mut self.events.id);
                    self.events.begin();
                    let error = object! { "type" => "error", "message" => &message };
                    self.events.note(error);
                    self.end(None);
                }
                self.miss = Some(Miss {
                    what: other.to_owned(),
                    is_of_script: true,
                    is_answered: false,
                    error: Some(message),
                    nearest: None,
                });
            }
        }
    }

    fn answer(&mut self, id: &str, event: Node) {
        id.clone_into(&mut self.events.id);
        self.events.note(event);
    }

    fn begin(&mut self, id: &str) {
        id.clone_into(&mut self.events.id);
        self.events.begin();
        self.running = Some(Running {
            id: id.to_owned(),
            steps: self.script.turn(self.turns).steps.clone(),
            next: 0,
            answers: Answers::default(),
            is_reported: false,
            last_message: None,
            wait: None,
        });
        self.turns += 1;
        // Every step was tried when the server was made.
        let _ = self.go_on();
    }

    /// Plays the steps until the turn ends or waits.
    fn go_on(&mut self) -> Result<(), Refused> {
        while let Some(mut running) = self.running.take() {
            if running.wait.is_some() {
                self.running = Some(running);
                return Ok(());
            }
            let Some(step) = running.steps.get(running.next).cloned() else {
                if running.answers.end() {
                    self.events.answer_ends();
                }
                self.end(running.last_message);
                return Ok(());
            };
            running.next += 1;
            self.step(&mut running, &step.action)?;
            match &step.action {
                Action::Fail(_) => {
                    self.end(None);
                    return Ok(());
                }
                Action::Hang(_) => running.wait = Some(Wait::Forever),
                Action::Say(say) => running.last_message = Some(say.say.clone()),
                _ => {}
            }
            self.running = Some(running);
        }
        Ok(())
    }

    fn step(&mut self, running: &mut Running, action: &Action) -> Result<(), Refused> {
        let is_said = !matches!(
            action,
            Action::Retry(_) | Action::Fail(_) | Action::Hang(_) | Action::Usage(_)
        );
        if is_said && !std::mem::replace(&mut running.is_reported, true) {
            self.events.answer_begins();
        }
        let ends = running.answers.end_with(action);
        let call = match action {
            Action::Run(run) if run.approval.asks() => {
                let call = self.events.ids.model("call");
                self.events.ask_to_run(run, &call)?;
                Some(call)
            }
            Action::Patch(patch) if patch.approval.asks() => {
                let call = self.events.ids.model("call");
                self.events.ask_to_patch(patch, &call)?;
                Some(call)
            }
            action => {
                self.events.step(action)?;
                None
            }
        };
        match call {
            Some(call) => {
                let action = action.clone();
                running.wait = Some(Wait::Client { call, action });
            }
            None if ends > 0 => (0..ends).for_each(|_| self.answer_ends(running)),
            // What was answered before is lost.
            None if matches!(action, Action::Retry(_)) => running.is_reported = false,
            None => {}
        }
        Ok(())
    }

    fn answer_ends(&mut self, running: &mut Running) {
        running.is_reported = false;
        self.events.answer_ends();
    }

    /// Goes on with what the client decided about the turn that it names.
    fn decided(&mut self, op: &Value) {
        let Some(mut running) = self.running.take() else {
            return;
        };
        let is_named = op["id"].as_str() == Some(running.id.as_str());
        let (call, action) = match running.wait.take() {
            Some(Wait::Client { call, action }) if is_named => (call, action),
            wait => {
                running.wait = wait;
                self.running = Some(running);
                return;
            }
        };
        self.events.id.clone_from(&running.id);
        let asked = op["type"].as_str().unwrap_or_default();
        let answered = Answered::of(asked, Some(op));
        if !answered.is_in(action.approval()) {
            let what = answered.beside(action.approval(), asked);
            self.miss = Some(Miss::of_script(what));
            return;
        }
        let decision = answered.decision;
        if decision == Decision::Cancel {
            self.running = Some(running);
            return self.abort();
        }
        if decision.accepts() {
            // Every step was tried when the server was made.
            let _ = match &action {
                Action::Run(run) => self.events.run(run, &call),
                Action::Patch(patch) => self.events.patch(patch, &call, false),
                _ => Ok(()),
            };
        }
        self.answer_ends(&mut running);
        self.running = Some(running);
        let _ = self.go_on();
    }

    /// The turn ends because the client says so. The oldest releases say that as an error.
    fn abort(&mut self) {
        let Some(running) = self.running.take() else {
            return;
        };
        self.events.id.clone_from(&running.id);
        let aborted = object! { "type" => "turn_aborted", "reason" => "interrupted" };
        if self.events.event(aborted).is_err() {
            let error = object! { "type" => "error", "message" => "Turn interrupted" };
            self.events.note(error);
        }
    }

    fn end(&mut self, message: Option<String>) {
        let event = object! { "type" => "task_complete", "last_agent_message" => message };
        self.events.note(event);
    }

    fn written(&mut self) -> Vec<Emission> {
        let lines = std::mem::take(&mut self.events.lines).into_iter();
        let emissions = lines.map(|line| Emission {
            line,
            after_ms: 1,
            queue: 0,
        });
        emissions.collect()
    }
}

impl Conversation for Proto {
    fn protocol(&self) -> Protocol {
        Protocol::Core
    }

    fn start(&mut self) -> Vec<Emission> {
        let id = self.events.ids.uuid();
        let home = self.events.settings.codex_home.trim_end_matches('/');
        let rollout = format!("{home}/sessions/2026/01/01/rollout-2026-01-01T00-00-00-{id}.jsonl");
        let configured = object! {
            "type" => "session_configured",
            "session_id" => &id,
            "model" => &self.script.model,
            "history_log_id" => 0,
            "history_entry_count" => 0,
            "rollout_path" => rollout,
        };
        self.answer("", configured);
        self.written()
    }

    fn line(&mut self, line: &str) -> Reaction {
        // Codex does not answer what is not a submission.
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            return Reaction::default();
        };
        let op = &message["op"];
        let (Some(id), Some(kind)) = (message["id"].as_str(), op["type"].as_str()) else {
            return Reaction::default();
        };
        self.submitted(id, kind, op);
        let miss = self.miss.take();
        Reaction {
            emissions: self.written(),
            ends: miss
                .as_ref()
                .is_some_and(|miss| miss.ends() || self.on_miss == OnMiss::Fail),
            miss,
            remark: None,
        }
    }
}

/// The first step that the release cannot play to a client that accepts everything.
fn unplayable<'t>(script: &'t Script, release: Release, settings: &Settings) -> Option<&'t Step> {
    let steps = script.turns.iter().flat_map(|turn| &turn.steps);
    let mut steps = steps.filter(|step| {
        let mut events = Events::new(SET, release, settings);
        let asks = match &step.action {
            Action::Run(run) if run.approval.asks() => events.ask_to_run(run, ""),
            Action::Patch(patch) if patch.approval.asks() => events.ask_to_patch(patch, ""),
            _ => Ok(()),
        };
        asks.is_err() || events.step(&step.action).is_err()
    });
    steps.next()
}
