//! Writes what other programs recorded, and arrays of messages, in our transcript format.

use std::io::{self, BufRead, Write};

use anyhow::{anyhow, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use codex_wire_base::Maybe;
use codex_wire_base::transcript::{Line, Record, Side, Start, VERSION};
use codex_wire_check::{Checker, Limits, Options, Step, Writer};
use serde_json::value::RawValue;

/// What became of an input.
pub(crate) enum Converted {
    Written,
    /// It is not a transcript.
    Foreign,
}

/// The bytes of a transcript or of plain lines as they are. An array, and lines of another recorder,
/// become a transcript.
///
/// # Errors
/// If they would, and no message is of Codex.
pub(crate) fn as_lines(name: &str, bytes: Vec<u8>) -> anyhow::Result<Vec<u8>> {
    if !is_of_another_form(&bytes) {
        return Ok(bytes);
    }
    let mut out = Vec::new();
    match records(&checker()?, name, &bytes[..], &mut out)? {
        Converted::Written => Ok(out),
        Converted::Foreign => Err(anyhow!("no line is a message of Codex")),
    }
}

/// A checker that reads each line whole, however long it is: what it cut off would be lost.
pub(crate) fn checker() -> anyhow::Result<Checker> {
    let mut limits = Limits::default();
    limits.line_bytes = usize::MAX;
    Ok(Checker::new(Options::new().limits(limits))?)
}

/// Whether an input begins as an array or with a line of another recorder.
fn is_of_another_form(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let bytes = bytes.trim_ascii_start();
    if let Some(inside) = bytes.strip_prefix(b"[") {
        return inside.trim_ascii_start().starts_with(b"{");
    }
    let end = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
    matches!(
        Stored::of(bytes[..end].trim_ascii_end()),
        Stored::Wrapped(_)
    )
}

/// Writes the records of an input. The checker is that of [`checker`].
pub(crate) fn records(
    checker: &Checker,
    name: &str,
    input: impl BufRead,
    out: &mut dyn Write,
) -> anyhow::Result<Converted> {
    let mut out = io::BufWriter::new(out);
    let mut first = true;
    let mut is_transcript = false;
    let outcome = checker.observe(name, input, |step| {
        let line = step.bytes.trim_ascii();
        if line.is_empty() {
            return Ok(());
        }
        let line = match first {
            true => line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line),
            false => line,
        };
        let kind = Stored::of(line);
        if std::mem::take(&mut first) {
            is_transcript = matches!(kind, Stored::Record);
            if !is_transcript {
                write(&mut out, &Record::Start(Start::new(VERSION)))?;
            }
        }
        match kind {
            Stored::Record => {
                out.write_all(line)?;
                out.write_all(b"\n")
            }
            Stored::Text(text) | Stored::Wrapped(text) => {
                write(&mut out, &Record::Line(record(step, Ok(&text))))
            }
            Stored::Bytes => write(&mut out, &Record::Line(record(step, Err(line)))),
        }
    })?;
    if let Some(error) = outcome.error.filter(|_| !outcome.foreign) {
        bail!(error);
    }
    out.flush()?;
    Ok(match outcome.foreign {
        true => Converted::Foreign,
        false => Converted::Written,
    })
}

fn write(out: &mut dyn Write, record: &Record) -> io::Result<()> {
    out.write_all(codex_wire_base::to_string(record).as_bytes())?;
    out.write_all(b"\n")
}

/// The record of a line, or of bytes that are not text.
fn record(step: &Step<'_>, line: Result<&str, &[u8]>) -> Line {
    let side = match step.writer {
        Some(Writer::Client) => Side::Client,
        _ => Side::Codex,
    };
    let mut record = match line {
        Ok(text) => Line::text(side, text),
        Err(bytes) => {
            let mut record = Line::new(side);
            record.bytes = Maybe::Value(STANDARD.encode(bytes));
            record
        }
    };
    record.ms = step.ms.map_or(Maybe::Absent, Maybe::Value);
    if let Some(connection) = step.connection.filter(|connection| *connection > 0) {
        record.connection = Maybe::Value(connection);
    }
    record
}

/// How a line is stored.
enum Stored {
    /// As a record of our format.
    Record,
    /// As this text, which is the line itself.
    Text(String),
    /// As this text, which a record of another recorder holds.
    Wrapped(String),
    Bytes,
}

impl Stored {
    fn of(line: &[u8]) -> Self {
        let Ok(text) = str::from_utf8(line) else {
            return Stored::Bytes;
        };
        let members: Option<std::collections::BTreeMap<String, &RawValue>> =
            serde_json::from_str(text).ok();
        let Some(members) = members else {
            return Stored::Text(text.to_owned());
        };
        let string =
            |name: &str| -> Option<String> { serde_json::from_str(members.get(name)?.get()).ok() };
        let has = |name: &str| members.contains_key(name);
        let is_record = match string("kind").as_deref() {
            Some("start") => has("transcript"),
            Some("line") => has("from"),
            Some("connected") => has("connection"),
            Some("closed" | "exit") => !has("type") && !has("id"),
            _ => false,
        };
        if is_record {
            return Stored::Record;
        }
        let names: &[&str] = match (string("dir"), string("direction")) {
            (Some(_), _) => &["line", "raw", "m"],
            (None, Some(_)) => &["frame", "message"],
            (None, None) => &[],
        };
        match names.iter().find_map(|name| members.get(*name)) {
            // Without newlines: a record is one line, and so is what it holds.
            Some(value) => Stored::Wrapped(
                serde_json::from_str::<String>(value.get())
                    .unwrap_or_else(|_| value.get().replace(['\n', '\r'], " ")),
            ),
            None => Stored::Text(text.replace(['\n', '\r'], " ")),
        }
    }
}
