//! What the span of a thread says of its turns.

use std::sync::Arc;

use codex_wire_session::{Thread, Turn, TurnError, TurnStatus};

use super::times::Times;

/// What the span of a thread says of its own turns, which need not be there any more.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// From the beginning of the first to the end of the last.
    pub(crate) times: Times,
    /// The last model.
    pub(crate) model: Option<Arc<str>>,
    /// Why the last one failed, if it did.
    pub(crate) failure: Option<TurnError>,
    /// Whether counts go back to the beginning of the thread, so that the last holds those before it.
    pub(crate) is_cumulative: bool,
}

impl Summary {
    pub(crate) fn of(thread: &Thread) -> Self {
        let mut summary = Summary::default();
        for turn in &thread.turns {
            summary.add(turn);
        }
        summary
    }

    /// Adds the next turn. Turns that a fork copied are of another thread.
    pub(crate) fn add(&mut self, turn: &Turn) {
        if turn.is_copied {
            return;
        }
        self.times = self.times.around(Times::of_turn(turn));
        if let Some(model) = &turn.settings.model {
            self.model = Some(Arc::clone(model));
        }
        let has_failed = turn.status == TurnStatus::Failed;
        self.failure = has_failed.then(|| turn.error.clone().unwrap_or_default());
        self.is_cumulative |= is_cumulative(turn);
    }

    /// What kind of error the last turn failed with.
    pub(crate) fn error_type(&self) -> Option<&str> {
        self.failure.as_ref().map(error_type)
    }
}

/// Whether the counts of a turn go back to the beginning of the thread.
pub(crate) fn is_cumulative(turn: &Turn) -> bool {
    let mut responses = turn.responses.iter();
    responses.any(|response| response.is_cumulative)
}

/// The kind of an error.
fn error_type(error: &TurnError) -> &str {
    error.kind.as_deref().unwrap_or("_OTHER")
}
