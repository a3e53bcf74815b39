//! `fault/stdout-noise`: standard output has lines that are not JSON.

use crate::faults::effect::{Act, Effect, Injected, Line};
use crate::faults::fault::{Expectation, Fault, Layer};
use crate::faults::random::Random;

/// Standard output has lines that are not JSON.
pub(super) static FAULT: Fault = Fault {
    id: "fault/stdout-noise",
    summary: "standard output has lines that are not JSON",
    stand_in: "Before the first line, and before some later ones, a line stands that is not JSON.",
    client: "Skip the line, or report that it cannot be read. Do not hang, and do not report success with \
        another result.",
    evidence: "Wrappers of `codex` and shells that print to standard output.",
    since: "not Codex itself: a wrapper, or the system",
    layer: Layer::Bytes,
    expectation: Expectation::SameOrFailure,
    effect: |injected| Box::new(StdoutNoise(injected)),
    ..Fault::ANY
};

struct StdoutNoise(Injected);

/// Lines on standard output that are not JSON.
const NOISE: &[&str] = &[
    "WARNING: terminal is not fully functional",
    "\u{1b}[33mA new version is available\u{1b}[0m",
    "Reading additional input from stdin...",
    "{ not json",
];

impl Effect for StdoutNoise {
    fn before(&mut self, line: &Line<'_>, random: &mut Random) -> Vec<Act> {
        if line.number > 1 && random.below(6) > 0 {
            return Vec::new();
        }
        self.0.note();
        let noise = NOISE[random.below(NOISE.len())];
        vec![Act::write(format!("{noise}\n"))]
    }
}
