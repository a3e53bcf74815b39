//! Whole recorded connections with one line changed: the fault is found in that line exactly
//! when the schema of the release refuses it, and nowhere is anything lost. Those of some releases,
//! in a wide run of all.

use std::collections::BTreeMap;
use std::path::Path;

use codex_wire::transcript::Record;
use codex_wire::{Maybe, MessageSet, Protocol, Release};
use codex_wire_check::{Checker, Options, Outcome, Profile};
use codex_wire_testing::describe;
use libtest_mimic::{Failed, Trial};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use super::oracle::Oracle;
use super::said::{Pairing, Said};
use crate::support::mutants::changes;
use crate::support::{release_of, transcripts, without_order};

pub(super) fn trials() -> Vec<Trial> {
    let mut releases: BTreeMap<Release, Vec<_>> = BTreeMap::new();
    for path in transcripts("app-server") {
        // Time goes with length, and longer ones hold nothing else.
        if path.metadata().unwrap().len() < 60_000 {
            releases
                .entry(release_of(&path).unwrap())
                .or_default()
                .push(path);
        }
    }
    sampling::spread(releases, 8)
        .into_iter()
        .map(|(release, paths)| {
            Trial::test(format!("app_server::connections::{release}"), move || {
                let validators = Validators::new(release);
                let mut tally = Tally::default();
                for path in &paths {
                    changed(&validators, path, &mut tally)?;
                }
                assert!(tally.caught > paths.len(), "{tally:?}");
                Ok(())
            })
        })
        .collect()
}

/// How often a changed line was wrong, and right all the same.
#[derive(Debug, Default)]
struct Tally {
    caught: usize,
    right: usize,
}

struct Validators {
    release: Release,
    checker: Checker,
    oracles: std::cell::RefCell<BTreeMap<MessageSet, std::rc::Rc<Oracle>>>,
}

impl Validators {
    fn new(release: Release) -> Self {
        let mut options = without_order(Options::exact(Protocol::AppServer, release));
        options.profile = Profile::Exact;
        Validators {
            release,
            checker: Checker::new(options).unwrap(),
            oracles: Default::default(),
        }
    }

    fn accept(&self, said: &Said) -> bool {
        let mut oracles = self.oracles.borrow_mut();
        let oracle = oracles
            .entry(said.message_set)
            .or_insert_with(|| Oracle::new(said.message_set, self.release, Profile::Exact).into());
        oracle.accepts(said)
    }

    fn check(&self, records: &[&str]) -> Outcome {
        self.checker
            .check("-", (records.join("\n") + "\n").as_bytes())
    }
}

/// How many changes are made to each connection.
const CHANGES: usize = 6;

fn changed(validators: &Validators, path: &Path, tally: &mut Tally) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let records: Vec<&str> = text.split_terminator('\n').collect();
    let mut pairing = Pairing::default();
    let said: Vec<Option<Said>> = records
        .iter()
        .map(|record| pairing.observe(record))
        .collect();
    // What a client says wrong on purpose is wrong before.
    let whole: Vec<usize> = (0..said.len())
        .filter(|index| {
            said[*index]
                .as_ref()
                .is_some_and(|said| validators.accept(said))
        })
        .collect();
    let mut runner = TestRunner::deterministic();
    let picks = prop::collection::vec((any::<prop::sample::Index>(), changes()), CHANGES);
    let picks = picks.new_tree(&mut runner).unwrap().current();
    for (index, changes) in picks {
        let index = *index.get(&whole);
        let before = said[index].as_ref().unwrap();
        let mut after = before.clone();
        for (change, seed) in changes {
            after.change(change, seed);
        }
        // An answer with another id is one to another request.
        if after == *before || after.message["id"] != before.message["id"] {
            continue;
        }
        let right = validators.accept(&after);
        let record = with_line(records[index], &after);
        let mut all = records.clone();
        all[index] = &record;
        let outcome = validators.check(&all);
        let number = index as u64 + 1;
        let found = outcome
            .findings
            .iter()
            .any(|finding| finding.place.line == number);
        if found == right {
            let explained = describe(&outcome);
            let line = &after.message;
            return Err(format!(
                "{path:?} line {number}: the schema says {right}\n{line}\n{explained}"
            )
            .into());
        }
        // Every line that is a message is counted as one, faults or not.
        let unchanged = validators.check(&records).messages;
        if outcome.messages != unchanged {
            return Err(format!("{path:?}: {} messages of {unchanged}", outcome.messages).into());
        }
        match right {
            true => tally.right += 1,
            false => tally.caught += 1,
        }
    }
    Ok(())
}

/// The record with another line in it.
fn with_line(record: &str, said: &Said) -> String {
    let Ok(Record::Line(mut line)) = codex_wire::from_str(record) else {
        panic!("{record} holds no line");
    };
    let mut message = said.message.clone();
    if said.is_answer()
        && let Some(members) = message.as_object_mut()
    {
        members.remove("method");
    }
    line.line = Maybe::Value(message.to_string());
    codex_wire::to_string(&Record::Line(line))
}
