//! What the rules of the core queues are about, and what they were checked against.

use codex_wire_base::shape::ReleaseBounds;
use codex_wire_base::{MessageSet, Release};

use crate::rule::until;

/// What Codex writes to `codex proto`.
pub(crate) const EVENTS: &[MessageSet] = &[MessageSet::CoreEvents];

/// The same events, also behind the two header lines of `codex exec --json`.
pub(crate) const BOTH: &[MessageSet] = &[MessageSet::CoreEvents, MessageSet::ExecLegacy];

/// What the client writes.
pub(crate) const CLIENT: &[MessageSet] = &[MessageSet::CoreSubmissions];

/// The legacy exec stream.
pub(crate) const LEGACY: &[MessageSet] = &[MessageSet::ExecLegacy];

/// The last release in which the client itself configures the session.
pub(crate) const CONFIGURED: ReleaseBounds = until(Release::alpha(0, 22, 0, 1));

/// What the rules about queues were checked against.
macro_rules! queues {
    ($text:literal) => {
        concat!(
            "Checked on 611 recordings of `codex proto`, of 12 releases from 0.21.0 to 0.42.0. ",
            $text
        )
    };
}

/// What the rules about both streams were checked against.
macro_rules! streams {
    ($text:literal) => {
        concat!(
            "Checked on 611 recordings of `codex proto` and 405 legacy streams of `codex exec`, \
             of 13 releases from 0.20.0 to 0.42.0. ",
            $text
        )
    };
}

pub(super) use {queues, streams};
