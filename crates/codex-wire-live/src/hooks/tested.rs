//! What came of hooks.

use codex_wire_base::Release;
use codex_wire_check::{HookProblem, Severity};
use codex_wire_live::hooks::HookTried;

/// Hooks that were tried as a release.
pub(super) struct Tested {
    pub(super) release: Release,
    /// The file, or the command.
    pub(super) name: String,
    pub(super) problems: Vec<HookProblem>,
    pub(super) handlers: Vec<HookTried>,
}

impl Tested {
    pub(super) fn runs(&self) -> usize {
        self.handlers.iter().map(|handler| handler.runs.len()).sum()
    }

    pub(super) fn fails_open(&self) -> usize {
        let runs = self.handlers.iter().flat_map(|handler| &handler.runs);
        runs.filter(|run| run.fails_open).count()
    }

    pub(super) fn breaks(&self) -> usize {
        let runs = self.handlers.iter().flat_map(|handler| &handler.runs);
        runs.filter(|run| run.fails() && !run.fails_open).count()
    }

    pub(super) fn errors(&self) -> usize {
        let problems = self.problems.iter();
        problems
            .filter(|problem| problem.severity == Severity::Error)
            .count()
    }
}
