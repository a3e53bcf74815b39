//! `fault/ignores-sigterm`: the process ignores SIGTERM and the end of its input.

use std::time::Duration;

use codex_wire_base::Protocol;

use crate::faults::effect::{Act, Effect, Injected};
use crate::faults::fault::{Expectation, Fault, Layer, Trial};

/// The process ignores SIGTERM and the end of its input.
pub(super) static FAULT: Fault = Fault {
    id: "fault/ignores-sigterm",
    summary: "the process ignores SIGTERM and the end of its input",
    stand_in: "SIGTERM has no effect, and the process goes on after its standard input has ended, until whoever \
        started it is gone. A run of `codex exec` ends as recorded: combine it with `fault/turn-never-ends`.",
    client: "Wait for a moment, then kill the process (SIGKILL).",
    evidence: "Clients that wait forever when they close: a tool that Codex runs can hold it up.",
    layer: Layer::Process,
    trial: Trial {
        // A run of `codex exec` gets a signal only if it does not end.
        company: &[(Protocol::Exec, "turn-never-ends", Expectation::End)],
        stays: true,
        ..Trial::PLAIN
    },
    effect: |injected| Box::new(IgnoresSigterm(injected)),
    ..Fault::ANY
};

struct IgnoresSigterm(Injected);

/// How long a process stays that does not end: longer than a client waits, and not forever.
const STAYS: Duration = Duration::from_secs(3600);

impl Effect for IgnoresSigterm {
    fn begin(&mut self) -> Vec<Act> {
        self.0.note();
        vec![Act::IgnoreSigterm]
    }

    fn end(&mut self) -> Vec<Act> {
        vec![Act::Stay(STAYS)]
    }
}
