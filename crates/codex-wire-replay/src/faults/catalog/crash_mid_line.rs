//! `fault/crash-mid-line`: the process ends in the middle of a line.

use crate::faults::effect::{Act, Effect, Injected, Line};
use crate::faults::fault::{Expectation, Failure, Fault, Layer, Place};

/// The process ends in the middle of a line.
pub(super) static FAULT: Fault = Fault {
    id: "fault/crash-mid-line",
    summary: "the process ends in the middle of a line",
    stand_in: "Half of the line is written. Then the process exits with status 101, as a Rust program that \
        panics.",
    client: "Report the failure, with the exit status. Do not wait for the rest of the line.",
    evidence: "A client that reads lines sees a line without its newline, and may take it for a whole one.",
    place: Place::Line("the line that ends a turn"),
    layer: Layer::Bytes,
    expectation: Expectation::Failure(Failure::LostEnd),
    effect: |injected| Box::new(CrashMidLine(injected)),
    ..Fault::ANY
};

/// The exit status of a Rust program that panics.
const PANICKED: u8 = 101;

struct CrashMidLine(Injected);

impl Effect for CrashMidLine {
    fn instead(&mut self, line: &Line<'_>) -> Option<Vec<Act>> {
        if !self.0.is_at(line) || !self.0.note_first() {
            return None;
        }
        let half = &line.bytes[..line.bytes.len() / 2];
        Some(vec![Act::write(half), Act::Exit(PANICKED)])
    }
}
