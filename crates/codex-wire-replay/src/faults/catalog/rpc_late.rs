//! `fault/rpc-late`: a response comes late.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::Value;

use crate::faults::effect::{Act, Effect, Injected, Line, STARTS};
use crate::faults::fault::{Fault, Layer, Place};
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
    place: Place::Kind("the request that starts a turn"),
    layer: Layer::Lines,
    effect: |injected| {
        Box::new(RpcLate {
            injected,
            late: HashSet::new(),
        })
    },
    ..Fault::OF_REQUESTS
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
