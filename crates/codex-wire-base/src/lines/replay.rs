//! Looks whether an input is a JSON array, without losing a byte of it.

use std::io::{self, BufRead};

/// How many bytes between `[` and the first element are read before it is decided whether an input is
/// an array of objects.
const HELD: usize = 4096;

/// A reader that gives some bytes again.
#[derive(Debug)]
pub(super) struct Replay<R> {
    held: Vec<u8>,
    at: usize,
    input: R,
}

impl<R: BufRead> Replay<R> {
    pub(super) fn new(input: R) -> Self {
        Replay {
            held: Vec::new(),
            at: 0,
            input,
        }
    }

    /// What was read and not consumed; none at the end.
    pub(super) fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at < self.held.len() {
            return Ok(&self.held[self.at..]);
        }
        self.input.fill_buf()
    }

    pub(super) fn consume(&mut self, bytes: usize) {
        if self.at < self.held.len() {
            self.at += bytes;
        } else {
            self.input.consume(bytes);
        }
    }

    /// Whether the input begins with `[` and an object, or is an empty array. Nothing is lost: what was
    /// looked at is read again.
    pub(super) fn is_array(&mut self) -> io::Result<bool> {
        let mut held = Vec::new();
        let is_array = loop {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let Some(&byte) = available.first() else {
                break false;
            };
            match (held.is_empty(), byte) {
                (true, b'[') | (false, b' ' | b'\t' | b'\r' | b'\n') if held.len() < HELD => {
                    held.push(byte);
                    self.input.consume(1);
                }
                (false, b'{' | b']') => break true,
                _ => break false,
            }
        };
        self.held = held;
        self.at = 0;
        Ok(is_array)
    }
}
