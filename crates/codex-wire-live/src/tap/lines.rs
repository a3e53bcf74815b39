//! Finds the lines on standard input and output of Codex, and records them.

use std::time::Instant;

use codex_wire_base::lines::{Line, Splitter};
use codex_wire_check::Writer;

use crate::notice::Notice;
use crate::recorder::Recorder;
use crate::tap::conversation::{Admission, Conversation};
use crate::tap::intake::{Event, Keep};
use crate::tap::queue::{Entry, Place, Told};
use crate::tap::recording::Recording;
use crate::tap::release;

/// Splits the traffic into lines, and records them.
pub(crate) struct Lines {
    codex: Splitter,
    client: Splitter,
    records: Records,
}

/// The lines of both sides, recorded.
struct Records {
    conversation: Conversation<Held>,
    /// The release, as far as it is known.
    release: Option<String>,
    recording: Recording,
    /// How many bytes of a line are recorded and checked.
    longest: usize,
    /// What times are counted from.
    begun: Instant,
    count: Count,
    has_exited: bool,
    /// What is to be checked.
    entries: Vec<Entry>,
}

/// A line that is held back.
pub(crate) struct Held {
    writer: Writer,
    bytes: Vec<u8>,
    ended: bool,
    length: u64,
    at: Instant,
}

/// The number of lines and bytes so far, if nothing is recorded.
#[derive(Default)]
struct Count {
    lines: u64,
    bytes: u64,
}

impl Lines {
    /// The release, if it is known, is that of the recording. Of a line at most `longest` bytes are recorded and
    /// checked, and times are counted from `begun`.
    pub(crate) fn new(
        conversation: Conversation<Held>,
        recording: Recording,
        release: Option<String>,
        longest: usize,
        begun: Instant,
    ) -> Self {
        let records = Records {
            conversation,
            release,
            recording,
            longest,
            begun,
            count: Count::default(),
            has_exited: false,
            entries: Vec::new(),
        };
        Lines {
            codex: Splitter::new(longest),
            client: Splitter::new(longest),
            records,
        }
    }

    fn side(&mut self, writer: Writer) -> (&mut Splitter, &mut Records) {
        let side = match writer {
            Writer::Codex => &mut self.codex,
            Writer::Client => &mut self.client,
        };
        (side, &mut self.records)
    }
}

impl Keep for Lines {
    fn event(&mut self, event: Event<'_>, entries: &mut Vec<Entry>) {
        match event {
            // After the end of the conversation, bytes are only recorded.
            Event::Bytes { .. } if self.records.is_over() => {}
            Event::Bytes {
                writer, at, bytes, ..
            } => {
                let (side, records) = self.side(writer);
                side.feed(bytes, |line| records.line(writer, line, at));
            }
            Event::Ended { writer, at, .. } => {
                let (side, records) = self.side(writer);
                side.finish(|line| records.line(writer, line, at));
            }
            // Only sockets are stopped by us.
            Event::Stopped => {}
            Event::Exit { at, status, signal } => {
                // A pump may still be waiting at an open pipe, so the last line of Codex ends here.
                // Half a line of a client that was still writing is not a violation.
                let (side, records) = self.side(Writer::Codex);
                side.finish(|line| records.line(Writer::Codex, line, at));
                records.exit(status, signal, at);
            }
        }
        self.records.recording.flush();
        entries.append(&mut self.records.entries);
    }

    fn end(&mut self, _: &mut Vec<Entry>) {}

    fn finish(self: Box<Self>) -> bool {
        self.records.recording.finish()
    }
}

impl Records {
    /// Whether nothing more is to be recorded or checked.
    fn is_over(&self) -> bool {
        self.has_exited && self.recording.recorder().is_none()
    }

    /// The command exited with this status, or because of this signal.
    fn exit(&mut self, status: Option<i32>, signal: Option<String>, at: Instant) {
        for held in self.conversation.rest() {
            self.take_held(&held);
        }
        let ms = self.ms(at);
        self.record_start();
        self.recording
            .write(|recorder| recorder.exit(status, signal.as_deref(), ms));
        let last = self.recording.recorder().map(Recorder::last);
        let bytes = last.map(|last| last.bytes.to_vec());
        let record = bytes.zip(self.last_record());
        self.has_exited = true;
        self.entries.push(Entry::Exit {
            status,
            signal,
            record,
        });
    }

    fn line(&mut self, writer: Writer, line: &Line<'_>, at: Instant) {
        match self.conversation.admit(writer, line.bytes) {
            Admission::Take(held) => {
                if writer == Writer::Codex && self.release.is_none() {
                    self.release = release::of_answer(line.bytes);
                }
                for held in held {
                    self.take_held(&held);
                }
                self.take(writer, line, at);
            }
            Admission::Hold => {
                let held = Held {
                    writer,
                    bytes: line.bytes.to_vec(),
                    ended: line.ended,
                    length: line.length,
                    at,
                };
                self.conversation.hold(writer, held, line.bytes.len());
            }
            Admission::Ignore => {}
        }
    }

    /// A line that was held back.
    fn take_held(&mut self, held: &Held) {
        let line = Line {
            bytes: &held.bytes,
            number: 0,
            offset: 0,
            ended: held.ended,
            length: held.length,
            column: None,
        };
        self.take(held.writer, &line, held.at);
    }

    /// A line that belongs to the conversation.
    fn take(&mut self, writer: Writer, line: &Line<'_>, at: Instant) {
        self.record_start();
        let ms = self.ms(at);
        self.recording
            .write(|recorder| recorder.line(None, writer, line.bytes, ms));
        if line.is_cut_off() {
            self.cut(line.length);
        }
        // While there is a recording, findings name its lines.
        let record = self.last_record();
        self.count.lines = record.map_or(self.count.lines + 1, |record| record.number);
        let place = record.unwrap_or(Place {
            number: self.count.lines,
            offset: self.count.bytes,
            length: line.length,
        });
        self.count.bytes += line.length + u64::from(line.ended);
        self.entries.push(Entry::Line(Told {
            writer,
            bytes: line.bytes.to_vec(),
            ended: line.ended,
            length: line.length,
            place,
            is_recorded: record.is_some(),
        }));
    }

    /// Where the last record stands, while there is a recording.
    fn last_record(&self) -> Option<Place> {
        let last = self.recording.recorder().map(Recorder::last);
        last.map(|last| Place {
            number: last.number,
            offset: last.offset,
            length: last.length,
        })
    }

    /// A line is too long to be recorded completely.
    fn cut(&mut self, length: u64) {
        if let Some(recorder) = self.recording.recorder() {
            let notice = Notice::LineCut {
                path: recorder.path().to_owned(),
                length,
                limit: self.longest,
            };
            self.recording.lacks(&notice);
        }
    }

    fn record_start(&mut self) {
        let (protocol, release) = (self.conversation.protocol(), self.release.as_deref());
        if self.recording.recorder().is_some_and(Recorder::is_empty) {
            self.recording
                .write(|recorder| recorder.start(protocol, release));
        }
    }

    /// The milliseconds since the command was started.
    fn ms(&self, at: Instant) -> u64 {
        let since = at.saturating_duration_since(self.begun).as_millis();
        u64::try_from(since).unwrap_or(u64::MAX)
    }
}
