//! Checks a line as bytes: byte order mark, length, end of line, encoding. Then as JSON: grammar,
//! depth and duplicate keys.

use std::ops::Range;
use std::str::Utf8Error;

use codex_wire_base::lines::{BYTE_ORDER_MARK, Column, Line};
use codex_wire_base::{Error, ErrorKind};
use codex_wire_prefilter::{Keys, Tape, View};
use serde_json::Value;

use super::message::Message;
use super::record::is_record;
use super::scan::{is_cut, scan};
use crate::line::{Origin, Text, Told};
use crate::options::Limits;
use crate::phrasing::kind;
use crate::rule::NO_STREAM_BREAKS_IT;
use crate::rule_macros::rules;
use crate::severity::Severity;
use crate::violation::{Broken, Violation};

/// What the framing stage knows of a stream.
#[derive(Default)]
pub(crate) struct Framing {
    /// Lines read so far.
    pub(crate) lines: u64,
    /// Messages read so far.
    pub(crate) messages: u64,
    /// Whether a line was too long to be read. It may have been a message.
    pub(crate) has_long_line: bool,
    /// Where the last line stands.
    pub(crate) last: LastLine,
}

/// Where the last line stands.
#[derive(Clone, Copy, Default)]
pub(crate) struct LastLine {
    pub(crate) line: u64,
    pub(crate) offset: u64,
    /// How many bytes it has, and how many characters.
    pub(crate) length: u64,
    pub(crate) characters: u64,
    /// Whether it is not text.
    pub(crate) is_garbled: bool,
}

impl LastLine {
    /// The place behind it.
    pub(crate) fn end(&self) -> Origin {
        let line = Line {
            bytes: &[],
            number: self.line,
            offset: self.offset,
            ended: true,
            length: self.length,
            column: None,
        };
        Origin {
            skipped: usize::try_from(self.length).unwrap_or(0),
            skipped_characters: (!self.is_garbled).then_some(self.characters),
            ..Origin::of(&line, None)
        }
    }
}

/// A line as bytes, and what is wrong with them.
pub(crate) struct Framed<'l> {
    pub(crate) origin: Origin,
    pub(crate) bytes: Bytes<'l>,
    pub(crate) violations: Vec<Violation>,
}

/// What a line is as bytes.
pub(crate) enum Bytes<'l> {
    Text(Text<'l>),
    Blank,
    /// Longer than the limit, so that it is not read.
    TooLong,
    /// These bytes are not text. Characters cannot be counted where they are not UTF-8.
    NotText {
        bytes: &'l [u8],
        is_garbled: bool,
    },
    /// The input ends within a character.
    Cut,
}

impl Framing {
    /// The next line. Returns why the input is given up, if it is.
    pub(crate) fn next_line(&mut self, line: &Line<'_>) -> Option<String> {
        let utf16 = line.bytes.starts_with(b"\xff\xfe") || line.bytes.starts_with(b"\xfe\xff");
        // It counts as no line: what cannot be read may be a transcript.
        if self.lines == 0 && utf16 {
            return Some(
                "UTF-16 text, not UTF-8; some Windows shells write it when output is redirected"
                    .to_owned(),
            );
        }
        self.lines += 1;
        self.end_at(line);
        None
    }

    /// The input may end behind that line.
    pub(crate) fn end_at(&mut self, line: &Line<'_>) {
        // An element of an array may have newlines: the input then ends on its last line.
        let newline = line
            .column
            .and_then(|_| memchr::memrchr(b'\n', line.bytes))
            .filter(|_| !line.is_cut_off());
        let bytes = newline.map_or(line.bytes, |at| &line.bytes[at + 1..]);
        let before = match newline {
            Some(_) => Column::default(),
            None => line.column.unwrap_or_default(),
        };
        let length = match newline {
            Some(at) => line.length - at as u64 - 1,
            None => before.bytes + line.length,
        };
        let newlines = newline.map_or(0, |at| {
            memchr::memchr_iter(b'\n', &line.bytes[..=at]).count()
        });
        self.last = LastLine {
            line: line.number + newlines as u64,
            offset: line.offset + line.length - length,
            length,
            characters: before.characters + bytecount::num_chars(bytes) as u64,
            is_garbled: line.is_cut_off(),
        };
    }
}

/// Checks a line as bytes. `is_first` says that the stream begins with it.
pub(crate) fn frame<'l>(
    line: &Line<'l>,
    told: Option<Told>,
    limits: &Limits,
    is_first: bool,
) -> Framed<'l> {
    let mut origin = Origin::told(line, told);
    let mut violations = Vec::new();
    let mut bytes = line.bytes;
    if is_first {
        bytes = behind_bom(bytes, &mut origin, &mut violations);
    }
    let bytes = content(line, bytes, &origin, limits, &mut violations);
    Framed {
        origin,
        bytes,
        violations,
    }
}

/// Checks the line inside a line of a recording as [`frame`] checks it as bytes. A recording does not say whether
/// it had its end.
pub(crate) fn frame_recorded(mut text: Text<'_>, is_first: bool) -> Framed<'_> {
    let mut violations = Vec::new();
    if is_first {
        let bytes = behind_bom(text.text.as_bytes(), &mut text.origin, &mut violations);
        text.text = &text.text[text.text.len() - bytes.len()..];
    }
    let ended = ended(text.text.as_bytes(), &text.origin, &mut violations);
    let bytes = match ended {
        Some(bytes) => {
            text.text = &text.text[..bytes.len()];
            Bytes::Text(text)
        }
        None => Bytes::Blank,
    };
    Framed {
        origin: text.origin,
        bytes,
        violations,
    }
}

/// The first line of a stream behind its byte order mark, if it has one.
fn behind_bom<'l>(bytes: &'l [u8], origin: &mut Origin, out: &mut Vec<Violation>) -> &'l [u8] {
    let Some(rest) = bytes.strip_prefix(BYTE_ORDER_MARK) else {
        return bytes;
    };
    out.push(Bom.in_line(0..BYTE_ORDER_MARK.len()));
    (origin.skipped, origin.skipped_characters) = (BYTE_ORDER_MARK.len(), Some(1));
    rest
}

/// A line without the carriage return at its end. Nothing if it is blank.
fn ended<'l>(mut bytes: &'l [u8], origin: &Origin, out: &mut Vec<Violation>) -> Option<&'l [u8]> {
    let at = |start: usize, end: usize| origin.skipped + start..origin.skipped + end;
    if let Some(shorter) = bytes.strip_suffix(b"\r") {
        out.push(Crlf.in_line(at(shorter.len(), bytes.len())));
        bytes = shorter;
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        out.push(BlankLine.in_line(at(0, bytes.len())));
        return None;
    }
    Some(bytes)
}

/// What `bytes` are, which stand in a line behind what `origin` skips.
fn content<'l>(
    line: &Line<'l>,
    bytes: &'l [u8],
    origin: &Origin,
    limits: &Limits,
    out: &mut Vec<Violation>,
) -> Bytes<'l> {
    let at = |range: Range<usize>| origin.skipped + range.start..origin.skipped + range.end;
    if line.is_cut_off() {
        let too_long = LineTooLong {
            length: line.length,
            limit: limits.line_bytes,
        };
        out.push(too_long.in_line(at(0..0)));
        return Bytes::TooLong;
    }
    let Some(bytes) = ended(bytes, origin, out) else {
        return Bytes::Blank;
    };
    let error = match text_of(bytes) {
        Ok(text) => return Bytes::Text(Text::new(*origin, text)),
        Err(error) => error,
    };
    if let Some(nul) = memchr::memchr(0, bytes) {
        out.push(NulByte.in_line(at(nul..nul + 1)));
        return Bytes::NotText {
            bytes,
            is_garbled: false,
        };
    }
    let valid = error.valid_up_to();
    // A character of several bytes may be cut as everything else may.
    if error.error_len().is_none() && !line.ended {
        out.push(CutLine.in_line(at(bytes.len()..bytes.len())));
        return Bytes::Cut;
    }
    let length = error.error_len().unwrap_or(bytes.len() - valid);
    out.push(InvalidUtf8.in_line(at(valid..valid + length)));
    Bytes::NotText {
        bytes,
        is_garbled: true,
    }
}

/// A line as text.
pub(crate) fn text_of(bytes: &[u8]) -> Result<&str, Utf8Error> {
    // The fast way does not say where a fault is.
    simdutf8::basic::from_utf8(bytes).or_else(|_| str::from_utf8(bytes))
}

/// What a text is as JSON.
pub(crate) enum Parsed<'a> {
    /// An object.
    Message(Message<'a>),
    /// A line of a recording.
    Record(View<'a>),
    /// JSON, but not an object.
    Other(Value),
    /// It holds a NUL byte, as no text does.
    NotText(Violation),
    /// It cannot be read.
    Lost(Loss, Violation),
}

/// Why a line cannot be read as JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// It is nested deeper than the limit.
    TooDeep,
    /// The input ends within it.
    Cut,
    /// It is not JSON.
    Malformed,
}

/// Reads a text as JSON.
pub(crate) fn parse<'a>(text: &Text<'a>, limits: &Limits, tape: &'a mut Tape) -> Parsed<'a> {
    // What the fast path accepts is not searched: it is JSON, which has none.
    let nul = memchr::memchr(0, text.text.as_bytes());
    if let Some(nul) = nul.filter(|_| !text.origin.is_inner) {
        let at = text.origin.skipped + nul;
        return Parsed::NotText(NulByte.in_line(at..at + 1));
    }
    let duplicates = match scan(text.text, limits.depth) {
        Ok(duplicates) => duplicates,
        Err(error) => return lost(text, limits, error),
    };
    let view = View::outlined(text.text, tape, Keys::Last);
    let may_be_record = text.origin.stated_writer.is_none() && !text.origin.is_inner;
    if may_be_record && is_record(view) {
        return Parsed::Record(view);
    }
    match Message::scanned(view, text, limits.values, duplicates) {
        Ok(message) if view.is_object() => Parsed::Message(message),
        Ok(message) => Parsed::Other(message.into_tree()),
        Err(error) => lost(text, limits, error),
    }
}

fn lost<'a>(text: &Text<'_>, limits: &Limits, error: Error) -> Parsed<'a> {
    let skipped = text.origin.skipped;
    let at = error.offset().min(text.text.len());
    let place = skipped + at..skipped + at;
    if matches!(error.kind(), ErrorKind::TooDeep) {
        let limit = limits.depth;
        return Parsed::Lost(Loss::TooDeep, TooDeep { limit }.in_line(place));
    }
    if !text.origin.is_complete && is_cut(text.text, at) {
        let end = skipped + text.text.len();
        return Parsed::Lost(Loss::Cut, CutLine.in_line(end..end));
    }
    let begins = text.text.len() - text.text.trim_start().len();
    let violation = match error.kind() {
        ErrorKind::Syntax(_) if at == begins => NotJson.in_line(place),
        kind => Malformed { kind: kind.clone() }.in_line(place),
    };
    Parsed::Lost(Loss::Malformed, violation)
}

/// What is wrong with a text that is JSON, but not an object.
pub(crate) fn not_an_object(text: Text<'_>, value: &Value) -> Violation {
    let (skipped, length) = (text.origin.skipped, text.text.len());
    NotAnObject { kind: kind(value) }.in_line(skipped..skipped + length)
}

rules! {
    BLANK_LINE {
        summary: "every line holds a message; Codex writes no blank lines",
        id: "framing/blank-line",
        level: Severity::Warning,
        explanation: "A client that parses every line as JSON fails at a blank line. Usually the \
            program that copied the stream added it.",
        evidence: NO_STREAM_BREAKS_IT,
    } => {
        BlankLine: "the line is blank",
    }
    BOM {
        summary: "the stream does not begin with a byte order mark",
        id: "framing/bom",
        level: Severity::Warning,
        explanation: "A byte order mark is not JSON, so strict parsers fail at the first line. Some \
            Windows shells and editors add it.",
        evidence: NO_STREAM_BREAKS_IT,
    } => {
        Bom: "the stream begins with a byte order mark",
    }
    CRLF {
        summary: "each line ends with a line feed only, without a carriage return",
        id: "framing/crlf",
        level: Severity::Warning,
        explanation: "JSON parsers ignore the carriage return as white space; other programs do not. \
            Something converted the line endings after Codex wrote them.",
        evidence: NO_STREAM_BREAKS_IT,
    } => {
        Crlf: "the line ends with a carriage return",
    }
    CUT_LINE {
        summary: "the last line is complete",
        id: "framing/cut-line",
        explanation: "The stream ends in the middle of a message: the writer was killed, or the copy \
            is incomplete. Codex writes a message and its line feed in one step.",
        evidence: "Every recorded stream that is not empty ends with a line feed, those of \
            killed processes included.",
    } => {
        CutLine: "the last line ends in the middle of a message",
    }
    INVALID_UTF8 {
        summary: "lines are UTF-8",
        id: "framing/invalid-utf8",
        explanation: "JSON is UTF-8. Codex replaces invalid bytes with U+FFFD before it writes. So \
            these come from elsewhere: another program on the same pipe, or a copy that changed \
            the encoding.",
        evidence: "Commands that write random bytes were recorded in every release; their output \
            arrives as U+FFFD.",
    } => {
        InvalidUtf8: "invalid UTF-8",
        RecordedNotUtf8: "the recorded line is not UTF-8",
    }
    LINE_TOO_LONG {
        summary: "no line is longer than the limit (`--max-line-bytes`, 256 MiB by default)",
        id: "framing/line-too-long",
        explanation: "The limit protects the memory of the checker. A longer line is skipped, and \
            rules that depend on it do not apply.",
        evidence: "The longest recorded line has about 1.07 MB.",
    } => {
        LineTooLong { length: u64, limit: usize }: "the line has {length} bytes, more than the limit of {limit}; it is skipped",
    }
    MALFORMED_JSON {
        summary: "every line is one JSON value",
        id: "framing/malformed-json",
        explanation: "The line cannot be read. Often it is not from Codex: a log line, a prompt of a \
            shell, two programs that write to one pipe. It is not known what the line contained, \
            so no missing start or end is reported after it.",
        evidence: NO_STREAM_BREAKS_IT,
    } => {
        NotJson: "the line is not JSON",
        Malformed { kind: ErrorKind }: "{kind}",
    }
    NOT_AN_OBJECT {
        summary: "every line is a JSON object",
        id: "framing/not-an-object",
        explanation: "Messages are objects in all protocols. A number, a string or an array on a \
            line of its own is not a message.",
        evidence: NO_STREAM_BREAKS_IT,
    } => {
        NotAnObject { kind: &'static str }: "the line is {kind}, not an object",
    }
    NUL_BYTE {
        summary: "lines contain no NUL bytes",
        id: "framing/nul-byte",
        explanation: "JSON writes a NUL as `\\u0000`. An unescaped NUL usually means that the file \
            was not written completely.",
        evidence: NO_STREAM_BREAKS_IT,
    } => {
        NulByte: "the line holds a NUL byte",
    }
    TOO_DEEP {
        summary: "values are not nested beyond the limit (`--max-depth`, 127 by default)",
        id: "framing/too-deep",
        explanation: "Deep nesting exhausts the stack of parsers. Codex itself writes a few levels; \
            arguments of tools can have more. The message is not checked further.",
        evidence: "The deepest recorded message has fewer than 20 levels.",
    } => {
        TooDeep { limit: usize }: "values are nested deeper than {limit}",
    }
}
