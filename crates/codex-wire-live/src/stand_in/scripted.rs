//! Runs of `codex exec` that a script describes.

use codex_wire_replay::ExecPlay;
use codex_wire_replay::script::ExecRun;

use crate::error::{Error, NoRun};
use crate::stand_in::arguments::Exec;
use crate::stand_in::environment::Environment;
use crate::stand_in::script::{Around, ScriptFile, newest};
use crate::stand_in::settings::Settings;
use crate::stand_in::threads::Threads;

/// What the file of a thread has for each turn that was played in it.
const TURN: &str = "turn";

/// The run that was asked for: the first turn of a new thread, or the next one of a thread that is there.
pub(crate) fn run(
    script: &ScriptFile,
    (settings, environment): (&Settings, &Environment),
    threads: &Threads,
    asked: &Exec,
    prompt: String,
) -> Result<ExecPlay, Error> {
    let mut around = Around::of(environment);
    around.cwd.clone_from(&asked.cwd);
    let live = match &asked.resume {
        Some(Some(session)) => Some(session.clone()),
        // Codex starts a new thread if there is none.
        Some(None) => threads.last(),
        None => None,
    };
    let release = settings.release.unwrap_or_else(newest);
    let Some(live) = live else {
        let run = ExecRun::new().prompt(prompt);
        let mut play = script.exec(release, &run, settings, &around)?;
        if let Some(thread) = play.thread() {
            let live = threads.begin(thread, TURN)?;
            play.rename_thread(&live);
        }
        return Ok(play);
    };
    let Some(thread) = threads.get(&live)? else {
        return Err(NoRun::NotBegun(live).into());
    };
    let turns = thread.played.len();
    let run = ExecRun::new().prompt(prompt).resume(&live, turns);
    let play = script.exec(release, &run, settings, &around)?;
    threads.note(&live, &thread.recorded, TURN)?;
    Ok(play)
}
