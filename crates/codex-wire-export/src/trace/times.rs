//! When spans begin and end.

use codex_wire_session::{Item, Thread, Time, Turn};

use super::otlp::Nanos;

/// When something began and ended, as far as that is known. Where only one of both is, it is a point in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Times {
    start: Option<i64>,
    end: Option<i64>,
}

impl Times {
    pub(crate) fn at(time: Option<Time>) -> Self {
        let at = time.map(Time::ms);
        Times { start: at, end: at }
    }

    pub(crate) fn of_item(item: &Item) -> Self {
        Times::new(item.started, item.completed, item.duration_ms)
    }

    /// A turn begins no later and ends no earlier than what is in it, if it does not say.
    pub(crate) fn of_turn(turn: &Turn) -> Self {
        let said = Times::new(turn.started, turn.ended, turn.duration_ms);
        let has_end = turn.ended.is_some() || turn.duration_ms.is_some();
        if turn.started.is_some() && has_end {
            return said;
        }
        let items = turn.items.iter().map(Times::of_item);
        let responses = turn.responses.iter().map(|response| Times::at(response.at));
        let within = items.chain(responses).fold(said, Times::around);
        Times {
            start: turn.started.map(Time::ms).or(within.start),
            end: turn.ended.map(Time::ms).or(within.end),
        }
        .in_order()
    }

    /// A thread lasts from its beginning to the end of its last turn.
    pub(crate) fn of_thread(thread: &Thread, turns: Times) -> Self {
        let outside = thread.outside.iter().map(Times::of_item);
        let within = Times::at(thread.created).around(turns);
        outside.fold(within, Times::around)
    }

    pub(crate) fn start(self) -> Option<Nanos> {
        nanos(self.start)
    }

    pub(crate) fn end(self) -> Option<Nanos> {
        nanos(self.end)
    }

    fn new(start: Option<Time>, end: Option<Time>, duration: Option<u64>) -> Self {
        let duration = duration.and_then(|ms| i64::try_from(ms).ok());
        let (start, end) = (start.map(Time::ms), end.map(Time::ms));
        let began = end.map(|end| end.saturating_sub(duration.unwrap_or(0)));
        let ended = start.map(|start| start.saturating_add(duration.unwrap_or(0)));
        Times {
            start: start.or(began),
            end: end.or(ended),
        }
        .in_order()
    }

    /// Nothing ends before it begins, whatever clocks say.
    fn in_order(self) -> Self {
        Times {
            start: self.start,
            end: self.end.max(self.start),
        }
    }

    pub(crate) fn around(self, other: Times) -> Self {
        let earlier = self.start.into_iter().chain(other.start).min();
        let later = self.end.into_iter().chain(other.end).max();
        Times {
            start: earlier,
            end: later,
        }
    }
}

/// OTLP has no times before 1970, nor beyond the year 2554.
fn nanos(ms: Option<i64>) -> Option<Nanos> {
    let ms = u64::try_from(ms?).ok()?;
    ms.checked_mul(1_000_000).map(Nanos)
}
