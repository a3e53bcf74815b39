//! Handles interruptions: what was checked until then is still reported.
//!
//! A signal only sets a flag, which readers look at. A read from a pipe may block for ever, so a
//! separate thread does it, and nobody waits for that thread.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

/// How often it is looked whether the user wants to stop, while nothing comes.
const PERIOD: Duration = Duration::from_millis(50);

/// How much is read at a time from what may wait.
const CHUNK: usize = 256 << 10;

/// How many of these may wait to be looked at.
const AHEAD: usize = 2;

static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Begins to watch for signals that ask the program to end. A second one ends it as it is.
///
/// # Errors
/// When signals cannot be watched for.
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

/// Where there are no signals, an interruption ends the program as it is.
#[cfg(not(unix))]
pub(crate) fn watch() -> io::Result<()> {
    Ok(())
}

/// Whether the user wants to stop.
pub(crate) fn came() -> bool {
    FLAG.get().is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// What reading says then.
pub(crate) fn error() -> io::Error {
    io::Error::other("interrupted")
}

/// An input that may have nothing to say for long.
pub(crate) struct Patient {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    at: usize,
}

impl Patient {
    /// Reads from that, as far as anybody wants to.
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
        Patient {
            chunks,
            chunk: Vec::new(),
            at: 0,
        }
    }
}

impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.chunk.len() {
            match self.chunks.recv_timeout(PERIOD) {
                Ok(chunk) => {
                    (self.chunk, self.at) = (chunk?, 0);
                    if self.chunk.is_empty() {
                        return Ok(0);
                    }
                }
                Err(RecvTimeoutError::Timeout) if came() => return Err(error()),
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
    fn nothing_is_lost_on_the_way() {
        let bytes: Vec<u8> = (0..3 * CHUNK + 7).map(|at| at as u8).collect();
        let mut read = Vec::new();
        let input = io::Cursor::new(bytes.clone());
        Patient::new(input).read_to_end(&mut read).unwrap();
        assert_eq!(read, bytes);
        assert_eq!(Patient::new(io::empty()).read(&mut [0; 4]).unwrap(), 0);
    }
}
