//! Writes what other programs recorded, and arrays of messages, in our transcript format.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufWriter, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use codex_wire_base::Maybe;
use codex_wire_base::transcript::{Line, Record, Side, Start, VERSION};
use serde_json::value::RawValue;

use crate::checker::Checker;
use crate::error::Error;
use crate::finding::Writer;
use crate::framing::record::WRAPPINGS;
use crate::observe::Step;
use crate::options::{Limits, Options};

/// Converts inputs of any form that a checker reads to transcripts.
///
/// ```
/// use codex_wire_check::{Converted, Converter};
///
/// let log = br#"{"direction":"out","message":{"type":"turn.started"}}"#;
/// let mut transcript = Vec::new();
/// let converted = Converter::new()?.convert("log", &log[..], &mut transcript)?;
/// assert_eq!(converted, Converted::Written);
/// let transcript = String::from_utf8(transcript)?;
/// assert!(transcript.starts_with(r#"{"kind":"start","transcript":1"#), "{transcript}");
/// assert_eq!(transcript.lines().count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Converter {
    /// It reads each line whole, however long it is: what it cut off would be lost.
    checker: Checker,
}

/// What became of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Converted {
    /// It was written as a transcript.
    Written,
    /// No line of it is a message of Codex.
    Foreign,
}

impl Converter {
    /// A converter of lines of any length.
    ///
    /// # Errors
    /// As [`Checker::new`].
    pub fn new() -> Result<Self, Error> {
        let limits = Limits {
            line_bytes: usize::MAX,
            ..Limits::default()
        };
        Ok(Converter {
            checker: Checker::new(Options::new().limits(limits))?,
        })
    }

    /// The bytes of a transcript or of plain lines as they are. An array, and lines of another recorder,
    /// become a transcript.
    ///
    /// # Errors
    /// If they would, and no message is of Codex.
    pub fn lines(&self, name: &str, bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        if !is_of_another_form(&bytes) {
            return Ok(bytes);
        }
        let mut out = Vec::new();
        match self.convert(name, &bytes[..], &mut out)? {
            Converted::Written => Ok(out),
            Converted::Foreign => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "no line is a message of Codex",
            )),
        }
    }

    /// Writes the records of an input of this name.
    ///
    /// # Errors
    /// If the input cannot be read, or the records not be written.
    pub fn convert(
        &self,
        name: &str,
        input: impl BufRead,
        out: &mut dyn Write,
    ) -> io::Result<Converted> {
        let mut out = BufWriter::new(out);
        let mut first = true;
        let mut is_transcript = false;
        let outcome = self.checker.observe(name, input, |step| {
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
            return Err(io::Error::other(error));
        }
        out.flush()?;
        Ok(match outcome.foreign {
            true => Converted::Foreign,
            false => Converted::Written,
        })
    }
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
        let members: Option<BTreeMap<String, &RawValue>> = serde_json::from_str(text).ok();
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
        let mut forms = WRAPPINGS.iter();
        let form = forms.find(|(direction, _)| string(direction).is_some());
        let names = form.into_iter().flat_map(|(_, names)| *names);
        match names.copied().find_map(|name| members.get(name)) {
            // Without newlines: a record is one line, and so is what it holds.
            Some(value) => Stored::Wrapped(
                serde_json::from_str::<String>(value.get())
                    .unwrap_or_else(|_| value.get().replace(['\n', '\r'], " ")),
            ),
            None => Stored::Text(text.replace(['\n', '\r'], " ")),
        }
    }
}
