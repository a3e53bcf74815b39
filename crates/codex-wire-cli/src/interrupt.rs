//! Handles interruptions: everything that was checked before one is still reported.
//!
//! A signal sets a flag, which readers poll. A read from a pipe may block forever, so a separate
//! thread does it, which is never joined.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

/// How often the flag is polled while no data arrives.
const PERIOD: Duration = Duration::from_millis(50);

/// How many bytes the thread reads at once.
const CHUNK: usize = 256 << 10;

/// How many chunks the thread may read ahead.
const AHEAD: usize = 2;

/// Whether the program itself stops its work.
static STOPPED: AtomicBool = AtomicBool::new(false);

static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Starts to handle signals that ask the program to end. A second one ends it at once.
///
/// # Errors
/// If signals cannot be handled.
#[cfg(unix)]
pub(crate) fn watch() -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};

    let flag = Arc::clone(FLAG.get_or_init(Arc::default));
    for signal in [SIGINT, SIGTERM] {
        let code = 128 + signal;
        signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(&flag))?;
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
    }
    Ok(())
}

/// On systems without signals, an interruption ends the program at once.
#[cfg(not(unix))]
pub(crate) fn watch() -> io::Result<()> {
    Ok(())
}

/// Stops all reading as a signal does: nobody wants what would be read.
pub(crate) fn stop() {
    STOPPED.store(true, Ordering::Relaxed);
}

/// Whether the user wants to stop, or the program itself does.
pub(crate) fn requested() -> bool {
    STOPPED.load(Ordering::Relaxed) || FLAG.get().is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// The error of a read that was interrupted.
pub(crate) fn error() -> io::Error {
    io::Error::other("interrupted")
}

/// An input whose reads end when the user interrupts the program.
pub(crate) struct Interruptible {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    at: usize,
}

impl Interruptible {
    /// Reads from `input` in a thread.
    pub(crate) fn new(mut input: impl Read + Send + 'static) -> Self {
        let (sender, chunks) = mpsc::sync_channel(AHEAD);
        thread::spawn(move || {
            loop {
                let mut chunk = vec![0; CHUNK];
                let read = match input.read(&mut chunk) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    read => read,
                };
                let is_end = !matches!(read, Ok(1..));
                let sent = sender.send(read.map(|read| {
                    chunk.truncate(read);
                    chunk
                }));
                if is_end || sent.is_err() {
                    return;
                }
            }
        });
        Interruptible {
            chunks,
            chunk: Vec::new(),
            at: 0,
        }
    }
}

impl Read for Interruptible {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.chunk.len() {
            match self.chunks.recv_timeout(PERIOD) {
                Ok(chunk) => {
                    (self.chunk, self.at) = (chunk?, 0);
                    if self.chunk.is_empty() {
                        return Ok(0);
                    }
                }
                Err(RecvTimeoutError::Timeout) if requested() => return Err(error()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
        let length = buffer.len().min(self.chunk.len() - self.at);
        buffer[..length].copy_from_slice(&self.chunk[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_arrive() {
        let bytes: Vec<u8> = (0..3 * CHUNK + 7).map(|at| at as u8).collect();
        let mut read = Vec::new();
        let input = io::Cursor::new(bytes.clone());
        Interruptible::new(input).read_to_end(&mut read).unwrap();
        assert_eq!(read, bytes);
        assert_eq!(
            Interruptible::new(io::empty()).read(&mut [0; 4]).unwrap(),
            0
        );
    }
}
