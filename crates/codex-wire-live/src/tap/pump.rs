//! Passes on the bytes that one side writes.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_check::Writer;

use crate::tap::intake::{Event, Take};

/// How many bytes are passed on at once, at most: the capacity of a pipe.
const CHUNK: usize = 64 << 10;

/// How long to wait before the next try if a pipe is not ready.
const RETRY: Duration = Duration::from_millis(1);

/// Passes bytes from one pipe to another.
pub(crate) struct Pump<R, W> {
    from: R,
    to: W,
    connection: u32,
    writer: Writer,
    activity: Arc<Activity>,
}

/// The state of a pump, for other threads.
#[derive(Default)]
pub(crate) struct Activity {
    passed: AtomicU64,
    writing: AtomicBool,
    failure: OnceLock<String>,
}

impl Activity {
    /// The number of bytes that were passed on.
    pub(crate) fn passed(&self) -> u64 {
        self.passed.load(Ordering::Acquire)
    }

    /// Why writing failed, unless the reader closed the pipe.
    pub(crate) fn failure(&self) -> Option<String> {
        self.failure.get().cloned()
    }

    /// Whether it is writing bytes at the moment.
    pub(crate) fn is_writing(&self) -> bool {
        self.writing.load(Ordering::Acquire)
    }
}

impl<R: Read, W: Write> Pump<R, W> {
    /// A pump for the bytes that `writer` writes.
    pub(crate) fn new(from: R, to: W, writer: Writer) -> Self {
        Pump {
            from,
            to,
            connection: 0,
            writer,
            activity: Arc::default(),
        }
    }

    /// The same, of one of several connections.
    pub(crate) fn of_connection(mut self, connection: u32) -> Self {
        self.connection = connection;
        self
    }

    /// Its state.
    pub(crate) fn activity(&self) -> Arc<Activity> {
        Arc::clone(&self.activity)
    }

    /// Passes on everything until one pipe is closed. Then it closes both, so that each side sees the
    /// end as it would without us in between. Everything is taken down first.
    pub(crate) fn run(mut self, intake: &dyn Take) {
        let mut buffer = vec![0; CHUNK];
        loop {
            let read = match self.from.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if should_retry(&error) => continue,
                // A pipe that cannot be read is over.
                Err(_) => break,
            };
            let bytes = &buffer[..read];
            self.activity.writing.store(true, Ordering::Release);
            intake.take(Event::Bytes {
                connection: self.connection,
                writer: self.writer,
                at: Instant::now(),
                bytes,
            });
            let written = write_all(&mut self.to, bytes);
            self.activity
                .passed
                .fetch_add(read as u64, Ordering::Release);
            self.activity.writing.store(false, Ordering::Release);
            if let Err(error) = written {
                // A reader that closed the pipe wants no more.
                if error.kind() != io::ErrorKind::BrokenPipe {
                    let _ = self.activity.failure.set(error.to_string());
                }
                break;
            }
        }
        // Before the other side can see the end, so that the side that ended first comes first.
        intake.take(Event::Ended {
            connection: self.connection,
            writer: self.writer,
            at: Instant::now(),
        });
        drop((self.from, self.to));
    }
}

/// Writes all bytes.
fn write_all(to: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match to.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = &bytes[written..],
            Err(error) if should_retry(&error) => {}
            Err(error) => return Err(error),
        }
    }
    to.flush()
}

/// Whether to try again. Another process with the same pipe may have set it to non-blocking.
fn should_retry(error: &io::Error) -> bool {
    match error.kind() {
        io::ErrorKind::Interrupted => true,
        io::ErrorKind::WouldBlock => {
            thread::sleep(RETRY);
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// What was taken down, and what was passed on.
    #[derive(Default)]
    struct Both(RefCell<Vec<u8>>, RefCell<Vec<u8>>);

    impl Take for Both {
        fn take(&self, event: Event<'_>) {
            match event {
                Event::Bytes { bytes, .. } => self.0.borrow_mut().extend_from_slice(bytes),
                _ => self.0.borrow_mut().extend_from_slice(b"end"),
            }
        }
    }

    impl Write for &Both {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1.borrow_mut().extend_from_slice(bytes);
            assert_eq!(*self.0.borrow(), *self.1.borrow());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Otherwise a response might be taken down before its request, or never.
    #[test]
    fn bytes_are_taken_down_before_they_are_passed_on() {
        let both = Both::default();
        let pump = Pump::new(&b"{}\n"[..], &both, Writer::Client);
        let activity = pump.activity();
        pump.run(&both);
        assert_eq!((activity.passed(), activity.is_writing()), (3, false));
        assert_eq!(*both.0.borrow(), b"{}\nend");
        assert_eq!(*both.1.borrow(), b"{}\n");
    }

    /// A writer that takes one byte at a time, and only at every second try.
    struct Reluctant(Vec<u8>, bool);

    impl Write for Reluctant {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            self.0.extend_from_slice(&bytes[..1]);
            Ok(1)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_pipe_need_not_be_ready() {
        let mut end = Reluctant(Vec::new(), false);
        write_all(&mut end, b"abc").unwrap();
        assert_eq!(end.0, b"abc");
    }
}
