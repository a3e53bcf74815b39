//! The checker judges as the whole schema does, and the types agree with both.
//!
//! The checker does not use the schema as another program would: it dispatches on tags, compiles
//! definitions one by one and puts errors in its own words. So it is held against a validator of
//! the whole exact projection, on messages with one thing changed.
//!
//! The types accept more than any one release writes, by design. Types and projection agree when
//! - whatever the types read, they write back equal, right or wrong;
//! - whatever the exact projection of any release accepts, the types read. In other words, what
//!   the types refuse, every release's projection refuses.
//!
//! Together: reading a message into the types and judging what they write gives the verdict that
//! judging the message itself gives.

use std::sync::LazyLock;

use codex_wire::Protocol;
use codex_wire::exec::Event;
use codex_wire::generate::{Generate, Recipe};
use codex_wire_check::{Checker, Options, Profile, Verdict, gate};
use codex_wire_schema::{Draft, Span, project, spans};
use jsonschema::Validator;
use libtest_mimic::Trial;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree;
use serde_json::Value;

use crate::support::mutants::{Change, equal};
use crate::support::property::holds;
use crate::support::values::of_schema;
use crate::support::{transcripts, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("judgement::mutants_of_generated_messages", generated),
        trial(
            "judgement::mutants_of_messages_of_the_schema",
            of_the_schema,
        ),
        trial("judgement::mutants_of_recorded_messages", recorded),
        trial("judgement::mutants_are_caught", mutants_are_caught),
    ]
}

/// Both judges of a span of releases.
struct Judges {
    span: Span,
    whole: Validator,
    checker: Checker,
}

static JUDGES: LazyLock<Vec<Judges>> = LazyLock::new(|| {
    let of = |span: &Span| {
        let schema = project(
            Protocol::Exec,
            span.since,
            Profile::Exact,
            Draft::Draft202012,
        );
        let options = Options::release(Protocol::Exec, span.since);
        Judges {
            span: *span,
            whole: jsonschema::options().build(&schema).unwrap(),
            checker: Checker::new(options).unwrap(),
        }
    };
    spans(Protocol::Exec).iter().map(of).collect()
});

/// One or two changes; few messages are wrong in more ways at once.
fn changes() -> impl Strategy<Value = Vec<(Change, usize)>> {
    prop::collection::vec((select(Change::ALL.as_slice()), 0..10_000usize), 1..3)
}

/// Messages with changes, and another span whose judges are to look at them too.
fn mutants(messages: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    (messages, changes())
        .prop_map(|(mut message, changes)| {
            for (change, seed) in changes {
                change.apply(&mut message, seed);
            }
            message
        })
        .boxed()
}

fn generated() {
    for judges in JUDGES.iter() {
        let recipe = Recipe {
            release: judges.span.since,
            unknown: false,
        };
        let messages = Event::generate(recipe)
            .prop_map(|event| serde_json::to_value(event).unwrap())
            .boxed();
        judged_alike(judges, 300, mutants(messages));
    }
}

fn of_the_schema() {
    for judges in JUDGES.iter() {
        let release = judges.span.since;
        let schema = project(Protocol::Exec, release, Profile::Exact, Draft::Draft202012);
        judged_alike(judges, 150, mutants(of_schema(&schema)));
    }
}

fn recorded() {
    let messages = recordings();
    let mutants = mutants(select(messages).boxed());
    // Each against every span: what one release writes is a mutant of what another does.
    for judges in JUDGES.iter() {
        judged_alike(judges, 150, mutants.clone());
    }
}

/// Recorded messages, without the long ones: length is nothing to a schema.
fn recordings() -> Vec<Value> {
    let mut out = Vec::new();
    for path in transcripts("exec") {
        let text = std::fs::read_to_string(path).unwrap();
        let lines = text.split('\n').filter(|l| !l.is_empty() && l.len() < 4000);
        out.extend(lines.map(|line| serde_json::from_str::<Value>(line).unwrap()));
    }
    out
}

fn judged_alike(judges: &Judges, cases: u32, messages: BoxedStrategy<Value>) {
    let about = judges.span.since.to_string();
    holds(file!(), cases, &about, &messages, |message| {
        let right = judges.whole.is_valid(&message);
        checker_agrees(judges, &message, right)?;
        types_agree(judges, &message, right)
    });
}

fn checker_agrees(judges: &Judges, message: &Value, right: bool) -> Result<(), String> {
    let line = message.to_string();
    let outcome = judges.checker.check("-", line.as_bytes());
    match (outcome.verdict, right) {
        (Verdict::Conforms, true) if outcome.findings.is_empty() => Ok(()),
        (Verdict::Findings, false) => Ok(()),
        _ => {
            let errors = judges.whole.iter_errors(message);
            let errors: String = errors.map(|error| format!("{error}\n")).collect();
            Err(format!(
                "the schema says {right}\n{errors}{}",
                gate::explain(&outcome)
            ))
        }
    }
}

fn types_agree(judges: &Judges, message: &Value, right: bool) -> Result<(), String> {
    match codex_wire::from_str::<Event>(&message.to_string()) {
        Ok(event) => {
            let written = serde_json::to_value(&event).unwrap();
            if !equal(&written, message) {
                return Err(format!("the types write back {written}"));
            }
            let again = judges.whole.is_valid(&written);
            (again == right)
                .then_some(())
                .ok_or_else(|| format!("what the types write is right: {again}"))
        }
        Err(error) if right => Err(format!("the types refuse it: {error}")),
        Err(_) => Ok(()),
    }
}

/// The properties above would hold of a change that changes nothing. Most do change the
/// verdict, and each kind of change does at times.
fn mutants_are_caught() {
    let messages = recordings();
    let latest = JUDGES.last().unwrap();
    for change in Change::ALL {
        let (mut tried, mut caught) = (0, 0);
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        for _ in 0..200 {
            let picked = (any::<Index>(), 0..10_000usize)
                .new_tree(&mut runner)
                .unwrap();
            let (index, seed) = picked.current();
            let mut message = index.get(&messages).clone();
            if latest.whole.is_valid(&message) && change.apply(&mut message, seed) {
                tried += 1;
                caught += usize::from(!latest.whole.is_valid(&message));
            }
        }
        assert!(
            tried > 10 && caught * 5 > tried,
            "{change:?}: {caught} of {tried}"
        );
    }
}
