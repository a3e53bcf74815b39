//! What a comparison is about: a protocol, one message set of it, two recordings, or what releases do.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use codex_wire_base::{MessageSet, NamedRelease, Protocol, Release};
use codex_wire_diff::message_sets;

use crate::flags::values::named;
use crate::inputs::STDIN;

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

/// What is named first: what releases are compared about, or a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum About {
    Scope(Scope),
    Recording(PathBuf),
    /// For `--behaviour`, which may do without a protocol.
    Release(String),
}

impl About {
    /// Reads a name. What is named as a protocol is one: a file of this name is meant by `./exec`.
    pub(super) fn parser() -> impl TypedValueParser<Value = About> {
        AboutParser
    }

    pub(super) fn scope(&self) -> Option<Scope> {
        match self {
            About::Scope(scope) => Some(*scope),
            About::Recording(_) | About::Release(_) => None,
        }
    }
}

#[derive(Clone)]
struct AboutParser;

impl TypedValueParser for AboutParser {
    type Value = About;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<About, Error> {
        let path = Path::new(value);
        match scope().parse_ref(command, arg, value) {
            Ok(scope) => Ok(About::Scope(scope)),
            Err(_) if path.as_os_str() == STDIN || path.exists() => {
                Ok(About::Recording(path.to_owned()))
            }
            Err(_) if value.to_str().is_some_and(is_release) => {
                Ok(About::Release(value.to_string_lossy().into_owned()))
            }
            // A path to nothing is said to be one.
            Err(_) if path.extension().is_some() || path.components().count() > 1 => {
                Ok(About::Recording(path.to_owned()))
            }
            Err(error) => Err(error),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names: Vec<PossibleValue> = scope().possible_values()?.collect();
        Some(Box::new(names.into_iter()))
    }
}

/// Whether that stands for a release.
pub(super) fn is_release(text: &str) -> bool {
    NamedRelease::find_any(text).is_ok()
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
