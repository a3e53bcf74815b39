//! `fault/future-method`: a turn has a message of a kind that came later.

use crate::faults::fault::{Fault, Layer, Place};
use crate::faults::into_turns::IntoTurns;

/// A turn has a message of a kind that came later.
pub(super) static FAULT: Fault = Fault {
    id: "fault/future-method",
    summary: "a turn has a message of a kind that came later",
    stand_in: "Within the turn, the app-server sends a notification that a later release added, and \
        `codex exec` writes an event of a later kind. It is an invented one if none was added.",
    client: "Ignore messages of a kind that you do not know.",
    evidence: "openai/codex #19348: the Python SDK does not know notifications that Codex sends. codex-codes refuses \
        events of `codex exec` that it does not know.",
    place: Place::EveryTurn,
    layer: Layer::Messages,
    effect: |injected| {
        Box::new(IntoTurns::new(injected, |future, _, known| {
            vec![future.message(known)]
        }))
    },
    ..Fault::OF_TURNS
};
