//! Splits bytes into lines, with one line or a few in memory at a time. [`Reader`](crate::Reader)
//! and the checker are built on this.

mod array;
mod column;
mod endless;
mod line;
mod replay;
mod splitter;

use std::io::{self, BufRead};

use array::Elements;
pub use column::Column;
use endless::endless;
pub use line::Line;
use replay::Replay;
pub use splitter::Splitter;

/// How many bytes of a line are read, kept or not, unless more are to be kept: what has no end then is not a
/// line but something that never ends, such as `/dev/zero`.
pub const LONGEST: u64 = 1 << 30;

/// The byte order mark of UTF-8, with which some programs begin a text. It is no part of the first line.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The first line of an input, or the input, behind its byte order mark, if it has one.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// Splits an input into lines at `\n` only: U+2028 and U+2029 stand raw inside Codex's lines.
#[derive(Debug)]
pub struct Lines<R> {
    input: Replay<R>,
    limit: usize,
    /// How many bytes of a line are read.
    longest: u64,
    /// The line at hand, if it does not stand whole in what was read.
    buffer: Vec<u8>,
    /// How many bytes of what was read are those of the line at hand.
    used: usize,
    number: u64,
    offset: u64,
    form: Form,
}

/// What an input is taken for.
#[derive(Debug)]
enum Form {
    Lines,
    /// Nothing was read yet: it may be an array.
    Unknown,
    /// An array that has begun.
    Array(Elements),
}

impl<R: BufRead> Lines<R> {
    /// The lines of `input`, of each no more than `limit` bytes.
    pub fn new(input: R, limit: usize) -> Self {
        Lines {
            input: Replay::new(input),
            limit,
            longest: LONGEST.max(limit as u64),
            buffer: Vec::new(),
            used: 0,
            number: 0,
            offset: 0,
            form: Form::Lines,
        }
    }

    /// Also reads an array of objects: each element is a line, with its true place. The input is one if
    /// it begins with `[` and `{`; there may be white space between the two. Objects with the one member
    /// `notifications`, which is such an array, are read in the same way.
    #[must_use]
    pub fn or_array(mut self) -> Self {
        self.form = Form::Unknown;
        self
    }

    /// Whether the input is an array, as far as it was read.
    pub fn is_array(&self) -> bool {
        matches!(self.form, Form::Array(_))
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    /// When reading fails, or a line goes on for more than [`LONGEST`] bytes and more than the limit.
    #[expect(
        clippy::should_implement_trait,
        reason = "the line borrows from the splitter"
    )]
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.input.consume(std::mem::take(&mut self.used));
        self.buffer.clear();
        // One giant line must not keep its memory for the rest of the input.
        self.buffer.shrink_to(1 << 20);
        loop {
            if let Form::Unknown = self.form {
                let place = (self.number, self.offset);
                self.form = match self.input.opening()? {
                    Some(opening) => Form::Array(Elements::new(
                        &mut self.input,
                        opening,
                        place,
                        self.longest,
                    )?),
                    None => Form::Lines,
                };
            }
            let Form::Array(elements) = &mut self.form else {
                break;
            };
            if let Some(element) = elements.next(&mut self.input, &mut self.buffer, self.limit)? {
                return Ok(Some(element.line(&self.buffer)));
            }
            (self.number, self.offset) = elements.end();
            // What follows the array and the white space behind it are lines, or another such object.
            self.form = match elements.is_wrapped() {
                true => Form::Unknown,
                false => Form::Lines,
            };
        }
        let offset = self.offset;
        // Most lines stand whole in what was read, and need not be copied.
        if let Some(length) = self.whole()? {
            self.offset += length as u64 + 1;
            self.used = length + 1;
            self.number += 1;
            let number = self.number;
            let bytes = &self.input.fill_buf()?[..length];
            return Ok(Some(line(bytes, number, offset, true, length as u64)));
        }
        let mut length = 0u64;
        let mut ended = false;
        while !ended {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                if length == 0 {
                    return Ok(None);
                }
                break;
            }
            let newline = memchr::memchr(b'\n', available);
            let part = &available[..newline.unwrap_or(available.len())];
            let room = self.limit - self.buffer.len();
            self.buffer.extend_from_slice(&part[..part.len().min(room)]);
            length += part.len() as u64;
            if length > self.longest {
                return Err(endless(self.number + 1, self.longest));
            }
            let used = newline.map_or(available.len(), |at| at + 1);
            ended = newline.is_some();
            self.offset += used as u64;
            self.input.consume(used);
        }
        self.number += 1;
        Ok(Some(line(&self.buffer, self.number, offset, ended, length)))
    }

    /// How long the next line is, if what was read has all of it and it is within the limit.
    fn whole(&mut self) -> io::Result<Option<usize>> {
        let available = match self.input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(None),
            Err(error) => return Err(error),
        };
        let newline = memchr::memchr(b'\n', available);
        Ok(newline.filter(|length| *length <= self.limit))
    }

    /// How many lines were read, and how many bytes they have.
    pub fn position(&self) -> (u64, u64) {
        (self.number, self.offset)
    }
}

fn line(bytes: &[u8], number: u64, offset: u64, ended: bool, length: u64) -> Line<'_> {
    Line {
        bytes,
        number,
        offset,
        ended,
        length,
        column: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &[u8], limit: usize, chunk: usize) -> Vec<(Vec<u8>, u64, bool, u64)> {
        let mut lines = Lines::new(io::BufReader::with_capacity(chunk, text), limit);
        let mut out = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            out.push((line.bytes.to_vec(), line.offset, line.ended, line.length));
        }
        out
    }

    #[test]
    fn splits_at_line_feeds_only() {
        let text = "a\u{2028}b\r\n\nlast".as_bytes();
        for chunk in [1, 2, 3, 100] {
            assert_eq!(
                split(text, 100, chunk),
                [
                    ("a\u{2028}b\r".as_bytes().to_vec(), 0, true, 6),
                    (b"".to_vec(), 7, true, 0),
                    (b"last".to_vec(), 8, false, 4),
                ]
            );
        }
    }

    /// Lines and elements that never end, and white space between elements.
    #[test]
    fn what_never_ends_is_an_error() {
        let longest = 50;
        for (begin, byte) in [
            ("", 0),
            ("{}\n", b' '),
            ("[{}, ", b' '),
            ("[{}", b'\n'),
            ("[{", 0),
        ] {
            let input = io::Read::chain(begin.as_bytes(), io::repeat(byte));
            let mut lines = Lines::new(io::BufReader::with_capacity(7, input), 4).or_array();
            lines.longest = longest;
            let error = loop {
                match lines.next() {
                    Ok(line) => assert!(line.is_some(), "{begin}"),
                    Err(error) => break error.to_string(),
                }
            };
            assert!(error.contains("more than 50 bytes"), "{error}");
        }
        let mut lines = Lines::new(io::BufReader::with_capacity(7, &[0; 50][..]), 4);
        lines.longest = longest;
        assert_eq!(lines.next().unwrap().map(|line| line.length), Some(50));
    }

    #[test]
    fn keeps_no_more_than_the_limit() {
        for chunk in [1, 3, 100] {
            assert_eq!(
                split(b"0123456789\nab\n", 4, chunk),
                [
                    (b"0123".to_vec(), 0, true, 10),
                    (b"ab".to_vec(), 11, true, 2)
                ]
            );
        }
    }
}
