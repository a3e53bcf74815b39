//! Keeps what Codex left on the stage: rollouts, and what hooks and notifications received.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use codex_wire_inputs::SESSION_FOLDERS;
use codex_wire_scrub::{Key, scrub};

use crate::error::Error;
use crate::mask::Mask;
use crate::notice::{Notice, Notices};

/// The files on the stage to which hooks and the end of a turn are written.
pub(crate) const HOOKS: &str = "hooks.jsonl";
pub(crate) const NOTIFY: &str = "notify.jsonl";

/// How long nothing is written before all is written: Codex does not wait for what it notifies.
const QUIET: Duration = Duration::from_millis(300);

/// How long that is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// A folder for a recording.
pub(crate) struct Keep {
    out: PathBuf,
    key: Option<Key>,
    mask: Mask,
    /// The rollouts of earlier runs, with their sizes and when they were written.
    before: BTreeMap<PathBuf, State>,
}

/// The state of a file, by which a later write is seen: its size, and when it was written.
type State = (u64, Option<SystemTime>);

impl Keep {
    /// Makes the folder. With a key, what is kept is scrubbed.
    pub(crate) fn begin(out: &Path, key: Option<Key>, mask: Mask) -> Result<Self, Error> {
        fs::create_dir_all(out).map_err(Error::write(out))?;
        let mut entries = fs::read_dir(out).map_err(Error::read(out))?;
        if entries.next().is_some() {
            return Err(Error::NotEmpty(out.to_owned()));
        }
        Ok(Keep {
            out: out.to_owned(),
            key,
            mask,
            before: BTreeMap::new(),
        })
    }

    /// The same, without the rollouts that stand in the home of Codex now and are not written to.
    pub(crate) fn without(mut self, codex_home: &Path) -> Result<Self, Error> {
        for rollout in rollouts(codex_home)? {
            let state = state(&rollout)?;
            self.before.insert(rollout, state);
        }
        Ok(self)
    }

    /// Copies everything that is kept.
    pub(crate) fn collect(
        &self,
        codex_home: &Path,
        stage: &Path,
        notices: &Notices,
    ) -> Result<(), Error> {
        let (hooks, notify) = (stage.join(HOOKS), stage.join(NOTIFY));
        wait_for_quiet(&[&hooks, &notify]);
        for (from, name) in [(hooks, HOOKS), (notify, NOTIFY)] {
            if from.is_file() {
                self.copy(&from, Path::new(name), notices)?;
            }
        }
        let mut written = Vec::new();
        for rollout in rollouts(codex_home)? {
            if self.before.get(&rollout) != Some(&state(&rollout)?) {
                written.push(rollout);
            }
        }
        for (index, rollout) in written.iter().enumerate() {
            let name = rollout.strip_prefix(codex_home).unwrap_or(rollout);
            // The name of a rollout has the id of its thread.
            let scrubbed = PathBuf::from(format!("sessions/rollout-{}.jsonl", index + 1));
            let name = if self.key.is_some() { &scrubbed } else { name };
            self.copy(rollout, name, notices)?;
        }
        Ok(())
    }

    /// Copies a file, without secrets, and scrubbed if that is wanted.
    fn copy(&self, from: &Path, name: &Path, notices: &Notices) -> Result<(), Error> {
        let bytes = fs::read(from).map_err(Error::read(from))?;
        let is_text = from.extension().is_some_and(|ending| ending == "jsonl");
        let mut bytes = self.mask.bytes(&bytes).into_owned();
        if let Some(key) = self.key {
            if !is_text {
                notices.tell(&Notice::LeftOut(name.to_owned()));
                return Ok(());
            }
            bytes = match scrub(&bytes, key, &[]) {
                Ok(scrubbed) => scrubbed,
                Err(survivor) => {
                    let path = name.to_owned();
                    return Err(Error::NotScrubbed { path, survivor });
                }
            };
        }
        let to = self.out.join(name);
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).map_err(Error::write(folder))?;
        }
        fs::write(&to, bytes).map_err(Error::write(&to))
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

/// The rollouts in a home of Codex, in the order of their names.
fn rollouts(codex_home: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut rollouts = Vec::new();
    for folder in SESSION_FOLDERS {
        files(&codex_home.join(folder), &mut rollouts)?;
    }
    rollouts.sort();
    Ok(rollouts)
}

fn state(file: &Path) -> Result<State, Error> {
    let data = fs::metadata(file).map_err(Error::read(file))?;
    Ok((data.len(), data.modified().ok()))
}

/// All files below a folder, if there is one.
fn files(folder: &Path, out: &mut Vec<PathBuf>) -> Result<(), Error> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder).map_err(Error::read(folder))? {
        let path = entry.map_err(Error::read(folder))?.path();
        if path.is_dir() {
            files(&path, out)?;
        } else {
            out.push(path);
        }
    }
    Ok(())
}
