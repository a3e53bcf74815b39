//! Checks a line as bytes: byte order mark, length, end of line, encoding. Then as JSON: grammar,
//! depth and duplicate keys.

use std::ops::Range;
use std::str::Utf8Error;

use codex_wire_base::ErrorKind;
use codex_wire_base::lines::{Column, Line};
use codex_wire_prefilter::{Keys, Tape, View};

use super::message::Message;
use super::record::is_record;
use super::scan::{DuplicateKey, is_cut, scan};
use crate::line::LineContext;
use crate::options::Limits;
use crate::rule::Rule;
use crate::rule::{NO_STREAM_BREAKS_IT, rules};
use crate::severity::Severity;

/// What the framing stage knows of a stream.
#[derive(Default)]
pub(crate) struct FramingState {
    /// Lines read so far.
    pub(crate) lines: u64,
    /// Where the last line stands.
    pub(crate) last: LastLine,
    /// Room for scanning a line, and the line of a recording that it holds.
    pub(crate) tapes: [Tape; 2],
}

/// Where the last line stands.
#[derive(Clone, Copy, Default)]
pub(crate) struct LastLine {
    pub(crate) line: u64,
    pub(crate) offset: u64,
    /// How many bytes it has, and how many characters.
    pub(crate) length: u64,
    pub(crate) characters: u64,
    /// Whether it is no text.
    pub(crate) garbled: bool,
}

/// A violation of a rule about lines.
pub(crate) struct LineViolation {
    pub(crate) rule: &'static Rule,
    /// The part of the text it is about.
    pub(crate) range: Range<usize>,
    pub(crate) message: LineMessage,
}

/// What is wrong with a line, put into words once somebody reads it.
pub(crate) enum LineMessage {
    Fixed(&'static str),
    TooLong { length: u64, limit: usize },
    TooDeep { limit: usize },
    NotJson(codex_wire_base::Error),
    NotAnObject(&'static str),
}

impl LineMessage {
    pub(crate) fn text(&self) -> String {
        match self {
            LineMessage::Fixed(text) => (*text).to_owned(),
            LineMessage::TooLong { length, limit } => format!(
                "the line has {length} bytes, more than the limit of {limit}; it is skipped"
            ),
            LineMessage::TooDeep { limit } => format!("values are nested deeper than {limit}"),
            LineMessage::NotJson(error) => match error.kind() {
                ErrorKind::Syntax(message) => format!("malformed JSON: {message}"),
                other => other.to_string(),
            },
            LineMessage::NotAnObject(kind) => format!("the line is {kind}, not an object"),
        }
    }
}

fn fixed(rule: &'static Rule, range: Range<usize>, text: &'static str) -> LineViolation {
    LineViolation {
        rule,
        range,
        message: LineMessage::Fixed(text),
    }
}

/// What a line is as bytes.
pub(crate) enum Framed<'l> {
    Text,
    Blank,
    /// Longer than the limit, so that it is not read.
    TooLong,
    /// These bytes are no text. Characters cannot be counted where they are not UTF-8.
    NotText {
        bytes: &'l [u8],
        garbled: bool,
    },
    /// The input ends within a character.
    Cut,
}

impl FramingState {
    /// The next line. Returns why the input is given up, if it is.
    pub(crate) fn next_line(&mut self, line: &Line<'_>) -> Option<String> {
        self.lines += 1;
        let utf16 = line.bytes.starts_with(b"\xff\xfe") || line.bytes.starts_with(b"\xfe\xff");
        if self.lines == 1 && utf16 {
            return Some(
                "UTF-16 text, not UTF-8; some Windows shells write it when output is redirected"
                    .to_owned(),
            );
        }
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
            garbled: line.is_cut_off(),
        };
    }
}

/// Checks a line as bytes. Passes each violation to `report`, with the number of bytes and characters
/// before it.
pub(crate) fn frame<'l>(
    line: &Line<'l>,
    context: &mut LineContext<'l>,
    limits: &Limits,
    mut report: impl FnMut(&LineContext<'l>, LineViolation),
) -> Framed<'l> {
    let mut bytes = line.bytes;
    if line.number == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
        let text = "the stream begins with a byte order mark";
        report(context, fixed(&BOM, 0..3, text));
        (context.skipped, context.skipped_characters) = (3, Some(1));
        bytes = &bytes[3..];
    }
    if line.is_cut_off() {
        let message = LineMessage::TooLong {
            length: line.length,
            limit: limits.line_bytes,
        };
        report(
            context,
            LineViolation {
                rule: &LINE_TOO_LONG,
                range: 0..0,
                message,
            },
        );
        return Framed::TooLong;
    }
    if let Some(shorter) = bytes.strip_suffix(b"\r") {
        let text = "the line ends with a carriage return";
        report(context, fixed(&CRLF, shorter.len()..bytes.len(), text));
        bytes = shorter;
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        let text = "the line is blank";
        report(context, fixed(&BLANK_LINE, 0..bytes.len(), text));
        return Framed::Blank;
    }
    if let Some(at) = memchr::memchr(0, bytes) {
        let text = "the line holds a NUL byte";
        report(context, fixed(&NUL_BYTE, at..at + 1, text));
        return Framed::NotText {
            bytes,
            garbled: false,
        };
    }
    let error = match text_of(bytes) {
        Ok(text) => {
            context.text = text;
            return Framed::Text;
        }
        Err(error) => error,
    };
    let at = error.valid_up_to();
    // A character of several bytes may be cut as everything else may.
    if error.error_len().is_none() && !line.ended {
        report(context, cut(bytes.len()));
        return Framed::Cut;
    }
    let length = error.error_len().unwrap_or(bytes.len() - at);
    let text = "invalid UTF-8";
    report(context, fixed(&INVALID_UTF8, at..at + length, text));
    Framed::NotText {
        bytes,
        garbled: true,
    }
}

/// The input ends at `at` without the line having come to an end.
fn cut(at: usize) -> LineViolation {
    let text = "the last line ends in the middle of a message";
    fixed(&CUT_LINE, at..at, text)
}

/// A line as text.
pub(crate) fn text_of(bytes: &[u8]) -> Result<&str, Utf8Error> {
    // The fast way does not say where a fault is.
    simdutf8::basic::from_utf8(bytes).or_else(|_| str::from_utf8(bytes))
}

/// What a line is as JSON.
pub(crate) enum Parsed<'a> {
    /// An object, and the keys that stand in it more than once.
    Message(Message<'a>, Vec<DuplicateKey>),
    /// A line of a recording.
    Record(View<'a>),
    /// JSON, but no object.
    Other(Message<'a>),
    /// Nested deeper than the limit.
    TooDeep(LineViolation),
    /// The input ends within the line.
    Cut(LineViolation),
    Malformed(LineViolation),
}

/// Takes a line as JSON.
pub(crate) fn parse<'a>(
    context: &LineContext<'a>,
    limits: &Limits,
    tape: &'a mut Tape,
) -> Parsed<'a> {
    let text = context.text;
    let duplicates = match scan(text, limits.depth) {
        Ok(duplicates) => duplicates,
        Err(error) => return malformed(context, limits, error),
    };
    let view = View::outlined(text, tape, Keys::Last);
    if context.recorded.is_none() && !context.is_inner && is_record(view) {
        return Parsed::Record(view);
    }
    match Message::scanned(view, text, limits.values) {
        Ok(message) if view.is_object() => Parsed::Message(message, duplicates),
        Ok(message) => Parsed::Other(message),
        Err(error) => malformed(context, limits, error),
    }
}

fn malformed<'a>(
    context: &LineContext<'_>,
    limits: &Limits,
    error: codex_wire_base::Error,
) -> Parsed<'a> {
    let text = context.text;
    let at = error.offset().min(text.len());
    if matches!(error.kind(), ErrorKind::TooDeep) {
        let limit = limits.depth;
        return Parsed::TooDeep(LineViolation {
            rule: &TOO_DEEP,
            range: at..at,
            message: LineMessage::TooDeep { limit },
        });
    }
    if !context.ended && is_cut(text, at) {
        return Parsed::Cut(cut(text.len()));
    }
    let begins = text.len() - text.trim_start().len();
    let message = match error.kind() {
        ErrorKind::Syntax(_) if at == begins => LineMessage::Fixed("the line is not JSON"),
        _ => LineMessage::NotJson(error),
    };
    Parsed::Malformed(LineViolation {
        rule: &MALFORMED_JSON,
        range: at..at,
        message,
    })
}

rules! {
    BLANK_LINE {
        summary: "every line holds a message; Codex writes no blank lines",
        id: "framing/blank-line",
        level: Severity::Warning,
        explanation: "A client that parses every line as JSON fails at a blank line. Usually the \
            program that copied the stream added it.",
        evidence: NO_STREAM_BREAKS_IT,
    }
    BOM {
        summary: "the stream does not begin with a byte order mark",
        id: "framing/bom",
        level: Severity::Warning,
        explanation: "A byte order mark is not JSON, so strict parsers fail at the first line. Some \
            Windows shells and editors add it.",
        evidence: NO_STREAM_BREAKS_IT,
    }
    CRLF {
        summary: "each line ends with a line feed only, without a carriage return",
        id: "framing/crlf",
        level: Severity::Warning,
        explanation: "JSON parsers ignore the carriage return as white space; other programs do not. \
            Something converted the line endings after Codex wrote them.",
        evidence: NO_STREAM_BREAKS_IT,
    }
    CUT_LINE {
        summary: "the last line is complete",
        id: "framing/cut-line",
        explanation: "The stream ends in the middle of a message: the writer was killed, or the copy \
            is incomplete. Codex writes a message and its line feed in one step.",
        evidence: "Every recorded stream that is not empty ends with a line feed, those of \
            killed processes included.",
    }
    INVALID_UTF8 {
        summary: "lines are UTF-8",
        id: "framing/invalid-utf8",
        explanation: "JSON is UTF-8. Codex replaces invalid bytes with U+FFFD before it writes. So \
            these come from elsewhere: another program on the same pipe, or a copy that changed \
            the encoding.",
        evidence: "Commands that write random bytes were recorded in every release; their output \
            arrives as U+FFFD.",
    }
    LINE_TOO_LONG {
        summary: "no line is longer than the limit (`--max-line-bytes`, 256 MiB by default)",
        id: "framing/line-too-long",
        explanation: "The limit protects the memory of the checker. A longer line is skipped, and \
            rules that depend on it do not apply.",
        evidence: "The longest recorded line has about 1.07 MB.",
    }
    MALFORMED_JSON {
        summary: "every line is one JSON value",
        id: "framing/malformed-json",
        explanation: "The line cannot be read. Often it is not from Codex: a log line, a prompt of a \
            shell, two programs that write to one pipe. It is not known what the line contained, \
            so no missing start or end is reported after it.",
        evidence: NO_STREAM_BREAKS_IT,
    }
    NOT_AN_OBJECT {
        summary: "every line is a JSON object",
        id: "framing/not-an-object",
        explanation: "Messages are objects in all protocols. A number, a string or an array on a \
            line of its own is not a message.",
        evidence: NO_STREAM_BREAKS_IT,
    }
    NUL_BYTE {
        summary: "lines contain no NUL bytes",
        id: "framing/nul-byte",
        explanation: "JSON writes a NUL as `\\u0000`. An unescaped NUL usually means that the file \
            was not written completely.",
        evidence: NO_STREAM_BREAKS_IT,
    }
    TOO_DEEP {
        summary: "values are not nested beyond the limit (`--max-depth`, 127 by default)",
        id: "framing/too-deep",
        explanation: "Deep nesting exhausts the stack of parsers. Codex itself writes a few levels; \
            arguments of tools can have more. The message is not checked further.",
        evidence: "The deepest recorded message has fewer than 20 levels.",
    }
}
