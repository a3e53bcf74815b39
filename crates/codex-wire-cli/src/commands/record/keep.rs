//! Keeps what Codex left on the stage: rollouts, and what hooks and notifications received.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anstream::ColorChoice;
use anyhow::{Context, bail, ensure};
use codex_wire_scrub::{Key, scrub};

use crate::commands::mask::Mask;
use crate::output;

/// The files on the stage to which hooks and the end of a turn are written.
pub(super) const HOOKS: &str = "hooks.jsonl";
pub(super) const NOTIFY: &str = "notify.jsonl";

/// The folders of rollouts in the home of Codex.
const SESSIONS: [&str; 2] = ["sessions", "archived_sessions"];

/// How long nothing is written before all is written: Codex does not wait for what it notifies.
const QUIET: Duration = Duration::from_millis(300);

/// How long that is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// A folder for a recording.
pub(super) struct Keep {
    out: PathBuf,
    key: Option<Key>,
    mask: Mask,
}

impl Keep {
    /// Makes the folder. With a key, what is kept is scrubbed.
    pub(super) fn begin(out: &Path, key: Option<Key>, mask: Mask) -> anyhow::Result<Self> {
        let name = out.display();
        fs::create_dir_all(out).with_context(|| format!("cannot make {name}"))?;
        let mut entries = fs::read_dir(out).with_context(|| format!("cannot read {name}"))?;
        ensure!(
            entries.next().is_none(),
            "{name} is not empty: a recording has a folder of its own"
        );
        Ok(Keep {
            out: out.to_owned(),
            key,
            mask,
        })
    }

    /// The key of placeholders, if the recording is scrubbed.
    pub(super) fn key(&self) -> Option<Key> {
        self.key
    }

    /// Copies everything that is kept.
    pub(super) fn collect(
        &self,
        codex_home: &Path,
        stage: &Path,
        color: ColorChoice,
    ) -> anyhow::Result<()> {
        let (hooks, notify) = (stage.join(HOOKS), stage.join(NOTIFY));
        wait_for_quiet(&[&hooks, &notify]);
        for (from, name) in [(hooks, HOOKS), (notify, NOTIFY)] {
            if from.is_file() {
                self.copy(&from, Path::new(name), color)?;
            }
        }
        let mut rollouts = Vec::new();
        for folder in SESSIONS {
            files(&codex_home.join(folder), &mut rollouts)?;
        }
        rollouts.sort();
        for (index, rollout) in rollouts.iter().enumerate() {
            let name = rollout.strip_prefix(codex_home)?;
            // The name of a rollout has the id of its thread.
            let scrubbed = PathBuf::from(format!("sessions/rollout-{}.jsonl", index + 1));
            let name = if self.key.is_some() { &scrubbed } else { name };
            self.copy(rollout, name, color)?;
        }
        Ok(())
    }

    /// Copies a file, without secrets, and scrubbed if that is wanted.
    fn copy(&self, from: &Path, name: &Path, color: ColorChoice) -> anyhow::Result<()> {
        let bytes = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
        let is_text = from.extension().is_some_and(|ending| ending == "jsonl");
        let mut bytes = self.mask.bytes(&bytes).into_owned();
        if let Some(key) = self.key {
            if !is_text {
                let text = format!("{} cannot be scrubbed, and is left out", name.display());
                output::complain(color, &text);
                return Ok(());
            }
            bytes = match scrub(&bytes, key, &[]) {
                Ok(scrubbed) => scrubbed,
                Err(survivor) => bail!("{} was not scrubbed: {survivor}", name.display()),
            };
        }
        let to = self.out.join(name);
        let cannot = || format!("cannot write {}", to.display());
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).with_context(cannot)?;
        }
        fs::write(&to, bytes).with_context(cannot)
    }
}

/// Waits until the files do not grow any more.
fn wait_for_quiet(files: &[&Path]) {
    let sizes = || -> Vec<u64> {
        let sizes = files.iter().map(fs::metadata);
        sizes
            .map(|data| data.map_or(0, |data| data.len()))
            .collect()
    };
    let begun = Instant::now();
    let mut last = (sizes(), begun);
    while last.1.elapsed() < QUIET && begun.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(20));
        let now = sizes();
        if now != last.0 {
            last = (now, Instant::now());
        }
    }
}

/// All files below a folder, if there is one.
fn files(folder: &Path, out: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path, out)?;
        } else {
            out.push(path);
        }
    }
    Ok(())
}
