//! Finds out who is who in a recording whose lines are `in` and `out`.

use codex_wire_prefilter::{Keys, Tape, View};

use crate::dialect::Dialect;
use crate::framing::record::{Direction, Wrapped};
use crate::writer::Writer;

/// Which side was recorded: it read what is `in`, and wrote what is `out`. The first line that only one
/// side can have written shows it, such as `initialize`. Until then each message decides for itself.
#[derive(Debug, Default)]
pub(crate) struct Sides {
    recorded: Option<Writer>,
}

impl Sides {
    /// Who wrote a line, if that is known.
    pub(crate) fn writer_of(&mut self, wrapped: &Wrapped<'_>) -> Option<Writer> {
        let is_out = match wrapped.direction {
            Direction::Of(writer) => return Some(writer),
            Direction::Unknown => return None,
            Direction::In => false,
            Direction::Out => true,
        };
        let of = |recorded: Writer| match is_out {
            true => recorded,
            false => recorded.other(),
        };
        if self.recorded.is_none() {
            // Who wrote this one is the recorded side if it is `out`, else the other.
            self.recorded = sole_writer(wrapped.value).map(of);
        }
        self.recorded.map(of)
    }
}

/// Who certainly wrote a message, which may be a text that holds it.
fn sole_writer(value: View<'_>) -> Option<Writer> {
    match value.as_str() {
        Some(text) => {
            let mut tape = Tape::new();
            Dialect::sole_writer(View::of(text, &mut tape, Keys::Last))
        }
        None => Dialect::sole_writer(value),
    }
}
