//! `fault/rpc-late`: a response comes late.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::Value;

use crate::faults::effect::{Act, Effect, Injected, Line, STARTS};
use crate::faults::fault::{Expectation, Fault, Layer, NO_REQUESTS, Place, RPC, Trial};
use crate::faults::random::Random;
use crate::faults::response::response;

/// A response comes late.
pub(super) static FAULT: Fault = Fault {
    id: "fault/rpc-late",
    summary: "a response comes late",
    stand_in: "The response comes 1.5 seconds late, and what follows it too.",
    client: "Wait longer. Answer what Codex requests meanwhile.",
    evidence: "Clients with a limit of one second for `initialize`; a first start after an update takes \
        longer.",
    since: "all releases",
    place: Place::Kind("the request that starts a turn"),
    protocols: RPC,
    refusal: NO_REQUESTS,
    layer: Layer::Lines,
    expectation: Expectation::Same,
    residue: &[],
    trial: Trial::PLAIN,
    effect: |injected| {
        Box::new(RpcLate {
            injected,
            late: HashSet::new(),
        })
    },
};

/// How long a late response is late.
const LATE: Duration = Duration::from_millis(1500);

struct RpcLate {
    injected: Injected,
    /// The ids of requests whose responses are late, as JSON.
    late: HashSet<String>,
}

impl Effect for RpcLate {
    fn heard(&mut self, line: &str) {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            return;
        };
        let (Some(method), Some(id)) = (value["method"].as_str(), value.get("id")) else {
            return;
        };
        let is_meant = match &self.injected.message {
            Some(own) => own == method,
            None => STARTS.contains(&method),
        };
        if is_meant {
            self.late.insert(id.to_string());
        }
    }

    fn before(&mut self, line: &Line<'_>, _: &mut Random) -> Vec<Act> {
        let is_late = response(line.bytes).is_some_and(|id| self.late.remove(&id));
        if !is_late {
            return Vec::new();
        }
        self.injected.note();
        vec![Act::Wait(LATE)]
    }
}
