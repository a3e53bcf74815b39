//! Folding: in any order, again and again, and back.

use app_server_codegen::{Model, text};
use libtest_mimic::{Failed, Trial};
use proptest::prelude::*;
use proptest::sample::{Index, subsequence};
use proptest::test_runner::{Config, TestRunner};

use crate::support::{MODEL, SNAPSHOTS, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("folding::any-order-gives-the-same-text", any_order),
        trial("folding::again-changes-nothing", again),
        trial("folding::the-text-reads-back", reads_back),
        trial("folding::a-faulty-text-is-refused-with-its-line", faulty),
    ]
}

fn folded(order: &[usize]) -> Model {
    let mut model = Model::default();
    for at in order {
        let (stable, experimental) = &SNAPSHOTS[*at];
        model.fold(stable, experimental.as_ref());
    }
    model
}

/// Everything the model's files say.
fn said(model: &Model) -> String {
    text::methods(model) + &text::definitions(model, |_| true)
}

/// Some releases, in their order and in any other.
fn any_order() -> Result<(), Failed> {
    let all: Vec<usize> = (0..SNAPSHOTS.len()).collect();
    let some = subsequence(all, 2..6)
        .prop_flat_map(|some| (Just(some.clone()), Just(some).prop_shuffle()));
    property(12, &some, |(ordered, shuffled)| {
        prop_assert_eq!(said(&folded(&ordered)), said(&folded(&shuffled)));
        Ok(())
    })
}

/// A release that is known already, folded once more; and one taken out and folded in.
fn again() -> Result<(), Failed> {
    property(4, &any::<Index>(), |which| {
        let (stable, experimental) = &SNAPSHOTS[which.index(SNAPSHOTS.len())];
        let mut model = MODEL.clone();
        model.fold(stable, experimental.as_ref());
        prop_assert!(model == *MODEL, "folding {} again", stable.release);
        model.forget(stable.release);
        prop_assert!(model != *MODEL, "forgetting {}", stable.release);
        model.fold(stable, experimental.as_ref());
        prop_assert!(model == *MODEL, "folding {} again", stable.release);
        Ok(())
    })
}

fn reads_back() -> Result<(), Failed> {
    let mut model = Model::default();
    text::parse(&mut model, "methods", &text::methods(&MODEL))?;
    text::parse(
        &mut model,
        "definitions",
        &text::definitions(&MODEL, |_| true),
    )?;
    match model == *MODEL {
        true => Ok(()),
        false => Err("the text reads back as another model".into()),
    }
}

fn faulty() -> Result<(), Failed> {
    let cases = [
        ("  a: string", "an indented line that belongs to nothing"),
        ("object A", "the releases are missing"),
        ("object A @ 0.58.0", "`0.58.0` is not an interval"),
        ("thing A @ 0.58.0..", "`thing` begins nothing"),
        ("tagged A @ 0.58.0..", "`by` is missing"),
        (
            "object A @ 0.58.0..\n  a string",
            "`a string` is not a member",
        ),
        ("any-of A @ 0.58.0..\n  strings", "`strings` is not a type"),
    ];
    for (text, message) in cases {
        let mut model = Model::default();
        text::parse(&mut model, "methods", "releases\n  0.58.0\n")?;
        let line = text.lines().count();
        let expected = format!("a.model:{line}: {message}");
        match text::parse(&mut model, "a.model", text) {
            Err(error) if error.to_string() == expected => {}
            other => return Err(format!("{text:?}: {other:?}, not {expected:?}").into()),
        }
    }
    Ok(())
}

fn property<S: Strategy>(
    cases: u32,
    strategy: &S,
    test: impl Fn(S::Value) -> Result<(), TestCaseError>,
) -> Result<(), Failed> {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    Ok(TestRunner::new(config).run(strategy, test)?)
}
