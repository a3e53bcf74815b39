//! What a comparison is about: a protocol, or one message set of it.

use std::fmt;

use clap::builder::TypedValueParser;
use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_diff::message_sets;

use crate::flags::values::named;

/// A protocol with all its message sets, or one message set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Protocol(Protocol),
    MessageSet(MessageSet),
}

impl Scope {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Scope::Protocol(protocol) => protocol.as_str(),
            Scope::MessageSet(message_set) => message_set.as_str(),
        }
    }

    /// The message sets that may have a release: `exec` at 0.34.0 can only mean its legacy dialect.
    pub(super) fn candidates(self) -> Vec<MessageSet> {
        match self {
            Scope::Protocol(protocol) => protocol.message_sets().to_vec(),
            Scope::MessageSet(message_set) => vec![message_set],
        }
    }

    /// The message sets that the release has.
    pub(super) fn at(self, release: Release) -> Vec<MessageSet> {
        match self {
            Scope::Protocol(protocol) => message_sets(protocol, release).to_vec(),
            Scope::MessageSet(message_set) => vec![message_set],
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Reads the name of a protocol or of a message set.
pub(crate) fn scope() -> impl TypedValueParser<Value = Scope> {
    let protocols = Protocol::ALL.iter().copied().map(Scope::Protocol);
    let message_sets = MessageSet::ALL.iter().copied().map(Scope::MessageSet);
    let mut all: Vec<Scope> = protocols.collect();
    for message_set in message_sets {
        if all
            .iter()
            .all(|known| known.as_str() != message_set.as_str())
        {
            all.push(message_set);
        }
    }
    named(all, Scope::as_str)
}
