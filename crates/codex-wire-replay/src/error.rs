//! Why something cannot be played.

use codex_wire_base::{Protocol, Release};

/// Why recordings, scripts or faults cannot be played. What a client does wrong is not an error: the
/// conversation answers it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A line of a recording is not a record of a transcript.
    #[error("line {line}: not a record of a transcript")]
    NotARecord {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        source: codex_wire_base::Error,
    },
    /// A manifest of recordings is not JSON.
    #[error("line {line}, column {column}: not JSON")]
    NotAManifest {
        /// The line, from 1.
        line: usize,
        /// The column in bytes, from 1.
        column: usize,
    },
    /// A manifest does not say of which files its recordings are.
    #[error("`transcripts` has to be a list of objects that each have a `file`")]
    NoFiles,
    /// A recording is of a protocol that does not exist.
    #[error("line {line}: unknown protocol `{protocol}`")]
    UnknownProtocol {
        /// The line, from 1.
        line: u64,
        /// The name of the protocol.
        protocol: String,
    },
    /// A line of a recording was written by somebody else than Codex and its client.
    #[error("line {line}: a line is from `codex` or from `client`")]
    UnknownWriter {
        /// The line, from 1.
        line: u64,
    },
    /// A recording is a log of another program, with the direction of each line.
    #[error("line {line}: this is a log of a tee; record it with `codex-wire tap --record`")]
    LogOfTee {
        /// The line, from 1.
        line: u64,
    },
    /// A recording does not say who wrote its lines.
    #[error(
        "line {line}: a plain log does not say who wrote a line; record a transcript with `codex-wire tap --record`"
    )]
    NoWriter {
        /// The line, from 1.
        line: u64,
    },
    /// A recording has no messages.
    #[error("it has no messages, so there is nothing to play")]
    NoMessages,
    /// A recording does not say which protocol it is of, and no message shows it.
    #[error("the transcript names no protocol, and none of its lines shows it")]
    NoProtocol,
    /// There is nothing to make a [`Player`](crate::Player) of.
    #[error("there is no recording")]
    NoRecordings,
    /// A recording of `codex exec` cannot be played to a client: it is an [`ExecPlay`](crate::ExecPlay).
    #[error("{recording} is a recording of `codex exec`")]
    NoClient {
        /// Its name.
        recording: String,
    },
    /// A [`Player`](crate::Player) has recordings of one protocol.
    #[error("{first} is of {protocol}, {other} of {other_protocol}")]
    SeveralProtocols {
        /// The name of the first recording.
        first: String,
        /// Its protocol.
        protocol: Protocol,
        /// The name of a recording of another protocol.
        other: String,
        /// That protocol.
        other_protocol: Protocol,
    },
    /// A release has no message for what was recorded.
    #[error("{}{reason}", line.map_or(String::new(), |line| format!("line {line}: ")))]
    UnsupportedByRelease {
        /// The line of the recording, from 1; `None` for the recording as a whole.
        line: Option<u64>,
        /// What the release does not support.
        reason: Unsupported,
    },
    /// A script is wrong, or a release does not have what it needs.
    #[error("line {line}, column {column}: {message}")]
    Script {
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// There is no fault of this name.
    #[error("there is no fault `{id}`; {}", suggestion(known))]
    UnknownFault {
        /// The name.
        id: String,
        /// The fault whose name is most like it, or all if none is.
        known: Vec<&'static str>,
    },
    /// What is behind the `@` of a fault is wrong.
    #[error("{fault}: {expected}")]
    FaultPlace {
        /// The id of the fault.
        fault: &'static str,
        /// What can stand behind `@`.
        expected: String,
    },
    /// A fault is for other protocols.
    #[error("{fault} cannot be injected here: {reason}")]
    FaultProtocol {
        /// The id of the fault.
        fault: &'static str,
        /// Why the protocol has no place for it.
        reason: &'static str,
    },
    /// The output of releases before 0.42.0 gets no faults of messages.
    #[error("{fault}: the output of releases before 0.42.0 gets no faults of messages")]
    FaultRelease {
        /// The id of the fault.
        fault: &'static str,
    },
    /// A fault is for a turn that was not recorded.
    #[error("{fault}: {}", recorded(*turns))]
    FaultTurn {
        /// The fault with its place.
        fault: String,
        /// How many turns were recorded.
        turns: usize,
    },
    /// A fault is for a later turn of a run of `codex exec`, which has one.
    #[error("{fault}: a run of `codex exec` has one turn")]
    FaultOneTurn {
        /// The fault with its place.
        fault: String,
    },
    /// A fault is for a line that was not recorded.
    #[error("{fault}: the run has {lines} lines")]
    FaultLine {
        /// The fault with its place.
        fault: String,
        /// How many lines were recorded.
        lines: usize,
    },
    /// Faults do not fit recordings.
    #[error("{recordings}")]
    Recordings {
        /// The names of the recordings.
        recordings: String,
        /// Why.
        source: Box<Error>,
    },
}

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

impl Error {
    /// The same of these recordings.
    pub(crate) fn of(self, recordings: impl Into<String>) -> Self {
        Error::Recordings {
            recordings: recordings.into(),
            source: Box::new(self),
        }
    }
}

/// What to write instead of the name of a fault that does not exist.
fn suggestion(known: &[&str]) -> String {
    match known {
        [similar] => format!("did you mean `{similar}`?"),
        all => format!("there are {}", all.join(", ")),
    }
}

fn recorded(turns: usize) -> String {
    match turns {
        0 => "no turn was recorded".to_owned(),
        1 => "1 turn was recorded".to_owned(),
        many => format!("{many} turns were recorded"),
    }
}
