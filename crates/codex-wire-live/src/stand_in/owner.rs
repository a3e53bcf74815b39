//! Whoever started this process: a stand-in that does not end by itself ends when that one is gone.

use std::thread;
use std::time::{Duration, Instant};

/// How often it is looked for.
const PERIOD: Duration = Duration::from_millis(100);

/// The process that started this one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner {
    parent: Option<u32>,
}

impl Owner {
    /// That of this process, as it is now.
    pub(crate) fn of_process() -> Self {
        Owner { parent: parent() }
    }

    /// Whether it is gone: then another process is the parent of this one. Windows does not say so.
    pub(crate) fn is_gone(self) -> bool {
        self.parent != parent()
    }

    /// Waits for so long, or until it is gone.
    pub(crate) fn stay(self, time: Duration) {
        let begun = Instant::now();
        while begun.elapsed() < time && !self.is_gone() {
            thread::sleep(PERIOD);
        }
    }
}

#[cfg(unix)]
fn parent() -> Option<u32> {
    Some(std::os::unix::process::parent_id())
}

#[cfg(not(unix))]
fn parent() -> Option<u32> {
    None
}
