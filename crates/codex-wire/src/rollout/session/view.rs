//! The session: all that a file says of its thread.

use crate::rollout::session::{Entry, Lineage, Response, Tokens, Turn};

/// A session file, as a reader wants it.
///
/// Times are those of the lines: UTC, `2026-11-22T15:10:53.291Z`. Files before 0.34.0 have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Session {
    /// The thread. Several files may hold parts of one.
    pub id: Option<String>,
    /// When the thread began.
    pub created: Option<String>,
    /// The release that made the file; lines may be of other releases.
    pub cli_version: Option<String>,
    /// The client that made it, such as `codex_exec`.
    pub originator: Option<String>,
    /// The working folder at the beginning.
    pub cwd: Option<String>,
    /// Where the thread comes from.
    pub lineage: Lineage,
    /// The threads of the agents it started, in that order.
    pub children: Vec<String>,
    /// The turns, copied ones included.
    pub turns: Vec<Turn>,
    /// What stands in no turn: context that no turn followed.
    pub outside: Vec<Entry>,
    /// The last total that Codex wrote into the file. It may lack what was used before a resume (up
    /// to 0.77.0), and may include what other files hold.
    pub reported: Option<Tokens>,
    /// The lines that could not be read.
    pub unread: Vec<Unread>,
    /// The file this one goes on from, up to the place where it does, if it was given.
    pub base: Option<Box<Session>>,
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unread {
    /// Its number, from 1.
    pub line: u64,
    /// Why.
    pub problem: String,
    /// Whether it is a last line that was not written to its end.
    pub is_torn: bool,
}

impl Session {
    /// The tokens used by the responses recorded in this file, without what was copied into it and
    /// without its base.
    pub fn tokens(&self) -> Tokens {
        self.responses().map(|response| response.tokens).sum()
    }

    /// The responses recorded in this file, without what was copied into it and without its base.
    pub fn responses(&self) -> impl Iterator<Item = &Response> {
        let own = self.turns.iter().filter(|turn| !turn.is_copied);
        own.flat_map(|turn| &turn.responses)
    }

    /// The turns of the conversation: those of the base first, without those that were taken back.
    pub fn history(&self) -> Vec<&Turn> {
        let mut turns = self
            .base
            .as_deref()
            .map(Session::history)
            .unwrap_or_default();
        turns.extend(self.turns.iter().filter(|turn| !turn.is_rolled_back));
        turns
    }
}
