//! Compares texts that arrive in deltas with the complete text that follows.
//!
//! Of the deltas only a running digest and a length are kept, so memory does not grow with the
//! text.

/// How many parts of a reasoning item are compared.
const MOST_PARTS: usize = 4096;

/// The text that the deltas so far add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DeltaText {
    /// Of all whole words of eight bytes.
    digest: u64,
    /// The bytes behind them, the first one lowest.
    rest: u64,
    length: u64,
}

impl DeltaText {
    /// Adds a delta. How a text is cut into deltas makes no difference.
    pub(super) fn push(&mut self, delta: &str) {
        // The bytes that wait shift those that come, so that words are the same however a text
        // is cut.
        let waiting = self.length % 8 * 8;
        let (words, bytes) = delta.as_bytes().as_chunks::<8>();
        for word in words {
            let word = u64::from_le_bytes(*word);
            self.mix(self.rest | word << waiting);
            self.rest = if waiting == 0 {
                0
            } else {
                word >> (64 - waiting)
            };
        }
        self.length += 8 * words.len() as u64;
        for byte in bytes {
            self.rest |= u64::from(*byte) << (self.length % 8 * 8);
            self.length += 1;
            if self.length.is_multiple_of(8) {
                self.mix(self.rest);
                self.rest = 0;
            }
        }
    }

    fn mix(&mut self, word: u64) {
        self.digest = (self.digest.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    /// Whether the deltas add up to a text.
    pub(super) fn is(&self, text: &str) -> bool {
        let mut whole = DeltaText::default();
        whole.push(text);
        *self == whole
    }
}

/// The texts of an item with several parts, each with its own deltas.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    parts: Vec<DeltaText>,
    /// Whether there were too many.
    unsure: bool,
}

impl Parts {
    /// The next part begins. Returns whether `index` is its number.
    pub(super) fn begin(&mut self, index: u64) -> bool {
        if self.parts.len() >= MOST_PARTS {
            self.unsure = true;
        }
        if self.unsure {
            return true;
        }
        let fits = index == self.parts.len() as u64;
        if fits {
            self.parts.push(DeltaText::default());
        }
        fits
    }

    /// Adds a delta to a part. Returns whether there is that part.
    pub(super) fn push(&mut self, index: u64, delta: &str) -> bool {
        let part = usize::try_from(index).ok();
        match part.and_then(|part| self.parts.get_mut(part)) {
            Some(part) => {
                part.push(delta);
                true
            }
            None => self.unsure,
        }
    }

    /// How many parts there are.
    pub(super) fn count(&self) -> u64 {
        self.parts.len() as u64
    }

    /// Whether the parts are these texts.
    pub(super) fn are(&self, texts: &[&str]) -> bool {
        let same = || {
            self.parts
                .iter()
                .zip(texts)
                .all(|(part, text)| part.is(text))
        };
        self.unsure || self.parts.len() == texts.len() && same()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_join() {
        let mut reported = DeltaText::default();
        for delta in ["a", "", "bü", "c"] {
            reported.push(delta);
        }
        assert!(reported.is("abüc"));
        assert!(!reported.is("abcü"));
        assert!(!reported.is("abü"));
    }

    #[test]
    fn how_a_text_is_cut_makes_no_difference() {
        let text = "abcdefghijklmnopqrstuvwxyz".repeat(2);
        for first in 0..text.len() {
            for second in first..text.len() {
                let mut reported = DeltaText::default();
                for delta in [&text[..first], &text[first..second], &text[second..]] {
                    reported.push(delta);
                }
                assert!(reported.is(&text), "{first} {second}");
                assert!(!reported.is(&text[1..]));
                reported.push("x");
                assert!(!reported.is(&text));
            }
        }
    }

    #[test]
    fn parts_come_one_after_another() {
        let mut parts = Parts::default();
        assert!(!parts.push(0, "x"));
        assert!(parts.begin(0));
        assert!(parts.push(0, "x"));
        assert!(!parts.begin(2));
        assert!(parts.begin(1));
        assert!(parts.are(&["x", ""]));
        assert!(!parts.are(&["x"]));
    }

    #[test]
    fn it_does_not_grow() {
        let mut parts = Parts::default();
        for index in 0..10_000 {
            assert!(parts.begin(index));
        }
        assert_eq!(parts.parts.len(), MOST_PARTS);
        assert!(parts.are(&[]));
    }
}
