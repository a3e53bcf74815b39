//! Reading errors: what is wrong with a text, and where.

use std::fmt;

use crate::kind::Kind;
use crate::pointer;

/// Why a JSON text could not be read as a type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not JSON.
    #[error("malformed JSON: {0}")]
    Syntax(&'static str),
    /// Arrays and objects are nested beyond the limit.
    #[error("nested too deeply")]
    TooDeep,
    /// The line is not UTF-8.
    #[error("invalid UTF-8")]
    InvalidUtf8,
    /// A value has the wrong kind.
    #[error("expected {expected}, found {}", found.with_article())]
    WrongType {
        /// The expected kind, with its article.
        expected: &'static str,
        /// The actual kind.
        found: Kind,
    },
    /// A number that is not an integer, or does not fit.
    #[error("expected a whole number from {min} to {max}")]
    OutOfRange {
        /// The least value that fits.
        min: i128,
        /// The greatest value that fits.
        max: i128,
    },
    /// An object lacks a member that every release writes.
    #[error("missing member `{0}`")]
    Missing(&'static str),
    /// An object whose only member should name its kind is empty.
    #[error("the object names no kind")]
    NoKind,
    /// An object whose only member should name its kind has several.
    #[error("the object names more than one kind")]
    TwoKinds,
    /// A line is longer than the limit of the reader.
    #[error("the line is longer than {limit} bytes")]
    LineTooLong {
        /// The limit in bytes.
        limit: usize,
    },
}

/// A reading error with its place: byte offset, line and column, and path.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    offset: usize,
    line: u64,
    column: usize,
    /// Outermost segment last: segments are pushed while the error travels outwards.
    path: Vec<Segment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Member(String),
    Index(usize),
}

impl Error {
    /// An error at a byte offset of the text being read.
    #[cold]
    pub fn at(kind: ErrorKind, offset: usize) -> Self {
        Error(Box::new(Inner {
            kind,
            offset,
            line: 1,
            column: offset + 1,
            path: Vec::new(),
        }))
    }

    /// What is wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The byte offset of the error in the text that was read.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// The line, counted from 1. A [`Reader`](crate::Reader) counts the lines of its input.
    pub fn line(&self) -> u64 {
        self.0.line
    }

    /// The byte within the line, counted from 1.
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// Where in the value the error is, as a JSON Pointer (RFC 6901); empty for the root.
    pub fn pointer(&self) -> String {
        let mut out = String::new();
        for segment in self.0.path.iter().rev() {
            match segment {
                Segment::Member(name) => pointer::push(&mut out, name),
                Segment::Index(index) => pointer::push(&mut out, &index.to_string()),
            }
        }
        out
    }

    /// What is wrong and in which member, without line and column.
    pub(crate) fn without_place(&self) -> String {
        match self.pointer() {
            pointer if pointer.is_empty() => self.0.kind.to_string(),
            // Names come from the input: they must neither steer a terminal nor flood it.
            pointer => {
                let shown: String = pointer
                    .chars()
                    .take(200)
                    .flat_map(char::escape_debug)
                    .collect();
                format!("{} in {shown}", self.0.kind)
            }
        }
    }

    /// Says that the error happened inside a member.
    #[cold]
    pub fn in_member(mut self, name: &str) -> Self {
        self.0.path.push(Segment::Member(name.to_owned()));
        self
    }

    /// Says that the error happened inside an array element.
    #[cold]
    pub fn in_element(mut self, index: usize) -> Self {
        self.0.path.push(Segment::Index(index));
        self
    }

    /// Turns the offset into line and column, given the text it counts in and the number of
    /// the line on which that text starts.
    pub(crate) fn placed(mut self, text: &[u8], first_line: u64) -> Self {
        self.place(text, first_line);
        self
    }

    /// The same where it is.
    pub(crate) fn place(&mut self, text: &[u8], first_line: u64) {
        let before = &text[..self.0.offset.min(text.len())];
        let newlines = memchr::memchr_iter(b'\n', before).count();
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        self.0.line = first_line + newlines as u64;
        self.0.column = self.0.offset - line_start + 1;
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, line, column) = (self.without_place(), self.0.line, self.0.column);
        write!(f, "{what} at line {line} column {column}")
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl std::error::Error for Error {}
