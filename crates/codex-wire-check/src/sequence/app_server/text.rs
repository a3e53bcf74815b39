//! Compares texts that arrive in deltas with the complete text that follows.
//!
//! Of the deltas only a running digest and a length are kept, so memory does not grow with the
//! text.

/// How many parts of a reasoning are followed.
const MOST_PARTS: usize = 4096;

/// A text as far as it was told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// Of all whole words of eight bytes.
    digest: u64,
    /// The bytes behind them, the first one lowest.
    rest: u64,
    length: u64,
}

impl Told {
    /// Adds a piece. How a text is cut into pieces makes no difference.
    pub(super) fn push(&mut self, piece: &str) {
        // The bytes that wait shift those that come, so that words are the same however a text
        // is cut.
        let waiting = self.length % 8 * 8;
        let (words, bytes) = piece.as_bytes().as_chunks::<8>();
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

    /// Whether the pieces join to a text.
    pub(super) fn is(&self, text: &str) -> bool {
        let mut whole = Told::default();
        whole.push(text);
        *self == whole
    }
}

/// Texts that are told side by side, each under its number.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    parts: Vec<Told>,
    /// Whether there were too many.
    unsure: bool,
}

impl Parts {
    /// The next part begins. Returns whether that is its number.
    pub(super) fn begin(&mut self, index: u64) -> bool {
        if self.parts.len() >= MOST_PARTS {
            self.unsure = true;
        }
        if self.unsure {
            return true;
        }
        let fits = index == self.parts.len() as u64;
        if fits {
            self.parts.push(Told::default());
        }
        fits
    }

    /// Adds a piece to a part. Returns whether there is that part.
    pub(super) fn push(&mut self, index: u64, piece: &str) -> bool {
        let part = usize::try_from(index).ok();
        match part.and_then(|part| self.parts.get_mut(part)) {
            Some(part) => {
                part.push(piece);
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
        let mut told = Told::default();
        for piece in ["a", "", "bü", "c"] {
            told.push(piece);
        }
        assert!(told.is("abüc"));
        assert!(!told.is("abcü"));
        assert!(!told.is("abü"));
    }

    #[test]
    fn how_a_text_is_cut_makes_no_difference() {
        let text = "abcdefghijklmnopqrstuvwxyz".repeat(2);
        for first in 0..text.len() {
            for second in first..text.len() {
                let mut told = Told::default();
                for piece in [&text[..first], &text[first..second], &text[second..]] {
                    told.push(piece);
                }
                assert!(told.is(&text), "{first} {second}");
                assert!(!told.is(&text[1..]));
                told.push("x");
                assert!(!told.is(&text));
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
