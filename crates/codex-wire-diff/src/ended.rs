//! Reports dialects that end or begin: message sets that only one of the two releases speaks.
//!
//! `codex exec --json` wrote core events up to 0.42.0 and has written its own events since; `codex
//! proto` no longer exists. There is nothing to compare in such a dialect, so the difference is
//! that it ended.

use std::rc::Rc;

use codex_wire_base::MessageSet;
use serde_json::Value;

use crate::change::{Change, Direction, Verdict};
use crate::compare::{Found, compare};
use crate::difference::{Counterexample, Difference, Judgement, Message, Which};
use crate::example::Maker;
use crate::limits::Budget;
use crate::prove::Validators;
use crate::rules::rule;
use crate::side::{Part, Side};

/// The difference that a dialect ended or began.
pub(crate) fn dialect(
    name: &str,
    change: Change,
    sides: [&Side; 2],
    budget: &Rc<Budget>,
) -> Difference {
    let (speaker, other) = match change {
        Change::DialectEnded => (sides[0], sides[1]),
        _ => (sides[1], sides[0]),
    };
    let part = speaker.parts.get(name);
    let directions = part.map_or(&Direction::ALL[..], |part| part.directions);
    let judgement = |direction: &Direction| {
        let rule = rule(change, *direction, false);
        let mut judgement = Judgement::new(*direction, rule);
        if rule.verdict == Verdict::Breaking {
            judgement.counterexample = part.and_then(|part| example(part, other, budget));
            if judgement.counterexample.is_none() {
                judgement.verdict = Verdict::Unknown;
                judgement.remark = Some("no message was found that shows it".to_owned());
            }
        }
        judgement
    };
    Difference {
        change,
        place: name.to_owned(),
        former_place: name.to_owned(),
        before: None,
        after: None,
        judgements: directions.iter().map(judgement).collect(),
        messages: part
            .map(|part| messages(name, part, budget))
            .unwrap_or_default(),
        path: Vec::new(),
        is_observed: false,
    }
}

/// The messages of a dialect.
fn messages(name: &str, part: &Part, budget: &Rc<Budget>) -> Vec<Message> {
    let document = &part.document;
    // Held against itself it has all its messages on both sides.
    let graph = compare(document, document, part.unions, name, false, budget);
    let names = graph.entries.iter().map(|entry| entry.name.as_str());
    let mut out: Vec<Message> = names.map(|message| Message::new(name, message)).collect();
    out.sort();
    out.dedup();
    out
}

/// A message of a dialect that is none of what the other side speaks in its place.
fn example(part: &Part, other: &Side, budget: &Rc<Budget>) -> Option<Counterexample> {
    let nothing = Part::nothing();
    let graph = compare(
        &part.document,
        &nothing.document,
        part.unions,
        "",
        false,
        budget,
    );
    let own = Validators::new(&part.document, budget);
    let others = other.parts.iter().filter(|(name, _)| {
        let message_set: Option<MessageSet> = name.parse().ok();
        message_set.is_some_and(MessageSet::is_written)
            == part.directions.contains(&Direction::CodexWrites)
    });
    let others: Vec<Validators<'_>> = others
        .map(|(_, part)| Validators::new(&part.document, budget))
        .collect();
    let mut maker = Maker::new(&part.document, &nothing.document, Which::Before, budget);
    let gone = |found: &&(String, Found<'_>)| found.1.change == Change::MessageRemoved;
    for (_, found) in graph.messages.iter().filter(gone) {
        for made in maker.messages(&found.steps, found) {
            let value: Value = made.value;
            if own.writes(&value) && !others.iter().any(|other| other.takes(&value)) {
                return Some(Counterexample {
                    value,
                    accepted_by: Which::Before,
                    undeclared: false,
                });
            }
        }
    }
    None
}
