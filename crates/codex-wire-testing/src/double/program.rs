//! The program that makes doubles.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};

use codex_wire_replay::OnMiss;

use super::error::Error;
use super::plan::{Plan, Speed};

/// The variable that names the program.
const VARIABLE: &str = "CODEX_WIRE_PROGRAM";

/// Its name on the PATH.
const NAME: &str = "codex-wire";

/// The files of a double, in its folder.
pub(super) const BIN: &str = "bin";
pub(super) const SCRIPT: &str = "script.json";
pub(super) const LOG: &str = "client.jsonl";
pub(super) const FAULTS: &str = "faults.txt";

/// Has the program write a double to a folder, in which its script is. It ends with this process.
pub(super) fn install(folder: &Path, plan: &Plan) -> Result<(), Error> {
    let named = env::var_os(VARIABLE).filter(|path| !path.is_empty());
    let program = plan.program.clone().or(named.map(PathBuf::from));
    let program = program.unwrap_or_else(|| NAME.into());
    let mut command = Command::new(&program);
    command.args(["--color", "never", "replay", "--install"]);
    command.arg(folder.join(BIN));
    for (flag, file) in [
        ("--script", SCRIPT),
        ("--client-log", LOG),
        ("--fault-log", FAULTS),
    ] {
        command.arg(flag).arg(folder.join(file));
    }
    command.arg("--owner").arg(process::id().to_string());
    if let Some(release) = &plan.release {
        command.arg("--release").arg(release);
    }
    for fault in &plan.faults {
        command.arg("--fault").arg(fault);
    }
    command.arg("--seed").arg(plan.seed.to_string());
    let on_miss = plan.on_miss.map(|on_miss| match on_miss {
        OnMiss::Error => "error",
        OnMiss::Fail => "fail",
        OnMiss::Synthesize => "synthesize",
    });
    if let Some(on_miss) = on_miss {
        command.args(["--on-miss", on_miss]);
    }
    match plan.speed {
        Speed::Instant => {}
        Speed::Recorded => drop(command.args(["--speed", "recorded"])),
        Speed::Times(factor) => drop(command.arg("--speed").arg(factor.to_string())),
    }
    if plan.times_now {
        command.args(["--times", "now"]);
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
    // The path of the script says nothing to whoever built it.
    let script = format!("{}:", folder.join(SCRIPT).display());
    Err(Error::Refused {
        message: message.replace(&script, "script:"),
    })
}
