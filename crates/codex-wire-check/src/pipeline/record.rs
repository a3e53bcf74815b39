//! The lines of a recording: what they hold is checked as if it stood alone.

use codex_wire_base::transcript::{self, Record};
use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_prefilter::View;

use super::Pipeline;
use crate::framing::frame::{Bytes, RecordedNotUtf8, frame_recorded};
use crate::framing::record::{BadRecord, Held, NoRelease, Recorded, held, record_of};
use crate::line::Text;
use crate::violation::{Broken, Violation};

impl Pipeline<'_> {
    /// A line of a recording.
    pub(super) fn record(&mut self, text: Text<'_>, line: View<'_>) {
        match record_of(text.text, line) {
            Recorded::Unconverted {
                wrapped,
                client,
                ms,
            } => {
                let connection = client.map(|name| self.attribution.rpc.number_of(name));
                if let Some(observed) = &mut self.observed {
                    observed.ms = ms;
                }
                let writer = self.attribution.sides.writer_of(&wrapped);
                match wrapped.value.as_str() {
                    Some(inner) => self.held(text.inner(inner, writer, connection)),
                    None => self.inner(text.part(wrapped.value, writer, connection), Vec::new()),
                }
            }
            Recorded::Hook(run) => self.hook_run(text, &run),
            Recorded::Bad(at, kind) => {
                let at = text.origin.skipped + at;
                self.report(text, vec![BadRecord { kind }.in_line(at..at)]);
            }
            Recorded::Record(record) => {
                if let Some(observed) = &mut self.observed {
                    observed.keep_record(&record);
                }
                let violations = self.event(text, &record);
                self.report(text, violations);
            }
        }
    }

    /// A record of a transcript. Returns what is wrong with it.
    fn event(&mut self, text: Text<'_>, record: &Record) -> Vec<Violation> {
        match record {
            Record::Start(start) => self.start(start).into_iter().collect(),
            Record::Line(line) => self.recorded_line(text, line).into_iter().collect(),
            Record::Connected(record) => {
                self.attribution.rpc.connected(record.connection);
                self.sequence.connected(record)
            }
            Record::Closed(record) => self.sequence.closed(record),
            Record::Exit(record) => {
                self.sequence.exit(record);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn recorded_line(&mut self, text: Text<'_>, line: &transcript::Line) -> Option<Violation> {
        let connection = line.connection.value().copied();
        match held(line) {
            Held::Line(writer, inner) => {
                self.held(text.inner(inner, Some(writer), connection));
                None
            }
            Held::Bytes(writer) => {
                self.lost(&text.inner("", Some(writer), connection).origin);
                Some(RecordedNotUtf8.in_line(0..0))
            }
            Held::Bad(violation) => Some(*violation),
        }
    }

    /// The line that a line of a recording holds as a text.
    fn held(&mut self, text: Text<'_>) {
        let framed = frame_recorded(text, self.framing.messages == 0);
        match framed.bytes {
            Bytes::Text(text) => self.inner(text, framed.violations),
            _ => self.report(Text::new(framed.origin, ""), framed.violations),
        }
    }

    /// What a recording says of itself counts unless the user says otherwise.
    fn start(&mut self, start: &transcript::Start) -> Option<Violation> {
        self.attribution.rpc.restart();
        if let Some(identity) = &mut self.releases.identity {
            identity.claim(start);
            return None;
        }
        let protocol: Option<Protocol> = start.protocol.value().and_then(|name| name.parse().ok());
        let dialect = &mut self.attribution.dialect;
        if dialect.protocol.is_none() {
            dialect.protocol = protocol;
        }
        let (Some(text), None) = (start.release.value(), self.releases.stated) else {
            return None;
        };
        let message_sets = dialect
            .protocol
            .map_or(MessageSet::ALL, Protocol::message_sets);
        // Only a dialect that is still growing has releases this crate does not know yet.
        let speaks = |message_set: &MessageSet| {
            let release_list = message_set.release_list();
            let newer = |release: Release| release > release_list.latest();
            let release = release_list.resolve(text).ok()?;
            (message_set.is_current() || !text.parse().is_ok_and(newer)).then_some(release)
        };
        match message_sets.iter().find_map(speaks) {
            // The user says otherwise.
            Some(listed) if !self.releases.among.contains(text.parse().unwrap_or(listed)) => None,
            Some(release) => {
                self.releases.state(Some(release));
                None
            }
            None => Some(NoRelease.at_last("/release")),
        }
    }
}
