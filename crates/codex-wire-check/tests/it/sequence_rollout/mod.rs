//! Recorded session files as they are, with starts and ends cut off, and with lines, shapes and values changed:
//! what breaks a rule is denied, what may be so is not.

mod file;
mod mutants;
mod shapes;
mod values;

use std::collections::BTreeMap;

use codex_wire::{Protocol, Release};
use codex_wire_check::{Checker, Options, Outcome};
use codex_wire_testing::describe;
use libtest_mimic::Trial;

use self::file::{File, Line, checker, joined, order, recorded};
use crate::support::chance::Chance;
use crate::support::trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "sequence_rollout::recorded_files_break_nothing",
            undisturbed,
        ),
        trial("sequence_rollout::mutants_are_denied", mutants::are_denied),
        trial("sequence_rollout::shapes_are_denied", shapes::are_denied),
        trial("sequence_rollout::values_are_denied", values::are_denied),
        trial("sequence_rollout::lost_lines_are_not_missing", lost_lines),
        trial(
            "sequence_rollout::a_missing_start_is_one_finding",
            missing_start,
        ),
        trial("sequence_rollout::a_missing_end_is_none", missing_end),
    ]
}

/// Checkers that are told the release of a file.
#[derive(Default)]
struct Checkers(BTreeMap<Option<Release>, Checker>);

impl Checkers {
    fn check(&mut self, file: &File, lines: &[Line]) -> Outcome {
        let release = Some(file.release).filter(|_| !file.is_cross && !file.is_early());
        let checker = self.0.entry(release).or_insert_with(|| match release {
            Some(release) => Checker::new(Options::exact(Protocol::Rollout, release)).unwrap(),
            None => checker(),
        });
        checker.check(&file.name, joined(lines).as_bytes())
    }
}

/// With its release stated and without, a recorded file breaks no rule about order.
fn undisturbed() {
    let plain = checker();
    let mut checkers = Checkers::default();
    let mut wrong = Vec::new();
    for file in recorded() {
        let text = joined(&file.lines);
        let outcomes = [
            plain.check(&file.name, text.as_bytes()),
            checkers.check(&file, &file.lines),
        ];
        for found in outcomes.iter().map(order).filter(|found| !found.is_empty()) {
            wrong.push(format!("{}: {found:#?}", file.name));
        }
    }
    let count = wrong.len();
    assert!(wrong.is_empty(), "{count}: {:#?}", &wrong[..count.min(20)]);
}

/// After an unreadable line, no line that it may have held is reported as missing.
fn lost_lines() {
    let mut checkers = Checkers::default();
    let mut chance = Chance(11);
    for file in recorded() {
        let mut lines = file.lines.clone();
        let at = chance.below(lines.len());
        lines[at].text = "{\"timestamp\":".to_owned();
        let outcome = checkers.check(&file, &lines);
        assert!(
            order(&outcome).is_empty(),
            "line {at}: {}",
            describe(&outcome)
        );
    }
}

/// A file that begins in the middle has one finding about order.
fn missing_start() {
    let mut checkers = Checkers::default();
    let mut chance = Chance(13);
    // Only the header says that a sub-agent need not have all lines.
    let has_start = |file: &&File| file.lines.len() > 2 && (file.is_cross || !file.is_partial);
    for file in recorded().iter().filter(has_start) {
        let at = 1 + chance.below(file.lines.len() - 1);
        let lines = &file.lines[at..];
        let is_header = lines[0].kind() == "session_meta";
        let found = order(&checkers.check(file, lines));
        let first = found.first().map(String::as_str).unwrap_or_default();
        let is_it = first.starts_with("sequence/rollout-header-first:1 ");
        assert!(
            is_header || is_it && found.len() == 1,
            "{}: {found:?}",
            file.name
        );
    }
}

/// A file that ends anywhere has none: its process may have been killed.
fn missing_end() {
    let mut checkers = Checkers::default();
    let mut chance = Chance(17);
    for file in recorded() {
        let at = 1 + chance.below(file.lines.len());
        let found = order(&checkers.check(&file, &file.lines[..at]));
        assert_eq!(found, Vec::<String>::new(), "{}: {at}", file.name);
    }
}
