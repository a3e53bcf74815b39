//! Records releases of Codex while they play scenes.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use codex_wire::Release;
use codex_wire_record::{Recording, Scene, left, scenes};
use serde_json::{Value, json};

use crate::app_server::binaries;
use crate::fixtures::{manifest_text, sha256, write};

/// The manifest of runs, in the folder of the recordings.
const MANIFEST: &str = "manifest-rollout.json";

/// The manifest of streams of `exec` there.
const STREAMS: &str = "manifest-exec.json";

/// Plays all scenes whose names hold one of `only` (all without such) with a release, and writes
/// `exec/<release>/<scene>.jsonl` and `app-server/<release>/<scene>.jsonl` below `to`, and what each
/// run left as `rollout/<release>/<scene>/…`, as `cargo xtask fixtures import` takes it. The program
/// is fetched where it is not there. Says what did not come to pass.
///
/// # Errors
/// When the release cannot be had, or a file cannot be written.
pub fn record(version: &str, only: &[String], to: &Path) -> Result<String> {
    let release: Release = version.parse().context("no release")?;
    let program = binaries::fetch(version)?;
    let stage = tempfile::tempdir()?;
    let root = stage.path().join("stage");
    let (mut count, mut said) = (0, String::new());
    for scene in scenes::all().filter(|scene| scene.suits(release)) {
        let name = format!("{}/{version}/{}", scene.protocol, scene.name);
        if !only.is_empty() && !only.iter().any(|word| name.contains(word.as_str())) {
            continue;
        }
        let recordings = match scene.play(&program, release, &root) {
            Ok(recordings) => recordings,
            Err(error) => {
                let _ = writeln!(said, "{name}: {error}");
                continue;
            }
        };
        for recording in &recordings {
            if scene.protocol != "rollout" {
                let path = format!("{}/{version}/{}.jsonl", scene.protocol, recording.name);
                write(&to.join(&path), &recording.bytes)?;
                // Older streams are another dialect, which is imported by hand.
                if scene.protocol == "exec" && release > Release::new(0, 42, 0) {
                    list_stream(&to.join(STREAMS), &path, recording)?;
                }
            }
            count += 1;
            if let Some(complaint) = &recording.complaint {
                let _ = writeln!(said, "{name}: {}: {complaint}", recording.name);
            }
        }
        keep(version, &scene, &recordings, &root, to)?;
    }
    let _ = writeln!(said, "{version}: {count} recorded");
    Ok(said)
}

/// Writes a run with what it left, and its entry in the manifest.
fn keep(
    version: &str,
    scene: &Scene,
    recordings: &[Recording],
    root: &Path,
    to: &Path,
) -> Result<()> {
    // Both protocols have scenes of the same name.
    let scenario = match scene.protocol {
        "app-server" => format!("app_server_{}", scene.name),
        _ => scene.name.to_owned(),
    };
    let path = format!("rollout/{version}/{scenario}");
    let files = files_of(recordings, root)?;
    let (mut runs, mut notes) = (Vec::new(), Vec::new());
    for (recording, (file, _)) in recordings.iter().zip(&files) {
        runs.push(
            json!({"file": file, "argv": argv(recording), "exit_code": recording.exit_code,
                         "signal": recording.signal}),
        );
        notes.extend(recording.complaint.clone());
    }
    let files = replace(&to.join(&path), &files)?;
    let entry = json!({"release": version, "scenario": scenario, "path": path, "runs": runs,
                       "notes": notes, "files": files});
    let manifest = to.join(MANIFEST);
    let entries = with_entry(read(&manifest)?, "path", entry);
    let lines: Vec<String> = entries.iter().map(Value::to_string).collect();
    write(&manifest, format!("[\n{}\n]\n", lines.join(",\n")))
}

/// The files of a run that was played below `root`, with their contents: its streams, and what it left.
pub(crate) fn files_of(recordings: &[Recording], root: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let streams = (1..).zip(recordings).map(|(number, recording)| {
        let name = format!("{}-{number}.jsonl", recording.protocol);
        (name, recording.bytes.clone())
    });
    let left = left(root)?.into_iter().map(|left| (left.path, left.bytes));
    Ok(streams.chain(left).collect())
}

/// Writes the files of a run in place of what the folder has, and returns their entries in a manifest.
pub(crate) fn replace(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<Vec<Value>> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let entry = |(path, bytes): &(String, Vec<u8>)| {
        write(&folder.join(path), bytes)?;
        Ok(json!({"path": path, "bytes": bytes.len(), "sha256": sha256(bytes)}))
    };
    files.iter().map(entry).collect()
}

fn argv(recording: &Recording) -> Vec<&str> {
    let args = recording.args.iter().map(String::as_str);
    std::iter::once("codex").chain(args).collect()
}

/// Lists a stream of `exec` in their manifest.
fn list_stream(manifest: &Path, path: &str, recording: &Recording) -> Result<()> {
    let signal_sent = match recording.signal {
        Some(2) => Some("SIGINT"),
        Some(9) => Some("SIGKILL"),
        Some(_) => Some("SIGTERM"),
        None => None,
    };
    let exit_code = recording
        .exit_code
        .or(recording.signal.map(|signal| -signal));
    let entry = json!({"file": path, "argv": argv(recording), "exit_code": exit_code,
                       "timed_out": false, "signal_sent": signal_sent, "sha256": sha256(&recording.bytes)});
    let entries = with_entry(read(manifest)?["transcripts"].take(), "file", entry);
    write(manifest, manifest_text("transcripts", &entries)?)
}

/// A manifest; `null` if there is none.
pub(crate) fn read(manifest: &Path) -> Result<Value> {
    match fs::read(manifest) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
        Err(_) => Ok(Value::Null),
    }
}

/// The entries of a manifest, with one more in place of that with the same key.
pub(crate) fn with_entry(entries: Value, key: &str, entry: Value) -> Vec<Value> {
    let mut entries: Vec<Value> = serde_json::from_value(entries).unwrap_or_default();
    entries.retain(|other| other[key] != entry[key]);
    entries.push(entry);
    entries
}
