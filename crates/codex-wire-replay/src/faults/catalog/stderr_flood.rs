//! `fault/stderr-flood`: standard error gets 1 MiB.

use crate::faults::effect::{Act, Effect, Injected, Line};
use crate::faults::fault::{Fault, Layer};
use crate::faults::random::Random;

/// Standard error gets 1 MiB.
pub(super) static FAULT: Fault = Fault {
    id: "fault/stderr-flood",
    summary: "standard error gets 1 MiB",
    stand_in: "1 MiB of log lines goes to standard error before the first line, and as much before the line \
        that ends a turn. The stand-in waits until they are read.",
    client: "Read standard error while you read standard output, or send it to a file. Otherwise both \
        processes wait forever.",
    evidence: "`RUST_LOG` makes Codex write as much. The system holds 64 KiB for a reader.",
    layer: Layer::Process,
    effect: |injected| Box::new(StderrFlood(injected)),
    ..Fault::ANY
};

struct StderrFlood(Injected);

/// How much is written to standard error.
const FLOOD: usize = 1 << 20;

/// What is written there, again and again.
const LOG: &str =
    "2026-11-22T10:00:00.000000Z  INFO codex_core::codex: nothing happened, at length\n";

impl Effect for StderrFlood {
    fn before(&mut self, line: &Line<'_>, _: &mut Random) -> Vec<Act> {
        if line.number > 1 && !line.is_end {
            return Vec::new();
        }
        self.0.note();
        vec![Act::Complain(LOG.repeat(FLOOD / LOG.len() + 1).into())]
    }
}
