//! `fault/rpc-error`: a request gets the error -32001.

use crate::conversation::Emission;
use crate::faults::effect::{Effect, Injected, Request, STARTS};
use crate::faults::fault::{Expectation, Fault, Layer, Place};

/// A request gets the error -32001.
pub(super) static FAULT: Fault = Fault {
    id: "fault/rpc-error",
    summary: "a request gets the error -32001",
    stand_in: "The first such request is answered with the error -32001, `Server overloaded; retry later.`. \
        The next one is answered as recorded.",
    client: "Send the request again after a while, or report the failure.",
    evidence: "openai/codex #46878: the Python SDK does not send the request again. openai/codex #19366 has logs of \
        the error.",
    since: "the app-server; no fixture has this error",
    place: Place::Kind("the request that starts a turn"),
    layer: Layer::Messages,
    expectation: Expectation::SameOrFailure,
    effect: |injected| Box::new(RpcError(injected)),
    ..Fault::OF_REQUESTS
};

struct RpcError(Injected);

impl Effect for RpcError {
    fn request(&mut self, request: &Request<'_>) -> Option<Vec<Emission>> {
        let is_meant = match &self.0.message {
            Some(own) => own == request.method,
            None => STARTS.contains(&request.method),
        };
        if !is_meant || !self.0.note_first() {
            return None;
        }
        let line = format!(
            "{{\"error\":{{\"code\":-32001,\"message\":\"Server overloaded; retry later.\"}},\"id\":{}}}",
            request.id
        );
        Some(vec![Emission {
            line,
            after_ms: 0,
            queue: 0,
        }])
    }
}
