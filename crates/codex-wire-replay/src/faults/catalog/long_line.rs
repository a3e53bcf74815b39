//! `fault/long-line`: lines have 5 MB.

use crate::faults::effect::{Effect, Injected, Line};
use crate::faults::fault::{Fault, Layer, Place};
use crate::faults::response::holds_message;

/// Lines have 5 MB.
pub(super) static FAULT: Fault = Fault {
    id: "fault/long-line",
    summary: "lines have 5 MB",
    stand_in: "A line with a whole message of the agent, which clients show, and the line that ends a turn get so \
        many spaces before their last brace that they have 5 MB: nothing but the length changes.",
    client: "Read lines of any length, or of 256 MiB at least. The limit of 64 KiB of Python's `asyncio` is \
        too small.",
    evidence: "Outputs of commands and images in results of tools make such lines; the fixture \
        `output_1m` has one of 1 MB.",
    place: Place::Line("those with messages of the agent, and those that end a turn,"),
    layer: Layer::Lines,
    effect: |injected| Box::new(LongLine(injected)),
    ..Fault::ANY
};

struct LongLine(Injected);

/// How long a line gets.
const LONG: usize = 5_000_000;

impl Effect for LongLine {
    fn bytes(&mut self, line: &Line<'_>) -> Option<Vec<u8>> {
        let is_shown = self.0.number.is_none() && holds_message(line.bytes);
        if !is_shown && !self.0.is_at(line) {
            return None;
        }
        let padded = padded(line.bytes)?;
        self.0.note();
        Some(padded)
    }
}

/// The line with spaces before its last brace.
fn padded(line: &[u8]) -> Option<Vec<u8>> {
    let brace = memchr::memrchr(b'}', line)?;
    let mut out = Vec::with_capacity(LONG + 1);
    out.extend_from_slice(&line[..brace]);
    out.resize(LONG.saturating_sub(line.len() - brace).max(brace), b' ');
    out.extend_from_slice(&line[brace..]);
    Some(out)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_long_line_is_the_same_json() {
        let line = b"{\"a\":[{}],\"b\":1}\n";
        let long = padded(line).expect("an object");
        assert_eq!(long.len(), LONG);
        let value = |line: &[u8]| serde_json::from_slice::<Value>(line).expect("JSON");
        assert_eq!(value(&long), value(line));
    }
}
