//! Requests of Codex that wait for the client.

/// A request of Codex.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) method: String,
    /// Where it was recorded: track, step and place in the step; in each current recording.
    pub(super) asked: Vec<(usize, usize, usize)>,
    /// The turn it belongs to, as recorded.
    pub(super) turn: Option<String>,
    /// Whether Codex no longer waits for the answer.
    pub(super) is_over: bool,
}
