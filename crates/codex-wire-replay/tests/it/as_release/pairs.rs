//! Pairs of a fixture and a release.
//!
//! Some seeded pairs, 500 in a wide run, and every pair if all is tried.

use std::collections::BTreeMap;

use codex_wire_base::Release;
use codex_wire_check::Finding;
use codex_wire_replay::{Error, Recording, as_release};
use sampling::Extent;

use super::support::{Checkers, FOLDERS, Seeded, recordings};

/// What is found in recordings of every release in which it can happen, and is not a fault of the conversion: a
/// search has two ids from 0.92.0 on.
const OF_RELEASES: &[&str] = &["framing/duplicate-id"];

/// The rules that report that a run has no end. Which of them does depends on the exit status.
const NO_END: &str = "sequence/exec-unfinished";

/// How many of each rule.
fn counts(findings: &[Finding]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for finding in findings {
        let rule = match finding.rule.id {
            "sequence/exec-exit-without-end" => NO_END,
            rule => rule,
        };
        *counts.entry(rule).or_default() += 1;
    }
    counts
}

/// Whether the recording may be found at fault for what its release does not have.
fn is_of_release(rule: &str, source: &Recording) -> bool {
    let early = source.about.release.unwrap() < Release::new(0, 43, 0);
    match rule {
        // The first format has no ends: a run that was interrupted is seen by what is left open.
        NO_END => early && source.name.contains("/sig"),
        rule => {
            let text = String::from_utf8_lossy(&source.output().0).into_owned();
            OF_RELEASES.contains(&rule) && text.contains("\"web_search\"")
        }
    }
}

#[derive(Default)]
struct Tally {
    played: usize,
    refused: BTreeMap<String, usize>,
    problems: BTreeMap<String, (usize, String)>,
}

impl Tally {
    fn problem(&mut self, kind: String, example: String) {
        let entry = self.problems.entry(kind).or_insert((0, example));
        entry.0 += 1;
    }

    fn refused(&self) -> usize {
        self.refused.values().sum()
    }
}

/// The reason without what differs from one recording to the next.
fn kind_of(reason: &str) -> String {
    let words = reason.split(' ').map(|word| {
        let digits = word.trim_end_matches([':', ';', ',']);
        match digits.split('.').all(|part| part.parse::<u32>().is_ok()) {
            true => "N",
            false => word,
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn try_pairs(folder: &str, per_fixture: Option<(usize, u64)>) -> Tally {
    let (_, set) = FOLDERS.iter().find(|(name, _)| *name == folder).unwrap();
    let releases = set.release_list().releases();
    let only = std::env::var("ONLY").unwrap_or_default();
    let as_only = std::env::var("AS").ok();
    let mut checkers = Checkers::default();
    let mut tally = Tally::default();
    let all: Vec<Recording> = recordings(folder);
    let chosen: Vec<(usize, usize)> = match per_fixture {
        None => (0..all.len())
            .flat_map(|recording| (0..releases.len()).map(move |release| (recording, release)))
            .collect(),
        Some((count, seed)) => {
            let mut seeded = Seeded(seed);
            let pair = |_| (seeded.below(all.len()), seeded.below(releases.len()));
            (0..count).map(pair).collect()
        }
    };
    let mut own: BTreeMap<usize, BTreeMap<&'static str, usize>> = BTreeMap::new();
    for (recording, release) in chosen {
        let (source, release) = (&all[recording], releases[release]);
        if !source.name.contains(&only) {
            continue;
        }
        if as_only
            .as_ref()
            .is_some_and(|only| *only != release.to_string())
        {
            continue;
        }
        let told = match as_release(source, release) {
            Ok(told) => told,
            Err(error) => {
                let Error::UnsupportedByRelease { reason, .. } = error else {
                    panic!("{error}")
                };
                *tally
                    .refused
                    .entry(kind_of(&reason.to_string()))
                    .or_default() += 1;
                continue;
            }
        };
        let findings = checkers.findings(&told);
        let allowed = own
            .entry(recording)
            .or_insert_with(|| counts(&checkers.findings(source)));
        for (rule, count) in counts(&findings) {
            let allowed = allowed.get(rule).copied().unwrap_or_default();
            if count > allowed && !is_of_release(rule, source) {
                let rule_of = |finding: &&Finding| counts(&[(*finding).clone()]).contains_key(rule);
                let finding = findings.iter().find(rule_of).unwrap();
                let example = format!(
                    "{} as {release}: {} at {}: {}",
                    source.name, finding.place.line, finding.place.pointer, finding.message
                );
                tally.problem(format!("{rule} {}", finding.message), example);
            }
        }
        tally.played += 1;
    }
    tally
}

#[track_caller]
fn hold(folder: &str, count: usize) {
    let count = match sampling::extent() {
        Extent::Sample => Some(count / 3),
        Extent::Wide => Some(count),
        Extent::All => None,
    };
    let tally = try_pairs(folder, count.map(|count| (count, 17)));
    println!(
        "{folder}: {} pairs played, {} refused",
        tally.played,
        tally.refused()
    );
    for (reason, count) in &tally.refused {
        println!("  {count} × {reason}");
    }
    let mut problems: Vec<_> = tally.problems.values().collect();
    problems.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let shown = problems.iter().take(40);
    let shown: Vec<String> = shown
        .map(|(n, example)| format!("{n} × {example}"))
        .collect();
    assert!(
        problems.is_empty(),
        "{}\n{}",
        problems.len(),
        shown.join("\n")
    );
    assert!(tally.played > tally.refused(), "too few pairs are played");
}

#[test]
fn runs_play_as_other_releases() {
    hold("exec", 200);
}

#[test]
fn a_recording_is_itself_at_its_own_release() {
    for (folder, _) in FOLDERS {
        for recording in recordings(folder) {
            let release = recording.about.release.unwrap();
            assert_eq!(as_release(&recording, release).unwrap(), recording);
        }
    }
}

#[test]
fn conversations_play_as_other_releases() {
    hold("app-server", 200);
}

#[test]
fn queues_play_as_other_releases() {
    hold("core", 50);
}

#[test]
fn runs_of_the_older_format_play_as_other_releases() {
    hold("exec-legacy", 50);
}
