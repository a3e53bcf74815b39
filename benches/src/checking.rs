//! The ways to check a transcript that are compared.

use std::collections::BTreeMap;
use std::hint::black_box;

use codex_wire::{Protocol, Release};
use codex_wire_check::{Checker, Options};
use codex_wire_schema::{Draft, Profile, project};
use jsonschema::Validator;
use serde_json::Value;

use crate::corpus::Corpus;

/// What each release of a corpus is checked with.
pub struct Checks {
    checkers: BTreeMap<Release, Checker>,
    validators: BTreeMap<Release, Validator>,
}

impl Checks {
    /// Compiles what the releases of `corpus` need.
    pub fn new(corpus: &Corpus) -> Self {
        let mut checks = Checks {
            checkers: BTreeMap::new(),
            validators: BTreeMap::new(),
        };
        for (release, _) in &corpus.transcripts {
            let options = Options::release(Protocol::Exec, *release);
            let checker = Checker::new(options).expect("the release speaks the protocol");
            checks.checkers.insert(*release, checker);
            let schema = project(Protocol::Exec, *release, Profile::Exact, Draft::Draft202012);
            let validator = jsonschema::validator_for(&schema).expect("our own schemas compile");
            checks.validators.insert(*release, validator);
        }
        checks
    }

    /// Checks every transcript as this project does and counts the messages. Everything is
    /// found that there is to find: the place of each fault, doubled keys, other releases.
    pub fn checker(&self, corpus: &Corpus) -> u64 {
        corpus
            .transcripts
            .iter()
            .map(|(release, bytes)| {
                let outcome = self.checkers[release].check(corpus.name, black_box(&bytes[..]));
                assert_eq!(outcome.counts.deny, 0, "the corpora are without fault");
                outcome.messages
            })
            .sum()
    }

    /// Checks every line as one would without this project: a tree, and the schema of the whole
    /// message asked for yes or no.
    pub fn schema(&self, corpus: &Corpus) -> u64 {
        corpus
            .messages()
            .map(|(release, line)| {
                let message: Value = serde_json::from_slice(black_box(line)).unwrap_or_default();
                assert!(
                    self.validators[&release].is_valid(&message),
                    "the corpora are without fault"
                );
                1
            })
            .sum()
    }
}
