//! The thread that splits the traffic into lines, records and checks them.

use std::io::{self, Write};
use std::time::Instant;

use anstream::ColorChoice;
use codex_wire_base::Protocol;
use codex_wire_base::lines::Line;
use codex_wire_check::stream::Splitter;
use codex_wire_check::{Checker, Finding, Stream, Writer};
use codex_wire_report::{Format, Report, Settings, Totals};
use codex_wire_scrub::Survivor;

use super::conversation::{Admission, Conversation};
use super::queue::{Consumer, Event};
use super::recorder::Recorder;
use crate::commands::codex_version;
use crate::output;

/// The settings of an inspection.
pub(crate) struct Inspection {
    /// The name of the conversation in reports.
    pub(crate) path: String,
    pub(crate) protocol: Option<Protocol>,
    pub(crate) release: Option<String>,
    pub(crate) line_bytes: usize,
    pub(crate) format: Format,
    pub(crate) settings: Settings,
    pub(crate) begun: Instant,
    pub(crate) color: ColorChoice,
}

/// The result of an inspection.
pub(crate) struct Inspected {
    /// The totals; `None` if the report could not be written.
    pub(crate) totals: Option<Totals>,
    /// Whether the recording is complete and everything was passed on.
    pub(crate) is_complete: bool,
}

impl Inspection {
    /// Inspects all events of the queue.
    pub(super) fn run(
        self,
        checker: &Checker,
        events: Consumer,
        recorder: Option<Recorder>,
        out: &mut dyn Write,
    ) -> Inspected {
        let report = Report::begin(self.format, self.settings.clone(), out);
        let awaits_release = recorder.is_some() && self.release.is_none();
        let mut inspector = Inspector {
            stream: checker.stream(&self.path),
            conversation: Conversation::new(self.protocol, awaits_release),
            release: self.release.clone(),
            report: None,
            recorder,
            is_complete: true,
            lines: 0,
            bytes: 0,
            how: &self,
        };
        inspector.report = inspector.written(report);
        let mut sides =
            [Writer::Codex, Writer::Client].map(|writer| (writer, Splitter::new(self.line_bytes)));
        while let Some(event) = events.ready().or_else(|| {
            inspector.flush();
            events.next()
        }) {
            inspector.event(event, &mut sides);
        }
        inspector.finish()
    }
}

/// A line that is held back.
struct Held {
    bytes: Vec<u8>,
    ended: bool,
    length: u64,
    at: Instant,
}

struct Inspector<'i, 'w> {
    how: &'i Inspection,
    stream: Stream<'i>,
    conversation: Conversation<Held>,
    /// The release, as far as it is known.
    release: Option<String>,
    /// The report; `None` once it cannot be written.
    report: Option<Report<'w>>,
    recorder: Option<Recorder>,
    is_complete: bool,
    /// The number of lines and bytes so far, if nothing is recorded.
    lines: u64,
    bytes: u64,
}

impl Inspector<'_, '_> {
    fn event(&mut self, event: Event, sides: &mut [(Writer, Splitter)]) {
        match event {
            // After the end of the conversation, bytes are only recorded.
            Event::Bytes { .. } if self.stream.is_over() && self.recorder.is_none() => {}
            Event::Bytes {
                writer, at, bytes, ..
            } => {
                for (_, side) in sides.iter_mut().filter(|(side, _)| *side == writer) {
                    side.feed(&bytes, |line| self.line(writer, line, at));
                }
            }
            Event::Ended { writer, at, .. } => {
                for (_, side) in sides.iter_mut().filter(|(side, _)| *side == writer) {
                    side.finish(|line| self.line(writer, line, at));
                }
            }
            // Only sockets are stopped by us.
            Event::Stopped => {}
            Event::Exit { at, status, signal } => {
                // A pump may still be waiting at an open pipe, so the last line of Codex ends here.
                // Half a line of a client that was still writing is not a violation.
                for (_, side) in sides.iter_mut().filter(|(side, _)| *side == Writer::Codex) {
                    side.finish(|line| self.line(Writer::Codex, line, at));
                }
                for held in self.conversation.rest() {
                    self.take_held(&held);
                }
                let ms = self.ms(at);
                self.record_start();
                self.record(|recorder| recorder.exit(status, signal.as_deref(), ms));
                let last = self.recorder.as_ref().map(Recorder::last);
                self.stream.exit(status, signal.as_deref(), last.as_ref());
            }
        }
    }

    fn line(&mut self, writer: Writer, line: &Line<'_>, at: Instant) {
        match self.conversation.admit(writer, line.bytes) {
            Admission::Take(held) => {
                if writer == Writer::Codex && self.release.is_none() {
                    self.release = codex_version::of_answer(line.bytes);
                }
                for held in held {
                    self.take_held(&held);
                }
                self.take(writer, line, at);
            }
            Admission::Hold => {
                let held = Held {
                    bytes: line.bytes.to_vec(),
                    ended: line.ended,
                    length: line.length,
                    at,
                };
                self.conversation.hold(held, line.bytes.len());
            }
            Admission::Ignore => {}
        }
    }

    /// A line of the client that was held back.
    fn take_held(&mut self, held: &Held) {
        let line = Line {
            bytes: &held.bytes,
            number: 0,
            offset: 0,
            ended: held.ended,
            length: held.length,
            column: None,
        };
        self.take(Writer::Client, &line, held.at);
    }

    /// A line that belongs to the conversation.
    fn take(&mut self, writer: Writer, line: &Line<'_>, at: Instant) {
        self.record_start();
        let ms = self.ms(at);
        self.record(|recorder| recorder.line(None, writer, line.bytes, ms));
        if line.is_cut_off() {
            self.report_cut(line.length);
        }
        // While there is a recording, findings name its lines.
        let record = self.recorder.as_ref().map(Recorder::last);
        self.lines = record.map_or(self.lines + 1, |record| record.number);
        let line = Line {
            number: self.lines,
            offset: self.bytes,
            ..*line
        };
        self.bytes += line.length + u64::from(line.ended);
        let findings = match record {
            Some(record) => self.stream.recorded_line(writer, &line, &record),
            None => self.stream.line(writer, &line),
        };
        if !findings.is_empty() {
            let path = &self.how.path;
            let written = self
                .report
                .as_mut()
                .map(|report| report.findings(path, findings));
            self.reported(written);
        }
    }

    fn finish(self) -> Inspected {
        let Inspector {
            how,
            stream,
            report,
            recorder,
            is_complete,
            ..
        } = self;
        let (outcome, rest): (_, Vec<Finding>) = stream.finish();
        let mut is_complete = is_complete;
        let mut recorder = recorder;
        if let Some(recorder) = &mut recorder
            && let Err(error) = recorder.flush()
        {
            unrecorded(how.color, recorder, &error);
            is_complete = false;
        }
        if let Some(recorder) = recorder
            && let Err(survivor) = recorder.check()
        {
            unscrubbed(how.color, recorder, &survivor);
            is_complete = false;
        }
        let totals = report.and_then(|mut report| {
            let written = report
                .findings(&how.path, &rest)
                .and_then(|()| report.outcome(&outcome))
                .and_then(|()| report.finish());
            written.map_err(|error| unreported(how.color, &error)).ok()
        });
        Inspected {
            totals,
            is_complete,
        }
    }

    fn record_start(&mut self) {
        if self.recorder.as_ref().is_some_and(Recorder::is_empty) {
            let protocol = self.conversation.protocol();
            let release = self.release.clone();
            self.record(|recorder| recorder.start(protocol, release.as_deref()));
        }
    }

    /// Records something. After an error, nothing more is recorded.
    fn record(&mut self, write: impl FnOnce(&mut Recorder) -> io::Result<()>) {
        if let Some(recorder) = &mut self.recorder
            && let Err(error) = write(recorder)
        {
            unrecorded(self.how.color, recorder, &error);
            self.recorder = None;
            self.is_complete = false;
        }
    }

    /// Reports that a line was too long to be recorded completely.
    fn report_cut(&mut self, length: u64) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        let (path, limit) = (recorder.path().display(), self.how.line_bytes);
        let text = format!(
            "a line has {length} bytes, more than the {limit} of --max-line-bytes; {path} has only its \
             beginning"
        );
        output::complain(self.how.color, &text);
        self.is_complete = false;
    }

    fn flush(&mut self) {
        self.record(Recorder::flush);
    }

    fn reported(&mut self, written: Option<io::Result<()>>) {
        if let Some(Err(error)) = written {
            unreported(self.how.color, &error);
            self.report = None;
        }
    }

    /// The result of a write. An error is reported.
    fn written<T>(&self, written: io::Result<T>) -> Option<T> {
        written
            .map_err(|error| unreported(self.how.color, &error))
            .ok()
    }

    /// The milliseconds since the command was started.
    fn ms(&self, at: Instant) -> u64 {
        let since = at.saturating_duration_since(self.how.begun).as_millis();
        u64::try_from(since).unwrap_or(u64::MAX)
    }
}

pub(super) fn unrecorded(color: ColorChoice, recorder: &Recorder, error: &io::Error) {
    let path = recorder.path().display();
    output::complain(
        color,
        &format!("cannot write {path}: {error}; the recording is not complete"),
    );
}

/// Removes a recording in which something private survived.
pub(super) fn unscrubbed(color: ColorChoice, recorder: Recorder, survivor: &Survivor) {
    let path = recorder.path().to_owned();
    drop(recorder);
    let end = match std::fs::remove_file(&path) {
        Ok(()) => "the recording was removed".to_owned(),
        Err(error) => format!("the recording cannot be removed: {error}"),
    };
    let path = path.display();
    output::complain(
        color,
        &format!("{path} was not scrubbed: {survivor}; {end}"),
    );
}

pub(super) fn unreported(color: ColorChoice, error: &io::Error) {
    output::complain(color, &format!("cannot write the report: {error}"));
}
