//! Plays `codex exec`, in either of its formats.

use codex_wire_base::{MessageSet, Release};

use super::model::{Script, Step};
use super::play::ExecRun;
use super::{exec as current, legacy, refuse};
use crate::compose::settings::Settings;
use crate::error::Error;
use crate::exec::ExecPlay;

/// Plays a turn of a script. 0.42.0 is played with `--experimental-json`, as its `--json` is the same
/// as that of 0.41.0.
///
/// # Errors
/// If the release cannot say what the script does.
pub fn exec(
    script: &Script,
    release: Release,
    run: &ExecRun,
    settings: &Settings,
) -> Result<ExecPlay, Error> {
    play(script, release, run, settings).map_err(|step| {
        let list = MessageSet::Exec.release_list();
        refuse::explain(step, release, list, |script, release| {
            play(script, release, &ExecRun::default(), settings).is_ok()
        })
    })
}

fn play<'t>(
    script: &'t Script,
    release: Release,
    run: &ExecRun,
    settings: &Settings,
) -> Result<ExecPlay, &'t Step> {
    match release < MessageSet::Exec.release_list().first() {
        true => legacy::play(script, release, run, settings),
        false => current::play(script, release, run, settings),
    }
}
