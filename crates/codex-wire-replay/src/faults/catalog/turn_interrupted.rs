//! `fault/turn-interrupted`: a turn is interrupted, and not by this client.

use codex_wire_base::Release;

use crate::conversation::Emission;
use crate::faults::effect::{Effect, Injected};
use crate::faults::fault::{Expectation, Failure, Fault, Layer, Place};
use crate::faults::run::Run;
use crate::faults::talk::Talk;
use crate::faults::turns::{Completed, lines};

/// A turn is interrupted, and not by this client.
pub(super) static FAULT: Fault = Fault {
    id: "fault/turn-interrupted",
    summary: "a turn is interrupted, and not by this client",
    stand_in: "The turn runs as recorded. Where it completed, it is interrupted, as another client or a \
        signal does it. The app-server writes `turn/completed` with the status `interrupted` and no error. \
        `codex exec` stops without `turn.completed` and `turn.failed`, and exits as it does after SIGINT: \
        with status 1, up to 0.116.0 with 0.",
    client: "Report that the turn did not complete. No message has an error: with the app-server only `turn.status` says it, \
        with `codex exec` that `turn.completed` is missing.",
    evidence: "The reports of `fault/turn-fails` name interrupted turns too. The fixtures \
        `08c_interrupt_with_pending_approval` and `sigint_command` are recordings of real interrupts.",
    place: Place::FirstTurn,
    layer: Layer::Messages,
    expectation: Expectation::Failure(Failure::InterruptedTurn),
    effect: |injected| Box::new(TurnInterrupted(injected)),
    ..Fault::OF_TURNS
};

struct TurnInterrupted(Injected);

/// The last release that exits with status 0 when SIGINT interrupts it.
const LAST_SILENT: Release = Release::new(0, 116, 0);

impl Effect for TurnInterrupted {
    fn reaction(&mut self, emissions: Vec<Emission>, talk: &mut Talk) -> Vec<Emission> {
        let number = self.0.number.unwrap_or(1);
        let Some(turn) = Completed::find(&emissions, talk, number) else {
            return emissions;
        };
        let Some(made) = turn
            .end
            .interrupted(&lines(&emissions), talk.future.release())
        else {
            return emissions;
        };
        self.0.note();
        turn.replaced(emissions, turn.made(made), &|_| false)
    }

    fn run(&mut self, run: &mut Run) -> bool {
        let is_silent = run.future.release() <= LAST_SILENT;
        let has_place = run.cut();
        if has_place {
            run.status = i32::from(!is_silent);
        }
        has_place
    }
}
