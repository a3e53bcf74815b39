//! Runs of `codex exec` that a script describes.

use anyhow::bail;
use codex_wire_replay::ExecPlay;
use codex_wire_replay::script::ExecRun;

use super::arguments::Exec;
use super::threads::Threads;
use crate::commands::replay::script::{ScriptFile, newest};
use crate::commands::replay::settings::Settings;

/// What the file of a thread has for each turn that was played in it.
const TURN: &str = "turn";

/// The run that was asked for: the first turn of a new thread, or the next one of a thread that is there.
pub(super) fn run(
    script: &ScriptFile,
    settings: &Settings,
    threads: &Threads,
    asked: &Exec,
    prompt: String,
) -> anyhow::Result<ExecPlay> {
    let live = match &asked.resume {
        Some(Some(session)) => Some(session.clone()),
        // Codex starts a new thread if there is none.
        Some(None) => threads.last(),
        None => None,
    };
    let release = settings.release.unwrap_or_else(newest);
    let Some(live) = live else {
        let run = ExecRun::new().prompt(prompt);
        let mut play = script.exec(release, &run, settings)?;
        if let Some(thread) = play.thread() {
            let live = threads.begin(thread, TURN)?;
            play.rename_thread(&live);
        }
        return Ok(play);
    };
    let Some(thread) = threads.get(&live)? else {
        bail!("no run of the script has begun the thread {live}");
    };
    let turns = thread.played.len();
    let run = ExecRun::new().prompt(prompt).resume(&live, turns);
    let play = script.exec(release, &run, settings)?;
    threads.note(&live, &thread.recorded, TURN)?;
    Ok(play)
}
