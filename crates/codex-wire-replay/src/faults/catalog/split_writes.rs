//! `fault/split-writes`: lines come in several writes.

use std::time::Duration;

use crate::faults::effect::{Effect, Injected, Parts};
use crate::faults::fault::{Fault, Layer};
use crate::faults::random::Random;

/// Lines come in several writes.
pub(super) static FAULT: Fault = Fault {
    id: "fault/split-writes",
    summary: "lines come in several writes",
    stand_in: "Each line is written in two to four parts, with a pause of 1 ms to 5 ms between them. A part can end \
        in the middle of a character.",
    client: "Collect bytes until the newline, then decode UTF-8.",
    evidence: "Clients that parse each chunk as a line, or decode each chunk on its own.",
    layer: Layer::Bytes,
    effect: |injected| Box::new(SplitWrites(injected)),
    ..Fault::ANY
};

struct SplitWrites(Injected);

impl Effect for SplitWrites {
    fn parts(&mut self, line: &[u8], random: &mut Random) -> Option<Parts> {
        if line.len() < 2 {
            return None;
        }
        self.0.note();
        let cuts = 1 + random.below(3);
        let mut places: Vec<usize> = (0..cuts)
            .map(|_| 1 + random.below(line.len() - 1))
            .collect();
        places.sort_unstable();
        places.dedup();
        let mut pause = || Duration::from_millis(1 + random.below(5) as u64);
        let cuts = places.into_iter().map(|place| (place, pause()));
        Some(Parts::At(cuts.collect()))
    }
}
