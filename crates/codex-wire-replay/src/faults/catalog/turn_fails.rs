//! `fault/turn-fails`: a turn fails at its end.

use serde_json::Value;

use crate::conversation::Emission;
use crate::faults::effect::{Effect, Injected};
use crate::faults::fault::{Expectation, Failure, Fault, Layer, Place};
use crate::faults::run::Run;
use crate::faults::talk::Talk;
use crate::faults::turns::{Completed, FAILURE, lines};

/// A turn fails at its end.
pub(super) static FAULT: Fault = Fault {
    id: "fault/turn-fails",
    summary: "a turn fails at its end",
    stand_in: "The turn runs as recorded. Where it completed, it fails. The app-server writes what that \
        release writes: the status `systemError` (from 0.105.0), `error` with `willRetry: false`, and \
        `turn/completed` with the status `failed` and the same error. `codex exec` writes `error` and \
        `turn.failed`, and exits with status 1.",
    client: "Report the failure. With the app-server, `turn/completed` says that a turn is over, not that it succeeded: \
        read `turn.status`. With `codex exec`, `turn.failed` and the exit status 1 say it. Texts that came before the failure \
        are not the result.",
    evidence: "Nearly every client has read a failed turn as success: cc-connect PR 1730, hermes-agent \
        #90436, kata PR 115, `app_server.ex` of symphony. The fixtures `12b_http_500_exhausts` and \
        `error_http500` are recordings of real failures.",
    place: Place::FirstTurn,
    layer: Layer::Messages,
    expectation: Expectation::Failure(Failure::FailedTurn),
    effect: |injected| Box::new(TurnFails(injected)),
    ..Fault::OF_TURNS
};

struct TurnFails(Injected);

impl Effect for TurnFails {
    fn reaction(&mut self, emissions: Vec<Emission>, talk: &mut Talk) -> Vec<Emission> {
        let number = self.0.number.unwrap_or(1);
        let Some(turn) = Completed::find(&emissions, talk, number) else {
            return emissions;
        };
        let Some(made) = turn.end.failed(&lines(&emissions), talk.future.release()) else {
            return emissions;
        };
        self.0.note();
        turn.replaced(emissions, turn.made(made), &|_| false)
    }

    fn run(&mut self, run: &mut Run) -> bool {
        let message = Value::from(FAILURE).to_string();
        let error = format!("{{\"type\":\"error\",\"message\":{message}}}\n").into_bytes();
        match run.end() {
            Some(at) => {
                let failed =
                    format!("{{\"type\":\"turn.failed\",\"error\":{{\"message\":{message}}}}}\n");
                run.lines[at].1 = failed.into_bytes();
                let at = run.before_lists(at);
                run.lines.insert(at, (0, error));
                run.status = 1;
                true
            }
            None if run.is_early() && run.status == 0 => {
                let at = run.before_lists(run.lines.len());
                run.lines.insert(at, (0, error));
                true
            }
            None => false,
        }
    }
}
