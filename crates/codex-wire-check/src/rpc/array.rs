//! Reports lines that are arrays, where the stream is JSON-RPC.

use crate::framing::frame::{LineMessage, LineViolation};
use crate::options::Options;
use crate::rpc::evidence::REQUESTS;
use crate::rule::{connections, rules};

/// What is wrong with such a line, unless the user allows it.
pub(crate) fn array(text: &str, options: &Options) -> Option<LineViolation> {
    options.severity(&RPC_ARRAY, false).map(|_| LineViolation {
        rule: &RPC_ARRAY,
        range: 0..text.len(),
        message: LineMessage::Fixed("the line is an array, not one message"),
    })
}

rules! {
    RPC_ARRAY {
        summary: "a line holds one message, not an array",
        id: "rpc/array",
        about: REQUESTS,
        explanation: "There are no batches: Codex does not answer an array of messages. There is one \
            accidental exception: Codex reads the array `[id, method, params]` as a request.",
        evidence: connections!("Codex never writes one. Of 104 that test clients wrote, only the \
            form above was answered."),
    }
}
