//! Tracks searches of threads, whose matches Codex sends while it searches.

use codex_wire_prefilter::View;

use super::evidence::NOTIFICATIONS;
use super::state::{App, MessageContext};
use crate::rule::{since, v};
use crate::rule_macros::rules;
use crate::violation::Broken;

impl App {
    /// The client searches; the id may be that of an earlier request.
    pub(super) fn search(&mut self, at: &MessageContext<'_, '_>) {
        if let Some(key) = key(at, "/id") {
            self.searched.remove(&key);
        }
    }

    /// The answer ends the search, also if it is an error.
    pub(super) fn search_answered(&mut self, at: &MessageContext<'_, '_>) {
        if let Some(key) = key(at, "/id") {
            self.searched.insert(key, at.seen.message_ref);
        }
    }

    /// Matches that Codex has found so far.
    pub(super) fn search_partial(&mut self, at: &mut MessageContext<'_, '_>) {
        let answered = key(at, "/params/requestId").and_then(|key| self.searched.get(&key));
        if let Some(answered) = answered.filter(|_| !at.wire.partial) {
            let violation = PartialAfterAnswer.at("/params/requestId");
            at.violation(violation.earlier(*answered, "the search was answered here"));
        }
    }
}

/// The connection and the id of a request, as it is written.
fn key(at: &MessageContext<'_, '_>, pointer: &str) -> Option<(u64, String)> {
    let id = at.value(pointer).map(View::as_written)?;
    Some((at.wire.serial, id.to_owned()))
}

rules! {
    APP_SEARCH_LATE {
        summary: "Codex sends `thread/search/partial` only before the response to that \
            `thread/search/stream`",
        id: "sequence/app-server-search-late",
        about: NOTIFICATIONS,
        releases: since(v(171)),
        explanation: "The response has all matches of the page, and a client puts them in the place \
            of those it was sent before. Matches that came later would stand beside them. A search that is \
            cancelled is answered, too: with an error.",
        evidence: "7 searches of 0.171.0 with 25 partial answers; two were cancelled.",
    } => {
        PartialAfterAnswer: "the search has been answered before",
    }
}
