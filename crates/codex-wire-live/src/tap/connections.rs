//! Finds the messages on all connections to a socket, and records them.
//!
//! The checker learns from records whose message it is. So it gets the records of a transcript,
//! whether one is written or not.

use std::collections::HashMap;
use std::io;
use std::time::Instant;

use codex_wire_base::Protocol;
use codex_wire_check::Writer;

use crate::notice::Notice;
use crate::recorder::Recorder;
use crate::tap::intake::{Event, Keep};
use crate::tap::messages::{Messages, Seen};
use crate::tap::queue::Entry;
use crate::tap::recording::Recording;
use crate::tap::release;

/// How many bytes are held back until Codex has said which release it is.
const HELD_LIMIT: usize = 1 << 20;

/// Reads the messages in the traffic, and records them.
pub(crate) struct Connections {
    open: HashMap<u32, Connection>,
    /// What ends from now on is ended by us.
    stopped: bool,
    /// The longest message that is read.
    longest: usize,
    records: Records,
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
    /// Whether a side of it cannot be read. Then what the other one writes says too little: an answer would
    /// seem to have no request.
    is_lost: bool,
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

/// The records of all connections.
struct Records {
    /// The records for the checker.
    checked: Recorder,
    recording: Recording,
    protocol: Protocol,
    /// The release, as far as it is known.
    release: Option<String>,
    /// What is held back until the recording can name the release; `None` once it has begun.
    held: Option<Vec<Held>>,
    held_bytes: usize,
    begun: Instant,
    /// What is to be checked.
    entries: Vec<Entry>,
}

impl Connections {
    /// The release, if it is known, is that of all connections. A message has at most `longest` bytes, and times
    /// are counted from `begun`.
    pub(crate) fn new(
        recording: Recording,
        (protocol, release): (Protocol, Option<String>),
        longest: usize,
        begun: Instant,
    ) -> Self {
        // Only a recording names the release.
        let waits = release.is_none() && recording.recorder().is_some();
        let mut records = Records {
            checked: Recorder::nowhere(),
            recording,
            protocol,
            release,
            held: Some(Vec::new()),
            held_bytes: 0,
            begun,
            entries: Vec::new(),
        };
        if !waits {
            records.start();
        }
        Connections {
            open: HashMap::new(),
            stopped: false,
            longest,
            records,
        }
    }
}

impl Keep for Connections {
    fn event(&mut self, event: Event<'_>, entries: &mut Vec<Entry>) {
        match event {
            Event::Bytes {
                connection,
                writer,
                at,
                bytes,
            } => self.bytes(connection, writer, at, bytes),
            Event::Ended {
                connection,
                writer,
                at,
            } => self.ended(connection, writer, at),
            Event::Stopped => self.stopped = true,
            Event::Exit { .. } => {}
        }
        self.records.recording.flush();
        entries.append(&mut self.records.entries);
    }

    fn end(&mut self, entries: &mut Vec<Entry>) {
        let records = &mut self.records;
        if records.held.as_ref().is_some_and(|held| !held.is_empty()) {
            records.start();
        }
        entries.append(&mut records.entries);
    }

    fn finish(self: Box<Self>) -> bool {
        self.records.recording.finish()
    }
}

impl Connections {
    fn bytes(&mut self, number: u32, writer: Writer, at: Instant, bytes: &[u8]) {
        let longest = self.longest;
        let connection = self
            .open
            .entry(number)
            .or_insert_with(|| Connection::new(longest));
        let Connection {
            messages,
            closed_by,
            accepted,
            is_lost,
            ..
        } = connection;
        if *is_lost {
            return;
        }
        let records = &mut self.records;
        messages.feed(writer, bytes, &mut |seen| match seen {
            Seen::Accepted => {
                *accepted = true;
                records.note(number, at, What::Connected);
            }
            Seen::Message(writer, text) => records.note(number, at, What::Line(writer, text)),
            Seen::Closed(writer) => {
                closed_by.get_or_insert(writer);
            }
            Seen::Lost(writer, reason) => {
                *is_lost = true;
                records.recording.lacks(&Notice::Unread {
                    connection: number,
                    writer,
                    reason,
                });
            }
        });
    }

    fn ended(&mut self, number: u32, writer: Writer, at: Instant) {
        let Some(connection) = self.open.get_mut(&number) else {
            return;
        };
        let by = *connection.closed_by.get_or_insert(writer);
        connection.ended += 1;
        if connection.ended == 2 {
            let is_recorded = connection.accepted && !connection.is_lost;
            self.open.remove(&number);
            // What is closed at the end is closed by us.
            if is_recorded && !self.stopped {
                self.records.note(number, at, What::Closed(by));
            }
        }
    }
}

impl Connection {
    fn new(longest: usize) -> Self {
        Connection {
            messages: Messages::new(longest),
            accepted: false,
            closed_by: None,
            ended: 0,
            is_lost: false,
        }
    }
}

impl Records {
    /// Something happened on a connection.
    fn note(&mut self, connection: u32, at: Instant, what: What) {
        let since = at.saturating_duration_since(self.begun).as_millis();
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
                self.release = release::of_answer(text);
            }
        }
        waiting.push(held);
        if may_begin {
            self.start();
        }
    }

    /// Begins the recording, and takes what was held back.
    fn start(&mut self) {
        let (protocol, release) = (self.protocol, self.release.clone());
        self.write(|recorder| recorder.start(Some(protocol), release.as_deref()));
        for held in self.held.take().into_iter().flatten() {
            self.take(&held);
        }
    }

    /// Records something.
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
        self.recording.write(&write);
        // Nothing fails where nothing is written.
        let _ = write(&mut self.checked);
        let record = self.checked.last().bytes.to_vec();
        self.entries.push(Entry::Record(record));
    }
}
