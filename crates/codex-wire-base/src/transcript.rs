//! The project's own transcript format, for recordings of both directions.
//!
//! A transcript is a text file, one JSON object per line, each with a `kind`. Lines appear in
//! the order in which they were seen. What a program wrote is kept as text inside a string, so
//! that key order, duplicate keys and white space survive.
//!
//! ```text
//! {"kind":"start","transcript":1,"protocol":"core","release":"0.42.0","command":["codex","proto"]}
//! {"kind":"line","from":"codex","ms":210,"line":"{\"id\":\"\",\"msg\":{\"type\":\"session_configured\" …
//! {"kind":"line","from":"client","ms":215,"line":"{\"id\":\"1\",\"op\":{\"type\":\"interrupt\"}}"}
//! {"kind":"exit","ms":900,"status":0}
//! ```
//!
//! Only `line` records are required; the others say what a reader would otherwise have to guess.

use crate::json::Extra;
use crate::{Maybe, Unknown, Wire};

/// The version of the format this crate writes.
pub const VERSION: u32 = 1;

/// One line of a transcript.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "kind")]
#[non_exhaustive]
pub enum Record {
    /// What is recorded. At most once, first.
    Start(Start),
    /// A client connects, where there may be several.
    Connected(Connected),
    /// Something one side wrote.
    Line(Line),
    /// A connection ends.
    Closed(Closed),
    /// Codex exits. At most once, last.
    Exit(Exit),
    /// A kind this crate does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// What is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct Start {
    /// The version of the format.
    pub transcript: u32,
    /// The protocol, by its name on the command line.
    #[wire(optional)]
    pub protocol: Maybe<String>,
    /// The release of Codex, or the name of a point on the list of releases.
    #[wire(optional)]
    pub release: Maybe<String>,
    /// The command that was run, as the recorded process saw it.
    #[wire(optional)]
    pub command: Maybe<Vec<String>>,
    /// Members this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A client connects.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct Connected {
    /// Which connection, from 0.
    pub connection: u32,
    /// Who connects, in words.
    #[wire(optional)]
    pub client: Maybe<String>,
    /// Milliseconds since the recording began.
    #[wire(optional)]
    pub ms: Maybe<u64>,
    /// Members this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Something one side wrote, up to but without the newline.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct Line {
    /// Who wrote it.
    pub from: Side,
    /// Which connection it travelled on, from 0; left out where there is one.
    #[wire(optional)]
    pub connection: Maybe<u32>,
    /// Milliseconds since the recording began.
    #[wire(optional)]
    pub ms: Maybe<u64>,
    /// The line.
    #[wire(optional)]
    pub line: Maybe<String>,
    /// The line in base64, where it is not UTF-8.
    #[wire(optional)]
    pub bytes: Maybe<String>,
    /// Members this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A connection ends.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct Closed {
    /// Which connection, from 0; left out where there is one.
    #[wire(optional)]
    pub connection: Maybe<u32>,
    /// Who closed it.
    #[wire(optional)]
    pub by: Maybe<Side>,
    /// Milliseconds since the recording began.
    #[wire(optional)]
    pub ms: Maybe<u64>,
    /// Members this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// Codex exits.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
pub struct Exit {
    /// Its exit status; left out if a signal ended it.
    #[wire(optional)]
    pub status: Maybe<i32>,
    /// The signal that ended it.
    #[wire(optional)]
    pub signal: Maybe<String>,
    /// Milliseconds since the recording began.
    #[wire(optional)]
    pub ms: Maybe<u64>,
    /// Members this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A side of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum Side {
    /// Codex.
    Codex,
    /// Whoever talks to it.
    Client,
    /// A value this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

impl Line {
    /// A line that is text.
    pub fn text(from: Side, line: impl Into<String>) -> Self {
        Line {
            line: Maybe::Value(line.into()),
            ..Line::new(from)
        }
    }
}
