//! Recorded session files with the shape of one line changed: how many are denied.
//!
//! A change is decidable unless the schema of the release allows the line as it is then. The schema
//! is asked by itself, with another validator than the checker uses.

use std::collections::BTreeMap;

use codex_wire::{MessageSet, Release};
use codex_wire_check::{Checker, Options, Profile};
use codex_wire_schema::{Draft, Stability, project};
use jsonschema::Validator;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use super::file::{File, joined, recorded};
use crate::support::mutants::Change;
use crate::support::unseen;

/// How many of a hundred decidable mutants are denied at least.
const DENIED: f64 = 98.0;

/// How many changes are tried on each file.
const CHANGES: usize = 6;

/// Longer lines hold nothing else.
const LONGEST: usize = 8000;

/// What became of the mutants of one kind of change.
#[derive(Default)]
struct Count {
    made: usize,
    decidable: usize,
    denied: usize,
    missed: Vec<String>,
}

/// The checker of a release, and its schema in another validator.
struct Checks {
    checker: Checker,
    schema: Validator,
}

impl Checks {
    fn new(message_set: MessageSet, release: Release) -> Self {
        let mut options = Options::exact(message_set.protocol(), release);
        options.profile = Profile::Exact;
        let (draft, stability) = (Draft::Draft202012, Stability::Experimental);
        let schema = project(message_set, release, Profile::Exact, draft, stability);
        Checks {
            checker: Checker::new(options).unwrap(),
            schema: jsonschema::options().build(&schema).unwrap(),
        }
    }
}

fn count(files: &[File]) -> BTreeMap<String, Count> {
    let mut checks = BTreeMap::<Release, Checks>::new();
    let mut counts = BTreeMap::<String, Count>::new();
    for (index, file) in files.iter().enumerate() {
        let message_set = match file.is_early() {
            true => MessageSet::RolloutEarly,
            false => MessageSet::Rollout,
        };
        let make = || Checks::new(message_set, file.release);
        let Checks { checker, schema } = checks.entry(file.release).or_insert_with(make);
        let short = |at: &usize| file.lines[*at].text.len() <= LONGEST;
        let lines: Vec<usize> = (0..file.lines.len()).filter(short).collect();
        if lines.is_empty() {
            continue;
        }
        let mut runner = TestRunner::deterministic();
        let picks = prop::collection::vec((any::<Index>(), 0..10_000usize), CHANGES);
        let picks = picks.new_tree(&mut runner).unwrap().current();
        for (number, (which, seed)) in picks.into_iter().enumerate() {
            let change = Change::ALL[(number + index) % Change::ALL.len()];
            let seed = seed + index;
            let at = lines[(which.index(lines.len()) + index) % lines.len()];
            let mut after = file.lines[at].value.clone();
            if !change.apply(&mut after, seed) || after == file.lines[at].value {
                continue;
            }
            let is_valid = schema.is_valid(&after);
            let mut changed = file.lines.clone();
            changed[at].text = after.to_string();
            let outcome = checker.check(&file.name, joined(&changed).as_bytes());
            let count = counts.entry(format!("{change:?}")).or_default();
            count.made += 1;
            if is_valid {
                continue;
            }
            count.decidable += 1;
            count.denied += usize::from(outcome.counts.error > 0);
            if outcome.counts.error == 0 {
                let text = &changed[at].text;
                count
                    .missed
                    .push(format!("{}:{}: {text}", file.name, at + 1));
            }
        }
    }
    counts
}

pub(super) fn are_denied() {
    let files = recorded().into_iter().filter(|file| !file.is_partial);
    let counts = count(&files.collect::<Vec<_>>());
    let sum = |of: fn(&Count) -> usize| counts.values().map(of).sum::<usize>();
    let (made, decidable) = (sum(|count| count.made), sum(|count| count.decidable));
    let denied = sum(|count| count.denied);
    let ratio = denied as f64 * 100.0 / decidable as f64;
    #[allow(clippy::print_stdout, reason = "the numbers are for the reader")]
    {
        for (change, count) in &counts {
            println!(
                "{change}: {} made; {} of {} denied",
                count.made, count.denied, count.decidable
            );
            let missed = count.missed.iter();
            missed.for_each(|missed| println!("  missed: {missed}"));
        }
        println!(
            "{made} made; {denied} of {decidable} that can be decided are denied: {ratio:.2} %"
        );
    }
    assert!(ratio >= DENIED, "{ratio}");
    assert!(unseen().is_some() || decidable >= 1000, "{decidable}");
}
