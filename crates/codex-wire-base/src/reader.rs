//! Reads a stream of lines into messages, and goes on after a bad line.

use std::io::{self, BufRead};
use std::marker::PhantomData;

use crate::error::{Error, ErrorKind};
use crate::lines::Lines;
use crate::wire::{Wire, from_slice};

/// The default limit of the length of a line for a [`Reader`]: 256 MiB.
const DEFAULT_LIMIT: usize = 256 << 20;

/// A line of a stream, and the message it holds or the reading error.
#[derive(Debug)]
#[non_exhaustive]
pub struct Message<T> {
    /// The number of the line, from 1.
    pub line: u64,
    /// The byte offset of the line's first byte in the stream.
    pub offset: u64,
    /// The line as it came, without its newline. Of a line over the limit, its beginning.
    pub text: Vec<u8>,
    /// The message, or why the line could not be read.
    pub value: Result<T, Error>,
}

/// Reads messages from a stream, one per line, and never stops at a bad one.
///
/// Lines end at `\n` only: U+2028 and U+2029 stand raw inside Codex's lines. A `\r` before the
/// newline is white space to JSON. Lines of white space alone are passed over.
///
/// ```
/// use codex_wire_base::{Reader, transcript::Record};
///
/// let log = "{\"kind\":\"exit\"}\nnot a message\n{\"kind\":\"exit\"}\n";
/// let lines: Vec<_> = Reader::<_, Record>::new(log.as_bytes()).collect::<Result<_, _>>()?;
/// assert_eq!(lines.len(), 3);
/// assert_eq!(lines[1].line, 2);
/// assert!(lines[1].value.is_err() && lines[2].value.is_ok());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R, T> {
    lines: Lines<R>,
    limit: usize,
    done: bool,
    message: PhantomData<fn() -> T>,
}

impl<R: BufRead, T: Wire> Reader<R, T> {
    /// A reader of `input` that takes lines of up to 256 MiB.
    pub fn new(input: R) -> Self {
        Self::with_limit(input, DEFAULT_LIMIT)
    }

    /// A reader of `input` that takes lines of up to `limit` bytes and keeps no more of a
    /// longer one.
    pub fn with_limit(input: R, limit: usize) -> Self {
        Reader {
            lines: Lines::new(input, limit),
            limit,
            done: false,
            message: PhantomData,
        }
    }
}

impl<R: BufRead, T: Wire> Iterator for Reader<R, T> {
    type Item = io::Result<Message<T>>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.done {
            let line = match self.lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => {
                    self.done = true;
                    break;
                }
                Err(error) => {
                    self.done = true;
                    return Some(Err(error));
                }
            };
            let too_long = line.is_cut_off();
            if line.bytes.iter().all(|byte| b" \t\r".contains(byte)) && !too_long {
                continue;
            }
            let value = if too_long {
                let limit = self.limit;
                Err(Error::at(ErrorKind::LineTooLong { limit }, limit))
            } else {
                from_slice(line.bytes)
            };
            return Some(Ok(Message {
                line: line.number,
                offset: line.offset,
                text: line.bytes.to_vec(),
                value: value.map_err(|error| error.placed(line.bytes, line.number)),
            }));
        }
        None
    }
}
