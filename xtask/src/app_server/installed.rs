//! Asks an installed Codex for its schemas.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use app_server_codegen::archive::Bundle;
use codex_wire::Release;
use serde_json::Value;

/// The file of a bundle among all that Codex writes.
const BUNDLE: &str = "codex_app_server_protocol.schemas.json";

/// The first release with an experimental API.
const EXPERIMENTAL: Release = Release::new(0, 95, 0);

/// The bundle of an installed Codex.
///
/// # Errors
/// When it cannot be run, says no version, or writes no schemas.
pub fn bundle(codex: &Path) -> Result<Bundle> {
    let release = version(codex)?;
    let stable = schemas(codex, false)?;
    let experimental = (release >= EXPERIMENTAL).then(|| schemas(codex, true));
    Ok(Bundle::new(release, stable, experimental.transpose()?))
}

/// The release, from `codex-cli 0.169.0`.
fn version(codex: &Path) -> Result<Release> {
    let text = run(Command::new(codex).arg("--version"))?;
    let release = text.split_whitespace().last().unwrap_or_default();
    release
        .parse()
        .with_context(|| format!("`{}` names no release", text.trim()))
}

fn schemas(codex: &Path, experimental: bool) -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let mut command = Command::new(codex);
    command.args(["app-server", "generate-json-schema", "--out"]);
    command.arg(folder.path());
    if experimental {
        command.arg("--experimental");
    }
    // The schemas are the program's own: no settings and no login are needed.
    command.env("CODEX_HOME", folder.path());
    run(&mut command)?;
    let text = std::fs::read_to_string(folder.path().join(BUNDLE))?;
    Ok(serde_json::from_str(&text)?)
}

/// What a program writes.
fn run(command: &mut Command) -> Result<String> {
    let shown = format!("{command:?}");
    let output = command.output().with_context(|| shown.clone())?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        bail!("{shown}: {}\n{}", output.status, complaint.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
