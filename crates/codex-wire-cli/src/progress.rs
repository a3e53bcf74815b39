//! Shows progress on a terminal during long work: one line, rewritten.

use std::cell::{Cell, RefCell};
use std::io::{self, IsTerminal, Read, Write};
use std::time::{Duration, Instant};

use codex_wire_report::escaped;

use crate::interrupt;

/// Work shorter than this is not talked about.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the line is written.
const PERIOD: Duration = Duration::from_millis(100);

/// How far the work has come.
pub(crate) struct Progress {
    /// Whether somebody is looking.
    watched: bool,
    begun: Instant,
    drawn: Cell<Option<Instant>>,
    visible: Cell<bool>,
    inputs: Cell<u64>,
    bytes: Cell<u64>,
    name: RefCell<String>,
}

impl Progress {
    /// Begins. Nothing is ever shown unless standard error is a terminal that can go back to
    /// the beginning of a line.
    pub(crate) fn new() -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        Progress {
            watched: io::stderr().is_terminal() && !dumb,
            begun: Instant::now(),
            drawn: Cell::new(None),
            visible: Cell::new(false),
            inputs: Cell::new(0),
            bytes: Cell::new(0),
            name: RefCell::default(),
        }
    }

    /// Says which input comes next.
    pub(crate) fn input(&self, name: &str) {
        self.inputs.set(self.inputs.get() + 1);
        if self.watched {
            name.clone_into(&mut self.name.borrow_mut());
        }
    }

    /// Takes the line away, so that something else can be written in its place.
    pub(crate) fn clear(&self) {
        if self.visible.replace(false) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    fn read(&self, bytes: usize) {
        self.bytes.set(self.bytes.get() + bytes as u64);
        if !self.watched || self.begun.elapsed() < PATIENCE {
            return;
        }
        if self
            .drawn
            .get()
            .is_some_and(|drawn| drawn.elapsed() < PERIOD)
        {
            return;
        }
        self.drawn.set(Some(Instant::now()));
        self.visible.set(true);
        let mut stderr = io::stderr().lock();
        // Progress is a courtesy: a terminal that went away is no reason to stop.
        let _ = write!(stderr, "\r{}\x1b[K", self.line());
        let _ = stderr.flush();
    }

    /// The line, short enough not to be broken in two on any usual terminal.
    fn line(&self) -> String {
        let name = self.name.borrow();
        let length = name.chars().count();
        let tail: String = name.chars().skip(length.saturating_sub(40)).collect();
        let tail = escaped(&tail);
        let cut = if length > 40 { "…" } else { "" };
        let megabytes = self.bytes.get() >> 20;
        format!("input {}, {megabytes} MiB: {cut}{tail}", self.inputs.get())
    }
}

/// Counts what is read.
pub(crate) struct Counted<'p, R> {
    input: R,
    progress: &'p Progress,
}

impl<'p, R> Counted<'p, R> {
    /// Counts what is read from `input`.
    pub(crate) fn new(input: R, progress: &'p Progress) -> Self {
        Counted { input, progress }
    }
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if interrupt::came() {
            return Err(interrupt::error());
        }
        let read = self.input.read(buffer)?;
        self.progress.read(read);
        Ok(read)
    }
}
