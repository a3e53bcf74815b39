//! The checker validators as the whole schema does, and the types agree with both.
//!
//! The checker does not use the schema as another program would: it dispatches on tags, compiles
//! definitions one by one and puts errors in its own words. So it is compared with a validator of
//! the whole exact projection, on messages with one thing changed.
//!
//! The types accept more than any one release writes, by design. Types and projection agree when
//! - whatever the types read, they write back equal, right or wrong;
//! - whatever the exact projection of any release accepts, the types read. In other words, what
//!   the types refuse, every release's projection refuses.
//!
//! Together: reading a message into the types and validating what they write gives the verdict that
//! validating the message itself gives.

use std::sync::LazyLock;

use codex_wire::MessageSet;
use codex_wire::generate::Recipe;
use codex_wire_check::{Checker, Profile, Verdict};
use codex_wire_prefilter::Prefilter;
use codex_wire_schema::{Draft, ReleaseRange, Stability, project};
use codex_wire_testing::describe;
use jsonschema::Validator;
use libtest_mimic::Trial;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree;
use serde_json::Value;

use crate::support::message_sets::{self, check, checker, recordings, through_types};
use crate::support::mutants::{Change, changes, equal};
use crate::support::property::holds;
use crate::support::trial;
use crate::support::values::of_schema;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("agreement::mutants_of_generated_messages", generated),
        trial(
            "agreement::mutants_of_messages_of_the_schema",
            of_the_schema,
        ),
        trial("agreement::mutants_of_recorded_messages", recorded),
        trial("agreement::mutants_are_caught", mutants_are_caught),
    ]
}

/// Both validators of a range of releases of a message set.
struct Validators {
    message_set: MessageSet,
    range: ReleaseRange,
    whole: Validator,
    prefilter: Prefilter,
    checker: Checker,
    /// Both again, by the open profile.
    open: (Validator, Checker, Prefilter),
}

static VALIDATORS: LazyLock<Vec<Validators>> = LazyLock::new(|| {
    let of = |message_set: MessageSet, range: &ReleaseRange| {
        let by = |profile| {
            let schema = project(
                message_set,
                range.since,
                profile,
                Draft::Draft202012,
                Stability::Experimental,
            );
            let whole = jsonschema::options().build(&schema).unwrap();
            let prefilter = Prefilter::compile(&schema).unwrap();
            (whole, checker(message_set, range.since, profile), prefilter)
        };
        let (whole, checker, prefilter) = by(Profile::Exact);
        Validators {
            message_set,
            range: *range,
            whole,
            prefilter,
            checker,
            open: by(Profile::Known),
        }
    };
    message_sets::tried()
        .flat_map(|message_set| {
            message_sets::ranges(message_set).map(move |range| of(message_set, range))
        })
        .collect()
});

/// Messages with changes, and another range whose validators are to look at them too.
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
    for validators in VALIDATORS.iter() {
        let recipe = Recipe {
            release: validators.range.since,
            unknown: false,
        };
        let messages = test_support::trees(validators.message_set, recipe);
        validated_equally(validators, 300, mutants(messages));
    }
}

fn of_the_schema() {
    for validators in VALIDATORS.iter() {
        let (message_set, release) = (validators.message_set, validators.range.since);
        let schema = project(
            message_set,
            release,
            Profile::Exact,
            Draft::Draft202012,
            Stability::Experimental,
        );
        validated_equally(validators, 150, mutants(of_schema(&schema)));
    }
}

fn recorded() {
    for message_set in message_sets::tried() {
        let mutants = mutants(select(recordings(message_set)).boxed());
        // Each against every range: what one release writes is a mutant of what another does.
        for validators in VALIDATORS
            .iter()
            .filter(|validators| validators.message_set == message_set)
        {
            validated_equally(validators, 150, mutants.clone());
        }
    }
}

fn validated_equally(validators: &Validators, cases: u32, messages: BoxedStrategy<Value>) {
    let about = format!("{} {}", validators.message_set, validators.range.since);
    let cases = if validators.message_set == MessageSet::Exec {
        cases
    } else {
        cases / 2
    };
    holds(file!(), cases, &about, &messages, |message| {
        let right = validators.whole.is_valid(&message);
        prefilter_agrees(&validators.prefilter, &message, right)?;
        checker_agrees(validators, &message, right)?;
        open_agrees(validators, &message)?;
        types_agree(validators, &message, right)
    });
}

/// What the prefilter accepts is right. What is right it accepts as well, unless there are numbers
/// in it that readers may differ about. No key stands twice; of many keys it need not know that.
fn prefilter_agrees(prefilter: &Prefilter, message: &Value, right: bool) -> Result<(), String> {
    let text = message.to_string();
    match (prefilter.check_text(&text), right) {
        (codex_wire_prefilter::Verdict::Accepted { repeated }, true)
            if !repeated || has_many_members(message) =>
        {
            Ok(())
        }
        (codex_wire_prefilter::Verdict::NotSure { .. }, false) => Ok(()),
        (codex_wire_prefilter::Verdict::NotSure { .. }, true) if text.contains(['.', 'e']) => {
            Ok(())
        }
        (verdict, _) => Err(format!(
            "the schema says {right}, the prefilter {verdict:?}"
        )),
    }
}

/// Whether an object in a message has more members than the prefilter compares.
fn has_many_members(value: &Value) -> bool {
    match value {
        Value::Array(elements) => elements.iter().any(has_many_members),
        Value::Object(members) => members.len() > 24 || members.values().any(has_many_members),
        _ => false,
    }
}

fn checker_agrees(validators: &Validators, message: &Value, right: bool) -> Result<(), String> {
    let outcome = check(&validators.checker, validators.message_set, message);
    match (outcome.verdict, right) {
        (Verdict::Conforms, true) if outcome.findings.is_empty() => Ok(()),
        (Verdict::Findings, false) => Ok(()),
        _ => {
            let errors = validators.whole.iter_errors(message);
            let errors: String = errors.map(|error| format!("{error}\n")).collect();
            Err(format!(
                "the schema says {right}\n{errors}{}",
                describe(&outcome)
            ))
        }
    }
}

/// The checker validators by the exact schema and takes what is undeclared for a warning. What is
/// left is what the open schema says, if each violation is reported by its own rule.
fn open_agrees(validators: &Validators, message: &Value) -> Result<(), String> {
    let (whole, checker, prefilter) = &validators.open;
    let right = whole.is_valid(message);
    prefilter_agrees(prefilter, message, right)?;
    let outcome = check(checker, validators.message_set, message);
    if right != (outcome.verdict == Verdict::Conforms) {
        return Err(format!(
            "the open schema says {right}\n{}",
            describe(&outcome)
        ));
    }
    Ok(())
}

fn types_agree(validators: &Validators, message: &Value, right: bool) -> Result<(), String> {
    match through_types(validators.message_set, message) {
        Ok(written) => {
            if !equal(&written, message) {
                return Err(format!("the types write back {written}"));
            }
            let again = validators.whole.is_valid(&written);
            (again == right)
                .then_some(())
                .ok_or_else(|| format!("what the types write is right: {again}"))
        }
        Err(error) if right => Err(format!("the types refuse it: {error}")),
        Err(_) => Ok(()),
    }
}

/// The properties above would hold of a change that changes nothing. Most do change the
/// verdict, on every message set, and each kind of change does at times.
fn mutants_are_caught() {
    let mut by_change = [(0, 0); Change::ALL.len()];
    for message_set in message_sets::tried() {
        let latest = VALIDATORS
            .iter()
            .rfind(|j| j.message_set == message_set)
            .unwrap();
        let mut messages = recordings(message_set);
        messages.retain(|message| latest.whole.is_valid(message));
        let (mut tried, mut caught) = (0, 0);
        for (index, change) in Change::ALL.into_iter().enumerate() {
            let mut runner = proptest::test_runner::TestRunner::deterministic();
            for _ in 0..150 {
                let picked = (any::<Index>(), 0..10_000usize)
                    .new_tree(&mut runner)
                    .unwrap();
                let (which, seed) = picked.current();
                let mut message = which.get(&messages).clone();
                if change.apply(&mut message, seed) {
                    let noticed = usize::from(!latest.whole.is_valid(&message));
                    tried += 1;
                    caught += noticed;
                    by_change[index].0 += 1;
                    by_change[index].1 += noticed;
                }
            }
        }
        assert!(caught * 2 > tried, "{message_set}: {caught} of {tried}");
    }
    for (change, (tried, caught)) in Change::ALL.iter().zip(by_change) {
        assert!(
            tried > 50 && caught * 5 > tried,
            "{change:?}: {caught} of {tried}"
        );
    }
}
