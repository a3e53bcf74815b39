//! `fault/turn-never-ends`: a turn stops in the middle and never ends.

use std::collections::HashMap;

use serde_json::Value;

use crate::conversation::Emission;
use crate::faults::edit::text;
use crate::faults::effect::{Effect, Injected, Request};
use crate::faults::fault::{Expectation, Fault, Layer, Place};
use crate::faults::run::Run;
use crate::faults::talk::Talk;
use crate::faults::turns::{Completed, lines};

/// A turn stops in the middle and never ends.
pub(super) static FAULT: Fault = Fault {
    id: "fault/turn-never-ends",
    summary: "a turn stops in the middle and never ends",
    stand_in: "Everything of the turn is written but its end. The app-server goes on answering, and ends \
        the turn as `interrupted` when the client interrupts it. `codex exec` neither writes nor exits.",
    client: "Give up after a time of silence: interrupt the turn, or end the process. Report the failure.",
    evidence: "openai/codex #28476: `codex exec` 0.139.0 stays silent after `turn.started`, until the client ends it. \
        Many hand-written stand-ins have a mode for it.",
    place: Place::FirstTurn,
    layer: Layer::Messages,
    expectation: Expectation::End,
    effect: |injected| {
        Box::new(TurnNeverEnds {
            injected,
            held: HashMap::new(),
        })
    },
    ..Fault::OF_TURNS
};

struct TurnNeverEnds {
    injected: Injected,
    /// What was held back of turns, by their id.
    held: HashMap<String, Held>,
}

/// A turn that does not end.
struct Held {
    /// The lines that end it, as an interrupt ends it.
    lines: Vec<Emission>,
    thread: Option<String>,
}

impl Effect for TurnNeverEnds {
    fn request(&mut self, request: &Request<'_>) -> Option<Vec<Emission>> {
        let result = match request.method {
            "turn/interrupt" => "{}",
            "interruptConversation" => "{\"abortReason\":\"interrupted\"}",
            _ => return None,
        };
        let named = |key: &str| {
            request
                .params
                .and_then(|params| params.get(key))
                .and_then(Value::as_str)
        };
        let turn = match named("turnId") {
            Some(turn) => self.held.contains_key(turn).then(|| turn.to_owned()),
            None => {
                let thread = named("threadId").or(named("conversationId"));
                let own = |held: &Held| held.thread.as_deref() == thread;
                let mut all = self.held.iter();
                all.find(|(_, held)| own(held))
                    .map(|(turn, _)| turn.clone())
            }
        };
        let held = self.held.remove(&turn?)?;
        let queue = held.lines.first().map_or(0, |line| line.queue);
        let line = format!("{{\"id\":{},\"result\":{result}}}", request.id);
        let mut emissions = vec![Emission {
            line,
            after_ms: 0,
            queue,
        }];
        emissions.extend(held.lines);
        Some(emissions)
    }

    fn reaction(&mut self, emissions: Vec<Emission>, talk: &mut Talk) -> Vec<Emission> {
        let number = self.injected.number.unwrap_or(1);
        let Some(turn) = Completed::find(&emissions, talk, number) else {
            return emissions;
        };
        let Some(made) = turn
            .end
            .interrupted(&lines(&emissions), talk.future.release())
        else {
            return emissions;
        };
        self.injected.note();
        // Nothing follows of the thread but what other requests lead to.
        let is_silent = |line: &str| {
            text(line, &["params", "threadId"]) == turn.thread
                && text(line, &["method"]).as_deref() != Some("serverRequest/resolved")
        };
        let left = turn.replaced(emissions, Vec::new(), &is_silent);
        let held = Held {
            lines: turn.made(made),
            thread: turn.thread,
        };
        self.held.insert(turn.turn, held);
        left
    }

    fn run(&mut self, run: &mut Run) -> bool {
        run.result.hangs = run.cut();
        run.result.hangs
    }
}
