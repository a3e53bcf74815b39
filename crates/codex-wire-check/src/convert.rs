//! Writes what other programs recorded, and arrays of messages, in our transcript format.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead, BufWriter, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use codex_wire_base::Maybe;
use codex_wire_base::lines::without_mark;
use codex_wire_base::transcript::{Line, Record, Side, Start, VERSION};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::checker::Checker;
use crate::error::Error;
use crate::finding::Writer;
use crate::framing::record::WRAPPINGS;
use crate::options::{Limits, Options};
use crate::step::Step;

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
    checker: Checker,
}

/// What became of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Converted {
    /// It was written as a transcript.
    Written,
    /// No line of it is a message of Codex, for this reason.
    Foreign(String),
}

impl Converter {
    /// A converter of lines that are as long as a checker reads them.
    ///
    /// # Errors
    /// As [`Checker::new`].
    pub fn new() -> Result<Self, Error> {
        Converter::with_limit(Limits::default().line_bytes)
    }

    /// A converter of lines of up to so many bytes.
    ///
    /// # Errors
    /// As [`Checker::new`].
    pub fn with_limit(line_bytes: usize) -> Result<Self, Error> {
        let limits = Limits {
            line_bytes,
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
    /// If they would, and no message is of Codex or a line is over the limit.
    pub fn lines(&self, name: &str, bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        if !is_of_another_form(&bytes) {
            return Ok(bytes);
        }
        let mut out = Vec::new();
        match self.convert(name, &bytes[..], &mut out)? {
            Converted::Written => Ok(out),
            Converted::Foreign(_) => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "no line is a message of Codex",
            )),
        }
    }

    /// Writes the records of an input of this name.
    ///
    /// # Errors
    /// If the input cannot be read, a line of it is over the limit, or the records cannot be written.
    pub fn convert(
        &self,
        name: &str,
        input: impl BufRead,
        out: &mut dyn Write,
    ) -> io::Result<Converted> {
        let mut out = BufWriter::new(out);
        let mut first = true;
        let mut is_transcript = false;
        let limit = self.checker.options.limits.line_bytes;
        let outcome = self.checker.observe_writers(name, input, |step| {
            if step.is_cut_off {
                // What is cut off would be lost.
                let message = format!("line {} has more than {limit} bytes", step.line);
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            let line = step.bytes.trim_ascii();
            if line.is_empty() {
                return Ok(());
            }
            let line = match first {
                true => without_mark(line),
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
                    write(&mut out, &Record::Line(record(step, Ok(text))))
                }
                Stored::Bytes => write(&mut out, &Record::Line(record(step, Err(line)))),
            }
        })?;
        match (outcome.error, outcome.foreign) {
            (Some(reason), true) => return Ok(Converted::Foreign(reason)),
            (Some(error), false) => return Err(io::Error::other(error)),
            (None, _) => {}
        }
        out.flush()?;
        Ok(match first || outcome.foreign {
            true => Converted::Foreign("the input holds no messages".to_owned()),
            false => Converted::Written,
        })
    }
}

/// Whether an input begins as an array or with a line of another recorder.
fn is_of_another_form(bytes: &[u8]) -> bool {
    let bytes = without_mark(bytes).trim_ascii_start();
    let array = ["{", "\"notifications\"", ":"]
        .iter()
        .try_fold(bytes, |bytes, token| {
            Some(bytes.strip_prefix(token.as_bytes())?.trim_ascii_start())
        });
    if let Some(inside) = array.unwrap_or(bytes).strip_prefix(b"[") {
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
fn record(step: &Step<'_>, line: Result<Cow<'_, str>, &[u8]>) -> Line {
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
enum Stored<'l> {
    /// As a record of our format.
    Record,
    /// As this text, which is the line itself.
    Text(Cow<'l, str>),
    /// As this text, which a record of another recorder holds.
    Wrapped(Cow<'l, str>),
    Bytes,
}

impl<'l> Stored<'l> {
    fn of(line: &'l [u8]) -> Self {
        let Ok(text) = str::from_utf8(line) else {
            return Stored::Bytes;
        };
        let members: Option<Telling<'_>> = serde_json::from_str(text).ok();
        let Some(Telling(members)) = members else {
            return Stored::Text(Cow::Borrowed(text));
        };
        let get = |name: &str| {
            let mut found = members.iter();
            found
                .find(|(other, _)| *other == name)
                .map(|(_, value)| *value)
        };
        let string = |name: &str| -> Option<String> { serde_json::from_str(get(name)?.get()).ok() };
        let has = |name: &str| get(name).is_some();
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
        match names.copied().find_map(get) {
            Some(value) => Stored::Wrapped(match serde_json::from_str::<String>(value.get()) {
                Ok(line) => Cow::Owned(line),
                Err(_) => on_one_line(value.get()),
            }),
            None => Stored::Text(on_one_line(text)),
        }
    }
}

/// Without newlines: a record is one line, and so is what it holds.
fn on_one_line(text: &str) -> Cow<'_, str> {
    match memchr::memchr2(b'\n', b'\r', text.as_bytes()) {
        Some(_) => Cow::Owned(text.replace(['\n', '\r'], " ")),
        None => Cow::Borrowed(text),
    }
}

/// The members of an object that say how it is stored. It may have any number of others.
struct Telling<'l>(Vec<(&'static str, &'l RawValue)>);

/// Those beside the members of [`WRAPPINGS`].
const TELLING: [&str; 6] = ["kind", "transcript", "from", "connection", "type", "id"];

impl<'de> Deserialize<'de> for Telling<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Telling<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let wrappings = WRAPPINGS.iter();
                let wrappings = wrappings.flat_map(|(name, names)| names.iter().chain([name]));
                let known: Vec<&'static str> = wrappings.chain(&TELLING).copied().collect();
                let mut members: Vec<(&'static str, &RawValue)> = Vec::new();
                while let Some(name) = map.next_key::<Name<'_>>()? {
                    let Some(name) = known.iter().find(|known| **known == name.0) else {
                        map.next_value::<IgnoredAny>()?;
                        continue;
                    };
                    // Of several the last one counts.
                    members.retain(|(other, _)| other != name);
                    members.push((name, map.next_value()?));
                }
                Ok(Telling(members))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

/// The name of a member, borrowed where it can be.
#[derive(Deserialize)]
struct Name<'l>(#[serde(borrow)] Cow<'l, str>);
