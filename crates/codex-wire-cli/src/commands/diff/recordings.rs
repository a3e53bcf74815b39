//! The recordings that `--transcript` names: a file, a folder, an archive or standard input.
//!
//! They are read several times: the first time says what they are, and later ones depend on that.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use codex_wire_base::{Protocol, Release};
use codex_wire_check::{Checker, Options, Outcome, Step};
use codex_wire_report::{SkipReason, Skipped};
use tempfile::NamedTempFile;

use crate::inputs::{self, Found, Listing, STDIN, Selection, Source, Unreadable};
use crate::progress::Progress;

/// How often they are read: to see what they are, against the other release, and for what they
/// contain.
const PASSES: u64 = 3;

/// The recordings, and what they are.
pub(crate) struct Recordings {
    /// The name in reports.
    pub(crate) name: String,
    /// What they are, by protocol; of at least one.
    pub(crate) protocols: BTreeMap<Protocol, Recorded>,
    /// What was found beside them and is not a recording.
    pub(crate) skipped: Vec<Skipped>,
    sources: Vec<Source>,
    progress: Progress,
    /// Standard input or a pipe, to be read again.
    stored: Option<NamedTempFile>,
}

/// The recordings of one protocol.
pub(crate) struct Recorded {
    /// The oldest release that could have written one of them.
    pub(crate) release: Release,
    pub(crate) messages: u64,
    /// The names of the recordings.
    pub(crate) inputs: Vec<String>,
}

impl Recordings {
    /// Finds the recordings and what they are; `each` is called with every step.
    pub(crate) fn read(
        path: &Path,
        options: Options,
        each: impl FnMut(&Step<'_>),
    ) -> anyhow::Result<Recordings> {
        let mut stored = None;
        let mut read = path.to_path_buf();
        let is_pipe = fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir());
        if path.as_os_str() == STDIN || is_pipe {
            let cannot = || format!("cannot read {}", path.display());
            let mut file = NamedTempFile::new().context("cannot make a temporary file")?;
            match is_pipe {
                true => io::copy(&mut File::open(path).with_context(cannot)?, &mut file),
                false => io::copy(&mut io::stdin().lock(), &mut file),
            }
            .with_context(cannot)?;
            read = file.path().to_path_buf();
            stored = Some(file);
        }
        let Listing {
            inputs,
            skipped,
            bytes,
            ..
        } = inputs::list(&[read], Selection::new());
        let progress = Progress::of_passes(PASSES, inputs.len(), bytes);
        let sources = inputs.into_iter().collect::<Result<_, _>>()?;
        let mut found = Recordings {
            name: path.display().to_string(),
            protocols: BTreeMap::new(),
            skipped: inputs::skipped(skipped),
            sources,
            progress,
            stored,
        };
        let outcomes = found.outcomes(options, None, each)?;
        found.identified(path, outcomes)?;
        Ok(found)
    }

    /// Sets what the recordings are.
    fn identified(&mut self, path: &Path, outcomes: Vec<Outcome>) -> anyhow::Result<()> {
        for outcome in outcomes {
            let name = outcome.path;
            if let Some(error) = outcome.error.as_ref().filter(|_| !outcome.foreign) {
                bail!("cannot read {name}: {error}");
            }
            let (Some(protocol), Some(releases)) = (outcome.protocol, outcome.releases) else {
                // What the user names has to be a transcript.
                if name == self.name || !outcome.foreign && outcome.messages > 0 {
                    let error = outcome.error.as_deref();
                    let error = error.unwrap_or("not a transcript of Codex");
                    bail!("cannot read {name}: {error}");
                }
                self.skipped
                    .push(Skipped::new(name, SkipReason::NoTranscript));
                continue;
            };
            let recorded = self.protocols.entry(protocol).or_insert(Recorded {
                release: releases.since,
                messages: 0,
                inputs: Vec::new(),
            });
            recorded.release = recorded.release.min(releases.since);
            recorded.messages += outcome.messages;
            recorded.inputs.push(name);
        }
        if self.protocols.is_empty() {
            bail!("{}: not a transcript of Codex", path.display());
        }
        Ok(())
    }

    /// The protocol of all recordings, and what they are.
    ///
    /// # Errors
    /// When there are several.
    pub(crate) fn of_one_protocol(&self) -> anyhow::Result<(Protocol, &Recorded)> {
        let mut all = self.protocols.iter();
        match (all.next(), all.next()) {
            (Some((protocol, recorded)), None) => Ok((*protocol, recorded)),
            (Some((protocol, recorded)), Some((other, others))) => bail!(
                "{}: {} is {other}, and {} is {protocol}: name recordings of one protocol",
                self.name,
                others.inputs[0],
                recorded.inputs[0]
            ),
            (None, _) => bail!("{}: not a transcript of Codex", self.name),
        }
    }

    /// Reads recordings of one protocol again.
    pub(crate) fn observe(
        &self,
        recorded: &Recorded,
        options: Options,
        each: impl FnMut(&Step<'_>),
    ) -> anyhow::Result<Vec<Outcome>> {
        self.outcomes(options, Some(&recorded.inputs), each)
    }

    /// Reads all inputs, or those with these names.
    fn outcomes(
        &self,
        options: Options,
        only: Option<&[String]>,
        mut each: impl FnMut(&Step<'_>),
    ) -> anyhow::Result<Vec<Outcome>> {
        let checker = Checker::new(options)?;
        let progress = &self.progress;
        let only: Option<BTreeSet<&String>> = only.map(|names| names.iter().collect());
        let mut outcomes = Vec::new();
        let mut failed: Option<anyhow::Error> = None;
        for source in &self.sources {
            progress.input(&source.name());
            source.each(progress, &[], |found| {
                if failed.is_some() {
                    return;
                }
                let result = match found {
                    Found::Failed(Unreadable { name, error, .. }) => {
                        Err(anyhow!("cannot read {}: {error}", self.shown(name)))
                    }
                    Found::Skipped(_) => return,
                    Found::Input(opened) => {
                        let name = self.shown(opened.name);
                        if only.as_ref().is_some_and(|names| !names.contains(&name)) {
                            return;
                        }
                        let observed = checker.observe(&name, opened.input, |step| {
                            each(step);
                            Ok(())
                        });
                        observed.map_err(anyhow::Error::from)
                    }
                };
                match result {
                    Ok(outcome) => outcomes.push(outcome),
                    Err(error) => failed = Some(error),
                }
            });
        }
        progress.clear();
        match failed {
            Some(error) => Err(error),
            None => Ok(outcomes),
        }
    }

    /// The name of an input in reports.
    fn shown(&self, name: String) -> String {
        let stored = self.stored.as_ref().map(|file| PathBuf::from(file.path()));
        let stored = stored.map(|path| path.display().to_string());
        match stored.and_then(|stored| name.strip_prefix(&stored).map(str::to_owned)) {
            Some(inside) => format!("{}{inside}", self.name),
            None => name,
        }
    }
}
