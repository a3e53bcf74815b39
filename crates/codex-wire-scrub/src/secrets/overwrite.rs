//! Overwrites letters and digits of a transcript, whatever they are written as.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::places::{At, Origin, Places};

/// What stands for a letter or a digit.
const MARK: u8 = b'*';

/// The digits of an escape that stands for it.
const ESCAPED: &[u8] = b"002a";

/// The number that stands for it.
const NUMBER: &[u8] = b"42";

/// A transcript that is being overwritten.
pub(super) struct Output {
    bytes: Vec<u8>,
    base64: Vec<Base64>,
}

/// A string in base64.
struct Base64 {
    /// Where its digits stand.
    digits: Range<usize>,
    decoded: Vec<u8>,
    is_changed: bool,
}

impl Output {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Output {
            bytes,
            base64: Vec::new(),
        }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Overwrites a byte of a text, if it is a part of a letter or a digit. Says whether it was there yet.
    pub(super) fn overwrite(&mut self, at: At, byte: u8) -> bool {
        if byte.is_ascii() && !byte.is_ascii_alphanumeric() {
            return false;
        }
        match at {
            At::Byte(at) => self.write(at, &[MARK]),
            At::Digits(at) => self.write(at, ESCAPED),
            // White space may stand before a number.
            At::Number(at, digits) => match digits {
                2 => self.write(at, NUMBER),
                3 => self.write(at, &[b' ', NUMBER[0], NUMBER[1]]),
                _ => false,
            },
            At::Base64(number, byte) => {
                let base64 = self.base64.get_mut(number);
                let there = base64.and_then(|base64| {
                    base64.is_changed = true;
                    base64.decoded.get_mut(byte)
                });
                there.is_some_and(|there| std::mem::replace(there, MARK) != MARK)
            }
            At::Nowhere => false,
        }
    }

    /// Takes note of a string in base64, which has that many digits and is so long when it is decoded. Returns the
    /// places of its bytes.
    pub(super) fn base64(&mut self, length: usize, digits: usize, origin: Origin<'_>) -> Places {
        let nowhere = Places::of(At::Nowhere, length);
        // What has no escapes stands together.
        let At::Byte(start) = origin.at(0) else {
            return nowhere;
        };
        let is_plain = (0..digits).all(|digit| origin.at(digit) == At::Byte(start + digit));
        let digits = start..start + digits;
        // As it was left before.
        let text = self.bytes.get(digits.clone()).filter(|_| is_plain);
        let Some(Ok(decoded)) = text.map(|text| STANDARD.decode(text)) else {
            return nowhere;
        };
        let number = self.base64.len();
        self.base64.push(Base64 {
            digits,
            decoded,
            is_changed: false,
        });
        Places::of(At::Base64(number, 0), length)
    }

    /// Writes what was overwritten in base64.
    pub(super) fn flush(&mut self) {
        for base64 in std::mem::take(&mut self.base64) {
            if base64.is_changed {
                let text = STANDARD.encode(&base64.decoded);
                for (there, byte) in self.bytes[base64.digits].iter_mut().zip(text.bytes()) {
                    *there = byte;
                }
            }
        }
    }

    fn write(&mut self, at: usize, new: &[u8]) -> bool {
        match self.bytes.get_mut(at..at + new.len()) {
            Some(there) if there != new => {
                there.copy_from_slice(new);
                true
            }
            _ => false,
        }
    }
}
