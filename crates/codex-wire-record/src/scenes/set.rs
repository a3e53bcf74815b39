//! What the processes of a scene have in common, and how one is stopped.

use std::path::Path;

use codex_wire_base::Release;

use crate::Home;

/// When a run gets a signal: after a line that has one of these texts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Until {
    pub(super) texts: [&'static str; 2],
    /// The number of the signal.
    pub(super) signal: i32,
}

/// What the processes of a scene have in common.
pub(super) struct Set<'a> {
    pub(super) program: &'a Path,
    pub(super) release: Release,
    pub(super) home: Home,
    /// The thread of the process before.
    pub(super) thread: String,
}
