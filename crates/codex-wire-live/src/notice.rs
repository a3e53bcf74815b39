//! What a user should know while programs run, and is no finding.

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
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice {
    /// A recording cannot be written on, and ends here.
    NotRecorded {
        /// Its path.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A line is longer than those that are recorded. Its beginning is recorded.
    LineCut {
        /// The path of the recording.
        path: PathBuf,
        /// How many bytes the line has.
        length: u64,
        /// How many of them are recorded.
        limit: usize,
    },
    /// Something private survived in a recording, which was removed.
    NotScrubbed {
        /// The path of the recording.
        path: PathBuf,
        /// What survived.
        survivor: Survivor,
        /// Why it could not be removed, if it could not.
        kept: Option<io::Error>,
    },
    /// From here on, what a side writes on a connection is passed on without being read.
    Unread {
        /// The number of the connection, from 0.
        connection: u32,
        /// The side.
        writer: Writer,
        /// Why it cannot be read.
        reason: String,
    },
    /// A file cannot be scrubbed, and is not kept.
    LeftOut(PathBuf),
    /// The newest or nearest release stands for the one that a setting names.
    Release(StandsFor),
    /// A client sends something that is not UTF-8, at which Codex exits.
    NotUtf8 {
        /// The number of the line, from 1.
        line: u64,
    },
    /// A client sends a line that Codex does not read.
    NotRead {
        /// The number of the line, from 1.
        line: u64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Nothing answers what a client sends.
    Missed(Box<Miss>),
    /// Further [`Missed`](Notice::Missed) and [`NotRead`](Notice::NotRead) of a session are left out.
    NoMore,
    /// A client could not connect. Others may.
    NoConnection(io::Error),
    /// So many clients are connected that further ones are refused.
    TooManyClients(usize),
    /// A connection failed. Others go on.
    Failed(Error),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::NotRecorded { path, error } => {
                let path = path.display();
                write!(
                    f,
                    "cannot write {path}: {error}; the recording is not complete"
                )
            }
            Notice::LineCut {
                path,
                length,
                limit,
            } => {
                let path = path.display();
                write!(
                    f,
                    "a line has {length} bytes, more than the limit of {limit}; {path} has only its beginning"
                )
            }
            Notice::NotScrubbed {
                path,
                survivor,
                kept,
            } => {
                write!(f, "{} was not scrubbed: {survivor}; ", path.display())?;
                match kept {
                    None => write!(f, "the recording was removed"),
                    Some(error) => write!(f, "the recording cannot be removed: {error}"),
                }
            }
            Notice::Unread {
                connection,
                writer,
                reason,
            } => {
                let who = match writer {
                    Writer::Codex => "Codex",
                    Writer::Client => "the client",
                };
                write!(
                    f,
                    "connection {connection}: cannot read what {who} writes: {reason}; the rest of the connection is \
                     passed on, and neither recorded nor checked"
                )
            }
            Notice::LeftOut(path) => {
                write!(f, "{} cannot be scrubbed, and is left out", path.display())
            }
            Notice::Release(stands_for) => write!(f, "{stands_for}"),
            Notice::NotUtf8 { line } => {
                write!(
                    f,
                    "line {line} of the client is not UTF-8: Codex exits at it"
                )
            }
            Notice::NotRead { line, reason } => {
                write!(
                    f,
                    "line {line} of the client {reason}: Codex does not answer it"
                )
            }
            Notice::Missed(miss) => missed(f, miss),
            Notice::NoMore => write!(f, "further ones are not told"),
            Notice::NoConnection(error) => write!(f, "cannot take a connection: {error}"),
            Notice::TooManyClients(most) => {
                write!(
                    f,
                    "{most} clients are connected; further ones are refused with 503"
                )
            }
            Notice::Failed(error) => Causes(error).fmt(f),
        }
    }
}

/// What was missed, and what was recorded that is most like it.
fn missed(f: &mut fmt::Formatter<'_>, miss: &Miss) -> fmt::Result {
    write!(f, "{}", miss.message())?;
    let Some(nearest) = &miss.nearest else {
        return Ok(());
    };
    let differences = match nearest.differences.is_empty() {
        true if is_turn(&miss.what) => format!("it was played already, and {ANOTHER}"),
        true => "it was played already".to_owned(),
        false => listed(&nearest.differences),
    };
    write!(
        f,
        "; most like {} line {}: {differences}",
        nearest.recording, nearest.line
    )
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
