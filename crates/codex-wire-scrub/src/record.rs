//! Lines of recordings: transcripts in the project's format, what plain tees write, and runs of hooks.

use std::borrow::Cow;

use codex_wire_base::Protocol;
use codex_wire_base::json::tokens::TokenKind;

use crate::tokens::{decoded, tokens};
use crate::words::is_release;

/// What a member of a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// A line that a side wrote.
    Line,
    /// A line in base64.
    Bytes,
    /// A word of the format.
    Word,
    /// The name of a release.
    Release,
    /// The name of a protocol.
    Protocol,
    /// The event of a hook.
    Event,
    /// What a hook printed: a line if it looks like JSON, and text otherwise.
    Printed,
    /// A text of which matters whether it is blank.
    Text,
    /// A number that counts or tells a time.
    Count,
    /// Anything else.
    Payload,
}

/// The members of a kind of record.
pub(crate) type Members = &'static [(&'static str, Holds)];

/// The members of runs of hooks.
const HOOK_RUN: Members = &[
    ("n", Holds::Count),
    ("event", Holds::Event),
    ("label", Holds::Payload),
    ("stdin", Holds::Line),
    ("stdout", Holds::Printed),
    ("stderr", Holds::Text),
    ("exit", Holds::Count),
    ("cwd", Holds::Payload),
    ("env", Holds::Payload),
];

/// The members of other records.
const MEMBERS: Members = &[
    ("kind", Holds::Word),
    ("transcript", Holds::Count),
    ("protocol", Holds::Protocol),
    ("release", Holds::Release),
    ("command", Holds::Payload),
    ("connection", Holds::Count),
    ("client", Holds::Payload),
    ("ms", Holds::Count),
    ("from", Holds::Word),
    ("line", Holds::Line),
    ("bytes", Holds::Bytes),
    ("by", Holds::Word),
    ("status", Holds::Count),
    ("signal", Holds::Word),
    ("dir", Holds::Word),
    ("raw", Holds::Line),
    ("t_ms", Holds::Count),
];

/// The words of the format.
const WORDS: [&str; 10] = [
    "start",
    "connected",
    "line",
    "closed",
    "exit",
    "codex",
    "client",
    "out",
    "server",
    "in",
];

/// Whether a value of that member says nothing private.
pub(crate) fn is_open(holds: Holds, value: &str) -> bool {
    match holds {
        Holds::Word => {
            let is_signal = value.starts_with("SIG")
                && value.len() < 12
                && value.bytes().all(|byte| byte.is_ascii_alphanumeric());
            WORDS.contains(&value) || is_signal
        }
        Holds::Release => is_release(value),
        Holds::Protocol => value.parse::<Protocol>().is_ok() || value == "exec-legacy",
        _ => false,
    }
}

/// What the first members of a line say of it, that are looked for by name.
pub(crate) struct Head<'l> {
    /// Whether a member is there, and its text if it is a string.
    members: Vec<(&'static str, Option<Cow<'l, [u8]>>)>,
}

/// The members by which records are told from messages, and the lines of session files.
const TELLING: [&str; 13] = [
    "kind",
    "transcript",
    "from",
    "connection",
    "type",
    "id",
    "dir",
    "line",
    "raw",
    "event",
    "stdin",
    "stdout",
    "payload",
];

impl<'l> Head<'l> {
    /// Looks for these members.
    pub(crate) fn of(line: &'l [u8]) -> Self {
        let mut members: Vec<(&'static str, Option<Cow<'l, [u8]>>)> = Vec::new();
        let mut depth = 0;
        let mut all = tokens(line, 0).peekable();
        while let Some(token) = all.next() {
            match token.kind {
                TokenKind::Object | TokenKind::Array => depth += 1,
                TokenKind::Close => depth -= 1,
                TokenKind::Key if depth == 1 => {
                    let name = decoded(token.of(line));
                    let known = TELLING.iter().find(|known| known.as_bytes() == &*name);
                    if let (Some(known), Some(value)) = (known, all.peek())
                        && members.iter().all(|(name, _)| name != known)
                    {
                        let is_text = value.kind == TokenKind::String;
                        members.push((known, is_text.then(|| decoded(value.of(line)))));
                    }
                }
                _ => {}
            }
        }
        Head { members }
    }

    /// Whether there is such a member.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.members.iter().any(|(other, _)| *other == name)
    }

    fn text(&self, name: &str) -> Option<&[u8]> {
        let found = self.members.iter().find(|(other, _)| *other == name);
        found?.1.as_deref()
    }

    /// The members that the line has if it is a record rather than a message.
    pub(crate) fn record(&self) -> Option<Members> {
        let is_record = match self.text("kind") {
            Some(b"start") => self.has("transcript"),
            Some(b"line") => self.has("from"),
            Some(b"connected") => self.has("connection"),
            Some(b"closed" | b"exit") => !self.has("type") && !self.has("id"),
            _ => {
                let is_sent = matches!(
                    self.text("dir"),
                    Some(b"out" | b"server" | b"in" | b"client")
                ) && (self.has("line") || self.has("raw"));
                let is_run = self.text("event").is_some()
                    && (self.text("stdin").is_some() || self.text("stdout").is_some());
                if !is_sent && is_run {
                    return Some(HOOK_RUN);
                }
                is_sent
            }
        };
        is_record.then_some(MEMBERS)
    }
}
