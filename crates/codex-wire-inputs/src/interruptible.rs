//! Inputs that may have nothing to read for a long time.
//!
//! A read from a pipe may block forever, so a separate thread does it, which is never joined.

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::stop::Stop;

/// How often a stop is looked for while no data arrives.
const PERIOD: Duration = Duration::from_millis(50);

/// How many bytes the thread reads at once.
const CHUNK: usize = 256 << 10;

/// How many chunks the thread may read ahead.
const AHEAD: usize = 2;

/// An input whose reads end when a stop is requested, also while they wait.
pub(crate) struct Interruptible {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    at: usize,
    stop: Stop,
}

impl Interruptible {
    /// Reads from `input` in a thread.
    pub(crate) fn new(mut input: impl Read + Send + 'static, stop: Stop) -> Self {
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
            stop,
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
                Err(RecvTimeoutError::Timeout) => self.stop.check()?,
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
        let length = buffer.len().min(self.chunk.len() - self.at);
        buffer[..length].copy_from_slice(&self.chunk[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}

/// A reader that ends when a stop is requested, also while it unpacks what was read long ago.
pub(crate) struct Stoppable<R> {
    input: R,
    stop: Stop,
}

impl<R> Stoppable<R> {
    pub(crate) fn new(input: R, stop: Stop) -> Self {
        Stoppable { input, stop }
    }
}

impl<R: Read> Read for Stoppable<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stop.check()?;
        self.input.read(buffer)
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
        Interruptible::new(input, Stop::new())
            .read_to_end(&mut read)
            .expect("it is readable");
        assert_eq!(read, bytes);
        let mut empty = Interruptible::new(io::empty(), Stop::new());
        assert_eq!(empty.read(&mut [0; 4]).expect("it is readable"), 0);
    }

    /// A read that waits for a pipe ends, and so does one that need not wait.
    #[test]
    fn a_stop_ends_reads() {
        let (silent, _writer) = io::pipe().expect("a pipe");
        let stop = Stop::new();
        let mut waiting = Interruptible::new(silent, stop.clone());
        let mut ready = Stoppable::new(io::repeat(b' '), stop.clone());
        assert_eq!(ready.read(&mut [0; 4]).expect("it is readable"), 4);
        stop.request();
        for read in [waiting.read(&mut [0; 4]), ready.read(&mut [0; 4])] {
            assert_eq!(read.expect_err("it is stopped").to_string(), "interrupted");
        }
    }
}
