//! Values as each release writes them come back equal from their JSON, for every type.

use std::collections::BTreeSet;

use codex_wire::exec::CommandExecutionItem;
use codex_wire::generate::{Generate, Recipe};
use codex_wire::{Protocol, Release, Wire};
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use serde::Serialize;

use crate::support::tree::Tree;
use crate::support::types::{self, each_type};

/// The first release, the latest, and every release in which something begins or has ended.
fn boundaries() -> BTreeSet<Release> {
    let release_list = Protocol::Exec.release_list();
    let mut out = BTreeSet::from([release_list.first(), release_list.latest()]);
    for shape in types::shapes() {
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
        // The line is ready to be kept as a fixture.
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
    assert!(found.len() > 12, "{found:?}");
    assert!(found.iter().is_sorted());
}

#[test]
fn events_of_every_release() {
    for release in boundaries() {
        for unknown in [false, true] {
            round_trip::<codex_wire::exec::Event>(Recipe { release, unknown }, 128);
        }
    }
}

#[test]
fn every_type_in_every_release() {
    for release in boundaries() {
        for unknown in [false, true] {
            macro_rules! check {
                ($ty:path) => {
                    round_trip::<$ty>(Recipe { release, unknown }, 12)
                };
            }
            each_type!(check);
        }
    }
}

#[test]
fn the_untagged_types_of_every_release() {
    for release in boundaries() {
        for unknown in [false, true] {
            let recipe = Recipe { release, unknown };
            round_trip::<codex_wire::exec::McpContent>(recipe, 32);
            round_trip::<codex_wire::mcp::ResourceContents>(recipe, 32);
            round_trip::<codex_wire::Map<i64>>(recipe, 32);
        }
    }
}

/// What the strategies make, as trees of JSON.
fn generated<T: Wire + Generate + Serialize>(recipe: Recipe, count: usize) -> Vec<Tree> {
    use proptest::strategy::{Strategy as _, ValueTree as _};
    let mut runner = TestRunner::deterministic();
    let strategy = T::generate(recipe);
    (0..count)
        .map(|_| {
            let value = strategy.new_tree(&mut runner).expect("a value").current();
            Tree::parse(&codex_wire::to_string(&value)).expect("JSON")
        })
        .collect()
}

/// The tags of the events a recipe makes.
fn tags(release: &str, unknown: bool) -> BTreeSet<String> {
    let release = release.parse().expect("a release");
    generated::<codex_wire::exec::Event>(Recipe { release, unknown }, 400)
        .into_iter()
        .map(|tree| match tree {
            Tree::Object(members) => match &members["type"][..] {
                [Tree::String(tag)] => tag.clone(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        })
        .collect()
}

/// The recipes make what they say: all kinds of their release, no others.
#[test]
fn recipes_follow_their_release() {
    let set = |tags: &[&str]| {
        tags.iter()
            .map(|tag| (*tag).to_owned())
            .collect::<BTreeSet<_>>()
    };
    let items = ["item.started", "item.updated", "item.completed", "error"];
    let mut first = set(&items);
    first.insert("session.created".into());
    assert_eq!(tags("0.42.0", false), first);
    let turns = [
        "turn.started",
        "turn.completed",
        "turn.failed",
        "thread.started",
    ];
    let current = &set(&items) | &set(&turns);
    assert_eq!(tags("0.169.0", false), current);
    let states = |release: &str| {
        let release = release.parse().expect("a release");
        generated::<CommandExecutionItem>(
            Recipe {
                release,
                unknown: false,
            },
            100,
        )
        .into_iter()
        .map(|tree| match tree {
            Tree::Object(members) => match members.get("exit_code").map(|all| &all[..]) {
                None => "absent",
                Some([Tree::Scalar(text)]) if text == "null" => "null",
                Some(_) => "value",
            },
            other => panic!("{other:?}"),
        })
        .collect::<BTreeSet<_>>()
    };
    assert_eq!(states("0.50.0"), BTreeSet::from(["absent", "value"]));
    assert_eq!(states("0.51.0"), BTreeSet::from(["null", "value"]));
    let with_unknown = tags("0.169.0", true);
    assert!(with_unknown.is_superset(&current));
    assert!(with_unknown.iter().any(|tag| tag.starts_with("x_")));
}
