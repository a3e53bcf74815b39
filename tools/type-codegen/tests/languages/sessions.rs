//! What the program writes of the recordings: sessions of each surface, and what they used.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use serde_json::Value;

use crate::install::workspace;

/// What one call of the program wrote.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// The module of the format, and its document.
    pub(crate) module: &'static str,
    pub(crate) document: &'static str,
    pub(crate) value: Value,
}

/// The program that was built last: tests are built beside it.
pub(crate) fn program() -> PathBuf {
    let own = std::env::current_exe().expect("a path");
    own.ancestors().nth(2).expect("a folder").join("codex-wire")
}

/// Why sessions cannot be had, if they cannot.
pub(crate) fn missing() -> Option<String> {
    (!program().is_file()).then(|| "codex-wire is not built".to_owned())
}

/// Where the recordings of each surface are.
const RECORDINGS: &[&str] = &["exec", "exec-legacy", "core", "app-server", "rollout"];

/// A session of each recording, and sums of them. What `fixtures/rollout` has beside session files, such as
/// payloads of `notify`, is not a session: the program names it and goes on.
///
/// # Errors
/// If the program cannot be run, or a surface is missing.
pub(crate) fn written() -> Result<&'static [Written], String> {
    static WRITTEN: LazyLock<Result<Vec<Written>, String>> = LazyLock::new(write);
    WRITTEN.as_deref().map_err(Clone::clone)
}

fn write() -> Result<Vec<Written>, String> {
    let shown = said(&["show", "--format", "json", "--skip-unknown"], RECORDINGS)?;
    let mut out = of("session", "Session", &shown)?;
    let surfaces: BTreeSet<String> = out
        .iter()
        .filter_map(|session| Some(session.value["protocol"].as_str()?.to_owned()))
        .collect();
    let all = ["app-server", "core", "exec", "rollout"];
    if out.len() < 2_000 || !surfaces.iter().eq(all) {
        return Err(format!("{} sessions of {surfaces:?}", out.len()));
    }
    for by in ["thread", "model", "tool", "day,status"] {
        let flags = ["usage", "--format", "json", "--cost", "--utc", "--by", by];
        out.extend(of("usage", "Usage", &said(&flags, &["accounting"])?)?);
    }
    Ok(out)
}

fn of(module: &'static str, document: &'static str, text: &str) -> Result<Vec<Written>, String> {
    let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let read = |value: serde_json::Result<Value>| {
        Ok(Written {
            module,
            document,
            value: value.map_err(|error| format!("{module}: {error}"))?,
        })
    };
    values.map(read).collect()
}

fn said(flags: &[&str], folders: &[&str]) -> Result<String, String> {
    let output = Command::new(program())
        .args(flags)
        .args(folders)
        .current_dir(workspace().join("fixtures"))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}
