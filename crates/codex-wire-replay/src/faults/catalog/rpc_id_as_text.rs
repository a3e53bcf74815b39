//! `fault/rpc-id-as-text`: responses have the id of the request as a text.

use crate::conversation::Emission;
use crate::faults::edit::replaced;
use crate::faults::effect::{Effect, Injected};
use crate::faults::fault::{Expectation, Fault, Layer, Place};
use crate::faults::future::Written;
use crate::faults::talk::Talk;

/// Responses have the id of the request as a text.
pub(super) static FAULT: Fault = Fault {
    id: "fault/rpc-id-as-text",
    summary: "responses have the id of the request as a text",
    stand_in: "A response to the request 3 has the id `\"3\"`.",
    client: "Accept it, or report that the response is unknown. Do not wait forever.",
    evidence: "Proxies between client and Codex that keep ids as strings.",
    since: "not Codex itself: a proxy",
    place: Place::Kind("all responses"),
    layer: Layer::Messages,
    expectation: Expectation::SameOrFailure,
    effect: |injected| Box::new(RpcIdAsText(injected)),
    ..Fault::OF_REQUESTS
};

struct RpcIdAsText(Injected);

impl Effect for RpcIdAsText {
    fn reaction(&mut self, emissions: Vec<Emission>, talk: &mut Talk) -> Vec<Emission> {
        let injected = &self.0;
        talk.edit(emissions, &mut |_, line, kind| {
            if !injected.is_for(&kind.name) || kind.written != Written::Response {
                return None;
            }
            let id = kind.id.as_ref().filter(|id| !id.starts_with('"'))?;
            let changed = replaced(line, &["id"], &format!("\"{id}\""))?;
            injected.note();
            Some(changed)
        })
    }
}
