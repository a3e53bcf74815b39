//! `fault/rpc-reordered`: responses come in reverse order.

use std::time::Duration;

use crate::faults::effect::{Effect, Injected};
use crate::faults::fault::{Fault, Layer};
use crate::faults::response::response;

/// Responses come in reverse order.
pub(super) static FAULT: Fault = Fault {
    id: "fault/rpc-reordered",
    summary: "responses come in reverse order",
    stand_in: "Responses wait up to 50 ms for each other, and come in reverse order. Notifications and \
        requests keep their place.",
    client: "Match responses by their id, not by their order.",
    evidence: "Codex runs requests at the same time: fixtures such as `10a_plain_requests` have responses \
        in another order than the requests.",
    layer: Layer::Lines,
    effect: |injected| {
        Box::new(RpcReordered {
            injected,
            held: Vec::new(),
        })
    },
    ..Fault::OF_REQUESTS
};

/// How long responses wait for each other.
const TOGETHER: Duration = Duration::from_millis(50);

struct RpcReordered {
    injected: Injected,
    /// Responses that wait for each other.
    held: Vec<Vec<u8>>,
}

impl Effect for RpcReordered {
    fn queue(&mut self, line: Vec<u8>) -> Vec<Vec<u8>> {
        if response(&line).is_some() {
            self.injected.note();
            self.held.push(line);
            return Vec::new();
        }
        let mut lines = self.kept();
        lines.push(line);
        lines
    }

    fn keeps(&self) -> Option<Duration> {
        (!self.held.is_empty()).then_some(TOGETHER)
    }

    /// The last one first.
    fn kept(&mut self) -> Vec<Vec<u8>> {
        let mut held = std::mem::take(&mut self.held);
        held.reverse();
        held
    }
}
