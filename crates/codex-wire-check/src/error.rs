//! Why something cannot be checked.

use codex_wire_base::{Protocol, Release};

/// Why something cannot be checked. What is wrong in an input is a [`Finding`](crate::Finding), not an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The release is older than everything this crate knows of the protocol.
    #[error("{release} is older than the {protocol} protocol, which begins at {first}")]
    ReleaseTooOld {
        /// The protocol.
        protocol: Protocol,
        /// The release that was asked for.
        release: Release,
        /// The first release that speaks the protocol.
        first: Release,
    },
    /// The release no longer speaks the protocol.
    #[error("{release} no longer speaks the {protocol} protocol, which ends with {last}")]
    ReleaseTooNew {
        /// The protocol.
        protocol: Protocol,
        /// The release that was asked for.
        release: Release,
        /// The last release that speaks the protocol.
        last: Release,
    },
    /// A session file cannot be read to its end.
    #[error("cannot read the session file {path}: {reason}")]
    UnreadableSessionFile {
        /// Its name.
        path: String,
        /// Why.
        reason: String,
    },
    /// A file is not a session file: no thread is named in it.
    #[error("{path} is not a session file: {reason}")]
    NotASessionFile {
        /// Its name.
        path: String,
        /// What was found instead.
        reason: String,
    },
    /// A stream and a session file are of different threads.
    #[error("the stream is of thread {}, the session file of {session_file}", stream.join(", "))]
    OtherThread {
        /// The ids of the threads of the stream.
        stream: Vec<String>,
        /// The id of the thread of the session file.
        session_file: String,
    },
    /// A stream or a session file has more items than are kept, so they cannot be compared.
    #[error("there are too many items to compare them")]
    TooManyItems,
}
