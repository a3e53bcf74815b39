//! Shows progress on a terminal during long work: one line, rewritten.

use std::cell::{Cell, RefCell};
use std::io::{self, IsTerminal, Read, Write};
use std::time::{Duration, Instant};

use codex_wire_report::escaped;

use crate::interrupt;

/// Work shorter than this shows no progress.
const DELAY: Duration = Duration::from_secs(1);

/// How often the line is rewritten.
const PERIOD: Duration = Duration::from_millis(100);

/// The progress of the work.
pub(crate) struct Progress {
    /// Whether standard error is a terminal.
    on_terminal: bool,
    begun: Instant,
    drawn: Cell<Option<Instant>>,
    visible: Cell<bool>,
    inputs: Cell<u64>,
    bytes: Cell<u64>,
    name: RefCell<String>,
}

impl Progress {
    /// Starts. Progress is shown only if standard error is a terminal that can rewrite a line.
    pub(crate) fn new() -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        Progress {
            on_terminal: io::stderr().is_terminal() && !dumb,
            begun: Instant::now(),
            drawn: Cell::new(None),
            visible: Cell::new(false),
            inputs: Cell::new(0),
            bytes: Cell::new(0),
            name: RefCell::default(),
        }
    }

    /// Starts the next input.
    pub(crate) fn input(&self, name: &str) {
        self.inputs.set(self.inputs.get() + 1);
        if self.on_terminal {
            name.clone_into(&mut self.name.borrow_mut());
        }
    }

    /// Removes the line, so that something else can be written.
    pub(crate) fn clear(&self) {
        if self.visible.replace(false) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    fn read(&self, bytes: usize) {
        self.bytes.set(self.bytes.get() + bytes as u64);
        if !self.on_terminal || self.begun.elapsed() < DELAY {
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
        // A terminal that is gone is no reason to stop.
        let _ = write!(stderr, "\r{}\x1b[K", self.line());
        let _ = stderr.flush();
    }

    /// The line, short enough for any usual terminal.
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

/// A reader that counts the bytes and can be interrupted.
pub(crate) struct Counted<'p, R> {
    input: R,
    progress: &'p Progress,
}

impl<'p, R> Counted<'p, R> {
    /// Counts the bytes that are read from `input`.
    pub(crate) fn new(input: R, progress: &'p Progress) -> Self {
        Counted { input, progress }
    }
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if interrupt::requested() {
            return Err(interrupt::error());
        }
        let read = self.input.read(buffer)?;
        self.progress.read(read);
        Ok(read)
    }
}
