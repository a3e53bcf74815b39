//! `fault/rpc-id-as-text`: responses have the id of the request as a text.

use crate::faults::each_line::EachLine;
use crate::faults::edit::replaced;
use crate::faults::fault::{Expectation, Fault, Layer, Place};
use crate::faults::future::{Future, Written};
use crate::faults::talk::LineKind;

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
    effect: |injected| Box::new(EachLine(injected, with_text_id)),
    ..Fault::OF_REQUESTS
};

/// A response with its id as a text, if that is not one.
fn with_text_id(_: &mut Future, line: &str, kind: &LineKind) -> Option<String> {
    if kind.written != Written::Response {
        return None;
    }
    let id = kind.id.as_ref().filter(|id| !id.starts_with('"'))?;
    replaced(line, &["id"], &format!("\"{id}\""))
}
