//! Records and checks the exchange in a thread of its own, so that playing does not wait for it.

use std::panic;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use codex_wire_base::lines::Line;
use codex_wire_base::{Protocol, Release};
use codex_wire_check::finding::{Finding, Location};
use codex_wire_check::{
    Checker, Counts, Options, Outcome, Profile, Rule, Severity, Verdict, Writer,
};
use codex_wire_replay::{Miss, Remark};

use crate::differences::listed;
use crate::error::Error;
use crate::recorder::Recorder;
use crate::stand_in::miss_log::MissLog;

/// How many events may wait. A client that writes faster than it is checked waits, too.
const QUEUE: usize = 4096;

/// How many misses and remarks a report lists; further ones are counted.
const LISTED: usize = 1000;

static UNMATCHED: Rule = Rule::of_program(
    "replay/no-recording",
    "a recording answers what the client sends",
    "The stand-in had nothing to play. The help names the closest recorded request, and \
     what differs. If the client got an answer that was made from the schema, it is a note.",
    Severity::Error,
);

static DIFFERENT: Rule = Rule::of_program(
    "replay/different",
    "the client sends what was recorded",
    "The stand-in played a recording although the request differs from the recorded one. Codex might \
     have answered otherwise.",
    Severity::Note,
);

/// What to do with the exchange.
pub(crate) struct Watching {
    pub(crate) protocol: Protocol,
    pub(crate) release: Option<Release>,
    /// Whether several clients may connect.
    pub(crate) listens: bool,
    /// Its name in the outcome.
    pub(crate) name: String,
    pub(crate) record: Option<PathBuf>,
    pub(crate) miss_log: Option<PathBuf>,
    /// Whether what the client does is checked.
    pub(crate) checks: bool,
}

/// An event of the exchange, and the connection it is of, if there are several.
struct Event(Option<u32>, What);

enum What {
    Connected,
    Line(Writer, Vec<u8>),
    Miss(Box<Miss>),
    Remark(Box<Remark>),
    Closed,
    /// The last one.
    Exit(u8),
}

/// The thread that watches.
pub(crate) struct Watch {
    observer: Observer,
    thread: Option<JoinHandle<Result<Outcome, Error>>>,
}

impl Watch {
    /// Begins to watch, if there is anything to do.
    pub(crate) fn begin(watching: Watching) -> Result<Self, Error> {
        let mut observer = Observer::default();
        let files = [&watching.record, &watching.miss_log];
        if !watching.checks && files.into_iter().all(Option::is_none) {
            return Ok(Watch {
                observer,
                thread: None,
            });
        }
        let recorder = match &watching.record {
            Some(path) => Some(Recorder::create(path)?),
            // The checker learns from records whose line it is.
            None => watching.listens.then(Recorder::nowhere),
        };
        let miss_log = watching.miss_log.as_deref().map(MissLog::open);
        let miss_log = miss_log.transpose()?;
        let (sender, events) = mpsc::sync_channel(QUEUE);
        let thread = thread::spawn(move || run(&watching, &events, recorder, miss_log));
        observer.events = Some(sender);
        Ok(Watch {
            observer,
            thread: Some(thread),
        })
    }

    /// Who watches the exchange.
    pub(crate) fn observer(&self) -> Observer {
        self.observer.clone()
    }

    /// Writes what has to be written. Returns what was found, if anything was watched.
    pub(crate) fn finish(self, status: u8) -> Result<Option<Outcome>, Error> {
        self.observer.note(|| What::Exit(status));
        let Some(thread) = self.thread else {
            return Ok(None);
        };
        let outcome = thread.join();
        let outcome = outcome.unwrap_or_else(|panicked| panic::resume_unwind(panicked));
        outcome.map(Some)
    }
}

/// Tells the thread what happens.
#[derive(Clone, Default)]
pub(crate) struct Observer {
    events: Option<SyncSender<Event>>,
    connection: Option<u32>,
}

impl Observer {
    /// Who watches one of several connections.
    pub(crate) fn of_connection(&self, connection: u32) -> Self {
        Observer {
            connection: Some(connection),
            ..self.clone()
        }
    }

    /// A client connected.
    pub(crate) fn connected(&self) {
        self.note(|| What::Connected);
    }

    /// A side wrote a line, without its newline.
    pub(crate) fn line(&self, writer: Writer, line: &[u8]) {
        self.note(|| What::Line(writer, line.to_vec()));
    }

    /// No recording answers something.
    pub(crate) fn miss(&self, miss: &Miss) {
        self.note(|| What::Miss(Box::new(miss.clone())));
    }

    /// A request was answered although it differs.
    pub(crate) fn remark(&self, remark: &Remark) {
        self.note(|| What::Remark(Box::new(remark.clone())));
    }

    /// The client closed its connection.
    pub(crate) fn closed(&self) {
        self.note(|| What::Closed);
    }

    fn note(&self, what: impl FnOnce() -> What) {
        if let Some(events) = &self.events {
            // The thread ends early only if it cannot write; `finish` says so.
            let _ = events.send(Event(self.connection, what()));
        }
    }
}

fn run(
    watching: &Watching,
    events: &Receiver<Event>,
    mut recorder: Option<Recorder>,
    mut miss_log: Option<MissLog>,
) -> Result<Outcome, Error> {
    let begun = Instant::now();
    let mut options = Options::new();
    options.protocol = Some(watching.protocol);
    let list = watching.protocol.release_list();
    options.release = watching.release.and_then(|release| list.floor(release));
    options.profile = Profile::Known;
    // What the stand-in writes was recorded.
    options.side = Some(Writer::Client);
    let checker = Checker::new(options)?;
    let mut stream = checker.stream(&watching.name);
    let mut own: Vec<Finding> = Vec::new();
    let mut dropped = Counts::default();
    let mut number = 0;
    let mut offset = 0;
    if let Some(recorder) = &mut recorder {
        let release = watching.release.map(|release| release.to_string());
        let started = recorder.start(Some(watching.protocol), release.as_deref());
        started.map_err(Error::system("write the recording"))?;
        if watching.listens {
            stream.feed(recorder.last().bytes);
            stream.feed(b"\n");
        }
    }
    let elapsed = || u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    for Event(connection, what) in events {
        if let Some(recorder) = &mut recorder {
            let ms = elapsed();
            let written = match (&what, connection) {
                (What::Connected, Some(connection)) => recorder.connected(connection, ms),
                (What::Line(writer, bytes), _) => recorder.line(connection, *writer, bytes, ms),
                (What::Closed, Some(connection)) => recorder.closed(connection, Writer::Client, ms),
                (What::Exit(status), _) => recorder.exit(Some(i32::from(*status)), None, ms),
                _ => Ok(()),
            };
            written
                .and_then(|()| recorder.flush())
                .map_err(Error::system("write the recording"))?;
        }
        let finding = match what {
            What::Miss(miss) => {
                if let Some(log) = &mut miss_log {
                    log.note(&miss.message());
                }
                of_miss(&miss, number)
            }
            What::Remark(remark) => of_remark(&remark, number),
            _ if watching.listens => {
                if let Some(recorder) = &recorder {
                    number = recorder.last().number;
                    stream.feed(recorder.last().bytes);
                    stream.feed(b"\n");
                }
                match what {
                    What::Exit(_) => break,
                    _ => continue,
                }
            }
            What::Line(writer, bytes) => {
                let line = match &recorder {
                    Some(recorder) => recorder.last(),
                    None => Line {
                        bytes: &bytes,
                        number: number + 1,
                        offset,
                        ended: true,
                        length: bytes.len() as u64,
                        column: None,
                    },
                };
                number = line.number;
                offset += bytes.len() as u64 + 1;
                // A recorded line is a record; the place is that of the record.
                let line = Line {
                    bytes: &bytes,
                    length: bytes.len() as u64,
                    ..line
                };
                stream.line(writer, &line);
                continue;
            }
            What::Exit(status) => {
                stream.exit(Some(i32::from(status)), None, None);
                break;
            }
            What::Connected | What::Closed => continue,
        };
        match own.len() < LISTED {
            true => own.push(finding),
            false => dropped.add(finding.severity),
        }
    }
    let (mut outcome, _) = stream.leave();
    add(&mut outcome, own, dropped);
    Ok(outcome)
}

/// Adds the findings of the stand-in to those of the checker.
fn add(outcome: &mut Outcome, own: Vec<Finding>, dropped: Counts) {
    for finding in &own {
        outcome.counts.add(finding.severity);
    }
    outcome.counts.merge(dropped);
    outcome.findings.extend(own);
    outcome.findings.sort_by_key(|finding| finding.place.line);
    if outcome.counts.error > 0 && outcome.verdict != Verdict::Unreadable {
        outcome.verdict = Verdict::Findings;
    }
}

fn of_miss(miss: &Miss, line: u64) -> Finding {
    // An answer that was made is right: that nobody recorded it is worth knowing, and no error.
    let severity = match miss.is_answered {
        true => Severity::Note,
        false => Severity::Error,
    };
    let finding = Finding::new(&UNMATCHED, severity, place(line), miss.message());
    match &miss.nearest {
        Some(nearest) => {
            let differences = listed(&nearest.differences);
            let place = format!("{} line {}", nearest.recording, nearest.line);
            finding.with_help(match differences.is_empty() {
                true => format!("{place} was recorded once, and was played"),
                false => format!("most like {place}: {differences}"),
            })
        }
        None if miss.is_of_script => finding,
        None => finding.with_help("nothing like it was recorded"),
    }
}

fn of_remark(remark: &Remark, line: u64) -> Finding {
    let message = format!("this {} differs from the recorded one", remark.what);
    let help = format!(
        "played {} line {}: {}",
        remark.recording,
        remark.line,
        listed(&remark.differences)
    );
    Finding::new(&DIFFERENT, Severity::Note, place(line), message).with_help(help)
}

fn place(line: u64) -> Location {
    Location {
        line,
        column: 1,
        message: Some(line),
        ..Location::default()
    }
}
