//! Keeps the official schemas of hooks: takes them from a program, and says what changed.
//!
//! The types of hooks are written by hand. A test compares them with these schemas, so a release that
//! changes something makes it fail until somebody has described the change.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use app_server_codegen::hooks::{self, HookSchemas};
use codex_wire::Release;

/// The schemas of all releases that are known, oldest first.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownHooks(pub Vec<HookSchemas>);

/// What becomes of them.
pub enum HookStep {
    /// They stay.
    Nothing,
    /// Those of a release are added, or take the place of what was known of it.
    Learn(HookSchemas),
    /// Those of a release are taken out.
    Forget(Release),
}

/// The schemas that a program of a release has embedded.
///
/// # Errors
/// When the file cannot be read, or has none.
pub fn of_program(release: Release, program: &Path) -> Result<HookSchemas> {
    let bytes = std::fs::read(program).with_context(|| program.display().to_string())?;
    let found = HookSchemas::of_program(release, &bytes);
    ensure!(
        !found.schemas.is_empty(),
        "{} has no schemas of hooks: is it a script that starts the program?",
        program.display()
    );
    Ok(found)
}

impl KnownHooks {
    /// Reads the archive.
    ///
    /// # Errors
    /// When it is damaged.
    pub fn load() -> Result<Self> {
        Ok(KnownHooks(hooks::read(&hooks::file())?))
    }

    /// Takes a step and says what is new.
    pub fn take(&mut self, step: HookStep) -> String {
        let KnownHooks(all) = self;
        match step {
            HookStep::Nothing => String::new(),
            HookStep::Forget(release) => {
                all.retain(|known| known.release != release);
                String::new()
            }
            HookStep::Learn(learned) => {
                let release = learned.release;
                let same = all.iter().position(|known| known.release == release);
                let previous = match same {
                    Some(same) => Some(all.remove(same)),
                    None => all.iter().rfind(|known| known.release < release).cloned(),
                };
                let said = match &previous {
                    Some(previous) => report(&learned, previous),
                    None => format!("hooks: {release} is the oldest release\n"),
                };
                all.push(learned);
                all.sort_by_key(|known| known.release);
                said
            }
        }
    }
}

/// What a release changes.
fn report(learned: &HookSchemas, previous: &HookSchemas) -> String {
    let against = match learned.release == previous.release {
        true => "what was known of it".to_owned(),
        false => previous.release.to_string(),
    };
    let title = format!("hooks: {} against {against}", learned.release);
    let changes = learned.changes_since(previous);
    if changes.is_empty() {
        return format!("{title}: nothing new\n");
    }
    let mut out = format!("{title}\n");
    for change in changes {
        let _ = writeln!(out, "  {change}");
    }
    out += "describe these changes in crates/codex-wire/src/hooks; \
            `cargo test -p xtask --test it hooks` names what is left\n";
    out
}

/// Takes a step and writes the archive, if it changes. With `dry_run` nothing is written.
///
/// # Errors
/// When the archive is damaged or cannot be written.
pub fn sync(step: HookStep, dry_run: bool) -> Result<String> {
    let mut known = KnownHooks::load()?;
    let before = known.clone();
    let mut said = known.take(step);
    if known != before {
        if !dry_run {
            hooks::write(&hooks::file(), &known.0)?;
        }
        let verb = if dry_run { "would change" } else { "changed" };
        let _ = writeln!(said, "{verb} the archive of schemas of hooks");
    }
    Ok(said)
}
