//! `fault/exit-without-end`: the process exits with status 0 before the turn ends.

use crate::faults::effect::{Act, Effect, Injected, Line};
use crate::faults::fault::{Expectation, Failure, Fault, Layer, Place};

/// The process exits with status 0 before the turn ends.
pub(super) static FAULT: Fault = Fault {
    id: "fault/exit-without-end",
    summary: "the process exits with status 0 before the turn ends",
    stand_in: "Instead of writing the line, the process exits with status 0.",
    client: "Report the failure: a turn that did not end did not succeed, whatever the exit status is.",
    evidence: "Up to 0.116.0 `codex exec` exits with status 0 after SIGINT: fixture `sigint_command`.",
    place: Place::Line("the line that ends a turn"),
    layer: Layer::Process,
    expectation: Expectation::Failure(Failure::LostEnd),
    effect: |injected| Box::new(ExitWithoutEnd(injected)),
    ..Fault::ANY
};

struct ExitWithoutEnd(Injected);

impl Effect for ExitWithoutEnd {
    fn instead(&mut self, line: &Line<'_>) -> Option<Vec<Act>> {
        if !self.0.is_at(line) || !self.0.note_first() {
            return None;
        }
        Some(vec![Act::Exit(0)])
    }
}
