//! The thread that reads the messages in the traffic of all connections, records and checks them.
//!
//! The checker learns from records whose message it is. So it gets the records of a transcript,
//! whether one is written or not.

use std::collections::HashMap;
use std::io::{self, Write};
use std::time::Instant;

use codex_wire_base::Protocol;
use codex_wire_check::{Checker, Finding, Stream, Writer};
use codex_wire_report::Report;

use super::super::inspector::{Inspected, Inspection, unrecorded, unreported, unscrubbed};
use super::super::queue::{Consumer, Event};
use super::super::recorder::Recorder;
use super::messages::{Messages, Seen};
use crate::commands::codex_version;
use crate::output;

/// How many bytes are held back until Codex has said which release it is.
const HELD_LIMIT: usize = 1 << 20;

/// Inspects all events of the queue.
pub(super) fn run(
    how: &Inspection,
    checker: &Checker,
    events: &Consumer,
    recorder: Option<Recorder>,
    out: &mut dyn Write,
) -> Inspected {
    let report = Report::begin(how.format, how.settings.clone(), out);
    let report = report.map_err(|error| unreported(how.color, &error)).ok();
    let mut inspector = Inspector {
        how,
        stream: checker.stream(&how.path),
        records: Recorder::nowhere(),
        release: how.release.clone(),
        // Only a recording names the release.
        held: recorder.as_ref().map(|_| Vec::new()),
        held_bytes: 0,
        recorder,
        report,
        is_complete: true,
    };
    if how.release.is_some() || inspector.held.is_none() {
        inspector.start();
    }
    let mut connections: HashMap<u32, Connection> = HashMap::new();
    let mut stopped = false;
    while let Some(event) = events.ready().or_else(|| {
        inspector.record(Recorder::flush);
        events.next()
    }) {
        match event {
            Event::Bytes {
                connection: number,
                writer,
                at,
                bytes,
            } => {
                let connection = connections
                    .entry(number)
                    .or_insert_with(|| Connection::new(how.line_bytes));
                let Connection {
                    messages,
                    closed_by,
                    accepted,
                    ..
                } = connection;
                messages.feed(writer, &bytes, &mut |seen| match seen {
                    Seen::Accepted => {
                        *accepted = true;
                        inspector.note(number, at, What::Connected);
                    }
                    Seen::Message(writer, text) => {
                        inspector.note(number, at, What::Line(writer, text));
                    }
                    Seen::Closed(writer) => {
                        closed_by.get_or_insert(writer);
                    }
                    Seen::Lost(writer, error) => inspector.lost(number, writer, &error),
                });
            }
            Event::Ended {
                connection: number,
                writer,
                at,
            } => {
                let Some(connection) = connections.get_mut(&number) else {
                    continue;
                };
                let by = *connection.closed_by.get_or_insert(writer);
                connection.ended += 1;
                if connection.ended == 2 {
                    let was_accepted = connection.accepted;
                    connections.remove(&number);
                    // What is closed at the end is closed by us.
                    if was_accepted && !stopped {
                        inspector.note(number, at, What::Closed(by));
                    }
                }
            }
            Event::Stopped => stopped = true,
            Event::Exit { .. } => {}
        }
    }
    inspector.finish()
}

/// A connection.
struct Connection {
    messages: Messages,
    /// Whether it is a WebSocket.
    accepted: bool,
    /// The side that closed it first.
    closed_by: Option<Writer>,
    /// How many sides have ended.
    ended: u8,
}

impl Connection {
    fn new(longest: usize) -> Self {
        Connection {
            messages: Messages::new(longest),
            accepted: false,
            closed_by: None,
            ended: 0,
        }
    }
}

/// What happened.
enum What {
    Connected,
    Line(Writer, Vec<u8>),
    Closed(Writer),
}

/// What is held back.
struct Held {
    connection: u32,
    ms: u64,
    what: What,
}

struct Inspector<'i, 'w> {
    how: &'i Inspection,
    stream: Stream<'i>,
    /// The records for the checker.
    records: Recorder,
    /// The release, as far as it is known.
    release: Option<String>,
    /// What is held back until the recording can name the release; `None` once it has begun.
    held: Option<Vec<Held>>,
    held_bytes: usize,
    recorder: Option<Recorder>,
    /// The report; `None` once it cannot be written.
    report: Option<Report<'w>>,
    is_complete: bool,
}

impl Inspector<'_, '_> {
    /// Something happened on a connection.
    fn note(&mut self, connection: u32, at: Instant, what: What) {
        let since = at.saturating_duration_since(self.how.begun).as_millis();
        let ms = u64::try_from(since).unwrap_or(u64::MAX);
        let held = Held {
            connection,
            ms,
            what,
        };
        let Some(waiting) = &mut self.held else {
            return self.take(&held);
        };
        let mut may_begin = false;
        if let What::Line(writer, text) = &held.what {
            self.held_bytes += text.len();
            may_begin = *writer == Writer::Codex || self.held_bytes > HELD_LIMIT;
            if *writer == Writer::Codex {
                self.release = codex_version::of_answer(text);
            }
        }
        waiting.push(held);
        if may_begin {
            self.start();
        }
    }

    /// Begins the recording, and takes what was held back.
    fn start(&mut self) {
        let protocol = self.how.protocol.unwrap_or(Protocol::AppServer);
        let release = self.release.clone();
        self.write(|recorder| recorder.start(Some(protocol), release.as_deref()));
        for held in self.held.take().into_iter().flatten() {
            self.take(&held);
        }
    }

    /// Records and checks something.
    fn take(&mut self, held: &Held) {
        let (connection, ms) = (held.connection, held.ms);
        self.write(|recorder| match &held.what {
            What::Connected => recorder.connected(connection, ms),
            What::Line(writer, text) => recorder.line(Some(connection), *writer, text, ms),
            What::Closed(by) => recorder.closed(connection, *by, ms),
        });
    }

    /// Writes a record to the recording and for the checker.
    fn write(&mut self, write: impl Fn(&mut Recorder) -> io::Result<()>) {
        self.record(&write);
        // Nothing fails where nothing is written.
        let _ = write(&mut self.records);
        let record = self.records.last();
        self.stream.feed(record.bytes);
        let findings = self.stream.feed(b"\n");
        if findings.is_empty() {
            return;
        }
        let path = &self.how.path;
        let written = self
            .report
            .as_mut()
            .map(|report| report.findings(path, findings));
        if let Some(Err(error)) = written {
            unreported(self.how.color, &error);
            self.report = None;
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

    /// The rest of a connection cannot be read.
    fn lost(&mut self, connection: u32, writer: Writer, error: &str) {
        let text = format!(
            "connection {connection}: {error}; what {} writes from here on is passed on, and neither \
             recorded nor checked",
            match writer {
                Writer::Codex => "Codex",
                Writer::Client => "the client",
            }
        );
        output::complain(self.how.color, &text);
        self.is_complete = false;
    }

    fn finish(mut self) -> Inspected {
        if self.held.as_ref().is_some_and(|held| !held.is_empty()) {
            self.start();
        }
        self.record(Recorder::flush);
        let Inspector {
            how,
            stream,
            report,
            recorder,
            mut is_complete,
            ..
        } = self;
        if let Some(recorder) = recorder
            && let Err(survivor) = recorder.check()
        {
            unscrubbed(how.color, recorder, &survivor);
            is_complete = false;
        }
        // Codex goes on: what is missing may still come.
        let (outcome, rest): (_, Vec<Finding>) = stream.leave();
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
}
