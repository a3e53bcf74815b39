//! What a comparison is about: a protocol, or one message set of it.

use std::fmt;

use clap::builder::TypedValueParser;
use codex_wire_base::{Protocol, Release, Surface};
use codex_wire_diff::surfaces;

use crate::flags::values::named;

/// A protocol with all its message sets, or one message set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Protocol(Protocol),
    Surface(Surface),
}

impl Scope {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Scope::Protocol(protocol) => protocol.as_str(),
            Scope::Surface(surface) => surface.as_str(),
        }
    }

    /// The message sets that may have a release: `exec` at 0.34.0 can only mean its legacy dialect.
    pub(super) fn candidates(self) -> Vec<Surface> {
        match self {
            Scope::Protocol(protocol) => protocol.surfaces().to_vec(),
            Scope::Surface(surface) => vec![surface],
        }
    }

    /// The message sets that the release has.
    pub(super) fn at(self, release: Release) -> Vec<Surface> {
        match self {
            Scope::Protocol(protocol) => surfaces(protocol, release).to_vec(),
            Scope::Surface(surface) => vec![surface],
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
    let surfaces = Surface::ALL.iter().copied().map(Scope::Surface);
    let mut all: Vec<Scope> = protocols.collect();
    for surface in surfaces {
        if all.iter().all(|known| known.as_str() != surface.as_str()) {
            all.push(surface);
        }
    }
    named(all, Scope::as_str)
}
