//! Reads recordings: transcripts of both directions, and plain output of `codex exec --json`.

use std::ops::Range;
use std::sync::Arc;

use codex_wire_base::transcript::{Exit, Line, Record, Side, Start, VERSION};
use codex_wire_base::{Maybe, Protocol, Release};
use serde_json::Value;

use crate::error::Error;
use crate::text::Text;

/// What is known of a recording beside its lines.
///
/// A transcript says it itself; for plain output of `codex exec`, a manifest or the user says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct About {
    /// The release that was recorded.
    pub release: Option<Release>,
    /// The command that was run.
    pub command: Vec<String>,
    /// The exit status of Codex.
    pub status: Option<i32>,
    /// The signal that ended Codex.
    pub signal: Option<String>,
}

impl About {
    /// Nothing is known.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, of this release.
    #[must_use]
    pub fn release(mut self, release: Release) -> Self {
        self.release = Some(release);
        self
    }

    /// The same, of this command.
    #[must_use]
    pub fn command<W: Into<String>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        self.command = words.into_iter().map(Into::into).collect();
        self
    }

    /// The same, of a run that exited with this status.
    #[must_use]
    pub fn status(mut self, status: i32) -> Self {
        self.status = Some(status);
        self
    }

    /// The same, of a run that this signal ended.
    #[must_use]
    pub fn signal(mut self, signal: impl Into<String>) -> Self {
        self.signal = Some(signal.into());
        self
    }
}

/// Who wrote a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// Codex.
    Codex,
    /// The client.
    Client,
}

/// A line of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedLine {
    /// Who wrote it.
    pub writer: Writer,
    /// The connection, from 0.
    pub connection: u32,
    /// Milliseconds since the recording began, if they are known.
    pub ms: Option<u64>,
    /// The number of the line in its file, from 1.
    pub number: u64,
    /// The line without its newline. A line that is not UTF-8 is left out.
    pub text: Text,
}

/// The lines of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lines {
    /// The bytes that `codex exec` wrote, as they are.
    Plain(Arc<Vec<u8>>),
    /// The lines of a transcript.
    Transcript(Vec<RecordedLine>),
}

/// A recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// Its name in reports.
    pub name: String,
    /// The protocol that was recorded.
    pub protocol: Protocol,
    /// What is known of it.
    pub about: About,
    /// What was written.
    pub lines: Lines,
}

impl Recording {
    /// Reads a recording. What the recording says of itself comes before `about`.
    ///
    /// # Errors
    /// When it is a transcript with a bad record, or a log that does not say who wrote its lines.
    pub fn read(name: &str, bytes: Vec<u8>, about: About) -> Result<Recording, Error> {
        let mut lines = (1..).zip(bytes.split(|byte| *byte == b'\n'));
        let first = lines.find(|(_, text)| !text.iter().all(u8::is_ascii_whitespace));
        let (line, text) = first.unwrap_or((1, &[][..]));
        let value = serde_json::from_slice::<Value>(text).ok();
        if value.as_ref().is_some_and(is_record) {
            return transcript(name, bytes, about);
        }
        let has = |key: &str| value.as_ref().is_some_and(|v| v.get(key).is_some());
        if has("dir") {
            return Err(Error::LogOfTee { line });
        }
        if has("method") || has("op") || has("result") {
            return Err(Error::NoWriter { line });
        }
        Ok(Recording {
            name: name.to_owned(),
            protocol: Protocol::Exec,
            about,
            lines: Lines::Plain(Arc::new(bytes)),
        })
    }

    /// What Codex wrote, with the time of each line if it is known. Of a transcript, the lines of the
    /// client are left out.
    pub fn output(&self) -> (Vec<u8>, Vec<u64>) {
        match &self.lines {
            Lines::Plain(bytes) => (bytes.to_vec(), Vec::new()),
            Lines::Transcript(lines) => {
                let mut bytes = Vec::new();
                let mut times = Vec::new();
                for line in lines.iter().filter(|line| line.writer == Writer::Codex) {
                    bytes.extend_from_slice(line.text.as_bytes());
                    bytes.push(b'\n');
                    times.extend(line.ms);
                }
                (bytes, times)
            }
        }
    }

    /// The lines of a transcript as a transcript, with all that is known of the recording.
    pub fn to_transcript(&self) -> String {
        let maybe = |text: Option<String>| text.map_or(Maybe::Absent, Maybe::Value);
        let mut start = Start::new(VERSION);
        start.protocol = Maybe::Value(self.protocol.as_str().to_owned());
        start.release = maybe(self.about.release.map(|release| release.to_string()));
        if !self.about.command.is_empty() {
            start.command = Maybe::Value(self.about.command.clone());
        }
        let mut exit = Exit::new();
        exit.status = self.about.status.map_or(Maybe::Absent, Maybe::Value);
        exit.signal = maybe(self.about.signal.clone());
        let mut records = vec![Record::Start(start)];
        records.extend(self.lines().iter().map(|line| {
            let side = match line.writer {
                Writer::Codex => Side::Codex,
                Writer::Client => Side::Client,
            };
            let mut record = Line::text(side, line.text.to_string());
            record.ms = line.ms.map_or(Maybe::Absent, Maybe::Value);
            if line.connection > 0 {
                record.connection = Maybe::Value(line.connection);
            }
            Record::Line(record)
        }));
        if self.about.status.is_some() || self.about.signal.is_some() {
            records.push(Record::Exit(exit));
        }
        let lines = records
            .iter()
            .map(|record| codex_wire_base::to_string(record) + "\n");
        lines.collect()
    }

    /// The lines of a transcript; none for plain output.
    pub fn lines(&self) -> &[RecordedLine] {
        match &self.lines {
            Lines::Plain(_) => &[],
            Lines::Transcript(lines) => lines,
        }
    }
}

/// Reads a manifest of fixtures: for each file, relative to the manifest, what is known of it.
///
/// Returns nothing if this is JSON of another kind: other programs have files of that name.
///
/// # Errors
/// When it is not JSON, or its `transcripts` do not name their files.
pub fn manifest(bytes: &[u8]) -> Result<Vec<(String, About)>, Error> {
    let manifest: Value = serde_json::from_slice(bytes).map_err(|error| Error::NotAManifest {
        line: error.line(),
        column: error.column(),
    })?;
    let Some(entries) = manifest.get("transcripts") else {
        return Ok(Vec::new());
    };
    let entries = entries.as_array().ok_or(Error::NoFiles)?.iter();
    let entries = entries.map(|entry| {
        let file = entry.get("file").and_then(Value::as_str);
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        let argv = entry.get("argv").and_then(Value::as_array);
        let status = entry.get("exit_code").and_then(Value::as_i64);
        let about = About {
            release: text("release").and_then(|release| release.parse().ok()),
            command: argv
                .into_iter()
                .flatten()
                .filter_map(|word| word.as_str().map(str::to_owned))
                .collect(),
            // A negative status is the signal that ended the process.
            status: status
                .filter(|status| *status >= 0)
                .and_then(|status| i32::try_from(status).ok()),
            signal: text("signal").map(str::to_owned),
        };
        Ok((file.ok_or(Error::NoFiles)?.to_owned(), about))
    });
    entries.collect()
}

/// Whether a line is a record of the transcript format.
fn is_record(value: &Value) -> bool {
    let has = |key: &str| value.get(key).is_some();
    match value.get("kind").and_then(Value::as_str) {
        Some("start") => has("transcript"),
        Some("line") => has("from"),
        Some("connected") => has("connection"),
        _ => false,
    }
}

fn transcript(name: &str, bytes: Vec<u8>, mut about: About) -> Result<Recording, Error> {
    let mut protocol = None;
    let mut texts = Texts::of(bytes);
    let mut lines = Vec::new();
    let mut number = 0;
    while let Some(place) = texts.next_line() {
        number += 1;
        let line = texts.line(place.clone());
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let record: Record = codex_wire_base::from_slice(line).map_err(|source| {
            let line = number;
            Error::NotARecord { line, source }
        })?;
        match record {
            Record::Start(start) => {
                if let Some(name) = start.protocol.value() {
                    let known = Protocol::ALL.iter().copied();
                    let unknown = || Error::UnknownProtocol {
                        line: number,
                        protocol: name.to_string(),
                    };
                    let found = known.into_iter().find(|known| known.as_str() == name);
                    protocol = Some(found.ok_or_else(unknown)?);
                }
                let release = start.release.value().and_then(|text| text.parse().ok());
                about.release = release.or(about.release);
                if let Maybe::Value(command) = start.command {
                    about.command = command;
                }
            }
            Record::Line(line) => {
                let writer = match &line.from {
                    Side::Codex => Writer::Codex,
                    Side::Client => Writer::Client,
                    _ => return Err(Error::UnknownWriter { line: number }),
                };
                let ms = line.ms.value().copied();
                let connection = line.connection.value().copied().unwrap_or(0);
                if let Maybe::Value(text) = line.line {
                    let header = RecordedLine {
                        writer,
                        connection,
                        ms,
                        number,
                        text: Text::default(),
                    };
                    lines.push((header, texts.push(&text)));
                }
            }
            Record::Exit(exit) => {
                about.status = exit.status.value().copied().or(about.status);
                about.signal = exit.signal.value().cloned().or(about.signal);
            }
            _ => {}
        }
    }
    let all = texts.finish();
    let with_text = |(line, place)| RecordedLine {
        text: Text::part(&all, place),
        ..line
    };
    let lines: Vec<RecordedLine> = lines.into_iter().map(with_text).collect();
    let Some(protocol) = protocol.or_else(|| guess(&lines)) else {
        return Err(match lines.is_empty() {
            true => Error::NoMessages,
            false => Error::NoProtocol,
        });
    };
    Ok(Recording {
        name: name.to_owned(),
        protocol,
        about,
        lines: Lines::Transcript(lines),
    })
}

/// The texts of a transcript, which take the place of its records: each is shorter than its record.
struct Texts {
    bytes: Vec<u8>,
    /// How much was read.
    read: usize,
    /// How much of the beginning are texts.
    written: usize,
}

impl Texts {
    fn of(bytes: Vec<u8>) -> Self {
        Texts {
            bytes,
            read: 0,
            written: 0,
        }
    }

    /// Where the next line stands, without its newline.
    fn next_line(&mut self) -> Option<Range<usize>> {
        let rest = self
            .bytes
            .get(self.read..)
            .filter(|rest| !rest.is_empty())?;
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let start = self.read;
        self.read += (end + 1).min(rest.len());
        Some(start..start + end)
    }

    fn line(&self, place: Range<usize>) -> &[u8] {
        &self.bytes[place]
    }

    /// Takes a text of the lines that were read. Returns its place.
    fn push(&mut self, text: &str) -> Range<usize> {
        let place = self.written..self.written + text.len();
        self.bytes[place.clone()].copy_from_slice(text.as_bytes());
        self.written = place.end;
        place
    }

    fn finish(mut self) -> Arc<String> {
        // To give back what is not needed would copy what is.
        self.bytes.truncate(self.written);
        let text = String::from_utf8(self.bytes);
        // Texts one behind the other are text.
        Arc::new(text.unwrap_or_default())
    }
}

/// The protocol that the first line with a known member belongs to.
fn guess(lines: &[RecordedLine]) -> Option<Protocol> {
    lines.iter().find_map(|line| {
        let value: Value = serde_json::from_str(&line.text).ok()?;
        let has = |key: &str| value.get(key).is_some();
        if has("method") || has("result") {
            Some(Protocol::AppServer)
        } else if has("op") || has("msg") {
            Some(Protocol::Core)
        } else {
            has("type").then_some(Protocol::Exec)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Recording, Error> {
        Recording::read("a.jsonl", text.into(), About::default())
    }

    #[test]
    fn a_transcript_says_what_it_is() {
        let text = "{\"kind\":\"start\",\"transcript\":1,\"protocol\":\"core\",\"release\":\"0.42.0\"}\n\
            {\"kind\":\"line\",\"from\":\"client\",\"ms\":5,\"line\":\"{}\"}\n\
            {\"kind\":\"exit\",\"status\":3}\n";
        let recording = read(text).expect("a transcript");
        assert_eq!(recording.protocol, Protocol::Core);
        assert_eq!(recording.about.release, Some(Release::new(0, 42, 0)));
        assert_eq!(recording.about.status, Some(3));
        assert_eq!(recording.lines()[0].ms, Some(5));
        assert_eq!(recording.lines()[0].number, 2);
    }

    #[test]
    fn blank_lines_may_come_first() {
        let text = "{\"kind\":\"start\",\"transcript\":1,\"protocol\":\"core\"}\n\
            {\"kind\":\"line\",\"from\":\"client\",\"line\":\"{}\"}\n";
        for blank in ["\n", " \n", "\r\n\t\n"] {
            let recording = read(&format!("{blank}{text}")).expect("a transcript");
            assert_eq!(recording.protocol, Protocol::Core, "{blank:?}");
        }
        let log = read(" \n{\"id\":1,\"method\":\"initialize\"}\n").expect_err("a log");
        assert_eq!(log, Error::NoWriter { line: 2 });
    }

    #[test]
    fn plain_output_stays_as_it_is() {
        let text = "{\"type\":\"turn.started\"}\nnoise";
        let recording = read(text).expect("output");
        assert_eq!(recording.protocol, Protocol::Exec);
        assert_eq!(recording.output().0, text.as_bytes());
    }

    #[test]
    fn what_cannot_be_played_is_refused() {
        let refused = |text: &str| read(text).expect_err("it cannot be played");
        let log = "{\"id\":1,\"method\":\"initialize\"}\n";
        assert_eq!(refused(log), Error::NoWriter { line: 1 });
        let tee = "{\"dir\":\"in\",\"line\":\"{}\"}\n";
        assert_eq!(refused(tee), Error::LogOfTee { line: 1 });
        let line = "{\"kind\":\"line\",\"from\":\"codex\",\"line\":\"{}\"}\n";
        let bad = refused(&format!("{line}{{\"kind\":1}}\n"));
        assert!(matches!(bad, Error::NotARecord { line: 2, .. }), "{bad:?}");
        let start = "{\"kind\":\"start\",\"transcript\":1}\n";
        let ended = "{\"kind\":\"exit\",\"status\":0}\n";
        assert_eq!(refused(&format!("{start}{ended}")), Error::NoMessages);
        assert_eq!(refused(&format!("{start}{line}{ended}")), Error::NoProtocol);
        let other = start.replace("1}", "1,\"protocol\":\"walrus\"}");
        let unknown = Error::UnknownProtocol {
            line: 1,
            protocol: "walrus".to_owned(),
        };
        assert_eq!(refused(&other), unknown);
    }

    #[test]
    fn a_manifest_tells_of_plain_output() {
        let text = br#"{"transcripts":[{"file":"0.44.0/a.jsonl","release":"0.44.0","argv":["codex","exec"],"exit_code":1},{"file":"b","exit_code":-9}]}"#;
        let entries = manifest(text).expect("a manifest");
        assert_eq!(entries[0].0, "0.44.0/a.jsonl");
        assert_eq!(entries[0].1.release, Some(Release::new(0, 44, 0)));
        assert_eq!(entries[0].1.status, Some(1));
        assert_eq!(entries[1].1.status, None);
        assert_eq!(manifest(b"{\"files\":[]}"), Ok(Vec::new()));
        for broken in [
            "{\"transcripts\":5}",
            "{\"transcripts\":[{\"release\":\"0.44.0\"}]}",
        ] {
            assert_eq!(manifest(broken.as_bytes()), Err(Error::NoFiles), "{broken}");
        }
        let broken = Error::NotAManifest { line: 2, column: 3 };
        assert_eq!(manifest(b"{\"transcripts\":[\n  }"), Err(broken));
    }
}
