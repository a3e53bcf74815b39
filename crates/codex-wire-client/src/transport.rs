//! Moves lines: a thread reads, a thread writes, and a third one drains standard error, so that no side ever waits
//! for the other with a full pipe.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::pieces::{LastWords, PIECE, Pieces};

/// How many lines wait to be read. Then Codex waits: it cannot write faster than the client reads.
pub(crate) const LINES: usize = 256;

/// How long Codex may take to end once its input is closed, before it is killed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// How long the end of standard error is waited for, once the output has ended.
pub(crate) const LAST_WORDS: Duration = Duration::from_millis(500);

/// The end of a message on a pipe.
pub(crate) const LINE_END: &str = "\n";

/// How often it is looked whether Codex ended.
pub(crate) const POLL: Duration = Duration::from_millis(5);

/// What comes from Codex.
#[derive(Debug)]
pub(crate) enum FromCodex {
    Line(Vec<u8>),
    /// Its output ended.
    End,
    Unreadable(io::Error),
    /// What the client wrote did not arrive.
    Unwritable(io::Error),
}

/// A running Codex, or whoever is at the other end of a connection.
#[derive(Debug)]
pub(crate) struct Transport {
    /// Taken away when the connection is closed: then the input of Codex ends.
    lines: Option<Sender<String>>,
    child: Option<Child>,
    stderr: Tail,
    /// There is no sender once all is written.
    written: Receiver<()>,
}

/// The last bytes of standard error.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail(Arc<(Mutex<Said>, Condvar)>);

#[derive(Debug, Default)]
struct Said {
    words: LastWords,
    /// Whether a thread still reads.
    is_open: bool,
}

impl Transport {
    /// Starts a program with pipes. What is sent to it has this end.
    pub(crate) fn spawn(
        mut command: Command,
        limit: usize,
        end: &'static str,
    ) -> Result<(Self, Receiver<FromCodex>), Error> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|source| Error::Start {
            program: command.get_program().to_string_lossy().into_owned(),
            source,
        })?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            unreachable!("the three are piped");
        };
        let (mut transport, lines) = Self::between(
            move |lines| read(stdout, limit, lines),
            move |lines, failed| write(stdin, lines, failed, end),
        );
        let tail = transport.stderr.clone();
        tail.said().is_open = true;
        thread::spawn(move || tail.drain(stderr));
        transport.child = Some(child);
        Ok((transport, lines))
    }

    /// Talks to whoever is at the other end of these two.
    pub(crate) fn connect(
        reader: impl Read + Send + 'static,
        writer: impl Write + Send + 'static,
        limit: usize,
    ) -> (Self, Receiver<FromCodex>) {
        Self::between(
            move |lines| read(reader, limit, lines),
            move |lines, failed| write(writer, lines, failed, LINE_END),
        )
    }

    /// Talks to whoever is at the other end of what two threads move.
    pub(crate) fn between(
        read: impl FnOnce(&SyncSender<FromCodex>) + Send + 'static,
        write: impl FnOnce(&Receiver<String>, &SyncSender<FromCodex>) + Send + 'static,
    ) -> (Self, Receiver<FromCodex>) {
        let (to_codex, outgoing) = channel();
        let (incoming, from_codex) = sync_channel(LINES);
        let failed = incoming.clone();
        let (done, written) = channel();
        thread::spawn(move || {
            write(&outgoing, &failed);
            drop(done);
        });
        thread::spawn(move || read(&incoming));
        let transport = Transport {
            lines: Some(to_codex),
            child: None,
            stderr: Tail::default(),
            written,
        };
        (transport, from_codex)
    }

    /// Sends a line. That it did not arrive is said by what comes from Codex.
    pub(crate) fn send(&self, line: String) {
        if let Some(lines) = &self.lines {
            let _ = lines.send(line);
        }
    }

    /// Sends nothing more: the input of Codex ends.
    pub(crate) fn close(&mut self) {
        self.lines = None;
    }

    /// The last lines of standard error, once the output has ended.
    pub(crate) fn stderr(&self) -> String {
        self.stderr.text()
    }

    /// How Codex exited, if it is a process that ends in time.
    pub(crate) fn status(&mut self) -> Option<ExitStatus> {
        let child = self.child.as_mut()?;
        let begun = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if begun.elapsed() < PATIENCE => thread::sleep(POLL),
                _ => return None,
            }
        }
    }
}

impl Drop for Transport {
    /// Closes the input of Codex, which ends it, and waits until it is gone. Of another end of a connection, waits until it
    /// has what was sent.
    fn drop(&mut self) {
        self.close();
        if self.child.is_none() {
            let _ = self.written.recv_timeout(PATIENCE);
        }
        if self.status().is_none()
            && let Some(child) = &mut self.child
        {
            // It may have ended just now.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Tail {
    fn drain(&self, mut stderr: impl Read) {
        let mut buffer = [0; 1024];
        while let Ok(count @ 1..) = stderr.read(&mut buffer) {
            self.said().words.push(&buffer[..count]);
        }
        self.said().is_open = false;
        self.0.1.notify_all();
    }

    /// All of it, if Codex is gone: what it wrote last may still be on its way. A process that it left behind can hold it
    /// open, so nobody waits long.
    fn text(&self) -> String {
        let waited = self
            .0
            .1
            .wait_timeout_while(self.said(), LAST_WORDS, |said| said.is_open);
        let said = waited.unwrap_or_else(PoisonError::into_inner).0;
        said.words.text()
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes lines until there are no more, each with this end.
fn write(
    mut writer: impl Write,
    lines: &Receiver<String>,
    failed: &SyncSender<FromCodex>,
    end: &str,
) {
    for mut line in lines {
        line.push_str(end);
        let written = writer
            .write_all(line.as_bytes())
            .and_then(|()| writer.flush());
        match written {
            Ok(()) => {}
            // Codex is gone, which its output says with more words.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return,
            Err(error) => {
                let _ = failed.send(FromCodex::Unwritable(error));
                return;
            }
        }
    }
}

/// Reads lines until there are no more, or nobody wants them.
fn read(mut reader: impl Read, limit: usize, lines: &SyncSender<FromCodex>) {
    let mut pieces = Pieces::new(limit);
    let mut piece = [0; PIECE];
    let last = loop {
        let (whole, read) = match reader.read(&mut piece) {
            Ok(0) => break FromCodex::End,
            Ok(count) => pieces.feed(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => break FromCodex::Unreadable(error),
        };
        for line in whole {
            if lines.send(FromCodex::Line(line)).is_err() {
                return;
            }
        }
        if let Err(error) = read {
            break FromCodex::Unreadable(error);
        }
    };
    if let (FromCodex::End, Some(line)) = (&last, pieces.last()) {
        let _ = lines.send(FromCodex::Line(line));
    }
    let _ = lines.send(last);
}
