//! Looks whether an input is a JSON array, without losing a byte of it.

use std::io::{self, BufRead};

/// How many bytes between `[` and the first element are read before it is decided whether an input is
/// an array of objects.
const HELD: usize = 4096;

/// The tokens before the first element of an array.
const ARRAY: &[&str] = &["["];

/// Those of an object that holds an array of messages.
const WRAPPED: &[&str] = &["{", "\"notifications\"", ":", "["];

/// How an array begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    /// How many bytes there are up to its `[`.
    pub(super) bytes: usize,
    /// Whether an object holds it.
    pub(super) is_wrapped: bool,
}

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

    /// How an array of objects begins here, if one does, or an empty array. Nothing is lost: what this
    /// reads is read again.
    pub(super) fn opening(&mut self) -> io::Result<Option<Opening>> {
        let mut held = Vec::new();
        let opening = self.hold_opening(&mut held);
        self.held = held;
        self.at = 0;
        opening
    }

    fn hold_opening(&mut self, held: &mut Vec<u8>) -> io::Result<Option<Opening>> {
        let tokens = match self.peek()? {
            Some(b'[') => ARRAY,
            Some(b'{') => WRAPPED,
            _ => return Ok(None),
        };
        for token in tokens {
            if !held.is_empty() {
                self.hold_space(held)?;
            }
            for byte in token.bytes() {
                if self.peek()? != Some(byte) {
                    return Ok(None);
                }
                self.hold(byte, held);
            }
        }
        let bytes = held.len();
        self.hold_space(held)?;
        let is_array = matches!(self.peek()?, Some(b'{' | b']'));
        let is_wrapped = tokens.len() > 1;
        Ok(is_array.then_some(Opening { bytes, is_wrapped }))
    }

    /// Holds white space, up to a limit.
    fn hold_space(&mut self, held: &mut Vec<u8>) -> io::Result<()> {
        while let Some(byte @ (b' ' | b'\t' | b'\r' | b'\n')) = self.peek()? {
            if held.len() >= HELD {
                break;
            }
            self.hold(byte, held);
        }
        Ok(())
    }

    fn hold(&mut self, byte: u8, held: &mut Vec<u8>) {
        held.push(byte);
        self.input.consume(1);
    }

    /// The next byte that is not held.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.input.fill_buf() {
                Ok(available) => return Ok(available.first().copied()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
