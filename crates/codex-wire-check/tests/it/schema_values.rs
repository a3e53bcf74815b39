//! Values made from a projection, knowing nothing of the types: the types read them and write
//! them back equal, and the checker accepts them.

use codex_wire::exec::Event;
use codex_wire::{Maybe, Protocol};
use codex_wire_check::{Checker, Options, Profile, Verdict, gate};
use codex_wire_schema::{Draft, project, spans};
use libtest_mimic::Trial;
use serde_json::Value;

use crate::support::mutants::equal;
use crate::support::property::holds;
use crate::support::trial;
use crate::support::values::of_schema;

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
    for span in spans(Protocol::Exec) {
        let schema = project(
            Protocol::Exec,
            span.since,
            Profile::Exact,
            Draft::Draft202012,
        );
        let checker = Checker::new(Options::release(Protocol::Exec, span.since)).unwrap();
        let about = span.since.to_string();
        holds(file!(), 200, &about, &of_schema(&schema), |message| {
            come_back(&message)?;
            accepted(&checker, &message, 0)
        });
    }
}

/// What the open projection allows holds members nobody declared, which the types keep and the
/// checker warns of.
fn open() {
    for span in spans(Protocol::Exec) {
        let schema = project(
            Protocol::Exec,
            span.since,
            Profile::Open,
            Draft::Draft202012,
        );
        let mut options = Options::release(Protocol::Exec, span.since);
        options.profile = Profile::Open;
        let checker = Checker::new(options).unwrap();
        let about = span.since.to_string();
        holds(file!(), 100, &about, &of_schema(&schema), |message| {
            come_back(&message)?;
            accepted(&checker, &message, u64::MAX)
        });
    }
}

/// The types read a message and write it back equal.
fn come_back(message: &Value) -> Result<(), String> {
    let event: Event = codex_wire::from_str(&message.to_string())
        .map_err(|error| format!("the types refuse it: {error}"))?;
    let written = serde_json::to_value(&event).unwrap();
    if !equal(&written, message) {
        return Err(format!("it comes back as {written}"));
    }
    Ok(())
}

fn accepted(checker: &Checker, message: &Value, warnings: u64) -> Result<(), String> {
    let line = message.to_string();
    let outcome = checker.check("-", line.as_bytes());
    if outcome.verdict != Verdict::Conforms || outcome.counts.warn > warnings {
        return Err(gate::explain(&outcome));
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
    let checker =
        Checker::new(Options::release(Protocol::Exec, "0.44.0".parse().unwrap())).unwrap();
    for (number, whole) in [("1.0", 1), ("-0.0", 0), ("12e2", 1200), ("1E0", 1)] {
        let line = usage(number);
        let outcome = checker.check("-", line.as_bytes());
        assert_eq!(
            outcome.verdict,
            Verdict::Conforms,
            "{}",
            gate::explain(&outcome)
        );
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
