//! Tries the day of a release: folds the newest ones out, one after the other, and in again, in a copy of
//! the workspace in which the types are compiled each time; and once with members that can all be left out.
//!
//! Code that is written by hand reads the generated types. A member that is new in a release is absent from the
//! types without it, and one that becomes optional has another type: such code would not compile on the day on
//! which `sync` runs, and nobody would get a pull request. So it reads the types through accessors, which
//! `tools/app-server-codegen/model/accessors.toml` names.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use app_server_codegen::Model;
use app_server_codegen::archive::Official;
use app_server_codegen::model::{FormBody, MemberVersions};
use app_server_codegen::repository::{self, Tables};
use codex_wire::Release;

use crate::app_server::Known;
use crate::fixtures::copy;

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

/// Compiles the types as they would be with no required member, takes out so many of the newest releases, and puts
/// them back. Tells `progress` what is being done. Returns what is wrong: states that do not compile, and files that
/// come back otherwise than they were.
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
    let mut said = BTreeSet::new();
    let mut attempt = |state: &State, title: &str| -> Result<()> {
        state.write(stage.path())?;
        progress(&format!("{title}: compiling"));
        let errors = compile(root, stage.path())?;
        if errors.is_some() {
            progress(&format!("{title}: does not compile"));
        }
        wrong.extend(errors.map(|errors| news(title, &errors, &mut said)));
        Ok(())
    };
    let loose = Known {
        model: loosened(&known.model),
        ..known.clone()
    };
    attempt(&State::new(&loose, &tables)?, "with no required member")?;
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
        attempt(&state, &format!("without {release}"))?;
    }
    while let Some((official, state)) = before.pop() {
        let release = official.release;
        known.learn(official, &tables)?;
        progress(&format!("with {release} again"));
        wrong.extend(state.differs(&State::new(&known, &tables)?, release));
    }
    Ok(wrong)
}

/// The model if every member could be left out. Members become optional in releases to come, and any can be among them.
fn loosened(model: &Model) -> Model {
    let mut model = model.clone();
    for form in model.definitions.values_mut().flatten() {
        match &mut form.body {
            FormBody::Object(object) => loosen(&mut object.members),
            FormBody::Tagged { base, branches, .. } => {
                loosen(base);
                let objects = branches.values_mut().map(|(_, object)| object);
                objects.for_each(|object| loosen(&mut object.members));
            }
            FormBody::ExternallyTagged { .. } | FormBody::AnyOf(_) => {}
        }
    }
    model
}

fn loosen(members: &mut MemberVersions) {
    for versions in members.values_mut() {
        for (mut signature, availability) in std::mem::take(versions) {
            signature.optional = true;
            versions.entry(signature).or_default().extend(&availability);
        }
    }
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

/// The errors of a state that no state before it had: what does not compile without a release seldom does without
/// the one before it either.
fn news(title: &str, errors: &[String], said: &mut BTreeSet<String>) -> String {
    let mut out = format!("{title}:");
    let mut again = 0;
    for error in errors {
        if said.insert(error.clone()) {
            out.push('\n');
            out.push_str(error);
        } else {
            again += 1;
        }
    }
    if again > 0 {
        let _ = write!(out, "\nand {again} that were there before");
    }
    out
}

/// What the compiler says of the types and of what reads them, an error a line; `None` if they compile.
fn compile(root: &Path, copy: &Path) -> Result<Option<Vec<String>>> {
    let mut command = Command::new("cargo");
    command.args(["check", "--quiet", "--locked", "--all-features"]);
    command.args(["--message-format", "short"]);
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
    if output.status.success() {
        return Ok(None);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let errors = said.lines().filter(|line| !line.contains(": warning: "));
    Ok(Some(errors.map(str::to_owned).collect()))
}
