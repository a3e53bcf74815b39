//! `fault/byte-by-byte`: every byte is a write of its own.

use crate::faults::effect::{Effect, Injected, Parts};
use crate::faults::fault::{Fault, Layer};
use crate::faults::random::Random;

/// Every byte is a write of its own.
pub(super) static FAULT: Fault = Fault {
    id: "fault/byte-by-byte",
    summary: "every byte is a write of its own",
    stand_in: "Each byte is written by itself.",
    client: "As with `fault/split-writes`.",
    evidence: "As with `fault/split-writes`; it also finds readers that take quadratic time.",
    layer: Layer::Bytes,
    effect: |injected| Box::new(ByteByByte(injected)),
    ..Fault::ANY
};

struct ByteByByte(Injected);

impl Effect for ByteByByte {
    fn parts(&mut self, _: &[u8], _: &mut Random) -> Option<Parts> {
        self.0.note();
        Some(Parts::Bytes)
    }
}
