//! How reading is ended early, and who is told how it goes on.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Error;

/// Ends reading early. All clones are one: whoever has one can stop what looks at another.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// One that nobody has requested.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops. What is being read ends with an error.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has requested it.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag behind it, for handlers of signals: `true` stops.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// An error once it is requested.
    pub(crate) fn check(&self) -> io::Result<()> {
        match self.is_requested() {
            true => Err(Error::Interrupted.into()),
            false => Ok(()),
        }
    }
}

/// Who is told how reading goes on. Several threads may tell it at once.
pub trait Watch: Sync {
    /// What ends the reading early.
    fn stop(&self) -> &Stop;

    /// An input begins, with this name. Whoever reads several inputs says so.
    fn input(&self, name: &str) {
        let _ = name;
    }

    /// A member of an archive begins, with this name.
    fn member(&self, name: &str) {
        let _ = name;
    }

    /// So many further bytes were read, as they are stored.
    fn read(&self, bytes: usize) {
        let _ = bytes;
    }

    /// The thread that says so begins to read what has this name: an input, or a member of an archive.
    fn opened(&self, name: &str) {
        let _ = name;
    }

    /// It works on this line of it, the first one being 1. `None` at the end.
    fn line(&self, number: Option<u64>) {
        let _ = number;
    }
}

/// Reading that nobody watches.
impl Watch for Stop {
    fn stop(&self) -> &Stop {
        self
    }
}
