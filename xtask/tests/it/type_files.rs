//! The files of types that a stand-in writes are those of the release, except for what people read. Where a binary was
//! not fetched, its test is ignored.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use codex_wire::Release;
use codex_wire_replay::{Language, type_files};
use libtest_mimic::{Failed, Trial};
use serde_json::{Map, Value};
use xtask::app_server::binaries;

/// Some are fetched by the gate, others are for whoever has them.
const VERSIONS: [&str; 8] = [
    "0.58.0", "0.80.0", "0.98.0", "0.107.0", "0.110.0", "0.125.0", "0.150.1", "0.169.0",
];

/// The first release with an experimental API.
const EXPERIMENTAL: Release = Release::new(0, 95, 0);

pub(crate) fn trials() -> Vec<Trial> {
    let trial = |version: &'static str| {
        let program = binaries::find(version);
        let missing = program.is_none();
        let run = move || {
            let program = program.as_deref().ok_or("there is no binary")?;
            for language in [Language::JsonSchema, Language::TypeScript] {
                compare(version.parse()?, language, false, program)?;
                if version.parse::<Release>()? >= EXPERIMENTAL {
                    compare(version.parse()?, language, true, program)?;
                }
            }
            Ok(())
        };
        Trial::test(format!("type_files::codex {version}"), run).with_ignored_flag(missing)
    };
    VERSIONS.into_iter().map(trial).collect()
}

fn compare(
    release: Release,
    language: Language,
    is_experimental: bool,
    program: &Path,
) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("out");
    let mut command = Command::new(program);
    command
        .args(["app-server", language.command(), "--out"])
        .arg(&out);
    if is_experimental {
        command.arg("--experimental");
    }
    command.env("CODEX_HOME", folder.path());
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let theirs = files(&out, &out)?;
    let ours = type_files(release, language, is_experimental).ok_or("no files")?;
    let mut differ = Vec::new();
    for path in ours.keys().chain(theirs.keys()) {
        let [ours, theirs] = [&ours, &theirs].map(|files| {
            let text = files.get(path)?;
            match language {
                Language::JsonSchema => {
                    Some(without_prose(serde_json::from_str(text).ok()?, false))
                }
                _ => Some(Value::String(without_comments(text))),
            }
        });
        if ours.is_none() || ours != theirs {
            differ.push(path.as_str());
        }
    }
    differ.sort_unstable();
    differ.dedup();
    match differ.is_empty() {
        true if ours.len() > 100 => Ok(()),
        true => Err(format!("only {} files", ours.len()).into()),
        false => Err(format!("{language:?}, experimental {is_experimental}: {differ:?}").into()),
    }
}

/// The files of a folder by their paths below another one.
fn files(folder: &Path, below: &Path) -> Result<BTreeMap<String, String>, Failed> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path, below)?);
        } else {
            let name = path.strip_prefix(below)?.to_string_lossy().into_owned();
            found.insert(name, fs::read_to_string(&path)?);
        }
    }
    Ok(found)
}

/// A schema without descriptions and default values. `has_names` is whether the keys are names, not keywords.
fn without_prose(schema: Value, has_names: bool) -> Value {
    match schema {
        Value::Object(members) => {
            let kept = members.into_iter().filter(|(key, _)| {
                has_names || !["description", "default"].contains(&key.as_str())
            });
            let kept = kept.map(|(key, value)| {
                let names = match has_names {
                    // The newer name space stands among the definitions.
                    true => key == "v2",
                    false => ["properties", "definitions"].contains(&key.as_str()),
                };
                (key, without_prose(value, names))
            });
            Value::Object(kept.collect::<Map<_, _>>())
        }
        Value::Array(list) => {
            let list = list.into_iter().map(|one| without_prose(one, false));
            list.collect()
        }
        plain => plain,
    }
}

/// TypeScript without comments, blank lines and blanks around lines. No string in it has what begins a comment.
fn without_comments(code: &str) -> String {
    let mut kept = String::new();
    let mut rest = code;
    while let Some((before, behind)) = rest.split_once("/*") {
        kept.push_str(before);
        rest = behind.split_once("*/").map_or("", |(_, rest)| rest);
    }
    kept.push_str(rest);
    let lines = kept.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}
