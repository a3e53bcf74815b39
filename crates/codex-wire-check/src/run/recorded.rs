//! Unwraps the lines of recordings: transcripts in the project's format, and the raw form that
//! recorders write.

use codex_wire_base::transcript::{self, Record};
use codex_wire_base::{Protocol, Release, Surface};
use codex_wire_program::View;

use super::{Run, Source};
use crate::finding::Writer;
use crate::place::Places;
use crate::rules;
use crate::scan::locate;

impl Run<'_> {
    /// A line of a recording: what it holds is checked as if it stood alone.
    pub(super) fn record(&mut self, source: &Source<'_>, line: View<'_>) {
        if let Some((writer, text)) = unconverted(line) {
            let client = line.get_str("client");
            self.sequence.connection = client.map(|name| self.rpc.number_of(name));
            self.seen_at(line.get("t_ms").and_then(View::as_u64));
            self.inner(source, writer, text);
            self.sequence.connection = None;
            return;
        }
        let record: Record = match codex_wire_base::from_str(source.text) {
            Ok(record) => record,
            Err(error) => {
                let at = error.offset().min(source.text.len());
                let message = format!("a record of a transcript: {}", error.kind());
                return self.at(&rules::BAD_RECORD, source, at..at, &message);
            }
        };
        self.seen_record(&record);
        match &record {
            Record::Start(start) => self.start(source, start),
            Record::Line(line) => {
                self.sequence.connection = line.connection.value().copied();
                self.recorded_line(source, line);
                self.sequence.connection = None;
            }
            Record::Connected(record) => self.life_connected(source, record),
            Record::Closed(record) => self.life_closed(source, record),
            Record::Exit(record) => self.life_exit(record),
            _ => {}
        }
    }

    fn recorded_line(&mut self, source: &Source<'_>, line: &transcript::Line) {
        let writer = match &line.from {
            transcript::Side::Codex => Writer::Codex,
            transcript::Side::Client => Writer::Client,
            _ => {
                let at = locate(source.text, "/from", false).unwrap_or(0..0);
                let message = "a line is written by `codex` or by the `client`";
                return self.at(&rules::BAD_RECORD, source, at, message);
            }
        };
        match (line.line.value(), line.bytes.value()) {
            (Some(text), None) => self.inner(source, writer, text),
            (None, Some(_)) => {
                self.life_lost(Some(writer));
                let message = "the recorded line is not UTF-8";
                self.at(&rules::INVALID_UTF8, source, 0..0, message);
            }
            _ => {
                let message = "a `line` record needs one of `line` and `bytes`";
                self.at(&rules::BAD_RECORD, source, 0..source.text.len(), message);
            }
        }
    }

    fn inner(&mut self, source: &Source<'_>, writer: Writer, text: &str) {
        self.text(&Source {
            text,
            skipped: 0,
            skipped_characters: Some(0),
            ended: true,
            from: Some(writer),
            places: Places::default(),
            ..*source
        });
    }

    /// What a recording says of itself counts unless the user says otherwise.
    fn start(&mut self, source: &Source<'_>, start: &transcript::Start) {
        self.rpc.restart();
        if self.identity.is_some() {
            return self.claims(start);
        }
        let protocol: Option<Protocol> = start.protocol.value().and_then(|name| name.parse().ok());
        if self.outcome.protocol.is_none() {
            self.outcome.protocol = protocol;
        }
        let (Some(text), None) = (start.release.value(), self.stated) else {
            return;
        };
        let surfaces = self
            .outcome
            .protocol
            .map_or(Surface::ALL, Protocol::surfaces);
        // Only a form that is still growing has releases this crate does not know yet.
        let speaks = |surface: &Surface| {
            let timeline = surface.timeline();
            let newer = |release: Release| release > timeline.latest();
            let release = timeline.resolve(text).ok()?;
            (surface.is_current() || !text.parse().is_ok_and(newer)).then_some(release)
        };
        let found = surfaces.iter().find_map(speaks);
        match found {
            Some(release) => {
                self.stated = Some(release);
                self.outcome.identified = false;
            }
            None => {
                let at = locate(source.text, "/release", false).unwrap_or(0..0);
                let message = "the recording names no release of its protocol";
                self.at(&rules::BAD_RECORD, source, at, message);
            }
        }
    }

    /// Whether a recorded line was written by the side whose messages look like it.
    pub(super) fn direction(&mut self, source: &Source<'_>, written: bool) {
        let text = match source.from {
            Some(Writer::Codex) if !written => "Codex writes a message for Codex",
            Some(Writer::Client) if written => "the client writes a message of Codex",
            _ => return,
        };
        let range = locate(source.text, "", false).unwrap_or(0..source.text.len());
        self.push(
            &rules::WRONG_SIDE,
            source,
            range,
            "",
            text.to_owned(),
            |_| {},
        );
    }
}

/// Whether a line is a record of a transcript rather than a message itself.
pub(super) fn is_record(message: View<'_>) -> bool {
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
