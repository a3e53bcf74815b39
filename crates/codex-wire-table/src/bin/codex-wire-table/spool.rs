//! Reads an input once, so that its digest is known before its first row.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek as _, Write as _};

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};

/// How many bytes of an input are kept in memory. What is longer goes to a temporary file.
const IN_MEMORY: u64 = 16 << 20;

/// How many bytes are read at once of what is longer.
const CHUNK: usize = 256 << 10;

/// Reads inputs; the memory for one is that for the next.
#[derive(Default)]
pub(crate) struct Spool {
    memory: Vec<u8>,
}

/// An input that was read.
pub(crate) struct Spooled<'s> {
    /// SHA-256 in hexadecimal.
    pub(crate) digest: String,
    /// How many bytes it has.
    pub(crate) bytes: u64,
    contents: Contents<'s>,
}

enum Contents<'s> {
    Memory(&'s [u8]),
    File(File),
}

impl Spool {
    /// Reads an input to its end. Inside: whether it can be read.
    ///
    /// # Errors
    /// If the temporary file cannot be written.
    pub(crate) fn read(&mut self, mut input: impl Read) -> anyhow::Result<io::Result<Spooled<'_>>> {
        self.memory.clear();
        let mut hash = Sha256::new();
        if let Err(error) = input.by_ref().take(IN_MEMORY).read_to_end(&mut self.memory) {
            return Ok(Err(error));
        }
        hash.update(&self.memory);
        let mut bytes = self.memory.len() as u64;
        if bytes < IN_MEMORY {
            return Ok(Ok(Spooled {
                digest: hexadecimal(hash),
                bytes,
                contents: Contents::Memory(&self.memory),
            }));
        }
        let cannot = "a temporary file cannot be written";
        let mut file = tempfile::tempfile().context(cannot)?;
        file.write_all(&self.memory).context(cannot)?;
        let mut chunk = vec![0; CHUNK];
        loop {
            match input.read(&mut chunk) {
                Ok(0) => break,
                Ok(read) => {
                    hash.update(&chunk[..read]);
                    file.write_all(&chunk[..read]).context(cannot)?;
                    bytes += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Ok(Err(error)),
            }
        }
        file.rewind().context(cannot)?;
        Ok(Ok(Spooled {
            digest: hexadecimal(hash),
            bytes,
            contents: Contents::File(file),
        }))
    }
}

impl<'s> Spooled<'s> {
    /// Its bytes.
    pub(crate) fn contents(self) -> Box<dyn BufRead + 's> {
        match self.contents {
            Contents::Memory(bytes) => Box::new(Cursor::new(bytes)),
            Contents::File(file) => Box::new(BufReader::with_capacity(CHUNK, file)),
        }
    }
}

pub(crate) fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}
