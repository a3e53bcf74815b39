//! What can go wrong between a client and Codex.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use codex_wire::Release;
use codex_wire::app_server::{ErrorObject, TurnError};
use codex_wire::unsupported::Unsupported;

/// Why something that was asked of Codex did not come about.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program cannot be started.
    #[error("cannot start {program}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// No server can be reached at an address, or what is there does not speak WebSocket.
    #[error("cannot connect to {address}")]
    Connect {
        /// The address.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// A line cannot be written to Codex.
    #[error("cannot write to Codex{}", said(stderr))]
    Write {
        /// Why.
        source: io::Error,
        /// The last lines that Codex wrote to its standard error.
        stderr: String,
    },
    /// Codex closed its output, by ending or otherwise, while something was still awaited.
    #[error("Codex {} before {awaited}{}", ended(.status.as_ref()), said(stderr))]
    Ended {
        /// What was awaited, such as `the answer to turn/start`.
        awaited: String,
        /// How it exited, if it did.
        status: Option<ExitStatus>,
        /// The last lines that Codex wrote to its standard error.
        stderr: String,
    },
    /// The output of Codex cannot be read.
    #[error("cannot read from Codex{}", said(stderr))]
    Read {
        /// Why.
        source: io::Error,
        /// The last lines that Codex wrote to its standard error.
        stderr: String,
    },
    /// What was awaited did not come in time. The connection is as it was: a turn or a message can be waited for further, the
    /// answer to a request cannot.
    #[error("{awaited} did not come within {after:?}")]
    Timeout {
        /// What was awaited.
        awaited: String,
        /// How long.
        after: Duration,
    },
    /// Codex refused a request.
    #[error("{method}: {error}")]
    Refused {
        /// The method.
        method: String,
        /// What Codex said.
        error: ErrorObject,
    },
    /// The release of Codex does not know parts of what was to be sent, and it was not sent.
    #[error(
        "{method} was not sent: Codex {release} does not know {}",
        listed(parts)
    )]
    Unsupported {
        /// The method.
        method: String,
        /// The release.
        release: Release,
        /// What it does not know, in the order of the line; pointers begin with `/params` or `/result`.
        parts: Vec<Unsupported>,
    },
    /// A message has another type than that of any release.
    #[error(transparent)]
    Line(#[from] LineError),
    /// The answer to a request that begins a turn does not name one.
    #[error("the answer to {method} names no turn")]
    NoTurn {
        /// The method.
        method: &'static str,
    },
    /// A turn was started in a thread while another [`TurnHandle`](crate::TurnHandle) reads the turn that runs
    /// there: Codex took the input as a part of that turn.
    #[error("the input became a part of the turn {turn}, which is being read")]
    PartOfTurn {
        /// The id of the turn.
        turn: String,
    },
    /// The turn failed.
    #[error("the turn failed: {}", .error.message)]
    TurnFailed {
        /// Why, in the words of Codex.
        error: Box<TurnError>,
    },
    /// The turn was interrupted.
    #[error("the turn was interrupted")]
    TurnInterrupted,
    /// The turn ended with a status that this crate does not know.
    #[error("the turn ended as `{status}`, which is not known")]
    TurnEnded {
        /// The status.
        status: String,
    },
    /// A turn was not read while others were, and has more messages than are kept.
    #[error(
        "the turn has more than {limit} bytes of messages that were not read; {lost} messages were dropped"
    )]
    Overrun {
        /// How many bytes are kept.
        limit: usize,
        /// How many messages were dropped.
        lost: usize,
    },
    /// An approval takes no rule.
    #[error("{method} takes no rule as its answer")]
    NotAmendable {
        /// The method of the request.
        method: String,
    },
    /// The schema of a run cannot be written to a file, from which Codex reads it.
    #[error("cannot write the schema to {path}")]
    Schema {
        /// The path of the file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// There is no such request of Codex to answer: it was answered, or Codex withdrew it.
    #[error("request {id} of Codex does not wait for an answer")]
    NotAwaited {
        /// The id.
        id: String,
    },
    /// The answer is for another method than the request has.
    #[error("request {id} of Codex is {method}, not {answered}")]
    OtherMethod {
        /// The id.
        id: String,
        /// The method of the request.
        method: String,
        /// The method that the answer is for.
        answered: &'static str,
    },
}

/// A line of Codex that cannot be read.
#[derive(Clone, Debug, thiserror::Error)]
#[error("line {number} of Codex cannot be read: {}", excerpt(text))]
#[non_exhaustive]
pub struct LineError {
    /// Its number in the output of Codex, from 1.
    pub number: u64,
    /// The line.
    pub text: String,
    /// What is wrong with it, and where.
    pub source: codex_wire::Error,
}

/// How much of a line an error shows.
const EXCERPT: usize = 200;

/// The beginning of a line.
fn excerpt(text: &str) -> &str {
    let end = text
        .char_indices()
        .nth(EXCERPT)
        .map_or(text.len(), |(at, _)| at);
    &text[..end]
}

/// How many parts an error shows.
const SHOWN: usize = 5;

fn listed(parts: &[Unsupported]) -> String {
    let shown = parts.iter().take(SHOWN).map(Unsupported::to_string);
    let mut out = shown.collect::<Vec<_>>().join(", ");
    if let Some(more @ 1..) = parts.len().checked_sub(SHOWN) {
        out += &format!(" and {more} more");
    }
    out
}

fn said(stderr: &str) -> String {
    match stderr.trim_end() {
        "" => String::new(),
        text => format!("; its last words:\n{text}"),
    }
}

fn ended(status: Option<&ExitStatus>) -> String {
    match status {
        Some(status) => format!("ended ({status})"),
        None => "closed its output".to_owned(),
    }
}
