//! Reads a list of inputs that another program may write at the same time.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread;

/// How many bytes are read at once.
const CHUNK: usize = 256 << 10;

/// How many chunks wait to be used.
const AHEAD: usize = 4;

/// Bytes that a thread reads, so that it can be asked whether some are there.
pub(crate) struct Feed {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    at: usize,
    /// An error that came while nobody read.
    error: Option<io::Error>,
}

impl Feed {
    /// Begins to read.
    pub(crate) fn begin(mut input: impl Read + Send + 'static) -> Self {
        let (send, chunks) = sync_channel(AHEAD);
        thread::spawn(move || {
            loop {
                let mut chunk = vec![0; CHUNK];
                let read = match input.read(&mut chunk) {
                    Ok(0) => return,
                    Ok(read) => {
                        chunk.truncate(read);
                        Ok(chunk)
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let is_end = read.is_err();
                if send.send(read).is_err() || is_end {
                    return;
                }
            }
        });
        Feed {
            chunks,
            chunk: Vec::new(),
            at: 0,
            error: None,
        }
    }

    /// Whether whoever writes has written no more than was read, and may wait for an answer.
    pub(crate) fn is_waiting(&mut self) -> bool {
        if self.at < self.chunk.len() || self.error.is_some() {
            return false;
        }
        match self.chunks.try_recv() {
            Ok(Ok(chunk)) => {
                self.take(chunk);
                false
            }
            Ok(Err(error)) => {
                self.error = Some(error);
                false
            }
            Err(TryRecvError::Empty) => true,
            Err(TryRecvError::Disconnected) => false,
        }
    }

    fn take(&mut self, chunk: Vec<u8>) {
        self.chunk = chunk;
        self.at = 0;
    }
}

impl BufRead for Feed {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.chunk.len() {
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            // The sender is gone at the end.
            if let Ok(chunk) = self.chunks.recv() {
                self.take(chunk?);
            }
        }
        Ok(&self.chunk[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        self.at = self.chunk.len().min(self.at + amount);
    }
}

impl Read for Feed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut there = self.fill_buf()?;
        let read = there.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}
