//! Implements `--with-rollout`: finds the session files of a stream, and compares it with them.

use std::path::{Path, PathBuf};

use codex_wire_base::Protocol;
use codex_wire_check::{Checker, Limits, Outcome, RolloutFacts, Step, StreamFacts, Verdict};

use crate::inputs::{self, Opened, Selection, Source};
use crate::progress::Progress;

/// The session files that the user names, and those of the folders that the user names.
pub(super) struct Rollouts {
    named: Vec<Source>,
    listed: Vec<Source>,
    limits: Limits,
}

impl Rollouts {
    /// Finds the session files of the paths, if there are any paths.
    pub(super) fn find(paths: &[PathBuf], limits: Limits) -> anyhow::Result<Option<Self>> {
        if paths.is_empty() {
            return Ok(None);
        }
        let (mut named, mut listed) = (Vec::new(), Vec::new());
        for input in inputs::list(paths, Selection::new()).inputs {
            match input {
                Ok(source @ Source::Listed(_)) => listed.push(source),
                Ok(source) => named.push(source),
                Err(unreadable) => anyhow::bail!(
                    "cannot read session files in {}: {}",
                    unreadable.name,
                    unreadable.error
                ),
            }
        }
        Ok(Some(Rollouts {
            named,
            listed,
            limits,
        }))
    }

    /// Checks a stream, and compares it with its session files. Calls `each` with every line of the
    /// stream.
    pub(super) fn check(
        &self,
        checker: &Checker,
        opened: Opened<'_>,
        progress: &Progress,
        each: impl FnMut(&Step<'_>),
    ) -> Outcome {
        let (mut outcome, stream) = checker.observe_for_rollout(&opened.name, opened.input, each);
        if outcome.verdict == Verdict::Unreadable {
            return outcome;
        }
        if let Err(reason) = self.compare(checker, &mut outcome, &stream, progress) {
            outcome.verdict = Verdict::Unreadable;
            outcome.error = Some(reason);
        }
        outcome
    }

    fn compare(
        &self,
        checker: &Checker,
        outcome: &mut Outcome,
        stream: &StreamFacts,
        progress: &Progress,
    ) -> Result<(), String> {
        if outcome.protocol == Some(Protocol::Rollout) {
            return Err("it is a session file itself: name the stream of the run".to_owned());
        }
        let files = self.files_of(stream)?;
        let mut threads: Vec<RolloutFacts> = Vec::new();
        for source in files {
            let name = source.name();
            let Opened { input, .. } = source
                .open(progress)
                .map_err(|error| format!("cannot read the session file {name}: {error}"))?;
            let facts = RolloutFacts::read(&name, input, self.limits)
                .map_err(|error| format!("{:#}", anyhow::Error::from(error)))?;
            let known = threads
                .iter()
                .position(|other| other.thread_id() == facts.thread_id());
            match known {
                Some(index) => {
                    let before = threads.swap_remove(index);
                    threads.push(before.and(facts));
                }
                None => threads.push(facts),
            }
        }
        for thread in &threads {
            checker
                .compare_with_rollout(outcome, stream, thread)
                .map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// The files that the user names, and those of the stream's threads.
    fn files_of(&self, stream: &StreamFacts) -> Result<Vec<&Source>, String> {
        let mut files: Vec<&Source> = self.named.iter().collect();
        let ids: Vec<&str> = stream.thread_ids().collect();
        let is_of_stream = |source: &&Source| match source {
            Source::Listed(path) => ids.iter().any(|id| has_in_name(path, id)),
            _ => false,
        };
        files.extend(self.listed.iter().filter(is_of_stream));
        if !files.is_empty() {
            return Ok(files);
        }
        Err(match &ids[..] {
            [] => "the stream names no thread: name its session file, not a folder".to_owned(),
            [id] => format!("no session file of its thread {id} is in the folder"),
            ids => format!(
                "no session file of its threads {} is in the folder",
                ids.join(", ")
            ),
        })
    }
}

/// Whether a session file is of that thread, by its name.
fn has_in_name(path: &Path, id: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("rollout-") && name.contains(id)
}
