//! Recorded session files as they are, and with their order disturbed: lines dropped, repeated,
//! swapped, moved, and tails cut off. What breaks a rule that holds is caught, what breaks none is
//! not.

mod file;
mod mutants;
mod oracle;
mod oracle_texts;
mod oracle_tokens;
mod shapes;
mod values;

use std::collections::BTreeMap;

use codex_wire::{Protocol, Release};
use codex_wire_check::{Checker, Options, Outcome};
use codex_wire_testing::describe;
use libtest_mimic::Trial;

use self::file::{File, Line, checker, joined, order, recorded};
use self::oracle::Story;
use crate::support::trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "sequence_rollout::recorded_files_break_nothing",
            undisturbed,
        ),
        trial("sequence_rollout::disturbed_files_are_caught", disturbed),
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

/// With its release stated and without, a recorded file breaks no rule about order; the oracle agrees.
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
        let story = Story::new(file.release, &file.lines);
        if let Some(why) = story.broken().filter(|_| !file.is_partial) {
            wrong.push(format!("{}: {why}", file.name));
        }
    }
    let count = wrong.len();
    assert!(wrong.is_empty(), "{count}: {:#?}", &wrong[..count.min(20)]);
}

/// Numbers that look like chance and are always the same.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

const WAYS: [&str; 6] = ["drop", "double", "double later", "swap", "move", "cut"];

fn disturb(way: &str, lines: &[Line], chance: &mut Chance) -> Vec<Line> {
    let mut out = lines.to_vec();
    let at = chance.below(out.len());
    match way {
        "drop" => drop(out.remove(at)),
        "double" => out.insert(at, out[at].clone()),
        "double later" => out.insert(at + 1 + chance.below(lines.len() - at), lines[at].clone()),
        "swap" if at + 1 < out.len() => out.swap(at, at + 1),
        "move" => {
            let line = out.remove(at);
            out.insert(chance.below(lines.len()), line);
        }
        "cut" => out.truncate(at.max(1)),
        _ => {}
    }
    out
}

fn disturbed() {
    let mut checkers = Checkers::default();
    let mut chance = Chance(2026);
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let (mut missed, mut false_alarms) = (Vec::new(), Vec::new());
    for file in recorded().iter().filter(|file| !file.is_partial) {
        for way in WAYS {
            for _ in 0..sampling::few_or(1, 2) {
                let lines = disturb(way, &file.lines, &mut chance);
                if lines == file.lines || lines.is_empty() {
                    continue;
                }
                let found = order(&checkers.check(file, &lines));
                let why = Story::new(file.release, &lines).broken();
                let count = counts.entry(way).or_default();
                count[0] += 1;
                count[1] += usize::from(why.is_some());
                match (why, found.is_empty()) {
                    (Some(_), false) => count[2] += 1,
                    (Some(why), true) => missed.push(format!("{way} {} {why}", file.name)),
                    (None, false) => false_alarms.push(format!("{way} {}: {found:?}", file.name)),
                    (None, true) => {}
                }
            }
        }
    }
    let sum = |index: usize| counts.values().map(|count| count[index]).sum::<usize>();
    let ratio = sum(2) as f64 / sum(1) as f64;
    #[allow(clippy::print_stdout, reason = "the numbers are for the reader")]
    {
        for (way, [made, breaking, caught]) in &counts {
            println!("{way}: {made} files, {breaking} break a rule, {caught} of them caught");
        }
        println!("{:.2} % of {} caught", ratio * 100.0, sum(1));
        println!("missed: {:#?}", &missed[..missed.len().min(20)]);
    }
    assert!(sum(1) > sampling::few_or(2000, 4000), "{counts:?}");
    assert!(ratio >= 0.99, "{ratio}");
    assert!(
        false_alarms.is_empty(),
        "{}: {:#?}",
        false_alarms.len(),
        &false_alarms[..false_alarms.len().min(20)]
    );
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
