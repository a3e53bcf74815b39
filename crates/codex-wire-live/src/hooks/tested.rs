//! What came of the hooks of a file, or of a command.

use codex_wire_base::Release;
use codex_wire_check::{HookHandler, HookProblem, Severity};

use super::trial::{HookRun, HookTrial, HookTried};
use crate::error::Error;

/// Hooks that were tried as a release.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TestedHooks {
    /// The release.
    pub release: Release,
    /// The file, or the command.
    pub name: String,
    /// What the release refuses or ignores in the file.
    pub problems: Vec<HookProblem>,
    /// The handlers.
    pub handlers: Vec<HookTried>,
}

impl TestedHooks {
    /// Tries the handlers of a file, or of a command, as a release. `problems` are those of the file.
    ///
    /// # Errors
    /// As [`HookTrial::run`].
    pub fn test(
        trial: &HookTrial,
        release: Release,
        name: impl Into<String>,
        handlers: &[HookHandler],
        problems: Vec<HookProblem>,
    ) -> Result<Self, Error> {
        let handlers = handlers.iter().map(|handler| trial.run(handler, release));
        Ok(TestedHooks {
            release,
            name: name.into(),
            problems,
            handlers: handlers.collect::<Result<_, _>>()?,
        })
    }

    fn each_run(&self) -> impl Iterator<Item = &HookRun> {
        self.handlers.iter().flat_map(|handler| &handler.runs)
    }

    /// How many runs there were.
    pub fn runs(&self) -> usize {
        self.each_run().count()
    }

    /// How many runs fail open.
    pub fn fails_open(&self) -> usize {
        self.each_run().filter(|run| run.fails_open).count()
    }

    /// How many runs fail otherwise: they break the tool.
    pub fn breaks(&self) -> usize {
        let is_broken = |run: &&HookRun| run.fails() && !run.fails_open;
        self.each_run().filter(is_broken).count()
    }

    /// How many errors the file has.
    pub fn errors(&self) -> usize {
        let is_error = |problem: &&HookProblem| problem.severity == Severity::Error;
        self.problems.iter().filter(is_error).count()
    }
}
