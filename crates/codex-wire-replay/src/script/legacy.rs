//! A script as the standard output of `codex exec --json` up to 0.41.0: two header lines, then
//! events of the core.

use codex_wire_base::{MessageSet, Release};

use super::answers::Answers;
use super::events::Events;
use super::model::{Action, Script, Step};
use super::play::ExecRun;
use crate::compose::json::object;
use crate::compose::settings::Settings;
use crate::exec::ExecPlay;

const SET: MessageSet = MessageSet::ExecLegacy;

/// Plays a turn of a script, up to a step that the release cannot say.
pub(super) fn play<'t>(
    script: &'t Script,
    release: Release,
    run: &ExecRun,
    settings: &Settings,
) -> Result<ExecPlay, &'t Step> {
    let turn = run.resumed.as_ref().map_or(0, |thread| thread.turns);
    let mut events = Events::new(SET, release, settings);
    // Every release has the two header lines.
    let _ = events.write(object! {
        "workdir" => &settings.cwd,
        "model" => &script.model,
        "provider" => "openai",
        "approval" => "never",
        "sandbox" => "danger-full-access",
        "reasoning effort" => "medium",
        "reasoning summaries" => "auto",
    });
    let _ = events.write(object! { "prompt" => &run.prompt });
    events.begin();
    let mut answers = Answers::default();
    for step in &script.turn(turn).steps {
        // Whoever declines there, nothing of it is written.
        let decision = step.action.approval().only();
        if decision.is_some_and(|decision| !decision.accepts()) {
            return Err(step);
        }
        events.step(&step.action).map_err(|_| step)?;
        for _ in 0..answers.end_with(&step.action) {
            events.answer_ends();
        }
        match &step.action {
            Action::Hang(_) => {
                let status = events.observed.exec_interrupted();
                return Ok(ExecPlay::of_lines(&events.lines, status, true));
            }
            Action::Fail(_) => return Ok(ExecPlay::of_lines(&events.lines, 0, false)),
            _ => {}
        }
    }
    if answers.end() {
        events.answer_ends();
    }
    Ok(ExecPlay::of_lines(&events.lines, 0, false))
}
