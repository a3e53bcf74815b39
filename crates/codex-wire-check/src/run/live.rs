//! Supports inputs that are still being written.

use codex_wire_base::lines::Line;
use codex_wire_base::transcript;

use super::Run;
use crate::finding::Finding;
use crate::outcome::Outcome;

impl Run<'_> {
    /// What was found so far.
    pub(crate) fn findings(&self) -> &[Finding] {
        &self.outcome.findings
    }

    /// Whether it is known to be a transcript: a message told, or the user says so.
    pub(crate) fn is_recognised(&self) -> bool {
        self.recognised > 0 || !self.outcome.identified
    }

    /// Codex exits, as that line tells, if there is one.
    pub(crate) fn exit(&mut self, exit: &transcript::Exit, line: Option<&Line<'_>>) {
        if let Some(line) = line {
            self.life_line(line);
        }
        self.life_exit(exit);
    }

    /// Whether Codex exited.
    pub(crate) fn has_exited(&self) -> bool {
        self.sequence.end.exit.is_some()
    }

    /// What can be said of an input that goes on: what it lacks may still come.
    pub(crate) fn leave(mut self) -> Outcome {
        self.sequence.goes_on();
        self.finish()
    }

    /// The name of the input.
    pub(crate) fn into_path(self) -> String {
        self.outcome.path
    }
}
