//! A pair of documents for each rule: what it triggers, and that it triggers nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use codex_wire_diff::{Change, Comparison, Side, Verdict, diff, rules};
use serde_json::Value;

use crate::support::golden;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pairs")
}

/// The pairs by name, each one way only.
pub(crate) fn pairs() -> BTreeMap<String, (Value, Value)> {
    let read = |path: PathBuf| -> Value {
        let text = std::fs::read_to_string(&path).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let folders = std::fs::read_dir(folder()).unwrap();
    let folders = folders.map(|entry| entry.unwrap().path());
    folders
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (
                name,
                (
                    read(path.join("before.json")),
                    read(path.join("after.json")),
                ),
            )
        })
        .collect()
}

pub(crate) fn compared(before: &Value, after: &Value) -> Comparison {
    let side = |name: &str, schema: &Value| Side::document(name, schema.clone()).unwrap();
    diff(&side("before", before), &side("after", after)).unwrap()
}

/// The names of the rules a pair triggers.
fn triggered(comparison: &Comparison) -> BTreeSet<&'static str> {
    let differences = comparison.differences.iter();
    differences
        .flat_map(|difference| &difference.judgements)
        .map(|judgement| judgement.rule.id)
        .collect()
}

/// Every rule over every pair: each pair triggers its own rules, one in either direction, and
/// none of the others; and each rule has a pair.
#[test]
fn every_rule_is_triggered_by_its_pair_alone() {
    let pairs = pairs();
    let mut seen = BTreeSet::new();
    for (name, (before, after)) in &pairs {
        let found = compared(before, after);
        let own = [
            format!("codex-writes/{name}"),
            format!("client-writes/{name}"),
        ];
        let own: BTreeSet<&str> = own.iter().map(String::as_str).collect();
        for rule in rules() {
            let triggers = triggered(&found).contains(rule.id);
            assert_eq!(
                triggers,
                own.contains(rule.id),
                "the pair {name} and the rule {}: {:#?}",
                rule.id,
                found.differences
            );
        }
        assert_eq!(
            found.differences.len(),
            1,
            "{name}: {:#?}",
            found.differences
        );
        seen.extend(triggered(&found));
    }
    // What became experimental, and which dialects there are, is no matter of schemas; `history`
    // has it.
    let of_methods = [
        Change::BecameExperimental,
        Change::BecameStable,
        Change::DialectEnded,
        Change::DialectBegan,
    ];
    for rule in rules() {
        assert!(
            seen.contains(rule.id) || of_methods.contains(&rule.change),
            "{} has no pair",
            rule.id
        );
    }
}

/// Each pair, with what is said of it, to be read.
#[test]
fn what_is_said_of_the_pairs() {
    let mut text = String::new();
    for (name, (before, after)) in pairs() {
        let _ = writeln!(text, "{name}");
        for difference in compared(&before, &after).differences {
            let _ = writeln!(
                text,
                "  {}: {}, in {}, by {}",
                difference.place,
                difference.sentence(),
                difference.reach(),
                difference.path.join(" / ")
            );
            for judgement in &difference.judgements {
                let _ = writeln!(
                    text,
                    "    {} {}{}",
                    judgement.verdict,
                    judgement.rule.id,
                    judgement
                        .remark
                        .as_deref()
                        .map(|r| format!(" ({r})"))
                        .unwrap_or_default()
                );
                if let Some(example) = &judgement.counterexample {
                    let _ = writeln!(
                        text,
                        "      {:?} accepts {}",
                        example.accepted_by, example.value
                    );
                }
            }
        }
    }
    golden("pairs.txt", &text);
}

/// A pair that is alike has no difference, and turned round it has the same differences, turned
/// round.
#[test]
fn pairs_can_be_turned_round() {
    for (name, (before, after)) in pairs() {
        assert!(compared(&before, &before).differences.is_empty(), "{name}");
        let there = compared(&before, &after);
        let back = compared(&after, &before);
        assert_eq!(
            crate::symmetry::turned(&there),
            crate::symmetry::facts(&back),
            "{name}"
        );
    }
}

/// A counterexample is what it says: tried here with validators made of the documents as they
/// stand, closed by hand where they are what is written.
#[test]
fn counterexamples_hold() {
    let mut tried = 0;
    for (name, (before, after)) in pairs() {
        for difference in compared(&before, &after).differences {
            for judgement in &difference.judgements {
                let breaking = judgement.verdict == Verdict::Breaking;
                assert_eq!(judgement.counterexample.is_some(), breaking, "{name}");
                let Some(example) = &judgement.counterexample else {
                    continue;
                };
                let (writer, reader) = match example.accepted_by {
                    codex_wire_diff::Which::Before => (&before, &after),
                    codex_wire_diff::Which::After => (&after, &before),
                };
                assert!(jsonschema::is_valid(writer, &example.value), "{name}");
                assert!(!jsonschema::is_valid(reader, &example.value), "{name}");
                tried += 1;
            }
        }
    }
    assert!(tried > 20 || golden_files::is_update(), "{tried}");
}
