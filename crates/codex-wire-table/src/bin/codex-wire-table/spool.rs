//! Reads an input once, so that its digest is known before its first row.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek as _, Write as _};

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};

/// How many bytes of an input are kept in memory. What is longer goes to a temporary file.
const IN_MEMORY: u64 = 16 << 20;

/// How much of the memory for an input is kept for the next one.
const KEPT: usize = 1 << 20;

/// How many bytes are read at once of what is longer.
const CHUNK: usize = 256 << 10;

/// Reads inputs; the memory for one is that for a later one.
#[derive(Default)]
pub(crate) struct Spool {
    free: Vec<Vec<u8>>,
}

/// An input that was read.
pub(crate) struct Spooled {
    /// SHA-256 in hexadecimal.
    pub(crate) digest: String,
    /// How many bytes it has.
    pub(crate) bytes: u64,
    pub(crate) contents: Contents,
}

/// The bytes of an input.
pub(crate) enum Contents {
    /// All of them.
    Memory(Vec<u8>),
    /// They are too many for memory.
    File(File),
}

impl Spool {
    /// Reads an input to its end. Inside: whether it can be read.
    ///
    /// # Errors
    /// If the temporary file cannot be written.
    pub(crate) fn read(&mut self, mut input: impl Read) -> anyhow::Result<io::Result<Spooled>> {
        let mut memory = self.free.pop().unwrap_or_default();
        memory.clear();
        let mut hash = Sha256::new();
        if let Err(error) = input.by_ref().take(IN_MEMORY).read_to_end(&mut memory) {
            return Ok(Err(error));
        }
        hash.update(&memory);
        let mut bytes = memory.len() as u64;
        if bytes < IN_MEMORY {
            return Ok(Ok(Spooled {
                digest: hexadecimal(hash),
                bytes,
                contents: Contents::Memory(memory),
            }));
        }
        let cannot = "a temporary file cannot be written";
        let mut file = tempfile::tempfile().context(cannot)?;
        file.write_all(&memory).context(cannot)?;
        self.give_back(Contents::Memory(memory));
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

    /// Takes the memory of an input that is not needed any more. Of much little is kept.
    pub(crate) fn give_back(&mut self, contents: Contents) {
        if let Contents::Memory(mut memory) = contents {
            memory.clear();
            memory.shrink_to(KEPT);
            self.free.push(memory);
        }
    }
}

impl Contents {
    /// Its bytes, from the first one on.
    pub(crate) fn read(&self) -> Box<dyn BufRead + '_> {
        match self {
            Contents::Memory(bytes) => Box::new(&bytes[..]),
            Contents::File(file) => Box::new(BufReader::with_capacity(CHUNK, file)),
        }
    }
}

pub(crate) fn hexadecimal(hash: Sha256) -> String {
    let bytes = hash.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
