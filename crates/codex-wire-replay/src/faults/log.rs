//! Which faults were injected.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Which faults were injected so far. Copies share what they hold.
#[derive(Clone, Debug, Default)]
pub struct FaultLog(Arc<Mutex<Vec<&'static str>>>);

impl FaultLog {
    /// Notes that the fault of this id was injected.
    pub(super) fn note(&self, id: &'static str) {
        self.lock().push(id);
    }

    /// The ids of what was injected since the last call.
    pub fn take(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<&'static str>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
