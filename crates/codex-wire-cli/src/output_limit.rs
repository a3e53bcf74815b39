//! Implements `--max-output`: counts what is written to standard output and to files.
//!
//! What `tap`, `replay` and `record` pass on or keep is traffic, and is not counted.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::size;

/// How much may be written, in bytes.
static ALLOWED: AtomicU64 = AtomicU64::new(u64::MAX);

/// How much was written, in bytes.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Whether more was to be written.
static IS_REACHED: AtomicBool = AtomicBool::new(false);

/// Allows so many bytes in all.
pub(crate) fn allow(bytes: u64) {
    ALLOWED.store(bytes, Ordering::Relaxed);
}

/// Whether something could not be written because of the limit: nothing else can be.
pub(crate) fn is_reached() -> bool {
    IS_REACHED.load(Ordering::Relaxed)
}

/// A writer of which all bytes are counted.
pub(crate) struct Counted<W>(pub(crate) W);

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let allowed = ALLOWED.load(Ordering::Relaxed);
        let left = allowed.saturating_sub(WRITTEN.load(Ordering::Relaxed));
        if bytes.len() as u64 > left {
            IS_REACHED.store(true, Ordering::Relaxed);
            let allowed = size::text(allowed);
            return Err(io::Error::other(format!(
                "more than {allowed} of output, which `--max-output` sets"
            )));
        }
        let written = self.0.write(bytes)?;
        WRITTEN.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
