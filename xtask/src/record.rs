//! Records releases of Codex while they play scenes.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use codex_wire::Release;
use codex_wire_record::{Recording, Scene, left, scenes};
use serde_json::{Value, json};

use crate::app_server::binaries;
use crate::fixtures::{sha256, write};

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
    // Newer releases look for helpers beside the file itself, so links are followed.
    let program = binaries::fetch(version)?.canonicalize()?;
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
    let folder = to.join(&path);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let (mut runs, mut files, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |path: &str, bytes: &[u8]| {
        files.push(json!({"path": path, "bytes": bytes.len(), "sha256": sha256(bytes)}));
        write(&folder.join(path), bytes)
    };
    for (index, recording) in recordings.iter().enumerate() {
        let file = format!("{}-{}.jsonl", recording.protocol, index + 1);
        add(&file, &recording.bytes)?;
        runs.push(
            json!({"file": file, "argv": argv(recording), "exit_code": recording.exit_code,
                         "signal": recording.signal}),
        );
        notes.extend(recording.complaint.clone());
    }
    for left in left(root)? {
        add(&left.path, &left.bytes)?;
    }
    let entry = json!({"release": version, "scenario": scenario, "path": path, "runs": runs,
                       "notes": notes, "files": files});
    let manifest = to.join(MANIFEST);
    let entries = listed(read(&manifest)?, "path", entry);
    write(&manifest, format!("[\n{entries}\n]\n"))
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
    let entries = listed(read(manifest)?["transcripts"].take(), "file", entry);
    write(manifest, format!("{{\"transcripts\": [\n{entries}\n]}}\n"))
}

fn read(manifest: &Path) -> Result<Value> {
    match fs::read(manifest) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
        Err(_) => Ok(Value::Null),
    }
}

/// The entries of a manifest, one a line, with one more in place of that with the same key.
fn listed(entries: Value, key: &str, entry: Value) -> String {
    let entries = entries.as_array().into_iter().flatten();
    let others = entries.filter(|other| other[key] != entry[key]);
    let lines: Vec<String> = others.chain([&entry]).map(Value::to_string).collect();
    lines.join(",\n")
}
