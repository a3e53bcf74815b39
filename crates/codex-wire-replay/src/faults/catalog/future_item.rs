//! `fault/future-item`: a turn has an item of a kind that came later.

use crate::conversation::Emission;
use crate::faults::effect::{Effect, Injected};
use crate::faults::fault::{Fault, Layer, Place};
use crate::faults::open_turns::OpenTurns;
use crate::faults::run::Run;
use crate::faults::talk::Talk;

/// A turn has an item of a kind that came later.
pub(super) static FAULT: Fault = Fault {
    id: "fault/future-item",
    summary: "a turn has an item of a kind that came later",
    stand_in: "Within the turn, an item starts and completes whose kind a later release added, or an \
        invented one if none did.",
    client: "Ignore items of a kind that you do not know, or show that there was one.",
    evidence: "Clients with closed unions fail at each new kind. Of 0.169.0, the SDKs at 0.163.0 do not know all \
        kinds.",
    place: Place::EveryTurn,
    layer: Layer::Messages,
    effect: |injected| {
        Box::new(FutureItem {
            injected,
            turns: OpenTurns::default(),
            added: 0,
        })
    },
    ..Fault::OF_TURNS
};

struct FutureItem {
    injected: Injected,
    turns: OpenTurns,
    /// How many items were put in.
    added: u64,
}

impl Effect for FutureItem {
    fn reaction(&mut self, emissions: Vec<Emission>, talk: &mut Talk) -> Vec<Emission> {
        let (injected, added) = (&self.injected, &mut self.added);
        self.turns
            .fill(emissions, talk, &mut |future, turn, known| {
                *added += 1;
                if !injected.is_of_turn(turn) {
                    return Vec::new();
                }
                injected.note();
                future.item(&format!("future-{added}"), &|name| known.of_turn(name))
            })
    }

    fn run(&mut self, run: &mut Run) -> bool {
        let id = format!("item_{}", run.items());
        let lines = run.future.item(&id, &|_| None);
        run.put(lines)
    }
}
