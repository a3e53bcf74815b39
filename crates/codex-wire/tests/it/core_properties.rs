//! Values of the core protocol as each release writes them come back equal from their JSON,
//! for every type.

use std::collections::BTreeSet;

use codex_wire::core_protocol::{EventMsg, Submission};
use codex_wire::generate::{Generate, Recipe};
use codex_wire::{Maybe, Protocol, Release, Wire};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use serde::Serialize;

use crate::core_types::{self, each_core_type};
use crate::support::types;

/// The first release, the latest, and every release in which something begins or has ended.
fn boundaries() -> BTreeSet<Release> {
    let release_list = Protocol::Core.release_list();
    let mut out = BTreeSet::from([release_list.first(), release_list.latest()]);
    for shape in core_types::shapes() {
        for (_, availability) in types::availabilities(shape) {
            out.extend(availability.since);
            if let Some(until) = availability.until {
                out.insert(until);
                out.extend(
                    release_list
                        .releases()
                        .iter()
                        .find(|release| **release > until),
                );
            }
        }
    }
    out
}

fn round_trip<T>(recipe: Recipe, cases: u32)
where
    T: Wire + Generate + Serialize + PartialEq,
{
    let mut config = Config::with_source_file(file!());
    config.cases = cases;
    let result = TestRunner::new(config).run(&T::generate(recipe), |value| {
        let text = codex_wire::to_string(&value);
        let back: T =
            codex_wire::from_str(&text).map_err(|error| TestCaseError::fail(error.to_string()))?;
        if back != value {
            return Err(TestCaseError::fail(format!("came back as {back:?}")));
        }
        Ok(())
    });
    match result {
        Ok(()) => {}
        Err(TestError::Fail(reason, value)) => panic!(
            "{} in {}: {reason}\n{}",
            std::any::type_name::<T>(),
            recipe.release,
            codex_wire::to_string(&value)
        ),
        Err(TestError::Abort(reason)) => panic!("{}: {reason}", std::any::type_name::<T>()),
    }
}

#[test]
fn there_are_boundaries() {
    let found = boundaries();
    assert!(found.len() > 14, "{found:?}");
}

#[test]
fn submissions_and_events_of_every_release() {
    for release in boundaries() {
        for unknown in [false, true] {
            let recipe = Recipe { release, unknown };
            round_trip::<Submission>(recipe, 64);
            round_trip::<codex_wire::core_protocol::Event>(recipe, 96);
            round_trip::<codex_wire::exec::legacy::LegacyLine>(recipe, 48);
        }
    }
}

#[test]
fn every_core_type_in_every_release() {
    for release in boundaries() {
        for unknown in [false, true] {
            macro_rules! check {
                ($ty:path) => {
                    round_trip::<$ty>(Recipe { release, unknown }, 6)
                };
            }
            each_core_type!(check);
        }
    }
}

/// What the strategies make for a release.
fn generated<T: Generate>(release: &str, count: usize) -> Vec<T> {
    let recipe = Recipe {
        release: release.parse().expect("a release"),
        unknown: false,
    };
    let mut runner = TestRunner::deterministic();
    let strategy = T::generate(recipe);
    (0..count)
        .map(|_| strategy.new_tree(&mut runner).expect("a value").current())
        .collect()
}

/// The recipes make what they say: all kinds of their release, no others.
#[test]
fn recipes_follow_their_release() {
    for (release, count) in [
        ("0.20.0", 25),
        ("0.22.0-alpha.1", 26),
        ("0.23.0", 28),
        ("0.42.0", 36),
    ] {
        let made = generated::<EventMsg>(release, 1500);
        let kinds: BTreeSet<_> = made.iter().map(|msg| msg.tag().to_owned()).collect();
        assert_eq!(kinds.len(), count, "{release}: {kinds:?}");
    }
}

/// A member that holds events again is filled, and an end is found all the same.
#[test]
fn events_within_events() {
    fn depth(msg: &EventMsg) -> usize {
        match msg {
            EventMsg::SessionConfigured(session) => match &session.initial_messages {
                Maybe::Value(messages) => 1 + messages.iter().map(depth).max().unwrap_or(0),
                _ => 0,
            },
            _ => 0,
        }
    }
    let deepest = generated::<EventMsg>("0.42.0", 3000)
        .iter()
        .map(depth)
        .max();
    assert!(deepest >= Some(1), "{deepest:?}");
}
