//! Why a recording cannot be converted.

use codex_wire_base::{Protocol, Release};

use crate::error::Error;

/// What a release does not support of a recording.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// The recording names no release.
    #[error("the recording does not say which release wrote it")]
    NoRelease,
    /// Recordings of this protocol are not converted.
    #[error("recordings of the protocol `{0}` cannot be played as another release")]
    Protocol(Protocol),
    /// `codex exec --json` of the release writes the events of the core, and that of the recording did not.
    #[error(
        "`codex exec --json` of {release} writes the events of the core; the recording of {recorded} has messages \
         that begin with 0.42.0"
    )]
    CoreEvents {
        /// The release.
        release: Release,
        /// The release that was recorded.
        recorded: Release,
    },
    /// The recording has the events of the core, which the release does not write.
    #[error("{release} does not write the events of the core; {first} to {last} do")]
    NoCoreEvents {
        /// The release.
        release: Release,
        /// The first release that writes them.
        first: Release,
        /// The last release that writes them.
        last: Release,
    },
    /// The release is older than all of which the app-server is known.
    #[error("`codex app-server` of {release} is older than the first that is known, {first}")]
    NoAppServer {
        /// The release.
        release: Release,
        /// The first release of which it is known.
        first: Release,
    },
    /// The release lacks a part of a message.
    #[error("{release} does not have {what} at `{pointer}`")]
    Part {
        /// The release.
        release: Release,
        /// What it lacks.
        what: String,
        /// The JSON Pointer of the part.
        pointer: String,
    },
    /// The release lacks a request or submission of the client.
    #[error("{release} has no `{method}`")]
    Method {
        /// The release.
        release: Release,
        /// The method, or the kind of submission.
        method: String,
    },
    /// The release speaks the newer generation of the protocol, which lacks a request of the client.
    #[error(
        "{release} has no `{method}`: it speaks the newer generation of the protocol, with threads"
    )]
    OlderMethod {
        /// The release.
        release: Release,
        /// The method.
        method: String,
    },
    /// The client did not ask for the experimental API, to which its request belongs.
    #[error("{release} has `{method}` only for clients that set experimentalApi")]
    Experimental {
        /// The release.
        release: Release,
        /// The method.
        method: String,
    },
    /// The release lacks a request of Codex.
    #[error("{release} does not ask `{method}`, and what follows depends on the answer")]
    Question {
        /// The release.
        release: Release,
        /// The method.
        method: String,
    },
}

/// Why a release cannot say what was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnsupportedByRelease {
    /// The line of the recording, from 1; 0 for the recording as a whole.
    pub(super) line: u64,
    /// What the release cannot say.
    pub(super) reason: Unsupported,
}

impl UnsupportedByRelease {
    pub(super) fn whole(reason: Unsupported) -> Self {
        UnsupportedByRelease { line: 0, reason }
    }
}

impl From<UnsupportedByRelease> for Error {
    fn from(UnsupportedByRelease { line, reason }: UnsupportedByRelease) -> Self {
        Error::UnsupportedByRelease {
            line: (line > 0).then_some(line),
            reason,
        }
    }
}
