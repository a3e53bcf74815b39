//! Finds out where texts of the model begin among their deltas, in the core protocol.
//!
//! Its deltas have no ids. Several texts may come in deltas before the first of them comes whole, so
//! only the whole texts say where one ends. This needs a look ahead: all lines are read once to find
//! the cuts, and again to scrub them.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;

/// The kinds of texts: their deltas, and the event that has them whole.
const STRANDS: [(&[u8], &[u8]); 3] = [
    (b"agent_message_delta", b"agent_message"),
    (b"agent_reasoning_delta", b"agent_reasoning"),
    (
        b"agent_reasoning_raw_content_delta",
        b"agent_reasoning_raw_content",
    ),
];

/// Events after which the model starts again.
const BREAKS: [&[u8]; 7] = [
    b"background_event",
    b"error",
    b"stream_error",
    b"task_started",
    b"task_complete",
    b"turn_aborted",
    b"shutdown_complete",
];

/// The cuts of a transcript.
#[derive(Default)]
pub(crate) struct Cuts {
    /// By the number of the delta: the bytes at which a text begins.
    found: HashMap<u64, Vec<usize>, RandomState>,
    /// How many deltas came so far.
    count: u64,
    /// The deltas whose text has not come whole; none once the cuts are found.
    strands: Option<[Strand; 3]>,
}

/// Deltas of a kind.
#[derive(Default)]
struct Strand {
    text: VecDeque<u8>,
    /// Their numbers, how many of their bytes belong to texts that have come whole, and how many
    /// they have.
    deltas: VecDeque<(u64, usize, usize)>,
}

impl Cuts {
    /// Reads lines to find cuts.
    pub(crate) fn learning() -> Self {
        Cuts {
            strands: Some(Default::default()),
            ..Cuts::default()
        }
    }

    /// The cuts are found: the same lines come again.
    pub(crate) fn learned(&mut self) {
        self.strands = None;
        self.count = 0;
    }

    /// The next delta of an event. Returns where texts begin in it.
    pub(crate) fn delta(&mut self, event: &[u8], text: &[u8]) -> Vec<usize> {
        let Some(of) = STRANDS.iter().position(|(delta, _)| *delta == event) else {
            return Vec::new();
        };
        let number = self.count;
        self.count += 1;
        let Some(strands) = &mut self.strands else {
            return self.found.get(&number).cloned().unwrap_or_default();
        };
        let strand = &mut strands[of];
        if strand.text.is_empty() {
            self.found.entry(number).or_default().push(0);
        }
        if !text.is_empty() {
            strand.text.extend(text);
            strand.deltas.push_back((number, 0, text.len()));
        }
        Vec::new()
    }

    /// An event, and the text that it has.
    pub(crate) fn event(&mut self, event: &[u8], text: &[u8]) {
        let Some(strands) = &mut self.strands else {
            return;
        };
        // A message is not interrupted.
        if !STRANDS[0].0.starts_with(event) && !strands[0].text.is_empty() {
            *strands = Default::default();
        }
        if BREAKS.contains(&event) {
            *strands = Default::default();
        }
        let Some(of) = STRANDS.iter().position(|(_, whole)| *whole == event) else {
            return;
        };
        let strand = &mut strands[of];
        let begins =
            strand.text.len() >= text.len() && strand.text.iter().zip(text).all(|(a, b)| a == b);
        if !begins {
            *strand = Strand::default();
            return;
        }
        strand.text.drain(..text.len());
        let mut left = text.len();
        while let Some((number, before, length)) = strand.deltas.front_mut() {
            let rest = *length - *before;
            if left >= rest {
                left -= rest;
                strand.deltas.pop_front();
                continue;
            }
            *before += left;
            if !text.is_empty() {
                self.found.entry(*number).or_default().push(*before);
            }
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_begins_where_the_one_before_ends() {
        let mut cuts = Cuts::learning();
        let delta: &[u8] = b"agent_reasoning_delta";
        let texts = ["on", "e tw", "o", "three"];
        for text in texts {
            cuts.delta(delta, text.as_bytes());
        }
        for whole in ["one ", "two"] {
            cuts.event(b"agent_reasoning", whole.as_bytes());
        }
        cuts.learned();
        let found = texts.map(|text| cuts.delta(delta, text.as_bytes()));
        assert_eq!(found, [vec![0], vec![2], vec![], vec![0]]);
    }
}
