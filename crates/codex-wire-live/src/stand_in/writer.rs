//! Writes the lines of a session, with its faults, and tells who watches.

use std::fs::File;
use std::io::{self, Write};
use std::thread;
use std::time::Instant;

use codex_wire_check::Writer;
use codex_wire_replay::faults::{Act, FaultLog, Parts, Writing};

use crate::error::Error;
use crate::stand_in::environment::{Errors, appended};
use crate::stand_in::output::Output;
use crate::stand_in::owner::Owner;
use crate::stand_in::settings::Settings;
use crate::stand_in::termination::Termination;
use crate::stand_in::watch::Observer;

/// Writes the lines of one session.
pub(crate) struct LineWriter {
    out: Box<dyn Output>,
    observer: Observer,
    errors: Errors,
    /// Nothing without faults.
    writing: Option<Writing>,
    log: Log,
    /// When the lines that are kept are due.
    due: Option<Instant>,
    owner: Owner,
    termination: Termination,
}

/// Which faults were injected, those of messages too, and the file to which their ids are written.
pub(crate) struct Log {
    injected: FaultLog,
    file: Option<File>,
}

impl Log {
    /// The log of these faults.
    pub(crate) fn open(injected: &FaultLog, settings: &Settings) -> Result<Self, Error> {
        let file = settings.fault_log.as_deref().map(appended);
        Ok(Log {
            injected: injected.clone(),
            file: file.transpose()?,
        })
    }

    /// Writes down which faults were injected.
    pub(crate) fn write(&mut self) {
        let ids = self.injected.take();
        if let Some(file) = &mut self.file {
            let text: String = ids.iter().map(|id| format!("{id}\n")).collect();
            // The session matters more than its log.
            let _ = file.write_all(text.as_bytes());
        }
    }
}

impl LineWriter {
    pub(crate) fn new(
        out: Box<dyn Output>,
        observer: Observer,
        errors: Errors,
        writing: Option<Writing>,
        log: Log,
    ) -> Self {
        LineWriter {
            out,
            observer,
            errors,
            writing,
            log,
            due: None,
            owner: Owner::of_process(),
            termination: Termination::default(),
        }
    }

    /// The same, where the signal that ends the process is waited for.
    pub(crate) fn terminated_by(mut self, termination: &Termination) -> Self {
        self.termination = termination.clone();
        self
    }

    /// Who watches.
    pub(crate) fn observer(&self) -> &Observer {
        &self.observer
    }

    /// Before anything is read or written.
    pub(crate) fn begin(&mut self) -> io::Result<()> {
        let acts = self.writing.as_mut().map(Writing::begin);
        self.act_all(acts.unwrap_or_default()).map(drop)
    }

    /// The client has written this line.
    pub(crate) fn heard(&mut self, line: &str) {
        if let Some(writing) = &mut self.writing {
            writing.heard(line);
        }
    }

    /// Writes bytes as they are.
    pub(crate) fn bytes(&mut self, line: &[u8]) -> io::Result<()> {
        self.watched(line);
        self.out.line(line)
    }

    /// Writes a line, without its newline. Returns the exit status if the process ends with it.
    pub(crate) fn line(&mut self, mut line: String) -> io::Result<Option<u8>> {
        line.push('\n');
        let Some(writing) = &mut self.writing else {
            self.bytes(line.as_bytes())?;
            return Ok(None);
        };
        let acts = writing.line(line.into_bytes());
        self.due = match (writing.keeps(), self.due) {
            (Some(wait), None) => Some(Instant::now() + wait),
            (Some(_), due) => due,
            (None, _) => None,
        };
        self.act_all(acts)
    }

    /// When the lines that are kept are due.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Writes the lines that were kept long enough.
    pub(crate) fn write_due(&mut self) -> io::Result<()> {
        if self.due.is_some_and(|due| due <= Instant::now()) {
            self.due = None;
            let acts = self.writing.as_mut().map(Writing::kept);
            self.act_all(acts.unwrap_or_default())?;
        }
        Ok(())
    }

    /// After the end of the input, and before the process ends.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let acts = self.writing.as_mut().map(Writing::end);
        self.act_all(acts.unwrap_or_default())?;
        self.out.flush()
    }

    /// Lets what was written go out.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes down which faults were injected.
    pub(crate) fn write_log(&mut self) {
        self.log.write();
    }

    /// Does what is to be done. Returns the exit status if the process ends with it.
    pub(crate) fn act_all(&mut self, acts: Vec<Act>) -> io::Result<Option<u8>> {
        if !acts.is_empty() {
            self.log.write();
        }
        for act in acts {
            match act {
                Act::Write(bytes, parts) => self.write(&bytes, &parts)?,
                Act::Complain(bytes) => {
                    self.out.flush()?;
                    self.errors.write(&bytes)?;
                }
                Act::Wait(time) => {
                    self.out.flush()?;
                    thread::sleep(time);
                }
                Act::Stay(time) => {
                    self.out.flush()?;
                    self.owner.stay(time);
                }
                Act::IgnoreSigterm => self.termination.ignore(),
                Act::Exit(status) => {
                    self.out.flush()?;
                    return Ok(Some(status));
                }
            }
        }
        Ok(None)
    }

    fn write(&mut self, bytes: &[u8], parts: &Parts) -> io::Result<()> {
        self.watched(bytes);
        match parts {
            Parts::Any => self.out.line(bytes),
            Parts::Bytes => bytes.chunks(1).try_for_each(|byte| self.out.now(byte)),
            Parts::At(cuts) => {
                let mut start = 0;
                for (place, pause) in cuts {
                    self.out.now(&bytes[start..*place])?;
                    start = *place;
                    thread::sleep(*pause);
                }
                self.out.now(&bytes[start..])
            }
        }
    }

    fn watched(&self, bytes: &[u8]) {
        let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        self.observer.line(Writer::Codex, line);
    }
}
