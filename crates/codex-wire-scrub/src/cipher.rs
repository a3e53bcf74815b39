//! Replaces the bytes of a text, one after another, under a key.
//!
//! Each byte is moved within its class by a distance that a keyed hash of all bytes before it gives.
//! So equal texts get equal placeholders and different texts different ones, without a table. The
//! deltas of a text join to the placeholder of the whole, wherever the text is cut, if the chain goes
//! on from delta to delta. Without the key nothing is learned of a byte but its class, and that two
//! texts begin alike.
//!
//! UTF-8 stays UTF-8 with characters of the same length, what is not UTF-8 stays none, and no
//! byte of JSON's syntax appears or disappears.

use std::hash::Hasher as _;

use siphasher::sip::SipHasher24;

/// The key of a run. Whoever has it can test guesses of what was replaced: throw it away.
#[derive(Clone, Copy)]
pub struct Key([u8; 16]);

impl Key {
    /// A key of 16 bytes, which should be random.
    pub fn new(bytes: [u8; 16]) -> Self {
        Key(bytes)
    }

    /// A key made from a text. It is as secret as the text is.
    pub fn of_text(text: &str) -> Self {
        Key::derived(&[0; 16], text.as_bytes())
    }

    /// Another key, made from this one.
    pub(crate) fn next(self) -> Self {
        Key::derived(&self.0, b"next")
    }

    fn derived(key: &[u8; 16], text: &[u8]) -> Self {
        let mut bytes = [0; 16];
        for (half, part) in bytes.chunks_exact_mut(8).zip(0u8..) {
            let mut hasher = SipHasher24::new_with_key(key);
            hasher.write(text);
            hasher.write(&[part]);
            half.copy_from_slice(&hasher.finish().to_le_bytes());
        }
        Key(bytes)
    }

    /// The beginning of a text.
    pub(crate) fn chain(&self) -> Chain {
        Chain {
            hasher: SipHasher24::new_with_key(&self.0),
            begun: [0; 4],
            length: 0,
        }
    }
}

/// Only that it is one: the bytes stay secret.
impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

/// What a byte that is not UTF-8 counts as: decoders read U+FFFD there.
const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// How far a text has been replaced.
#[derive(Clone)]
pub(crate) struct Chain {
    /// Of all whole characters before.
    hasher: SipHasher24,
    /// The bytes of a character that is not complete yet.
    begun: [u8; 4],
    length: usize,
}

impl Chain {
    /// Replaces the next bytes, and appends the new ones to `out`.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        out.reserve(bytes.len());
        for byte in bytes {
            out.push(self.next(*byte));
        }
    }

    /// A number below `size`, from what was before.
    pub(crate) fn number(&self, size: u64) -> u64 {
        let mut hasher = self.hasher;
        hasher.write(&self.begun[..self.length]);
        hasher.finish() % size
    }

    /// Takes note of a byte that is replaced, or kept, elsewhere.
    pub(crate) fn absorb(&mut self, byte: u8) {
        self.hasher.write(&[byte]);
    }

    /// The byte that replaces the next one.
    pub(crate) fn next(&mut self, byte: u8) -> u8 {
        if self.length > 0 {
            if let Some(new) = self.continuation(byte) {
                return new;
            }
            // What began is not a character. A stray byte behind it stays, since another one might
            // complete it.
            self.length = 0;
            self.hasher.write(REPLACEMENT);
            if byte & 0xc0 == 0x80 {
                self.hasher.write(REPLACEMENT);
                return byte;
            }
        }
        let Some((class, place)) = ASCII[usize::from(byte)] else {
            if byte < 0x80 {
                self.absorb(byte);
                return byte;
            }
            return self.first(byte);
        };
        let size = class.len() as u64;
        let moved = (u64::from(place) + self.number(size)) % size;
        self.absorb(byte);
        class[moved as usize]
    }

    /// The byte that replaces one of a range, both ends included.
    fn among(&self, first: u8, last: u8, byte: u8) -> u8 {
        let size = u64::from(last - first) + 1;
        first + ((u64::from(byte - first) + self.number(size)) % size) as u8
    }

    /// The byte that replaces the first one of a character of several, or one that is in none.
    fn first(&mut self, byte: u8) -> u8 {
        let new = match byte {
            0xc3..=0xdf => self.among(0xc3, 0xdf, byte),
            0xe1..=0xec => self.among(0xe1, 0xec, byte),
            0xf1..=0xf3 => self.among(0xf1, 0xf3, byte),
            // What may follow these is limited.
            0xc2 | 0xe0 | 0xed..=0xf0 | 0xf4 => byte,
            0x80..=0xbf => {
                let new = self.among(0x80, 0xbf, byte);
                self.hasher.write(REPLACEMENT);
                return new;
            }
            _ => {
                let new = match byte {
                    0xf5.. => self.among(0xf5, 0xff, byte),
                    _ => byte,
                };
                self.hasher.write(REPLACEMENT);
                return new;
            }
        };
        self.begun[0] = byte;
        self.length = 1;
        new
    }

    /// The byte that replaces a further one of a character; `None` if it cannot be one.
    fn continuation(&mut self, byte: u8) -> Option<u8> {
        let (first, last) = match (self.begun[0], self.length) {
            // Control characters stay, as do those at the end of the range, U+FFFD among them.
            (0xc2, 1) if byte < 0xa0 => (byte, byte),
            (0xc2, 1) => (0xa0, 0xbf),
            (0xe0, 1) => (0xa0, 0xbf),
            (0xed, 1) => (0x80, 0x9f),
            (0xef, 1) if byte == 0xbf => (byte, byte),
            (0xef, 1) => (0x80, 0xbe),
            (0xef, 2) if self.begun[1] == 0xbf => (byte, byte),
            (0xf0, 1) => (0x90, 0xbf),
            (0xf4, 1) => (0x80, 0x8f),
            _ => (0x80, 0xbf),
        };
        if byte & 0xc0 != 0x80 || !(first..=last).contains(&byte) {
            return None;
        }
        let new = self.among(first, last, byte);
        self.begun[self.length] = byte;
        self.length += 1;
        let whole = match self.begun[0] {
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            _ => 4,
        };
        if self.length == whole {
            self.hasher.write(&self.begun[..whole]);
            self.length = 0;
        }
        Some(new)
    }
}

/// What names, ids and paths are made of, except for the slash, which stays.
const NAMES: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-~@+=";
/// What else can be printed and needs no escape in JSON.
const MARKS: &[u8] = b" !#$%&'()*,;<>?[]^`{|}";
/// What needs an escape of one letter and can be printed.
const ESCAPED: &[u8] = b"\"\\";

/// The class of each byte and its place in it; `None` if it stays or is none of ASCII.
static ASCII: [Option<(&[u8], u8)>; 256] = {
    let mut table = [None; 256];
    let classes = [NAMES, MARKS, ESCAPED];
    let mut class = 0;
    while class < classes.len() {
        let mut place = 0;
        while place < classes[class].len() {
            table[classes[class][place] as usize] = Some((classes[class], place as u8));
            place += 1;
        }
        class += 1;
    }
    table
};

/// Symbols of base64, standard alphabet.
pub(crate) const BASE64: &[u8] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Replaces the symbols of a text in base64. It decodes to as many bytes as before, if it did.
pub(crate) fn base64(key: Key, text: &[u8], out: &mut Vec<u8>) {
    let mut chain = key.chain();
    let symbols = text
        .iter()
        .rposition(|byte| *byte != b'=')
        .map_or(0, |at| at + 1);
    let padding = text.len() - symbols;
    for (at, byte) in text.iter().enumerate() {
        let place = BASE64.iter().position(|symbol| symbol == byte);
        let new = match place {
            Some(place) => {
                // The low bits of the last symbol before padding are zero.
                let step = match (at + 1 == symbols, padding) {
                    (true, 1) if place % 4 == 0 => 4,
                    (true, 2) if place % 16 == 0 => 16,
                    _ => 1,
                };
                let size = 64 / step as u64;
                let moved = ((place / step) as u64 + chain.number(size)) % size;
                BASE64[moved as usize * step]
            }
            None => *byte,
        };
        chain.absorb(*byte);
        out.push(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        Key::new([7; 16]).chain().push(bytes, &mut out);
        out
    }

    #[test]
    fn pieces_join_wherever_a_text_is_cut() {
        let text = "Grüße, 你好 🦀 \u{fffd} \u{85} \"\\\n/a".as_bytes();
        let mut bytes = text.to_vec();
        bytes.extend([0xff, 0xe4, 0xb8, b'x', 0xed, 0xa0, 0x80, 0xc0]);
        let whole = replaced(&bytes);
        assert_eq!(whole.len(), bytes.len());
        for cut in 0..bytes.len() {
            let mut chain = Key::new([7; 16]).chain();
            let mut out = Vec::new();
            chain.push(&bytes[..cut], &mut out);
            chain.push(&bytes[cut..], &mut out);
            assert_eq!(out, whole, "{cut}");
        }
        // A decoder sees the same text in bytes that are not UTF-8 and in what it read of them.
        let lossy = String::from_utf8_lossy(&bytes).into_owned();
        assert_eq!(
            String::from_utf8_lossy(&whole).into_owned().into_bytes(),
            replaced(lossy.as_bytes())
        );
    }

    #[test]
    fn base64_stays_base64() {
        use base64::Engine as _;
        let standard = base64::engine::general_purpose::STANDARD;
        for length in 0..40 {
            let text = standard.encode(vec![length as u8; length]);
            let mut out = Vec::new();
            base64(Key::new([1; 16]), text.as_bytes(), &mut out);
            assert_eq!(standard.decode(&out).map(|bytes| bytes.len()), Ok(length));
            assert!(length < 9 || out != text.as_bytes());
        }
    }
}
