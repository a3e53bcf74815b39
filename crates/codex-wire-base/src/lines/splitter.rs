//! Splits what comes in pieces.

use super::line::Line;

/// Splits chunks of bytes into lines, at `\n` only. For an input that can be read, use
/// [`Lines`](super::Lines).
#[derive(Debug)]
pub struct Splitter {
    limit: usize,
    /// The beginning of a line that is not complete.
    buffer: Vec<u8>,
    /// How long that line is by now.
    length: u64,
    number: u64,
    offset: u64,
}

impl Splitter {
    /// Keeps no more than `limit` bytes of a line.
    pub fn new(limit: usize) -> Self {
        Splitter {
            limit,
            buffer: Vec::new(),
            length: 0,
            number: 0,
            offset: 0,
        }
    }

    /// Takes a chunk, and calls `each` with every line it completes.
    pub fn feed(&mut self, mut bytes: &[u8], mut each: impl FnMut(&Line<'_>)) {
        while let Some(at) = memchr::memchr(b'\n', bytes) {
            let (part, rest) = (&bytes[..at], &bytes[at + 1..]);
            if self.length == 0 {
                // Nothing waits: most lines need not be copied.
                self.length = part.len() as u64;
                self.emit(&part[..part.len().min(self.limit)], true, &mut each);
            } else {
                self.keep(part);
                self.flush(true, &mut each);
            }
            bytes = rest;
        }
        self.keep(bytes);
    }

    /// Ends the input. If the last line has no newline, calls `each` with it.
    pub fn finish(&mut self, mut each: impl FnMut(&Line<'_>)) {
        if self.length > 0 {
            self.flush(false, &mut each);
        }
    }

    /// How many bytes came of a line that is not complete.
    pub fn pending(&self) -> u64 {
        self.length
    }

    fn keep(&mut self, part: &[u8]) {
        let room = self.limit.saturating_sub(self.buffer.len());
        self.buffer.extend_from_slice(&part[..part.len().min(room)]);
        self.length += part.len() as u64;
    }

    fn flush(&mut self, ended: bool, each: &mut impl FnMut(&Line<'_>)) {
        let mut line = std::mem::take(&mut self.buffer);
        self.emit(&line, ended, each);
        line.clear();
        // One giant line must not keep its memory for the rest of the input.
        line.shrink_to(1 << 20);
        self.buffer = line;
    }

    fn emit(&mut self, bytes: &[u8], ended: bool, each: &mut impl FnMut(&Line<'_>)) {
        self.number += 1;
        each(&Line {
            bytes,
            number: self.number,
            offset: self.offset,
            ended,
            length: self.length,
            column: None,
        });
        self.offset += self.length + u64::from(ended);
        self.length = 0;
    }
}
