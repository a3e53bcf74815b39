//! What a scene consists of: what the model answers, and the processes it answers to.

use std::fs;
use std::io;
use std::path::Path;

use codex_wire_base::Release;
use serde_json::{Value, json};

use super::process;
use super::recording::Recording;
use super::set::{Set, Until};
use super::stage::{self, Act};
use crate::left::BILL;
use crate::{Answer, Billed, Dialogue, Home, Item, Model};

/// What the model says, and the processes it says it to, one after the other.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) answers: Vec<Answer>,
    /// What the model answers instead, where other agents ask at the same time.
    dialogue: Option<Dialogue>,
    processes: Vec<Process>,
    /// What is changed in the home before.
    setup: Vec<fn(&mut Home) -> io::Result<()>>,
    /// Whether what the model returned is kept.
    is_billed: bool,
}

/// A process of Codex.
#[derive(Clone, Copy, Debug)]
pub(super) enum Process {
    /// A run of `codex exec --json` with these arguments.
    Exec {
        args: &'static [&'static str],
        until: Option<Until>,
    },
    /// A server, with a client that does this.
    Server(Act),
}

/// A run of `codex exec --json` that ends by itself.
pub(super) const fn exec(args: &'static [&'static str]) -> Process {
    Process::Exec { args, until: None }
}

/// One message.
pub(super) fn said(text: &str) -> Answer {
    Answer::message(text)
}

/// One call of a tool.
pub(super) fn call(name: &str, arguments: Value) -> Answer {
    Answer::new([Item::Call(name.to_owned(), arguments)])
}

/// A script for one process.
pub(super) fn one(answers: impl IntoIterator<Item = Answer>, process: Process) -> Script {
    Script::new(answers, [process])
}

/// A script for one server, with a client that does this.
pub(super) fn served(answers: impl IntoIterator<Item = Answer>, act: Act) -> Script {
    one(answers, Process::Server(act))
}

impl Script {
    pub(super) fn new(
        answers: impl IntoIterator<Item = Answer>,
        processes: impl IntoIterator<Item = Process>,
    ) -> Self {
        Script {
            answers: answers.into_iter().collect(),
            dialogue: None,
            processes: processes.into_iter().collect(),
            setup: Vec::new(),
            is_billed: false,
        }
    }

    /// Another agent answers `answer` to `prompt`; each agent has all answers of the script otherwise.
    pub(super) fn agent(mut self, prompt: &str, answer: Answer) -> Self {
        let answers = std::mem::take(&mut self.answers);
        let dialogue = self
            .dialogue
            .get_or_insert_with(|| Dialogue::new([answers]));
        dialogue.add_agent(prompt, answer);
        self
    }

    /// Changes the home before anything runs.
    pub(super) fn with(mut self, setup: fn(&mut Home) -> io::Result<()>) -> Self {
        self.setup.push(setup);
        self
    }

    /// Keeps what the model returned, in a file beside the home. No two answers cost the same.
    pub(super) fn billed(self) -> Self {
        Script {
            is_billed: true,
            ..self
        }
    }

    /// Plays the script with a program of the release, in a home below `root`, which is emptied.
    pub(super) fn play(
        self,
        name: &str,
        program: &Path,
        release: Release,
        root: &Path,
    ) -> io::Result<Vec<Recording>> {
        let model = match self.dialogue {
            Some(dialogue) => Model::of_dialogue(dialogue)?,
            None => Model::new(self.answers)?,
        };
        if self.is_billed {
            model.tell_costs_apart();
        }
        let mut home = Home::new(root, release, model.port())?;
        home.add_notify()?;
        for change in self.setup {
            change(&mut home)?;
        }
        home.trust_hooks(program)?;
        let mut set = Set {
            program,
            release,
            home,
            thread: String::new(),
        };
        let several = self.processes.len() > 1;
        let mut out = Vec::new();
        for (index, played) in self.processes.into_iter().enumerate() {
            let mut recording = match played {
                Process::Exec { args, until } => process::run(&mut set, args, until)?,
                Process::Server(act) => stage::serve(&mut set, act)?,
            };
            recording.name = match several {
                true => format!("{name}_{}", index + 1),
                false => name.to_owned(),
            };
            out.push(recording);
        }
        if self.is_billed {
            fs::write(root.join(BILL), bill(&model))?;
        }
        Ok(out)
    }
}

/// What the model returned, one line for each answer.
fn bill(model: &Model) -> String {
    let mut out = String::new();
    for Billed { thread, tokens } in model.billed() {
        let line = json!({
            "thread": thread,
            "input": tokens.input,
            "cached_input": tokens.cached,
            "output": tokens.output,
            "reasoning_output": tokens.reasoning,
            "total": tokens.input + tokens.output,
        });
        out.push_str(&line.to_string());
        out.push('\n');
    }
    out
}
