//! Lines of recordings: transcripts in the project's format, what plain tees write, and runs of hooks.

use codex_wire_base::Protocol;

use crate::tokens::Token;
use crate::words::is_release;
use codex_wire_base::json::tokens::TokenKind;

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
    /// Anything else.
    Payload,
}

/// The members of a kind of record.
pub(crate) type Members = &'static [(&'static str, Holds)];

/// The members of runs of hooks.
const HOOK_RUN: Members = &[
    ("n", Holds::Payload),
    ("event", Holds::Event),
    ("label", Holds::Payload),
    ("stdin", Holds::Line),
    ("stdout", Holds::Printed),
    ("stderr", Holds::Text),
    ("exit", Holds::Payload),
    ("cwd", Holds::Payload),
    ("env", Holds::Payload),
];

/// The members of other records.
const MEMBERS: Members = &[
    ("kind", Holds::Word),
    ("transcript", Holds::Payload),
    ("protocol", Holds::Protocol),
    ("release", Holds::Release),
    ("command", Holds::Payload),
    ("connection", Holds::Payload),
    ("client", Holds::Payload),
    ("ms", Holds::Payload),
    ("from", Holds::Word),
    ("line", Holds::Line),
    ("bytes", Holds::Bytes),
    ("by", Holds::Word),
    ("status", Holds::Payload),
    ("signal", Holds::Word),
    ("dir", Holds::Word),
    ("raw", Holds::Line),
    ("t_ms", Holds::Payload),
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

/// The members that a line has if it is a record rather than a message.
pub(crate) fn members(line: &[u8], tokens: &[Token]) -> Option<Members> {
    let has = |name: &str| member(line, tokens, name).is_some();
    let text = |name: &str| {
        let value = member(line, tokens, name)?;
        (value.kind == TokenKind::String).then(|| value.of(line))
    };
    let is_record = match text("kind") {
        Some(b"start") => has("transcript"),
        Some(b"line") => has("from"),
        Some(b"connected") => has("connection"),
        Some(b"closed" | b"exit") => !has("type") && !has("id"),
        _ => {
            let is_sent = matches!(text("dir"), Some(b"out" | b"server" | b"in" | b"client"))
                && (has("line") || has("raw"));
            let is_run =
                text("event").is_some() && (text("stdin").is_some() || text("stdout").is_some());
            if !is_sent && is_run {
                return Some(HOOK_RUN);
            }
            is_sent
        }
    };
    is_record.then_some(MEMBERS)
}

/// The value of a member of the whole line.
pub(crate) fn member(line: &[u8], tokens: &[Token], name: &str) -> Option<Token> {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Object | TokenKind::Array => depth += 1,
            TokenKind::Close => depth -= 1,
            TokenKind::Key if depth == 1 && token.of(line) == name.as_bytes() => {
                return tokens.get(at + 1).copied();
            }
            _ => {}
        }
    }
    None
}
