//! Why something cannot be checked.

use std::io;

use codex_wire_base::{Protocol, Release};

/// Why something cannot be checked. What is wrong in an input is a [`Finding`](crate::Finding), not an error.
#[derive(Debug, thiserror::Error)]
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
    /// The release lies in a gap of the releases that speak the protocol: nothing is known of it.
    #[error("nothing is known of the {protocol} protocol in {release}")]
    ReleaseInGap {
        /// The protocol.
        protocol: Protocol,
        /// The release that was asked for.
        release: Release,
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
    #[error("cannot read the session file {path}{}", failed_after(*line))]
    UnreadableSessionFile {
        /// Its name.
        path: String,
        /// The last line that was read; 0 if none was.
        line: u64,
        /// Why.
        source: io::Error,
    },
    /// A file is not a session file: no thread is named in it.
    #[error("{path} is not a session file: {}", found.as_deref().unwrap_or("it names no thread"))]
    NotASessionFile {
        /// Its name.
        path: String,
        /// What it is instead, if it is not a transcript of Codex at all.
        found: Option<String>,
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

fn failed_after(line: u64) -> String {
    match line {
        0 => String::new(),
        line => format!(": reading failed after line {line}"),
    }
}
