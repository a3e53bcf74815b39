//! What stands between a client and Codex, on pipes and on sockets.

use std::io::Write;

use codex_wire_check::Checker;

use super::inspector::Inspection;
use super::recorder::Recorder;

/// How many bytes may wait to be checked.
pub(super) const QUEUE: usize = 32 << 20;

/// Stands between a client and a command.
pub(crate) struct Wiretap {
    pub(crate) checker: Checker,
    pub(crate) inspection: Inspection,
    pub(crate) recorder: Option<Recorder>,
    /// Where the report goes.
    pub(crate) out: Box<dyn Write + Send>,
}
