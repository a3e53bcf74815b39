//! `fault/slow-start`: nothing is written for three seconds.

use std::time::Duration;

use crate::faults::effect::{Act, Effect, Injected};
use crate::faults::fault::{Fault, Layer, Place, Trial};

/// Nothing is written for three seconds.
pub(super) static FAULT: Fault = Fault {
    id: "fault/slow-start",
    summary: "nothing is written for three seconds",
    stand_in: "The stand-in waits before it reads and writes anything.",
    client: "Wait longer.",
    evidence: "A first start after an update, or with many MCP servers, takes seconds.",
    place: Place::Milliseconds("3000"),
    layer: Layer::Process,
    trial: Trial {
        // Clients that mind do so after less.
        number: Some(1000),
        ..Trial::PLAIN
    },
    effect: |injected| Box::new(SlowStart(injected)),
    ..Fault::ANY
};

struct SlowStart(Injected);

/// How long the start is if nothing else is said, in milliseconds.
const SLOW: u64 = 3000;

impl Effect for SlowStart {
    fn begin(&mut self) -> Vec<Act> {
        self.0.note();
        vec![Act::Wait(Duration::from_millis(
            self.0.number.unwrap_or(SLOW),
        ))]
    }
}
