//! Checks what was written: no run of eight characters of a replaced value may appear in it.
//!
//! Runs of replaced values and runs of everything written, words of the protocol and numbers
//! excepted, are collected while a transcript is scrubbed, and compared at its end. Memory is
//! bounded: of very many different runs a sample is kept, which depends on the run alone, so that
//! both sides have the same.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;

use foldhash::fast::{FixedState, RandomState};
use thiserror::Error;

use crate::replace::marks;

/// How many characters a run has, in bytes.
const RUN: usize = 8;

/// How many different runs of a side are kept: as many as a table of two million places takes before it
/// is made larger.
const MOST: usize = (2 << 20) / 8 * 7 - 1;

/// How many pairs of runs may be compared before a placeholder is expected to be like a run of a
/// value by chance: placeholders have at least some ten billion values for each run.
const CHANCE: u64 = 1 << 34;

/// A run of a replaced value was found in the output.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "line {line}: a run of {RUN} characters of a replaced value is still there: {}",
    match .is_kept {
        true => "a value that is kept has it",
        false => "a placeholder has it",
    }
)]
#[non_exhaustive]
pub struct Survivor {
    /// The line of the output, from 1.
    pub line: u64,
    /// Whether it is in something that was not replaced. Otherwise it is in a placeholder, and
    /// another key makes another one.
    pub is_kept: bool,
}

/// The runs of a transcript.
pub(crate) struct Survivors {
    replaced: HashSet<u64, RandomState>,
    /// For each where it stands first.
    written: HashMap<u64, Written, RandomState>,
    /// Values and placeholders whose runs are in, by digest.
    seen: HashSet<u64, RandomState>,
    /// Runs are kept if so many low bits of their digest are zero.
    sample: u32,
    /// How many different runs of a side are kept.
    most: usize,
}

/// Where a run stands.
#[derive(Clone, Copy)]
struct Written {
    /// The line; the last number stands for all that are larger.
    line: u32,
    /// Whether the run was not replaced.
    is_kept: bool,
}

impl Default for Survivors {
    fn default() -> Self {
        Survivors {
            replaced: HashSet::default(),
            written: HashMap::default(),
            seen: HashSet::default(),
            sample: 0,
            most: MOST,
        }
    }
}

impl Survivors {
    /// A value was replaced.
    pub(crate) fn replaced(&mut self, value: &[u8], by: &[u8], line: u64) {
        if value.len() < RUN {
            return;
        }
        if self.is_new("value", value) {
            for run in runs(value) {
                if is_sampled(run, self.sample) {
                    self.replaced.insert(run);
                    self.bound();
                }
            }
        }
        if self.is_new("placeholder", by) {
            self.written(by, line, false);
        }
    }

    /// A value was replaced by one that a check by runs says nothing about: ids in hexadecimal and times
    /// have few values for each run.
    pub(crate) fn replaced_whole(&mut self, value: &[u8]) {
        self.replaced(value, &[], 0);
    }

    /// A value that is not a word of the protocol was kept.
    pub(crate) fn kept(&mut self, value: &[u8], line: u64) {
        self.written(value, line, true);
    }

    fn written(&mut self, value: &[u8], line: u64, is_kept: bool) {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        for run in runs(value) {
            if is_sampled(run, self.sample) {
                let new = Written { line, is_kept };
                let found = self.written.entry(run).or_insert(new);
                found.is_kept |= is_kept;
                self.bound();
            }
        }
    }

    /// Keeps a smaller sample if there are too many runs.
    fn bound(&mut self) {
        while self.written.len() > self.most || self.replaced.len() > self.most {
            self.sample += 1;
            let sample = self.sample;
            self.replaced.retain(|run| is_sampled(*run, sample));
            self.written.retain(|run, _| is_sampled(*run, sample));
        }
    }

    /// Whether a value or placeholder has not been seen.
    fn is_new(&mut self, what: &str, text: &[u8]) -> bool {
        if self.seen.len() >= self.most {
            self.seen.clear();
        }
        self.seen
            .insert(FixedState::default().hash_one((what, text)))
    }

    /// The first run that survived. `is_final`: whether no other key will be tried.
    pub(crate) fn first(&self, is_final: bool) -> Option<Survivor> {
        let pairs = self.replaced.len() as u64 * self.written.len() as u64;
        let by_chance = is_final && pairs > CHANCE;
        self.written
            .iter()
            .filter(|(run, at)| (at.is_kept || !by_chance) && self.replaced.contains(*run))
            .map(|(_, at)| Survivor {
                line: at.line.into(),
                is_kept: at.is_kept,
            })
            .min_by_key(|survivor| (!survivor.is_kept, survivor.line))
    }
}

/// The runs of a value, each as a number. Line breaks and other control characters stay, and end a
/// run, and so do marks, and slashes that follow each other.
fn runs(value: &[u8]) -> impl Iterator<Item = u64> {
    let mut marks = marks(value).peekable();
    value.windows(RUN).enumerate().filter_map(move |(at, run)| {
        while marks.next_if(|mark| mark.end <= at).is_some() {}
        if marks.peek().is_some_and(|mark| mark.start < at + RUN) {
            return None;
        }
        let run: [u8; RUN] = run.try_into().ok()?;
        let stays = |byte: &u8| *byte < 0x20 || matches!(byte, 0x7f | 0xc2 | 0xef);
        let slashes = run.iter().filter(|byte| **byte == b'/').count();
        (!run.iter().any(stays) && slashes <= RUN / 2).then(|| u64::from_le_bytes(run))
    })
}

fn is_sampled(run: u64, sample: u32) -> bool {
    sample == 0 || FixedState::default().hash_one(run).trailing_zeros() >= sample
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_survives_is_found() {
        let mut survivors = Survivors::default();
        survivors.replaced(b"the secret key", b"xyzxyzxyzxyzxy", 1);
        assert_eq!(survivors.first(true), None);
        survivors.kept(b"a secret", 2);
        assert_eq!(survivors.first(true), None);
        survivors.kept(b"a secret key", 3);
        let found = Survivor {
            line: 3,
            is_kept: true,
        };
        assert_eq!(survivors.first(true), Some(found));
    }

    #[test]
    fn memory_is_bounded() {
        let most = 1000;
        let mut survivors = Survivors {
            most,
            ..Survivors::default()
        };
        let text: Vec<u8> = (0..5000u64)
            .flat_map(|number| (number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).to_be_bytes())
            .map(|byte| 0x20 + byte % 0x50)
            .collect();
        survivors.replaced(&text, &[], 1);
        assert!(survivors.replaced.len() <= most && survivors.sample > 0);
        survivors.kept(&text[1000..3000], 2);
        assert!(survivors.first(true).is_some());
    }
}
