//! Overwrites letters and digits of a transcript, whatever they are written as.

use std::ops::RangeInclusive;

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
    digits: Places,
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
            At::Base64(number, byte) => self.write_base64(number, byte..=byte),
            // What it has bits of.
            At::Base64Digit(number, digit) => {
                self.write_base64(number, digit * 6 / 8..=(digit * 6 + 5) / 8)
            }
            At::Nowhere => false,
        }
    }

    /// Takes note of a string in base64. Returns its number, if it is one still.
    pub(super) fn base64(&mut self, digits: &[u8], origin: Origin<'_>) -> Option<usize> {
        // As it was left before.
        let left = digits.iter().enumerate();
        let left: Vec<u8> = left
            .map(|(at, digit)| self.digit(origin.at(at)).unwrap_or(*digit))
            .collect();
        self.base64.push(Base64 {
            digits: origin.within(0..digits.len()),
            decoded: STANDARD.decode(left).ok()?,
            is_changed: false,
        });
        Some(self.base64.len() - 1)
    }

    /// A digit of base64, unless it has an escape that cannot be overwritten.
    fn digit(&self, at: At) -> Option<u8> {
        match at {
            At::Byte(at) => self.bytes.get(at).copied(),
            At::Digits(at) => {
                let digits = str::from_utf8(self.bytes.get(at..at + 4)?).ok()?;
                u8::from_str_radix(digits, 16).ok()
            }
            _ => None,
        }
    }

    /// Writes what was overwritten in base64. What was overwritten as it is written stays so, and so does `\/`: letters
    /// and digits of ASCII have no slash.
    pub(super) fn flush(&mut self) {
        for base64 in std::mem::take(&mut self.base64) {
            if !base64.is_changed {
                continue;
            }
            let text = STANDARD.encode(&base64.decoded);
            for (number, digit) in text.bytes().enumerate() {
                match Origin::Of(&base64.digits).at(number) {
                    At::Byte(at) if self.bytes.get(at) != Some(&MARK) => {
                        self.write(at, &[digit]);
                    }
                    at @ At::Digits(start) if self.digit(at) != Some(MARK) => {
                        self.write(start, format!("{digit:04x}").as_bytes());
                    }
                    _ => {}
                }
            }
        }
    }

    fn write_base64(&mut self, number: usize, bytes: RangeInclusive<usize>) -> bool {
        let Some(base64) = self.base64.get_mut(number) else {
            return false;
        };
        let mut is_new = false;
        for byte in bytes {
            if let Some(there) = base64.decoded.get_mut(byte) {
                is_new |= std::mem::replace(there, MARK) != MARK;
            }
        }
        base64.is_changed |= is_new;
        is_new
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
