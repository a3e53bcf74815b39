//! Finds names and values by comparing them as they are written.

use crate::simd::{HEAD, same};
use crate::text::LONGEST;

/// Names or values, each with the number it was given with.
#[derive(Debug)]
pub(crate) struct Interner {
    entries: Box<[Interned]>,
    /// Every text as it is written.
    written: Box<[u8]>,
    /// Positions in `entries`, counted from 1, by hash; zero where there is none.
    slots: Box<[u16]>,
}

/// One of them, as it is written: in quotes, and with a colon behind where it is a name.
#[derive(Clone, Debug)]
pub(crate) struct Interned {
    /// What it begins with. A byte that no text has, where it is always written with escapes:
    /// then it is never at once seen to be there.
    head: [u8; HEAD],
    /// Which bytes of `head` are meant.
    bits: u32,
    /// Where it stands in `written`.
    start: u32,
    /// Its length as it is written.
    length: u16,
    /// The length of its text alone.
    text: u16,
    mark: Mark,
}

/// Tells most names apart, without reading them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark(u32);

impl Mark {
    /// Of a name that has to be examined.
    pub(crate) const NONE: Mark = Mark(u32::MAX);

    /// Of a name, as text. It has no loop, so that of a name that is written in the source it is
    /// known when that is compiled.
    #[inline(always)]
    pub(crate) const fn of(name: &[u8]) -> Self {
        let [first, .., last] = name else {
            return Mark(name.len() as u32);
        };
        let middle = name[name.len() / 2];
        let ends = (*first as u32) << 8 | *last as u32;
        Mark((name.len() as u32) << 24 ^ (middle as u32) << 16 ^ ends)
    }
}

/// What follows the closing quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Nothing: these are values.
    Value,
    /// A colon: these are names of members.
    Name,
}

impl Interner {
    /// Texts of no more than [`LONGEST`] bytes, each once; no more than `u16::MAX` / 2 of them.
    pub(crate) fn new(texts: &[&str], ending: Ending) -> Self {
        let mut written = Vec::new();
        let mut entries = Vec::new();
        let mut slots = vec![0; (texts.len() * 2).next_power_of_two()];
        for (index, text) in texts.iter().enumerate() {
            let start = written.len();
            written.push(b'"');
            written.extend_from_slice(text.as_bytes());
            written.push(b'"');
            if ending == Ending::Name {
                written.push(b':');
            }
            entries.push(Interned::new(&written[start..], start, text));
            let mut slot = hash(text.as_bytes()) as usize % slots.len();
            while slots[slot] != 0 {
                slot = (slot + 1) % slots.len();
            }
            slots[slot] = index as u16 + 1;
        }
        Interner {
            entries: entries.into(),
            written: written.into(),
            slots: slots.into(),
        }
    }

    /// All of them.
    pub(crate) fn list(&self) -> &[Interned] {
        &self.entries
    }

    /// The place behind a text, if that is what stands at `at`. Writers put no space before the
    /// colon, so where there is some this says no.
    #[inline(always)]
    pub(crate) fn begins(&self, word: usize, line: &[u8], at: usize) -> Option<usize> {
        self.begins_with(self.entries.get(word)?, line, at)
    }

    /// The place behind one of these texts, if that is what stands at `at`.
    #[inline(always)]
    pub(crate) fn begins_with(&self, word: &Interned, line: &[u8], at: usize) -> Option<usize> {
        let Some(block) = line.get(at..)?.first_chunk::<HEAD>() else {
            return self.begins_last(word, line, at);
        };
        let length = usize::from(word.length);
        let begins = same(block, &word.head, word.bits)
            && (length <= HEAD || self.begins_last(word, line, at).is_some());
        begins.then_some(at + length)
    }

    /// The same near the end of the line, and for long texts.
    #[cold]
    fn begins_last(&self, word: &Interned, line: &[u8], at: usize) -> Option<usize> {
        let written = self.written(word);
        let begins = line.get(at..)?.starts_with(written) && written.starts_with(&word.head[..1]);
        begins.then_some(at + written.len())
    }

    /// Whether a word takes so many bytes as it is written, rather than more, with escapes.
    #[inline(always)]
    pub(crate) fn is_written_in(&self, word: usize, bytes: usize) -> bool {
        let is_it = |word: &Interned| word.head[0] == b'"' && usize::from(word.length) == bytes;
        self.entries.get(word).is_some_and(is_it)
    }

    /// Which word a text is.
    #[inline]
    pub(crate) fn find(&self, text: &[u8]) -> Option<usize> {
        let mut slot = hash(text) as usize;
        loop {
            slot &= self.slots.len() - 1;
            let index = usize::from(self.slots[slot]).checked_sub(1)?;
            let word = &self.entries[index];
            if self.text(word) == text {
                return Some(index);
            }
            slot += 1;
        }
    }

    /// Which word a text is that may stand in a line as it is.
    #[inline]
    pub(crate) fn find_plain(&self, text: &[u8]) -> Option<usize> {
        let found = self.find(text)?;
        (self.entries[found].head[0] == b'"').then_some(found)
    }

    fn written(&self, word: &Interned) -> &[u8] {
        let start = word.start as usize;
        &self.written[start..start + usize::from(word.length)]
    }

    /// The text of a word of these.
    pub(crate) fn text(&self, word: &Interned) -> &[u8] {
        let start = word.start as usize + 1;
        &self.written[start..start + usize::from(word.text)]
    }
}

impl Interned {
    fn new(written: &[u8], start: usize, text: &str) -> Self {
        debug_assert!(text.len() <= LONGEST);
        let mut head = [0; HEAD];
        let known = written.len().min(HEAD);
        head[..known].copy_from_slice(&written[..known]);
        let is_stop = |byte| matches!(byte, b'"' | b'\\' | ..0x20);
        if text.bytes().any(is_stop) {
            head = [0xff; HEAD];
        }
        Interned {
            head,
            bits: u32::MAX >> (HEAD - known),
            start: start as u32,
            length: written.len() as u16,
            text: text.len() as u16,
            mark: Mark::of(text.as_bytes()),
        }
    }

    /// The mark of the name, where it is written in so many bytes: with escapes it takes more.
    #[inline(always)]
    pub(crate) fn mark(&self, written: usize) -> Mark {
        if written == usize::from(self.text) {
            self.mark
        } else {
            Mark::NONE
        }
    }
}

/// A number for a text, from its ends and its length.
fn hash(text: &[u8]) -> u32 {
    let (first, last) = match (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => (
            text.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)),
            0,
        ),
    };
    mix(first ^ last.rotate_left(23) ^ text.len() as u64)
}

/// A number for a text, from all of it.
#[inline]
pub(crate) fn digest(text: &[u8]) -> u32 {
    let (words, rest) = text.as_chunks::<8>();
    let whole = words.iter().fold(text.len() as u64, |all, word| {
        let word = u64::from_le_bytes(*word);
        (all.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    let rest = rest.iter().fold(0, |all, byte| all << 8 | u64::from(*byte));
    mix(whole.rotate_left(5) ^ rest)
}

fn mix(value: u64) -> u32 {
    (value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_and_nothing_else() {
        let long = "l".repeat(100);
        let longer = format!("{long}x");
        let texts = [
            "type",
            "",
            "id",
            "thread_id",
            "thread_ie",
            &long,
            &longer,
            "é",
            "a\"b",
        ];
        for ending in [Ending::Value, Ending::Name] {
            let words = Interner::new(&texts, ending);
            for (index, text) in texts.iter().enumerate() {
                assert_eq!(words.find(text.as_bytes()), Some(index));
                let colon = if ending == Ending::Name { ":" } else { "" };
                let written = format!("\"{text}\"{colon}");
                for after in ["", "1,\"a\":2}"] {
                    for pad in [0, 40] {
                        let line = format!("x{written}{after}{}", " ".repeat(pad));
                        let end = Some(1 + written.len()).filter(|_| !text.contains('"'));
                        assert_eq!(words.begins(index, line.as_bytes(), 1), end, "{line}");
                        assert_eq!(words.begins((index + 1) % 7, line.as_bytes(), 1), None);
                    }
                }
                assert_eq!(words.find(format!("{text}y").as_bytes()), None);
            }
            assert_eq!(words.begins(texts.len(), b"\"type\":", 0), None);
        }
        assert_eq!(Interner::new(&[], Ending::Name).find(b"a"), None);
    }
}
