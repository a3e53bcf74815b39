//! The ways to check a transcript that are compared.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io;

use codex_wire::{MessageSet, Protocol, Release};
use codex_wire_check::{Checker, Options};
use jsonschema::Validator;
use serde_json::Value;

use crate::corpus::Corpus;
use crate::exact;

/// The transcripts that are checked, and what they are.
///
/// # Errors
/// When the recorded ones cannot be read.
pub fn corpora() -> io::Result<[(Protocol, Corpus); 6]> {
    Ok([
        (Protocol::Exec, Corpus::generated()),
        (Protocol::Exec, Corpus::long_outputs()),
        (Protocol::Exec, Corpus::recorded()?),
        (Protocol::AppServer, Corpus::app_server_generated()),
        (Protocol::AppServer, Corpus::thread_read()),
        (Protocol::Rollout, Corpus::session_file()),
    ])
}

/// What each release of a corpus is checked with.
pub struct Checks {
    protocol: Protocol,
    checkers: BTreeMap<Release, Checker>,
    validators: BTreeMap<(Release, MessageSet), Validator>,
}

impl Checks {
    /// Compiles what the messages of `corpus` need.
    pub fn new(protocol: Protocol, corpus: &Corpus) -> Self {
        let mut checks = Checks {
            protocol,
            checkers: BTreeMap::new(),
            validators: BTreeMap::new(),
        };
        for (release, _) in &corpus.transcripts {
            let options = Options::exact(protocol, *release);
            let checker = Checker::new(options).expect("the release speaks the protocol");
            checks.checkers.insert(*release, checker);
        }
        for (release, line) in corpus.messages() {
            let mut message = serde_json::from_slice(line).unwrap_or_default();
            let message_set = checks.message_set_of(&mut message);
            checks
                .validators
                .entry((release, message_set))
                .or_insert_with(|| exact::validator(&exact::schema(message_set, release)));
        }
        checks
    }

    /// What a message is to be validated with. The only answer in the corpora is that to
    /// `thread/read`; the schema of answers wants the method beside the result.
    fn message_set_of(&self, message: &mut Value) -> MessageSet {
        if self.protocol != Protocol::AppServer {
            return self.protocol.into();
        }
        match (message.get("method").is_some(), message.get("id").is_some()) {
            (true, true) => MessageSet::AppServerClientRequests,
            (true, false) => MessageSet::AppServerServerNotifications,
            _ => {
                message["method"] = "thread/read".into();
                MessageSet::AppServerServerResponses
            }
        }
    }

    /// Checks every transcript as this project does and counts the messages. Everything is
    /// found that there is to find: the place of each fault, duplicate keys, other releases.
    pub fn checker(&self, corpus: &Corpus) -> u64 {
        corpus
            .transcripts
            .iter()
            .map(|(release, bytes)| {
                let outcome = self.checkers[release].check(corpus.name, black_box(&bytes[..]));
                assert_eq!(outcome.counts.error, 0, "the corpora are without fault");
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
                let mut message: Value =
                    serde_json::from_slice(black_box(line)).unwrap_or_default();
                let message_set = self.message_set_of(&mut message);
                assert!(
                    self.validators[&(release, message_set)].is_valid(&message),
                    "the corpora are without fault"
                );
                1
            })
            .sum()
    }
}
