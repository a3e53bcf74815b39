//! Tries the day of a release: folds the newest ones out, one after the other, and in again, in a copy of
//! the workspace in which the types are compiled each time.
//!
//! Code that is written by hand reads the generated types. A member that is new in a release is absent from the
//! types without it, and one that becomes optional has another type: such code would not compile on the day on
//! which `sync` runs, and nobody would get a pull request.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use app_server_codegen::archive::Official;
use app_server_codegen::repository::{self, Tables};
use codex_wire::Release;

use crate::app_server::Known;

/// What is copied: the workspace without recordings, pages and packages.
const COPIED: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "benches",
    "crates",
    "packages/project.json",
    "tools",
    "xtask",
];

/// Takes out so many of the newest releases, and puts them back. Tells `progress` what is being done. Returns what
/// is wrong: states that do not compile, and files that come back otherwise than they were.
///
/// # Errors
/// When the archive is damaged, there are not so many releases, or the copy cannot be written or compiled at all.
pub fn refold(root: &Path, count: usize, mut progress: impl FnMut(&str)) -> Result<Vec<String>> {
    let tables = Tables::load()?;
    let mut known = Known::load()?;
    ensure!(
        count < known.officials.len(),
        "only {} releases are known",
        known.officials.len()
    );
    let stage = tempfile::tempdir()?;
    for name in COPIED {
        copy(&root.join(name), &stage.path().join(name))?;
    }
    let mut wrong = Vec::new();
    let mut state = State::new(&known, &tables)?;
    let mut before: Vec<(Official, State)> = Vec::new();
    for _ in 0..count {
        let newest = known
            .officials
            .last()
            .context("no release is left")?
            .clone();
        let release = newest.release;
        known.forget(release);
        before.push((newest, state));
        state = State::new(&known, &tables)?;
        state.write(stage.path())?;
        progress(&format!("without {release}: compiling"));
        if let Some(errors) = compile(root, stage.path())? {
            wrong.push(format!("without {release}:\n{errors}"));
        }
    }
    while let Some((official, state)) = before.pop() {
        let release = official.release;
        known.learn(official, &tables)?;
        progress(&format!("with {release} again"));
        wrong.extend(state.differs(&State::new(&known, &tables)?, release));
    }
    Ok(wrong)
}

/// The files that follow from what is known.
struct State(BTreeMap<String, String>);

impl State {
    fn new(known: &Known, tables: &Tables) -> Result<Self> {
        // On the day of a release, nobody has corrected it.
        let overlay = tables.overlay.of(&known.model);
        let tables = Tables {
            overlay,
            ..tables.clone()
        };
        Ok(State(known.files(&tables)?))
    }

    fn write(&self, root: &Path) -> Result<()> {
        let stale = repository::stale(root, &self.0)?;
        Ok(repository::write(root, &stale)?)
    }

    fn differs(&self, now: &State, release: Release) -> Vec<String> {
        let paths: BTreeSet<&String> = self.0.keys().chain(now.0.keys()).collect();
        let differing = paths
            .into_iter()
            .filter(|path| self.0.get(*path) != now.0.get(*path));
        let said = differing.map(|path| format!("with {release} again: {path} is another"));
        said.collect()
    }
}

/// What the compiler says of the types and of what reads them; `None` if they compile.
fn compile(root: &Path, copy: &Path) -> Result<Option<String>> {
    let mut command = Command::new("cargo");
    command.args(["check", "--quiet", "--locked", "--all-features"]);
    // Those that read generated types outside of tests.
    command.args([
        "--package",
        "codex-wire",
        "--package",
        "test-support",
        "--package",
        "xtask",
    ]);
    command.env("CARGO_TARGET_DIR", root.join("target/refold"));
    let output = command
        .current_dir(copy)
        .stdin(Stdio::null())
        .output()
        .context("cannot run cargo")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    Ok(match output.status.success() {
        true => None,
        false => Some(errors.lines().take(40).collect::<Vec<_>>().join("\n")),
    })
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if from.is_file() {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        fs::copy(from, to).with_context(|| from.display().to_string())?;
        return Ok(());
    }
    fs::create_dir_all(to).with_context(|| to.display().to_string())?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}
