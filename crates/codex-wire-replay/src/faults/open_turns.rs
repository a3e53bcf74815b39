//! Where something is put into a turn of the app-server that was not recorded there.

use super::edit::text;
use super::future::Future;
use super::talk::Talk;
use super::turns::Known;
use crate::conversation::Emission;

/// The turns into which something is still to be put: after their first item, or else before their end.
#[derive(Default)]
pub(super) struct OpenTurns(Vec<Open>);

/// A turn that has begun.
struct Open {
    turn: Option<String>,
    number: u64,
    known: Known,
}

impl OpenTurns {
    /// The emissions with the lines that `make` makes for each turn, from its number and what is known of it.
    pub(super) fn fill(
        &mut self,
        emissions: Vec<Emission>,
        talk: &mut Talk,
        make: &mut dyn FnMut(&mut Future, u64, &Known) -> Vec<String>,
    ) -> Vec<Emission> {
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
            let lines = found.map(|open| make(&mut talk.future, open.number, &open.known));
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

    fn begin(&mut self, line: &str, talk: &Talk) {
        let turn = text(line, &["params", "turn", "id"]);
        let number = turn.as_deref().and_then(|turn| talk.number_of(turn));
        self.0.push(Open {
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
        let at = self.0.iter().rposition(own)?;
        Some(self.0.remove(at))
    }
}
