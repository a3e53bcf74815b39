//! Counts the characters before a byte of a line, and finds where its tokens begin, once a finding needs it.

use std::cell::OnceCell;
use std::ops::Range;

use crate::finding::Characters;

/// What was found out about a line when a finding needed it.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    /// How many characters come before every so many bytes.
    characters: OnceCell<Vec<u64>>,
    /// Where the tokens begin, for excerpts.
    tokens: OnceCell<Vec<u32>>,
}

/// How many bytes are counted again for each place.
const BLOCK: usize = 4096;

impl Positions {
    /// The part `range` of a line, whose text begins behind `skipped` characters.
    pub(crate) fn characters(
        &self,
        text: &str,
        range: &Range<usize>,
        skipped: u64,
    ) -> Option<Characters> {
        let (start, end) = (
            self.before(text, range.start)?,
            self.before(text, range.end)?,
        );
        Some(Characters {
            column: skipped + start + 1,
            length: end.saturating_sub(start),
        })
    }

    /// Where the tokens of a line begin, which `find` finds once.
    pub(crate) fn tokens(&self, text: &str, find: fn(&str) -> Vec<u32>) -> &[u32] {
        self.tokens.get_or_init(|| find(text))
    }

    /// How many characters come before a byte.
    fn before(&self, text: &str, at: usize) -> Option<u64> {
        if !text.is_char_boundary(at) {
            return None;
        }
        let block = at / BLOCK;
        // Most places are near the beginning: then no other block has to be counted.
        if block == 0 {
            return Some(begun(&text.as_bytes()[..at]));
        }
        let marks = self.characters.get_or_init(|| {
            let mut sum = 0;
            let blocks = text.as_bytes().chunks(BLOCK).map(|block| {
                let before = sum;
                sum += begun(block);
                before
            });
            blocks.collect()
        });
        // At the end of the last whole block there is no other.
        match marks.get(block) {
            Some(before) => Some(before + begun(&text.as_bytes()[block * BLOCK..at])),
            None => Some(begun(text.as_bytes())),
        }
    }
}

/// How many characters begin in some bytes of a text.
fn begun(bytes: &[u8]) -> u64 {
    bytecount::num_chars(bytes) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_from_near_by() {
        for text in [
            "ä€😀x".repeat(2000),
            "a".repeat(BLOCK),
            "é".repeat(BLOCK / 2),
            String::new(),
        ] {
            let positions = Positions::default();
            for (count, (at, _)) in text.char_indices().enumerate() {
                assert_eq!(positions.before(&text, at), Some(count as u64), "{at}");
            }
            let all = text.chars().count() as u64;
            assert_eq!(positions.before(&text, text.len()), Some(all));
            assert_eq!(positions.before(&text, text.len() + 1), None);
        }
        assert_eq!(Positions::default().before("é", 1), None);
        let of = Positions::default().characters("aéb", &(1..3), 1);
        assert_eq!(
            of,
            Some(Characters {
                column: 3,
                length: 1
            })
        );
    }
}
