//! Asks an installed Codex what it says of its app-server: its schemas and its types of TypeScript.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use app_server_codegen::archive::{Bundle, MessageFiles, Messages, Official, TypeScript};
use codex_wire::Release;
use serde_json::Value;

use crate::fixtures;

/// The file with all schemas in one document, without `.json`.
const BUNDLE: &str = "codex_app_server_protocol.schemas";

/// Since 0.110.0: the newer ones of these once more. It says nothing that the other does not say.
const SECOND_BUNDLE: &str = "codex_app_server_protocol.v2.schemas";

/// The first release with an experimental API.
const EXPERIMENTAL: Release = Release::new(0, 95, 0);

/// What an installed Codex says.
///
/// # Errors
/// When it cannot be run, says no version, or does not write what it should.
pub fn official(codex: &Path) -> Result<Official> {
    let release = version(codex)?;
    let (bundle, messages) = schemas(codex, false)?;
    let mut experimental = (None, None, None);
    if release >= EXPERIMENTAL {
        let (bundle, messages) = schemas(codex, true)?;
        let types = generated(codex, "generate-ts", "ts", true)?;
        experimental = (Some(bundle), Some(messages), Some(types));
    }
    let types = generated(codex, "generate-ts", "ts", false)?;
    Ok(Official {
        release,
        bundle: Bundle::new(bundle, experimental.0),
        messages: MessageFiles::new(messages, experimental.1),
        typescript: TypeScript::new(types, experimental.2),
    })
}

/// The release, from `codex-cli 0.169.0`.
fn version(codex: &Path) -> Result<Release> {
    let text = run(Command::new(codex).arg("--version"))?;
    let release = text.split_whitespace().last().unwrap_or_default();
    release
        .parse()
        .with_context(|| format!("`{}` names no release", text.trim()))
}

/// The bundle, and what stands beside it.
fn schemas(codex: &Path, experimental: bool) -> Result<(Value, Messages)> {
    let texts = generated(codex, "generate-json-schema", "json", experimental)?;
    let mut bundle = None;
    let mut contents = Vec::new();
    for (path, text) in texts {
        let content = serde_json::from_str(&text).with_context(|| path.clone())?;
        match path.as_str() {
            BUNDLE => bundle = Some(content),
            SECOND_BUNDLE => {}
            _ => contents.push((path, content)),
        }
    }
    let bundle = bundle.with_context(|| format!("there is no {BUNDLE}.json"))?;
    Ok((bundle, Messages::new(contents)))
}

/// The files that a command of the app-server writes, by their paths without the extension.
fn generated(
    codex: &Path,
    subcommand: &str,
    extension: &str,
    experimental: bool,
) -> Result<BTreeMap<String, String>> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("out");
    fs::create_dir(&out)?;
    let mut command = Command::new(codex);
    command.args(["app-server", subcommand, "--out"]).arg(&out);
    if experimental {
        command.arg("--experimental");
    }
    // What it writes is the program's own: no settings and no login are needed.
    command.env("CODEX_HOME", folder.path());
    run(&mut command)?;
    let mut files = BTreeMap::new();
    for path in fixtures::files(&out)? {
        match path.rsplit_once('.') {
            Some((name, own)) if own == extension => {
                files.insert(name.to_owned(), fs::read_to_string(out.join(&path))?)
            }
            _ => bail!("{subcommand} writes {path}"),
        };
    }
    Ok(files)
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
