//! Passes on what one side writes.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_check::Writer;

use super::queue::{Event, Queue};

/// How much is passed on at a time, at most: what a pipe holds.
const CHUNK: usize = 64 << 10;

/// How long to wait where an end is not ready and would rather not say when it is.
const RETRY: Duration = Duration::from_millis(1);

/// Passes on what comes from one end to the other.
pub(super) struct Pump<R, W> {
    from: R,
    to: W,
    writer: Writer,
    activity: Arc<Activity>,
}

/// What a pump is doing, for others to see.
#[derive(Default)]
pub(super) struct Activity {
    passed: AtomicU64,
    writing: AtomicBool,
    failure: OnceLock<String>,
}

impl Activity {
    /// How many bytes were passed on.
    pub(super) fn passed(&self) -> u64 {
        self.passed.load(Ordering::Acquire)
    }

    /// Why the other end could not be written, if it was not simply closed.
    pub(super) fn failure(&self) -> Option<String> {
        self.failure.get().cloned()
    }

    /// Whether it has bytes in hand that the other end has not taken yet.
    pub(super) fn is_writing(&self) -> bool {
        self.writing.load(Ordering::Acquire)
    }
}

impl<R: Read, W: Write> Pump<R, W> {
    /// Passes on what `writer` writes.
    pub(super) fn new(from: R, to: W, writer: Writer) -> Self {
        Pump {
            from,
            to,
            writer,
            activity: Arc::default(),
        }
    }

    /// What it is doing.
    pub(super) fn activity(&self) -> Arc<Activity> {
        Arc::clone(&self.activity)
    }

    /// Passes on everything, until one end is closed. Closes both ends then: whoever is at the
    /// other one is to learn of it as if there were nobody in between.
    pub(super) fn run(mut self, queue: &Queue) {
        let mut buffer = vec![0; CHUNK];
        loop {
            let read = match self.from.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if passes(&error) => continue,
                // Nothing can be read any longer, which is all that there is to know.
                Err(_) => break,
            };
            let bytes = &buffer[..read];
            self.activity.writing.store(true, Ordering::Release);
            queue.push(Event::Bytes {
                writer: self.writer,
                at: Instant::now(),
                bytes: bytes.to_vec(),
            });
            let written = whole(&mut self.to, bytes);
            self.activity
                .passed
                .fetch_add(read as u64, Ordering::Release);
            self.activity.writing.store(false, Ordering::Release);
            if let Err(error) = written {
                // Whoever closes the end has seen enough.
                if error.kind() != io::ErrorKind::BrokenPipe {
                    let _ = self.activity.failure.set(error.to_string());
                }
                break;
            }
        }
        drop((self.from, self.to));
        queue.push(Event::Ended {
            writer: self.writer,
            at: Instant::now(),
        });
    }
}

/// Writes all of it.
fn whole(to: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match to.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = &bytes[written..],
            Err(error) if passes(&error) => {}
            Err(error) => return Err(error),
        }
    }
    to.flush()
}

/// Whether it is worth trying again. An end may have been set not to wait by someone else who
/// has it.
fn passes(error: &io::Error) -> bool {
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
    use super::super::queue::Consumer;
    use super::*;

    /// An end that looks into the queue when it is written to.
    struct Watching<'c>(&'c Consumer, Vec<u8>);

    impl Write for Watching<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match self.0.ready() {
                Some(Event::Bytes { bytes: copy, .. }) => assert_eq!(copy, bytes),
                other => panic!("{other:?} instead of a copy"),
            }
            self.1.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Otherwise an answer might be seen before its request.
    #[test]
    fn a_copy_is_handed_over_before_the_bytes() {
        let queue = Arc::new(Queue::new(1000));
        let consumer = Queue::consumer(&queue);
        let end = Watching(&consumer, Vec::new());
        let pump = Pump::new(&b"{}\n"[..], end, Writer::Client);
        let activity = pump.activity();
        pump.run(&queue);
        assert_eq!((activity.passed(), activity.is_writing()), (3, false));
        assert!(matches!(consumer.ready(), Some(Event::Ended { .. })));
        assert!(consumer.ready().is_none());
    }

    /// An end that takes little at a time, and not always.
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
    fn an_end_need_not_be_ready() {
        let mut end = Reluctant(Vec::new(), false);
        whole(&mut end, b"abc").unwrap();
        assert_eq!(end.0, b"abc");
    }
}
