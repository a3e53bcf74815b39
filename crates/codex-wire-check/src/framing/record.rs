//! Unwraps the lines of recordings: transcripts in the project's format, and the raw form that
//! recorders write.

use codex_wire_base::transcript::{self, Record};
use codex_wire_prefilter::View;

use crate::rule::rules;
use crate::violation::Violation;
use crate::writer::Writer;

/// A line of a recording.
pub(crate) enum Recorded<'a> {
    /// A line that one side wrote, as plain tees write it.
    Unconverted {
        writer: Writer,
        text: &'a str,
        client: Option<&'a str>,
        ms: Option<u64>,
    },
    /// A record of a transcript.
    Record(Box<Record>),
    /// A record that cannot be read; the message says why, behind the byte where it cannot.
    Bad(usize, String),
}

/// A record that a line of a transcript holds.
pub(crate) fn record_of<'a>(text: &str, line: View<'a>) -> Recorded<'a> {
    if let Some((writer, text)) = unconverted(line) {
        return Recorded::Unconverted {
            writer,
            text,
            client: line.get_str("client"),
            ms: line.get("t_ms").and_then(View::as_u64),
        };
    }
    match codex_wire_base::from_str(text) {
        Ok(record) => Recorded::Record(Box::new(record)),
        Err(error) => {
            let at = error.offset().min(text.len());
            Recorded::Bad(at, format!("a record of a transcript: {}", error.kind()))
        }
    }
}

/// What a `line` record holds.
pub(crate) enum Held<'r> {
    /// A line that this side wrote.
    Line(Writer, &'r str),
    /// A line that this side wrote and that is no text.
    Bytes(Writer),
    /// No line; the text says why, and the pointer where.
    Bad(&'static str, &'static str),
}

/// The line that a record holds.
pub(crate) fn held(line: &transcript::Line) -> Held<'_> {
    let writer = match &line.from {
        transcript::Side::Codex => Writer::Codex,
        transcript::Side::Client => Writer::Client,
        _ => return Held::Bad("/from", "a line is written by `codex` or by the `client`"),
    };
    match (line.line.value(), line.bytes.value()) {
        (Some(text), None) => Held::Line(writer, text),
        (None, Some(_)) => Held::Bytes(writer),
        _ => Held::Bad("", "a `line` record needs one of `line` and `bytes`"),
    }
}

/// Whether a recorded line was written by the side whose messages look like it.
pub(crate) fn direction(recorded: Option<Writer>, writer: Writer) -> Option<Violation> {
    let text = match (recorded, writer) {
        (Some(Writer::Codex), Writer::Client) => "Codex writes a message for Codex",
        (Some(Writer::Client), Writer::Codex) => "the client writes a message of Codex",
        _ => return None,
    };
    Some(Violation::new(&WRONG_SIDE, "", text))
}

/// Whether a line is a record of a transcript rather than a message itself.
pub(crate) fn is_record(message: View<'_>) -> bool {
    let has = |key: &str| message.get(key).is_some();
    match message.get_str("kind") {
        Some("start") => has("transcript"),
        Some("line") => has("from"),
        Some("connected") => has("connection"),
        Some("closed" | "exit") => !has("type") && !has("id"),
        _ => unconverted(message).is_some(),
    }
}

/// `{"dir", "line"}` and `{"dir", "raw"}`, as plain tees write them.
fn unconverted<'a>(line: View<'a>) -> Option<(Writer, &'a str)> {
    let writer = match line.get_str("dir")? {
        "out" | "server" => Writer::Codex,
        "in" | "client" => Writer::Client,
        _ => return None,
    };
    let text = line.get("line").or_else(|| line.get("raw"))?;
    Some((writer, text.as_str()?))
}

rules! {
    BAD_RECORD {
        summary: "each record follows the transcript format",
        id: "framing/bad-record",
        explanation: "A line of a recording says what happened: `start`, `connected`, `line`, \
            `closed` or `exit`. If a record lacks a field of its kind, the message in it cannot \
            be read and is not checked. The recorder wrote it wrongly, not Codex.",
        evidence: "The format is this project's own.",
    }
    WRONG_SIDE {
        summary: "`from` of a recorded line names the side that can send this message",
        id: "schema/wrong-side",
        explanation: "The recording says that the client sent a message that only Codex sends, or \
            the opposite. Usually the recorder mixed up the two sides.",
        evidence: "Every recorded conversation keeps the sides apart.",
    }
}
