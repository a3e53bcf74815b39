//! The lines of a recording: what they hold is checked as if it stood alone.

use codex_wire_base::transcript::{self, Record};
use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_prefilter::View;

use super::state::Session;
use crate::framing::frame::INVALID_UTF8;
use crate::framing::record::BAD_RECORD;
use crate::framing::record::{Held, Recorded, held, record_of};
use crate::line::LineContext;

impl Session<'_> {
    /// A line of a recording.
    pub(super) fn record(&mut self, context: &LineContext<'_>, line: View<'_>) {
        match record_of(context.text, line) {
            Recorded::Unconverted {
                wrapped,
                client,
                ms,
            } => {
                let connection = client.map(|name| self.rpc.number_of(name));
                if let Some(observed) = &mut self.observed {
                    observed.ms = ms;
                }
                match wrapped.value.as_str() {
                    Some(text) => {
                        self.text(&mut context.inner(text, wrapped.writer, connection));
                    }
                    None => self.text(&mut context.part(wrapped, connection)),
                }
            }
            Recorded::Hook(run) => self.hook_run(context, &run),
            Recorded::Bad(at, message) => {
                let range = at..at;
                self.diagnostics
                    .report_range(context, &BAD_RECORD, range, || message);
            }
            Recorded::Record(record) => {
                if let Some(observed) = &mut self.observed {
                    observed.keep_record(&record);
                }
                self.event(context, &record);
            }
        }
    }

    /// A record of a transcript.
    fn event(&mut self, context: &LineContext<'_>, record: &Record) {
        let violations = match record {
            Record::Start(start) => return self.start(context, start),
            Record::Line(line) => return self.recorded_line(context, line),
            Record::Connected(record) => {
                self.rpc.connected(record.connection);
                self.sequence.connected(record)
            }
            Record::Closed(record) => self.sequence.closed(record),
            Record::Exit(record) => return self.sequence.exit(record),
            _ => return,
        };
        self.report_sequence(context, violations, false);
    }

    fn recorded_line(&mut self, context: &LineContext<'_>, line: &transcript::Line) {
        let connection = line.connection.value().copied();
        match held(line) {
            Held::Line(writer, text) => {
                self.text(&mut context.inner(text, Some(writer), connection));
            }
            Held::Bytes(writer) => {
                self.lost(&context.inner("", Some(writer), connection));
                let message = || "the recorded line is not UTF-8".to_owned();
                self.diagnostics
                    .report_range(context, &INVALID_UTF8, 0..0, message);
            }
            Held::Bad(pointer, message) => {
                self.diagnostics.report_record(context, pointer, message);
            }
        }
    }

    /// What a recording says of itself counts unless the user says otherwise.
    fn start(&mut self, context: &LineContext<'_>, start: &transcript::Start) {
        self.rpc.restart();
        if let Some(identity) = &mut self.releases.identity {
            return identity.claim(start);
        }
        let protocol: Option<Protocol> = start.protocol.value().and_then(|name| name.parse().ok());
        if self.dialect.protocol.is_none() {
            self.dialect.protocol = protocol;
        }
        let (Some(text), None) = (start.release.value(), self.releases.stated) else {
            return;
        };
        let message_sets = self
            .dialect
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
            Some(release) => {
                self.releases.stated = Some(release);
                self.is_identified = false;
            }
            None => {
                let message = "the recording names no release of its protocol";
                self.diagnostics.report_record(context, "/release", message);
            }
        }
    }
}
