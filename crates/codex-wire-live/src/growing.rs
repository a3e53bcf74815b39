//! Reads a file that is still being written, as if it were a pipe.

use std::fmt;
use std::io::{self, Read};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use codex_wire_inputs::Stop;

use crate::tail::{PERIOD, Step, Tail};

/// A file that is still being written, and need not exist yet. At its end, reading waits for more. It is over after a
/// stop, when the file was removed, replaced or truncated, or when nothing has come for the time that
/// [`until_idle`](Growing::until_idle) sets. A file that does not exist then is an error.
///
/// ```
/// use std::io::Read as _;
/// use codex_wire_live::{Growing, Stop};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("run.jsonl");
/// # std::fs::write(&path, "{}\n")?;
/// let stop = Stop::new();
/// stop.request();
/// let mut text = String::new();
/// Growing::new(&path, &stop).read_to_string(&mut text)?;
/// assert_eq!(text, "{}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Growing {
    tail: Tail,
    stop: Stop,
    until_idle: Option<Duration>,
    /// When something was read last.
    last: Instant,
    is_over: bool,
}

impl Growing {
    /// Reads the file at that path.
    pub fn new(path: &Path, stop: &Stop) -> Self {
        Growing {
            tail: Tail::new(path),
            stop: stop.clone(),
            until_idle: None,
            last: Instant::now(),
            is_over: false,
        }
    }

    /// It is over when nothing has come for this time.
    #[must_use]
    pub fn until_idle(mut self, most: Option<Duration>) -> Self {
        self.until_idle = most;
        self
    }
}

impl Read for Growing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.is_over && !buffer.is_empty() {
            match self.tail.step(buffer)? {
                Step::Bytes(read) => {
                    self.last = Instant::now();
                    return Ok(read);
                }
                Step::Restarted | Step::Gone(_) => self.is_over = true,
                Step::Missing | Step::Nothing => {
                    let is_idle = |most| self.last.elapsed() >= most;
                    self.is_over = self.stop.is_requested() || self.until_idle.is_some_and(is_idle);
                    match self.is_over {
                        true if self.tail.is_missing() => return Err(Tail::never_appeared()),
                        true => {}
                        false => thread::sleep(PERIOD),
                    }
                }
            }
        }
        Ok(0)
    }
}

impl fmt::Debug for Growing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Growing");
        out.field("is_over", &self.is_over).finish_non_exhaustive()
    }
}
