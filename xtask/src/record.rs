//! Records releases of Codex while they play scenes.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use codex_wire::Release;
use codex_wire_record::scenes;

use crate::app_server::binaries;

/// Plays all scenes whose names hold one of `only` (all without such) with a release, and writes
/// `exec/<release>/<scene>.jsonl` and `app-server/<release>/<scene>.jsonl` below `to`. The program
/// is fetched where it is not there. Says what did not come to pass.
///
/// # Errors
/// When the release cannot be had, or a file cannot be written.
pub fn record(version: &str, only: &[String], to: &Path) -> Result<String> {
    let release: Release = version.parse().context("no release")?;
    // Newer releases look for helpers beside the file itself, so links are followed.
    let program = binaries::fetch(version)?.canonicalize()?;
    let stage = tempfile::tempdir()?;
    let (mut count, mut said) = (0, String::new());
    for scene in scenes::all().filter(|scene| scene.suits(release)) {
        let name = format!("{}/{version}/{}", scene.protocol, scene.name);
        if !only.is_empty() && !only.iter().any(|word| name.contains(word.as_str())) {
            continue;
        }
        let recordings = scene.play(&program, release, &stage.path().join("stage"))?;
        for recording in recordings {
            let path: PathBuf = to.join(scene.protocol).join(version);
            fs::create_dir_all(&path)?;
            fs::write(
                path.join(format!("{}.jsonl", recording.name)),
                &recording.bytes,
            )?;
            count += 1;
            if let Some(complaint) = recording.complaint {
                let _ = writeln!(said, "{name}: {}: {complaint}", recording.name);
            }
        }
    }
    let _ = writeln!(said, "{version}: {count} recorded");
    Ok(said)
}
