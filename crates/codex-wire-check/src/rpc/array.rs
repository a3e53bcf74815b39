//! Reports lines that are arrays, where the stream is JSON-RPC.

use crate::line::Text;
use crate::rpc::evidence::REQUESTS;
use crate::rule_macros::{connections, rules};
use crate::violation::{Broken, Violation};

/// What is wrong with such a line.
pub(crate) fn array(line: Text<'_>) -> Violation {
    let skipped = line.origin.skipped;
    Array.in_line(skipped..skipped + line.text.len())
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
    } => {
        Array: "the line is an array, not one message",
    }
}
