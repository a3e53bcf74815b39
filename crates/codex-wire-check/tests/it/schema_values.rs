//! Values made from a projection, knowing nothing of the types: the types read them and write
//! them back equal, and the checker accepts them.

use codex_wire::exec::Event;
use codex_wire::{Maybe, MessageSet, Protocol};
use codex_wire_check::{Checker, Options, Profile, Verdict};
use codex_wire_schema::{Draft, Stability, project};
use codex_wire_testing::describe;
use libtest_mimic::Trial;
use serde_json::Value;

use crate::support::message_sets::{check, checker, ranges, through_types, tried};
use crate::support::mutants::equal;
use crate::support::property::holds;
use crate::support::values::of_schema;
use crate::support::{trial, without_order};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("schema_values::exact", exact),
        trial("schema_values::open", open),
        trial(
            "schema_values::numbers_spelt_as_fractions",
            numbers_spelt_as_fractions,
        ),
    ]
}

/// What the exact projection allows is what the release may write.
fn exact() {
    allowed(Profile::Exact, 200, 0);
}

/// What the open projection allows holds undeclared members, which the types keep and the
/// checker warns of.
fn open() {
    allowed(Profile::Known, 100, u64::MAX);
}

/// What a profile of each message set's projections allows, with so many warnings at most. Cases
/// are fewer where messages are large.
fn allowed(profile: Profile, cases: u32, warnings: u64) {
    for message_set in tried() {
        let cases = if message_set == MessageSet::Exec {
            cases
        } else {
            cases / 2
        };
        for range in ranges(message_set) {
            let schema = project(
                message_set,
                range.since,
                profile,
                Draft::Draft202012,
                Stability::Experimental,
            );
            let checker = checker(message_set, range.since, profile);
            let about = format!("{message_set} {}", range.since);
            holds(file!(), cases, &about, &of_schema(&schema), |message| {
                come_back(message_set, &message)?;
                let outcome = check(&checker, message_set, &message);
                if outcome.verdict != Verdict::Conforms || outcome.counts.warning > warnings {
                    return Err(describe(&outcome));
                }
                Ok(())
            });
        }
    }
}

/// The types read a message and write it back equal.
fn come_back(message_set: MessageSet, message: &Value) -> Result<(), String> {
    let written = through_types(message_set, message)
        .map_err(|error| format!("the types refuse it: {error}"))?;
    if !equal(&written, message) {
        return Err(format!("it comes back as {written}"));
    }
    Ok(())
}

/// JSON Schema takes `1.0` for an integer, so the checker and the types do.
fn numbers_spelt_as_fractions() {
    let usage = |number: &str| {
        format!(
            r#"{{"type":"turn.completed","usage":{{"input_tokens":{number},"cached_input_tokens":0,"output_tokens":0}}}}"#
        )
    };
    let checker = Checker::new(without_order(Options::exact(
        Protocol::Exec,
        "0.44.0".parse().unwrap(),
    )))
    .unwrap();
    for (number, whole) in [("1.0", 1), ("-0.0", 0), ("12e2", 1200), ("1E0", 1)] {
        let line = usage(number);
        let outcome = checker.check("-", line.as_bytes());
        assert_eq!(outcome.verdict, Verdict::Conforms, "{}", describe(&outcome));
        let event: Event = codex_wire::from_str(&line).unwrap();
        assert_eq!(event.usage().unwrap().input_tokens, whole);
        assert_eq!(
            event.usage().unwrap().reasoning_output_tokens,
            Maybe::Absent
        );
    }
    for number in ["1.5", "1e19", "-1e19", "1e400", "9223372036854775808"] {
        let line = usage(number);
        assert_eq!(
            checker.check("-", line.as_bytes()).verdict,
            Verdict::Findings
        );
        assert!(codex_wire::from_str::<Event>(&line).is_err(), "{number}");
    }
}
