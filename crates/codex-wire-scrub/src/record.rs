//! Lines of recordings: transcripts in the project's format, and what plain tees write.

use codex_wire_base::Protocol;

use crate::tokens::{Kind, Token};
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
    /// Anything else.
    Payload,
}

/// The members of records.
pub(crate) const MEMBERS: &[(&str, Holds)] = &[
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

/// Whether a line is a record rather than a message.
pub(crate) fn is_record(line: &[u8], tokens: &[Token]) -> bool {
    let has = |name: &str| member(line, tokens, name).is_some();
    let text = |name: &str| {
        let value = member(line, tokens, name)?;
        (value.kind == Kind::String).then(|| value.of(line))
    };
    match text("kind") {
        Some(b"start") => has("transcript"),
        Some(b"line") => has("from"),
        Some(b"connected") => has("connection"),
        Some(b"closed" | b"exit") => !has("type") && !has("id"),
        _ => {
            matches!(text("dir"), Some(b"out" | b"server" | b"in" | b"client"))
                && (has("line") || has("raw"))
        }
    }
}

/// The value of a member of the whole line.
fn member(line: &[u8], tokens: &[Token], name: &str) -> Option<Token> {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Object | Kind::Array => depth += 1,
            Kind::Close => depth -= 1,
            Kind::Key if depth == 1 && token.of(line) == name.as_bytes() => {
                return tokens.get(at + 1).copied();
            }
            _ => {}
        }
    }
    None
}
