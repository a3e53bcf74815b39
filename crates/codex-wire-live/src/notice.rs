//! What a user should know while programs run, and is not a finding.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use codex_wire_base::StandsFor;
use codex_wire_check::Writer;
use codex_wire_replay::{Miss, is_turn};
use codex_wire_scrub::Survivor;

use crate::differences::listed;
use crate::error::Error;

/// How a client gets a turn that was not recorded.
const ANOTHER: &str =
    "each turn is played once: record a session with more turns, or give a recording of them, too";

/// Something that a user should know while programs run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Notice {
    /// A recording cannot be written on, and ends here.
    #[error("cannot write {}: {error}; the recording is not complete", path.display())]
    NotRecorded {
        /// Its path.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A line is longer than those that are recorded. Its beginning is recorded.
    #[error(
        "a line has {length} bytes, more than the limit of {limit}; {} has only its beginning",
        path.display()
    )]
    LineCut {
        /// The path of the recording.
        path: PathBuf,
        /// How many bytes the line has.
        length: u64,
        /// How many of them are recorded.
        limit: usize,
    },
    /// Something private survived in a recording, which was removed.
    #[error("{} was not scrubbed: {survivor}; {}", path.display(), removed(kept.as_ref()))]
    NotScrubbed {
        /// The path of the recording.
        path: PathBuf,
        /// What survived.
        survivor: Survivor,
        /// Why it could not be removed, if it could not.
        kept: Option<io::Error>,
    },
    /// What a side writes on a connection cannot be read from here on.
    #[error(
        "connection {connection}: cannot read what {} writes: {reason}; the rest of the connection is passed on, \
         and neither recorded nor checked",
        side(*writer)
    )]
    Unread {
        /// The number of the connection, from 0.
        connection: u32,
        /// The side.
        writer: Writer,
        /// Why it cannot be read.
        reason: String,
    },
    /// A file cannot be scrubbed, and is not kept.
    #[error("{} cannot be scrubbed, and is left out", .0.display())]
    LeftOut(PathBuf),
    /// The newest or nearest release stands for the one that a setting names.
    #[error("{0}")]
    Release(StandsFor),
    /// A client sends something that is not UTF-8, at which Codex exits.
    #[error("line {line} of the client is not UTF-8: Codex exits at it")]
    NotUtf8 {
        /// The number of the line, from 1.
        line: u64,
    },
    /// A client sends a line that Codex does not read.
    #[error("line {line} of the client {reason}: Codex does not answer it")]
    NotRead {
        /// The number of the line, from 1.
        line: u64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Nothing answers what a client sends.
    #[error("{}", missed(.0))]
    Missed(Box<Miss>),
    /// Further [`Missed`](Notice::Missed) and [`NotRead`](Notice::NotRead) of a session are left out.
    #[error("further ones are not told")]
    NoMore,
    /// A client could not connect. Others may.
    #[error("cannot take a connection: {0}")]
    NoConnection(io::Error),
    /// So many clients are connected that further ones are refused.
    #[error("{0} clients are connected; further ones are refused with 503")]
    TooManyClients(usize),
    /// A connection failed. Others go on.
    #[error("{}", Causes(.0))]
    Failed(Error),
}

fn removed(kept: Option<&io::Error>) -> String {
    match kept {
        None => "the recording was removed".to_owned(),
        Some(error) => format!("the recording cannot be removed: {error}"),
    }
}

fn side(writer: Writer) -> &'static str {
    match writer {
        Writer::Codex => "Codex",
        Writer::Client => "the client",
    }
}

/// What was missed, and the closest recorded one.
fn missed(miss: &Miss) -> String {
    let message = miss.message();
    let Some(nearest) = &miss.nearest else {
        return message;
    };
    let differences = match nearest.differences.is_empty() {
        true if is_turn(&miss.what) => format!("it was played already, and {ANOTHER}"),
        true => "it was played already".to_owned(),
        false => listed(&nearest.differences),
    };
    let (recording, line) = (&nearest.recording, nearest.line);
    format!("{message}; closest: {recording} line {line}: {differences}")
}

/// An error with all its causes.
pub(crate) struct Causes<'e>(pub(crate) &'e dyn std::error::Error);

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

/// Where notices go. Any thread may tell one.
#[derive(Clone)]
pub struct Notices(Arc<dyn Fn(&Notice) + Send + Sync>);

impl Notices {
    /// Each is told to `tell`.
    pub fn new(tell: impl Fn(&Notice) + Send + Sync + 'static) -> Self {
        Notices(Arc::new(tell))
    }

    /// Nobody is told.
    pub fn ignored() -> Self {
        Notices::new(|_| {})
    }

    pub(crate) fn tell(&self, notice: &Notice) {
        (self.0)(notice);
    }
}

impl fmt::Debug for Notices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notices").finish_non_exhaustive()
    }
}
