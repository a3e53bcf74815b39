//! Session files of a release: what their lines consist of, and what is new against another release.
//!
//! No schema of session files exists, and their types are written by hand. So `cargo xtask sync` plays
//! the scenes with the program of a new release, and compares what the lines consist of with what the
//! newest release that is known left in the same scenes.

mod members;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use codex_wire::Release;
use codex_wire_record::{Scene, left, scenes};

pub use members::Members;

/// What the scenes show with the newest release that is known, under the root of the repository.
pub const FILE: &str = "xtask/data/rollout-members.txt";

/// What a release left in the scenes.
#[derive(Debug)]
pub struct Recorded {
    /// What the lines consist of.
    pub members: Members,
    /// How many session files there were.
    pub files: usize,
    /// The scenes that did not go as they should, with the reason.
    pub failed: Vec<String>,
}

/// Plays the scenes whose names hold `only` with a program of a release, and reads the session files.
///
/// # Errors
/// When a folder cannot be written.
pub fn record(release: Release, program: &Path, only: &str) -> Result<Recorded> {
    // Newer releases look for helpers beside the file itself, so links are followed.
    let program = program
        .canonicalize()
        .with_context(|| program.display().to_string())?;
    let stage = tempfile::tempdir()?;
    let root = stage.path().join("stage");
    let mut recorded = Recorded {
        members: Members::new(release),
        files: 0,
        failed: Vec::new(),
    };
    for scene in scenes::all().filter(|scene| scene.suits(release)) {
        let name = format!("{}/{}", scene.protocol, scene.name);
        if name.contains(only)
            && let Err(error) = play(&scene, &program, release, &root, &mut recorded)
        {
            recorded.failed.push(format!("{name}: {error:#}"));
        }
    }
    Ok(recorded)
}

fn play(
    scene: &Scene,
    program: &Path,
    release: Release,
    root: &Path,
    recorded: &mut Recorded,
) -> Result<()> {
    let played = scene.play(program, release, root)?;
    for left in left(root)? {
        let name = left.path.rsplit('/').next().unwrap_or_default();
        // A compressed file holds what the plain one did.
        if name.starts_with("rollout-") && name.ends_with(".jsonl") {
            recorded.files += 1;
            recorded
                .members
                .add_file(&left.bytes)
                .with_context(|| left.path.clone())?;
        }
    }
    let complaints = played.into_iter().filter_map(|one| one.complaint);
    let complaints: Vec<String> = complaints.collect();
    match complaints.is_empty() {
        true => Ok(()),
        false => Err(anyhow::Error::msg(complaints.join("; "))),
    }
}

/// What a release changes in session files, in words.
pub fn report(recorded: &Recorded, known: &Members) -> String {
    let now = &recorded.members;
    let against = match now.release == known.release {
        true => "what was known of it".to_owned(),
        false => known.release.to_string(),
    };
    let title = format!("session files: {} against {against}", now.release);
    let mut out = match recorded.files {
        0 => format!("{title}: none was recorded\n"),
        files => format!("{title}, in {files} files"),
    };
    let changes = now.changes_since(known);
    if recorded.files > 0 {
        out += if changes.is_empty() {
            ": nothing new\n"
        } else {
            "\n"
        };
        for change in &changes {
            let _ = writeln!(out, "  {change}");
        }
        // Of an older release all is described.
        if !changes.is_empty() && now.release >= known.release {
            out += "describe what is new in crates/codex-wire/src/rollout; what is gone may be missing \
                    because a scene failed\n";
        }
    }
    for failed in &recorded.failed {
        let _ = writeln!(out, "needs a recording: {failed}");
    }
    out
}

/// Records a release, says what is new, and keeps it as the newest that is known if it is as new as that.
/// With `dry_run` nothing is written.
///
/// # Errors
/// When a scene cannot be staged, or the file not be read or written.
pub fn sync(root: &Path, release: Release, program: &Path, dry_run: bool) -> Result<String> {
    let path = root.join(FILE);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let known = Members::parse(&text)?;
    let recorded = record(release, program, "")?;
    let mut said = report(&recorded, &known);
    let is_newest = release >= known.release;
    // What is not complete would make everything else look gone or new next time.
    if is_newest && recorded.failed.is_empty() && recorded.members != known {
        if !dry_run {
            fs::write(&path, recorded.members.text())
                .with_context(|| path.display().to_string())?;
        }
        let verb = if dry_run { "would change" } else { "changed" };
        let _ = writeln!(said, "{verb} {FILE}");
    }
    Ok(said)
}
