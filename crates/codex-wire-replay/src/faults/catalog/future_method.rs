//! `fault/future-method`: a turn has a message of a kind that came later.

use crate::conversation::Emission;
use crate::faults::effect::{Effect, Injected};
use crate::faults::fault::{Fault, Layer, Place};
use crate::faults::open_turns::OpenTurns;
use crate::faults::run::Run;
use crate::faults::talk::Talk;

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
        Box::new(FutureMethod {
            injected,
            turns: OpenTurns::default(),
        })
    },
    ..Fault::OF_TURNS
};

struct FutureMethod {
    injected: Injected,
    turns: OpenTurns,
}

impl Effect for FutureMethod {
    fn reaction(&mut self, emissions: Vec<Emission>, talk: &mut Talk) -> Vec<Emission> {
        let injected = &self.injected;
        self.turns
            .fill(emissions, talk, &mut |future, turn, known| {
                if !injected.is_of_turn(turn) {
                    return Vec::new();
                }
                injected.note();
                vec![future.message(&|name| known.of_turn(name))]
            })
    }

    fn run(&mut self, run: &mut Run) -> bool {
        let message = run.future.message(&|_| None);
        run.put(vec![message])
    }
}
