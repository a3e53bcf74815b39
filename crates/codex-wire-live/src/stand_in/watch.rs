//! Watches the exchange: each line is recorded before it is passed on, and a thread of its own checks it, so that
//! playing does not wait for that.

use std::io;
use std::panic;
use std::path::PathBuf;
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use codex_wire_base::{Protocol, Release};
use codex_wire_check::{Outcome, Writer};
use codex_wire_replay::client_log::{ClientAction, Ended, Unexpected};
use codex_wire_replay::{Miss, Remark};

use crate::error::Error;
use crate::recorder::Recorder;
use crate::stand_in::checking::{self, Event, Place, What};
use crate::stand_in::client_log::ClientLog;
use crate::stand_in::miss_log::MissLog;

/// How many events may wait. A client that writes faster than it is checked waits, too.
const QUEUE: usize = 4096;

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
    pub(crate) client_log: Option<ClientLog>,
    /// Whether what the client does is checked.
    pub(crate) checks: bool,
}

/// What is done with an exchange that goes on.
pub(crate) struct Watch {
    observer: Observer,
    thread: Option<JoinHandle<Result<Outcome, Error>>>,
}

impl Watch {
    /// Begins to watch, if there is anything to do.
    pub(crate) fn begin(watching: Watching) -> Result<Self, Error> {
        let mut observer = Observer::default();
        let files = [&watching.record, &watching.miss_log];
        let logs = watching.client_log.is_some();
        if !watching.checks && !logs && files.into_iter().all(Option::is_none) {
            return Ok(Watch {
                observer,
                thread: None,
            });
        }
        let recorder = match &watching.record {
            Some(path) => Some(Recorder::create(path)?),
            // The checker learns from records whose line it is.
            None => (watching.listens && watching.checks).then(Recorder::nowhere),
        };
        let miss_log = watching.miss_log.as_deref().map(MissLog::open);
        let mut exchange = Exchange {
            begun: Instant::now(),
            recorder,
            miss_log: miss_log.transpose()?,
            client_log: watching.client_log,
            checking: None,
            listens: watching.listens,
            place: Place::default(),
            failure: None,
        };
        let mut thread = None;
        if watching.checks {
            let (sender, events) = mpsc::sync_channel(QUEUE);
            exchange.checking = Some(sender);
            let (protocol, release) = (watching.protocol, watching.release);
            let (listens, name) = (watching.listens, watching.name);
            thread = Some(thread::spawn(move || {
                checking::run((protocol, release), listens, &name, &events)
            }));
        }
        exchange.start(watching.protocol, watching.release);
        observer.exchange = Some(Arc::new(Mutex::new(exchange)));
        Ok(Watch { observer, thread })
    }

    /// Who watches the exchange.
    pub(crate) fn observer(&self) -> Observer {
        self.observer.clone()
    }

    /// Writes what has to be written. Returns what was found, if the exchange was checked.
    pub(crate) fn finish(self, status: u8) -> Result<Option<Outcome>, Error> {
        self.observer.note(|| What::Exit(status));
        if let Some(error) = self.observer.failure() {
            return Err(Error::system("write what was said")(error));
        }
        let Some(thread) = self.thread else {
            return Ok(None);
        };
        let outcome = thread.join();
        let outcome = outcome.unwrap_or_else(|panicked| panic::resume_unwind(panicked));
        outcome.map(Some)
    }
}

/// Is told what happens.
#[derive(Clone, Default)]
pub(crate) struct Observer {
    exchange: Option<Arc<Mutex<Exchange>>>,
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

    /// A side wrote a line, without its newline. It is recorded when this returns.
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

    /// The client did something that no line shows.
    pub(crate) fn did(&self, action: ClientAction) {
        if let Some(exchange) = &self.exchange {
            let mut exchange = exchange.lock().unwrap_or_else(PoisonError::into_inner);
            exchange.log(|log| log.write(action));
        }
    }

    /// The client closed its connection.
    pub(crate) fn closed(&self) {
        self.note(|| What::Closed);
    }

    fn note(&self, what: impl FnOnce() -> What) {
        if let Some(exchange) = &self.exchange {
            // What was noted is whole after a panic, too.
            let mut exchange = exchange.lock().unwrap_or_else(PoisonError::into_inner);
            exchange.note(self.connection, what());
        }
    }

    /// Why something was not recorded.
    fn failure(&self) -> Option<io::Error> {
        let exchange = self.exchange.as_ref()?;
        let mut exchange = exchange.lock().unwrap_or_else(PoisonError::into_inner);
        exchange.failure.take()
    }
}

/// An exchange, as far as it went.
struct Exchange {
    begun: Instant,
    recorder: Option<Recorder>,
    miss_log: Option<MissLog>,
    client_log: Option<ClientLog>,
    /// The thread that checks.
    checking: Option<SyncSender<Event>>,
    listens: bool,
    /// Where the last line stands.
    place: Place,
    failure: Option<io::Error>,
}

impl Exchange {
    fn start(&mut self, protocol: Protocol, release: Option<Release>) {
        let release = release.map(|release| release.to_string());
        self.record(|recorder, _| recorder.start(Some(protocol), release.as_deref()));
        self.tell(What::Started);
    }

    fn note(&mut self, connection: Option<u32>, what: What) {
        self.log(|log| match (&what, connection) {
            (What::Line(writer, line), connection) => log.line(connection, *writer, line),
            // What was made up is a right answer.
            (What::Miss(miss), _) if !miss.is_answered => {
                let message = miss.message();
                log.write(ClientAction::Unexpected(Unexpected { message }))
            }
            (What::Exit(status), _) => log.write(ClientAction::Ended(Ended { status: *status })),
            (What::Closed, Some(connection)) => {
                log.closed(connection);
                Ok(())
            }
            _ => Ok(()),
        });
        match (&what, connection) {
            (What::Connected, Some(connection)) => {
                self.record(|recorder, ms| recorder.connected(connection, ms));
            }
            (What::Line(writer, bytes), _) => {
                if self.recorder.is_none() {
                    self.place.number += 1;
                }
                self.record(|recorder, ms| recorder.line(connection, *writer, bytes, ms));
            }
            (What::Closed, Some(connection)) => {
                self.record(|recorder, ms| recorder.closed(connection, Writer::Client, ms));
            }
            (What::Exit(status), _) => {
                let status = Some(i32::from(*status));
                self.record(|recorder, ms| recorder.exit(status, None, ms));
            }
            (What::Miss(miss), _) => {
                if let Some(log) = &mut self.miss_log {
                    log.note(&miss.message());
                }
            }
            _ => {}
        }
        let length = match &what {
            What::Line(_, bytes) if self.recorder.is_none() => bytes.len() as u64 + 1,
            _ => 0,
        };
        self.tell(what);
        self.place.offset += length;
    }

    /// Writes to the log of what the client does. After an error nothing more; the end of the exchange says so.
    fn log(&mut self, write: impl FnOnce(&mut ClientLog) -> io::Result<()>) {
        if let Some(log) = &mut self.client_log
            && let Err(error) = write(log)
        {
            self.failure.get_or_insert(error);
            self.client_log = None;
        }
    }

    /// Writes a record. After an error, nothing more is recorded or checked; the end of the exchange says so.
    fn record(&mut self, write: impl FnOnce(&mut Recorder, u64) -> io::Result<()>) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        let ms = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        match write(recorder, ms).and_then(|()| recorder.flush()) {
            Ok(()) => {
                let last = recorder.last();
                self.place = Place {
                    number: last.number,
                    offset: last.offset,
                };
            }
            Err(error) => {
                self.failure.get_or_insert(error);
                self.recorder = None;
                self.checking = None;
            }
        }
    }

    /// Hands something to the thread that checks.
    fn tell(&mut self, what: What) {
        let Some(checking) = &self.checking else {
            return;
        };
        let record = match &self.recorder {
            Some(recorder) if self.listens => recorder.last().bytes.to_vec(),
            _ => Vec::new(),
        };
        let event = Event {
            what,
            place: self.place,
            record,
        };
        // The thread ends early only if there is no checker; the end of the exchange says so.
        let _ = checking.send(event);
    }
}
