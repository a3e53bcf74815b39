//! Puts something into turns of the app-server that was not recorded there.

use super::edit::text;
use super::effect::{Effect, Injected};
use super::future::Future;
use super::run::Run;
use super::talk::Talk;
use super::turns::Known;
use crate::conversation::Emission;

/// Makes the lines that are put into a turn, from an id of an item and what is known of the turn.
type Make = fn(&mut Future, &str, &dyn Fn(&str) -> Option<String>) -> Vec<String>;

/// Puts lines into each turn: after its first item, or else before its end.
pub(super) struct IntoTurns {
    injected: Injected,
    make: Make,
    /// The turns into which something is still to be put.
    open: Vec<Open>,
    /// How many turns have had their place.
    count: u64,
}

/// A turn that has begun.
struct Open {
    turn: Option<String>,
    number: u64,
    known: Known,
}

impl IntoTurns {
    pub(super) fn new(injected: Injected, make: Make) -> Self {
        IntoTurns {
            injected,
            make,
            open: Vec::new(),
            count: 0,
        }
    }

    fn begin(&mut self, line: &str, talk: &Talk) {
        let turn = text(line, &["params", "turn", "id"]);
        let number = turn.as_deref().and_then(|turn| talk.number_of(turn));
        self.open.push(Open {
            turn,
            number: number.unwrap_or(0),
            known: Known::of(line),
        });
    }

    /// The turn that a line is of.
    fn take(&mut self, line: &str) -> Option<Open> {
        let turn = text(line, &["params", "turnId"]);
        let turn = turn.or_else(|| text(line, &["params", "turn", "id"]));
        // Old releases do not say which turn an item is of.
        let own = |open: &Open| turn.is_none() || open.turn == turn;
        let at = self.open.iter().rposition(own)?;
        Some(self.open.remove(at))
    }

    fn lines(&mut self, future: &mut Future, open: &Open) -> Vec<String> {
        self.count += 1;
        if !self.injected.is_of_turn(open.number) {
            return Vec::new();
        }
        self.injected.note();
        let id = format!("future-{}", self.count);
        (self.make)(future, &id, &|name| open.known.of_turn(name))
    }
}

impl Effect for IntoTurns {
    fn reaction(&mut self, emissions: Vec<Emission>, talk: &mut Talk) -> Vec<Emission> {
        let mut out = Vec::with_capacity(emissions.len());
        for emission in emissions {
            let method = text(&emission.line, &["method"]).unwrap_or_default();
            if method == "turn/started" {
                self.begin(&emission.line, talk);
            }
            let is_end = method == "turn/completed";
            let found = match is_end || method == "item/completed" {
                true => self.take(&emission.line),
                false => None,
            };
            let lines = found.map(|open| self.lines(&mut talk.future, &open));
            let queue = emission.queue;
            let lines = lines.into_iter().flatten().map(|line| Emission {
                line,
                after_ms: 0,
                queue,
            });
            match is_end {
                true => {
                    out.extend(lines);
                    out.push(emission);
                }
                false => {
                    out.push(emission);
                    out.extend(lines);
                }
            }
        }
        out
    }

    fn run(&mut self, run: &mut Run) -> bool {
        let id = format!("item_{}", run.items());
        let lines = (self.make)(&mut run.future, &id, &|_| None);
        run.put(lines)
    }
}
