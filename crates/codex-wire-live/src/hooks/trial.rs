//! Tries a handler on inputs of its event.

use std::path::PathBuf;
use std::time::Duration;

use codex_wire_base::json::{Cursor, Kind};
use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_check::{Checker, Finding, HookEffect, HookHandler, Options, Severity};
use codex_wire_schema::examples::{self, Example};
use serde_json::Value;

use super::run::{HookEnd, Ran, run};
use crate::error::Error;

/// Events at which a hook can keep something from happening.
const GUARDED: [&str; 3] = ["PermissionRequest", "PreToolUse", "UserPromptSubmit"];

/// A member that no release writes, as one that is yet to come.
const FUTURE: &str = r#","added_by_a_later_release":{"list":[1,null,"text"]}}"#;

/// How handlers are tried.
#[derive(Clone, Debug)]
pub struct HookTrial {
    folder: PathBuf,
    inputs: Vec<OwnInput>,
    is_guard: bool,
    timeout: Option<Duration>,
}

/// An input of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnInput {
    /// Its name in the report.
    pub name: String,
    /// The input, as a hook gets it.
    pub text: String,
}

/// An input that a handler was tried on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookInput {
    /// One that Codex wrote.
    Recorded(&'static Example),
    /// One of the user, by its name.
    Own(String),
    /// One with a member that no release has yet, as a later one may write it.
    Later,
    /// One that ends in the middle.
    Unreadable,
}

/// A run of a handler.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookRun {
    /// The input.
    pub input: HookInput,
    /// What Codex makes of it.
    pub effect: HookEffect,
    /// Whether Codex goes on where the hook meant to hold something up, or says that it has failed.
    pub fails_open: bool,
    /// How it ended.
    pub end: HookEnd,
    /// How long it took.
    pub took: Duration,
    /// What was found in what it printed.
    pub findings: Vec<Finding>,
}

/// A handler that was tried.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HookTried {
    /// The handler.
    pub handler: HookHandler,
    /// The release that it was tried as.
    pub release: Release,
    /// Whether it is a guard: it has held something up, or the user says that it may.
    pub is_guard: bool,
    /// Its runs. There are none where its matcher selects none of the inputs.
    pub runs: Vec<HookRun>,
}

impl HookTrial {
    /// Tries handlers in a folder, which stands for that of the session.
    pub fn new(folder: PathBuf) -> Self {
        HookTrial {
            folder,
            inputs: Vec::new(),
            is_guard: false,
            timeout: None,
        }
    }

    /// Tries these inputs, too, each with the handlers of its event.
    #[must_use]
    pub fn inputs(mut self, inputs: Vec<OwnInput>) -> Self {
        self.inputs = inputs;
        self
    }

    /// Whether all handlers are guards, also those that hold up nothing that they are tried on.
    #[must_use]
    pub fn guard(mut self, is_guard: bool) -> Self {
        self.is_guard = is_guard;
        self
    }

    /// The most that a hook may take, where its handler allows it more.
    #[must_use]
    pub fn timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout = timeout;
        self
    }

    /// Tries a handler as a release would run it.
    ///
    /// # Errors
    /// If its shell cannot be started.
    pub fn run(&self, handler: &HookHandler, release: Release) -> Result<HookTried, Error> {
        let checker = Checker::new(Options::exact(Protocol::Hooks, release))?;
        let one = One {
            trial: self,
            handler,
            checker,
        };
        let mut runs = Vec::new();
        let mut texts = Vec::new();
        for (input, text) in self.all_inputs(handler, release) {
            runs.push(one.run(input, &text)?);
            texts.push(text);
        }
        let held_up = runs.iter().position(|run| run.effect.holds_up());
        let is_guard = GUARDED.contains(&handler.event.as_str())
            && !handler.is_async
            && (self.is_guard || held_up.is_some());
        if is_guard && let Some(text) = texts.get(held_up.unwrap_or_default()) {
            runs.extend(one.try_guard(text, held_up.is_some())?);
        }
        Ok(HookTried {
            handler: handler.clone(),
            release,
            is_guard,
            runs,
        })
    }

    /// The inputs of an event that the handler runs for: of each kind one, and those of the user.
    fn all_inputs(&self, handler: &HookHandler, release: Release) -> Vec<(HookInput, String)> {
        let recorded = recorded(&handler.event, release)
            .map(|example| (HookInput::Recorded(example), example.text.to_owned()));
        let own = self.inputs.iter();
        let own = own.map(|own| (HookInput::Own(own.name.clone()), own.text.clone()));
        recorded
            .chain(own)
            .filter(|(_, text)| is_for(handler, text))
            .map(|(input, text)| (input, self.here(&text)))
            .collect()
    }

    /// An input with the folder in which the hook runs, as that of the session.
    fn here(&self, text: &str) -> String {
        let mut place = None;
        let mut cursor = Cursor::with_depth(text, usize::MAX);
        let read = cursor.object(|cursor, name| {
            let is_folder = cursor.kind()? == Kind::String && name == "cwd";
            let start = cursor.offset();
            cursor.skip()?;
            if is_folder {
                place = Some(start..cursor.offset());
            }
            Ok(())
        });
        let mut text = text.to_owned();
        if let (Ok(()), Some(place)) = (read, place) {
            let folder = Value::from(self.folder.to_string_lossy());
            text.replace_range(place, &folder.to_string());
        }
        text
    }
}

/// The inputs of an event that were recorded of a release, or of the nearest earlier one that has any.
fn recorded(event: &str, release: Release) -> impl Iterator<Item = &'static Example> {
    let own = move |example: &&Example| {
        example.message_set == MessageSet::HooksInput && example.release <= release
    };
    let nearest = examples::of_kind(event)
        .filter(own)
        .map(|example| example.release)
        .max();
    let of_it = move |example: &&Example| own(example) && Some(example.release) == nearest;
    examples::of_kind(event).filter(of_it)
}

/// Whether Codex would run the handler for an input.
fn is_for(handler: &HookHandler, text: &str) -> bool {
    let input: Value = serde_json::from_str(text).unwrap_or_default();
    input["hook_event_name"] == handler.event.as_str() && handler.selects(&input)
}

/// A handler on trial.
struct One<'a> {
    trial: &'a HookTrial,
    handler: &'a HookHandler,
    checker: Checker,
}

impl One<'_> {
    /// Runs the handler on an input.
    fn run(&self, input: HookInput, text: &str) -> Result<HookRun, Error> {
        let allowed = self.handler.timeout;
        let timeout = self.trial.timeout.map_or(allowed, |most| most.min(allowed));
        let ran =
            run(&self.handler.command, text, &self.trial.folder, timeout).map_err(|source| {
                Error::Start {
                    program: "the shell of a hook".to_owned(),
                    source,
                }
            })?;
        Ok(self.decided(input, text, ran))
    }

    fn decided(&self, input: HookInput, text: &str, ran: Ran) -> HookRun {
        let read: Value = serde_json::from_str(text).unwrap_or_default();
        let tool = read["tool_name"].as_str();
        let (effect, findings) = match ran.end {
            HookEnd::Exit(status) => {
                let decided = self.checker.hook_effect(
                    &self.handler.event,
                    tool,
                    status,
                    &ran.stdout,
                    &ran.stderr,
                );
                (decided.effect, decided.outcome.findings)
            }
            HookEnd::Signal | HookEnd::TimedOut => (HookEffect::FailsOpen, Vec::new()),
        };
        HookRun {
            input,
            effect,
            // Codex has gone on by then.
            fails_open: effect == HookEffect::FailsOpen
                || self.handler.is_async && effect.holds_up(),
            end: ran.end,
            took: ran.took,
            findings,
        }
    }

    /// Tries what a guard has to hold, too. `text` is an input that it holds up, if it holds any up.
    fn try_guard(&self, text: &str, holds_up: bool) -> Result<Vec<HookRun>, Error> {
        let mut later = self.run(HookInput::Later, &later(text))?;
        later.fails_open |= holds_up && !later.effect.holds_up();
        let mut unreadable = self.run(HookInput::Unreadable, half(text))?;
        unreadable.fails_open |= !unreadable.effect.holds_up();
        Ok(vec![later, unreadable])
    }
}

/// An input as a later release may write it: with a member that no release has yet.
fn later(text: &str) -> String {
    let text = text.trim_end();
    match text.strip_suffix('}') {
        Some(members) => format!("{members}{FUTURE}"),
        None => text.to_owned(),
    }
}

/// The first half of an input.
fn half(text: &str) -> &str {
    let middle = text.len() / 2;
    let boundary = (0..=middle).rev().find(|at| text.is_char_boundary(*at));
    &text[..boundary.unwrap_or_default()]
}

impl HookRun {
    /// Whether something is wrong with the hook: it fails open, or breaks the tool.
    pub fn fails(&self) -> bool {
        self.fails_open || self.effect == HookEffect::Breaks
    }

    /// Why Codex goes on, if a finding says so: the first at error level.
    pub fn reason(&self) -> Option<&Finding> {
        let mut findings = self.findings.iter();
        findings.find(|finding| finding.severity == Severity::Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_an_input_is_the_one_here() {
        let trial = HookTrial::new(PathBuf::from("/h"));
        for (text, expected) in [
            (r#"{"cwd":"/p","a":1}"#, r#"{"cwd":"/h","a":1}"#),
            (
                "{\n  \"a\": 1,\n  \"cwd\" : \"/p\"\n}\n",
                "{\n  \"a\": 1,\n  \"cwd\" : \"/h\"\n}\n",
            ),
            (r#"{"cwd":"\/p"}"#, r#"{"cwd":"/h"}"#),
            (r#"{"cwd":7}"#, r#"{"cwd":7}"#),
            (r#"{"cwd":"/p""#, r#"{"cwd":"/p""#),
            ("[]", "[]"),
        ] {
            assert_eq!(trial.here(text), expected);
        }
    }
}
