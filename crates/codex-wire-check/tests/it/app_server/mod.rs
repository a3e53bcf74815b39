//! The properties of `agreement` for the app-server, whose message sets have hundreds of kinds of
//! message in a hundred releases: not every kind in every release, but each release now and then.
//!
//! `CODEX_WIRE_TESTS` says how many ranges of releases are tried of each message set,
//! `PROPTEST_CASES` how many messages of each. Without them both are few, and the same each time.

mod connections;
pub(crate) mod oracle;
mod robust;
pub(crate) mod said;

use codex_wire::generate::Recipe;
use codex_wire::{MessageSet, Protocol, Release};
use codex_wire_check::{Checker, Options, Profile, Verdict};
use codex_wire_schema::{ReleaseRange, release_ranges};
use codex_wire_testing::describe;
use libtest_mimic::Trial;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use sampling::Extent;

use self::oracle::Oracle;
use self::said::Said;
use crate::support::mutants::{Change, changes, equal};
use crate::support::property::holds;
use crate::support::{trial, without_order};

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![trial("app_server::mutants_are_caught", mutants_are_caught)];
    for message_set in MESSAGE_SETS {
        let name = |what| format!("app_server::{what}::{message_set}");
        let test = |name, test: fn(MessageSet)| {
            Trial::test(name, move || {
                test(message_set);
                Ok(())
            })
        };
        trials.push(test(name("mutants_of_generated"), generated));
        trials.push(test(name("mutants_of_recorded"), recorded));
    }
    trials.extend(connections::trials());
    trials.extend(robust::trials());
    trials
}

/// What lines of the app-server are validated with. Items are not lines.
const MESSAGE_SETS: [MessageSet; 7] = [
    MessageSet::AppServerClientRequests,
    MessageSet::AppServerClientNotifications,
    MessageSet::AppServerClientResponses,
    MessageSet::AppServerServerRequests,
    MessageSet::AppServerServerNotifications,
    MessageSet::AppServerServerResponses,
    MessageSet::AppServerErrors,
];

/// The ranges of a message set to try: the newest, the oldest, and some between, other ones for each
/// message set.
fn tried(message_set: MessageSet) -> Vec<ReleaseRange> {
    let ranges = release_ranges(message_set);
    let wanted = match sampling::extent() {
        Extent::Sample => 3,
        Extent::Wide => 12,
        Extent::All => ranges.len(),
    };
    let last = ranges.len() - 1;
    let own = MESSAGE_SETS
        .iter()
        .position(|known| *known == message_set)
        .unwrap();
    let wanted = wanted.max(2);
    let mut tried: Vec<usize> = (0..wanted)
        .map(|index| index * last / (wanted - 1))
        .map(|index| {
            if index == 0 || index == last {
                index
            } else {
                (index + own).min(last)
            }
        })
        .collect();
    tried.dedup();
    tried.into_iter().map(|index| ranges[index]).collect()
}

/// A checker for one release, of what one side writes.
fn checker(message_set: MessageSet, release: Release, profile: Profile) -> Checker {
    let mut options = without_order(Options::exact(Protocol::AppServer, release));
    options.profile = profile;
    options.side = Some(said::writer(message_set));
    Checker::new(options).unwrap()
}

/// Both validators of a range of releases of a message set.
struct Validators {
    range: ReleaseRange,
    whole: Oracle,
    checker: Checker,
    open: (Oracle, Checker),
}

impl Validators {
    fn of(message_set: MessageSet) -> Vec<Validators> {
        let by = |range: ReleaseRange, profile| {
            (
                Oracle::new(message_set, range.since, profile),
                checker(message_set, range.since, profile),
            )
        };
        tried(message_set)
            .into_iter()
            .map(|range| {
                let (whole, checker) = by(range, Profile::Exact);
                let open = by(range, Profile::Known);
                Validators {
                    range,
                    whole,
                    checker,
                    open,
                }
            })
            .collect()
    }
}

fn mutants(messages: BoxedStrategy<Said>) -> BoxedStrategy<Said> {
    (messages, changes())
        .prop_map(|(mut said, changes)| {
            for (change, seed) in changes {
                said.change(change, seed);
            }
            said
        })
        .boxed()
}

fn generated(message_set: MessageSet) {
    for validators in Validators::of(message_set) {
        let recipe = Recipe {
            release: validators.range.since,
            unknown: false,
        };
        let cases = match message_set {
            MessageSet::AppServerClientRequests | MessageSet::AppServerServerResponses => 200,
            MessageSet::AppServerServerNotifications => 150,
            _ => 60,
        };
        validated_equally(
            message_set,
            &validators,
            cases,
            mutants(Said::generated(message_set, recipe)),
        );
    }
}

/// Each against every range: what one release writes is a mutant of what another does.
fn recorded(message_set: MessageSet) {
    let recorded = &said::recorded()[&message_set];
    let mutants = mutants(select(recorded.as_slice()).boxed());
    for validators in Validators::of(message_set) {
        validated_equally(message_set, &validators, 80, mutants.clone());
    }
}

fn validated_equally(
    message_set: MessageSet,
    validators: &Validators,
    cases: u32,
    messages: BoxedStrategy<Said>,
) {
    let about = format!("{message_set} {}", validators.range.since);
    holds(file!(), cases, &about, &messages, |said| {
        // A line that has become another kind of message is none of this message set; and what a
        // release does not know is reported with its request.
        if !said.is_of_its_kind() || said.is_answer() && !validators.whole.knows(&said) {
            return Ok(());
        }
        let right = validators.whole.accepts(&said);
        checker_agrees(&validators.whole, &validators.checker, &said, right)?;
        let (open, checker) = &validators.open;
        let outcome = said.check(checker);
        let may = open.accepts(&said);
        if may != (outcome.verdict == Verdict::Conforms) {
            return Err(format!(
                "the open schema says {may}\n{}",
                describe(&outcome)
            ));
        }
        types_agree(&validators.whole, &said, right)
    });
}

fn checker_agrees(
    oracle: &Oracle,
    checker: &Checker,
    said: &Said,
    right: bool,
) -> Result<(), String> {
    let outcome = said.check(checker);
    match (outcome.verdict, right) {
        (Verdict::Conforms, true) if outcome.findings.is_empty() => Ok(()),
        (Verdict::Findings, false) => Ok(()),
        _ => Err(format!(
            "the schema says {right}\n{}{}",
            oracle.complaints(said),
            describe(&outcome)
        )),
    }
}

fn types_agree(oracle: &Oracle, said: &Said, right: bool) -> Result<(), String> {
    match said.through_types() {
        Ok(written) => {
            if !equal(&written.message, &said.message) {
                return Err(format!("the types write back {}", written.message));
            }
            let again = oracle.accepts(&written);
            (again == right)
                .then_some(())
                .ok_or_else(|| format!("what the types write is right: {again}"))
        }
        Err(error) if right => Err(format!("the types refuse it: {error}")),
        Err(_) => Ok(()),
    }
}

/// The properties would hold of a change that changes nothing. Most do change the verdict, on
/// every message set.
fn mutants_are_caught() {
    for message_set in MESSAGE_SETS {
        let newest = release_ranges(message_set).last().unwrap().since;
        let oracle = Oracle::new(message_set, newest, Profile::Exact);
        let mut messages = said::recorded()[&message_set].clone();
        messages.retain(|said| oracle.accepts(said));
        let (mut tried, mut caught) = (0, 0);
        let mut runner = TestRunner::deterministic();
        for change in Change::ALL {
            for _ in 0..40 {
                let picked = (any::<Index>(), 0..10_000usize)
                    .new_tree(&mut runner)
                    .unwrap();
                let (which, seed) = picked.current();
                let mut said = which.get(&messages).clone();
                if said.change(change, seed) {
                    tried += 1;
                    caught += usize::from(!oracle.accepts(&said));
                }
            }
        }
        assert!(
            tried > 150 && caught * 5 > tried * 2,
            "{message_set}: {caught} of {tried}"
        );
    }
}
