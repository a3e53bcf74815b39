//! The program `codex-wire`, which writes itself as a double.

use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};

use codex_wire_replay::OnMiss;

use super::error::Error;
use super::place::{BIN, FAULTS, LOG, SCRIPT, refused};
use super::plan::{Plan, Played, Speed};

/// Its name on the PATH.
pub(super) const NAME: &str = "codex-wire";

/// Has this program write a double to a folder.
pub(super) fn install(program: PathBuf, folder: &Path, plan: &Plan) -> Result<(), Error> {
    let Plan { played, manner } = plan;
    let mut command = Command::new(&program);
    command.args(["--color", "never", "replay", "--install"]);
    command.arg(folder.join(BIN));
    for (flag, file) in [("--client-log", LOG), ("--fault-log", FAULTS)] {
        command.arg(flag).arg(folder.join(file));
    }
    command.arg("--owner").arg(process::id().to_string());
    if let Some(release) = &manner.release {
        command.arg("--release").arg(release);
    }
    for fault in &manner.faults {
        command.arg("--fault").arg(fault);
    }
    command.arg("--seed").arg(manner.seed.to_string());
    let on_miss = manner.on_miss.map(|on_miss| match on_miss {
        OnMiss::Error => "error",
        OnMiss::Fail => "fail",
        OnMiss::Synthesize => "synthesize",
    });
    if let Some(on_miss) = on_miss {
        command.args(["--on-miss", on_miss]);
    }
    match manner.speed {
        Speed::Instant => {}
        Speed::Recorded => drop(command.args(["--speed", "recorded"])),
        Speed::Times(factor) => drop(command.arg("--speed").arg(factor.to_string())),
    }
    if manner.times_now {
        command.args(["--times", "now"]);
    }
    match played {
        Played::Script(_) => drop(command.arg("--script").arg(folder.join(SCRIPT))),
        Played::Recordings { paths, as_release } => {
            if let Some(release) = as_release {
                command.arg("--as-release").arg(release);
            }
            command.arg("--").args(paths);
        }
    }
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|source| Error::Program { program, source })?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let message = message.trim();
    let name = format!("{NAME}: ");
    let message = message.strip_prefix(&name).unwrap_or(message);
    Err(refused(folder, message))
}
