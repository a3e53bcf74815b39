//! Unwraps the lines of recordings: transcripts in the project's format, and the raw form that
//! recorders write.

use codex_wire_base::ErrorKind;
use codex_wire_base::transcript::{self, Record};
use codex_wire_prefilter::View;

use crate::rule_macros::rules;
use crate::violation::{Broken, Violation};
use crate::writer::Writer;

/// A line of a recording.
pub(crate) enum Recorded<'a> {
    /// A line that one side wrote, as other recorders write it.
    Unconverted {
        wrapped: Wrapped<'a>,
        client: Option<&'a str>,
        ms: Option<u64>,
    },
    /// A run of a hook, as recorders of hooks write it.
    Hook(HookRun<'a>),
    /// A record of a transcript.
    Record(Box<Record>),
    /// A record that cannot be read, at a byte.
    Bad(usize, ErrorKind),
}

/// A line of a recorder that is not ours: who wrote it, and what it is.
#[derive(Clone, Copy)]
pub(crate) struct Wrapped<'a> {
    /// What the recorder says of who wrote it.
    pub(crate) direction: Direction,
    /// The line: a string, or the message itself.
    pub(crate) value: View<'a>,
}

/// What the word of a recorder says of who wrote a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// This side.
    Of(Writer),
    /// `in`: it came to the program that was recorded, which may be either side.
    In,
    /// `out`: that program wrote it.
    Out,
    /// It depends on where the recorder stood. The message decides.
    Unknown,
}

/// A run of a hook: what it read, and what it did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HookRun<'a> {
    /// The event.
    pub(crate) event: &'a str,
    /// What it read, if that was recorded.
    pub(crate) stdin: Option<&'a str>,
    /// What it printed and how it ended, if that was recorded.
    pub(crate) printed: Option<Printed<'a>>,
}

/// What a hook printed, and how it ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Printed<'a> {
    pub(crate) stdout: &'a str,
    /// `None` if it was not recorded.
    pub(crate) stderr: Option<&'a str>,
    pub(crate) exit: i64,
}

/// A record that a line of a transcript holds.
pub(crate) fn record_of<'a>(text: &str, line: View<'a>) -> Recorded<'a> {
    if let Some(wrapped) = wrapped(line) {
        let ms = line.get("t_ms").or_else(|| line.get("ms"));
        return Recorded::Unconverted {
            wrapped,
            client: line.get_str("client"),
            ms: ms.and_then(View::as_u64),
        };
    }
    if let Some(run) = hook_run(line) {
        return Recorded::Hook(run);
    }
    match codex_wire_base::from_str(text) {
        Ok(record) => Recorded::Record(Box::new(record)),
        Err(error) => {
            let at = error.offset().min(text.len());
            Recorded::Bad(at, error.kind().clone())
        }
    }
}

/// What a `line` record holds.
pub(crate) enum Held<'r> {
    /// A line that this side wrote.
    Line(Writer, &'r str),
    /// A line that this side wrote and that is not text.
    Bytes(Writer),
    /// No line.
    Bad(Box<Violation>),
}

/// The line that a record holds.
pub(crate) fn held(line: &transcript::Line) -> Held<'_> {
    let writer = match &line.from {
        transcript::Side::Codex => Writer::Codex,
        transcript::Side::Client => Writer::Client,
        _ => return Held::Bad(Box::new(NoWriter.at_last("/from"))),
    };
    match (line.line.value(), line.bytes.value()) {
        (Some(text), None) => Held::Line(writer, text),
        (None, Some(_)) => Held::Bytes(writer),
        _ => Held::Bad(Box::new(NoLine.at_last(""))),
    }
}

/// Whether a line is a record of a transcript rather than a message itself.
pub(crate) fn is_record(message: View<'_>) -> bool {
    let has = |key: &str| message.get(key).is_some();
    match message.get_str("kind") {
        Some("start") => has("transcript"),
        Some("line") => has("from"),
        Some("connected") => has("connection"),
        Some("closed" | "exit") => !has("type") && !has("id"),
        _ => wrapped(message).is_some() || hook_run(message).is_some(),
    }
}

/// What other recorders write: the member that says who wrote a line, and those that may hold the line.
pub(crate) const WRAPPINGS: [(&str, &[&str]); 2] = [
    ("dir", &["line", "raw", "m"]),
    ("direction", &["frame", "message"]),
];

/// A line of a recorder that is not ours.
fn wrapped<'a>(line: View<'a>) -> Option<Wrapped<'a>> {
    let (word, members) = WRAPPINGS
        .iter()
        .find_map(|(name, members)| Some((line.get_str(name)?, members)))?;
    let direction = direction_of(word)?;
    let value = members.iter().find_map(|name| line.get(name))?;
    (value.is_object() || value.as_str().is_some()).then_some(Wrapped { direction, value })
}

/// What a word says, if it is one of a direction.
fn direction_of(word: &str) -> Option<Direction> {
    Some(match word {
        "in" => Direction::In,
        "out" => Direction::Out,
        "server" | "codex" | "server_to_client" | "server-to-client" | "s2c" => {
            Direction::Of(Writer::Codex)
        }
        "client" | "client_to_server" | "client-to-server" | "c2s" => Direction::Of(Writer::Client),
        "send" | "sent" | "recv" | "receive" | "received" | "inbound" | "outbound" | "incoming"
        | "outgoing" | ">" | "<" | "->" | "<-" | ">>" | "<<" => Direction::Unknown,
        _ => return None,
    })
}

/// `{"event", "stdin", "stdout", "stderr", "exit"}`, with one of the streams at least.
fn hook_run<'a>(line: View<'a>) -> Option<HookRun<'a>> {
    let event = line.get_str("event")?;
    let stdin = line.get_str("stdin");
    let exit = line.get("exit").map(View::as_i64);
    let stdout = line.get_str("stdout");
    let printed = stdout.map(|stdout| Printed {
        stdout,
        stderr: line.get_str("stderr"),
        exit: exit.flatten().unwrap_or(0),
    });
    (stdin.is_some() || printed.is_some()).then_some(HookRun {
        event,
        stdin,
        printed,
    })
}

rules! {
    BAD_RECORD {
        summary: "each record follows the transcript format",
        id: "framing/bad-record",
        explanation: "A line of a recording says what happened: `start`, `connected`, `line`, \
            `closed` or `exit`. If a record lacks a field of its kind, the message in it cannot \
            be read and is not checked. The recorder wrote it wrongly, not Codex.",
        evidence: "The format is this project's own.",
    } => {
        BadRecord { kind: ErrorKind }: "a record of a transcript: {kind}",
        NoWriter: "a line is written by `codex` or by the `client`",
        NoLine: "a `line` record needs one of `line` and `bytes`",
        NoRelease: "the recording names no release of its protocol",
    }
}
