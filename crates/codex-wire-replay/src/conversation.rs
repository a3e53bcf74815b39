//! What a stand-in says to one client, whatever it plays from.

use codex_wire_base::Protocol;

use crate::matching::Difference;
use crate::miss::Miss;

/// Codex, as one client meets it. It takes the lines of the client and returns those that Codex would
/// write, with the time between them. It does not wait and does not know a clock.
pub trait Conversation {
    /// The protocol that is played.
    fn protocol(&self) -> Protocol;

    /// What Codex writes before the client has sent anything.
    fn start(&mut self) -> Vec<Emission>;

    /// Takes a line of the client, and returns what follows from it. A line that Codex does not answer
    /// has no consequences.
    fn line(&mut self, line: &str) -> Reaction;

    /// More of the last reaction, if it comes in parts; nothing if all of it has come. What is left when the client
    /// sends its next line comes with the reaction to that.
    fn more(&mut self) -> Vec<Emission> {
        Vec::new()
    }
}

/// What happens when a request has no answer: no recording has one, nor the script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnMiss {
    /// The client gets an error as the real release gives it.
    #[default]
    Error,
    /// The client gets the error, and the session ends.
    Fail,
    /// The client gets the smallest valid answer, which is made from the schema of the release. What
    /// the release would refuse is refused.
    Synthesize,
}

/// A line that Codex writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emission {
    /// The line, without its newline.
    pub line: String,
    /// Milliseconds since the line before it in its queue, or since the line of the client if that is
    /// later.
    pub after_ms: u64,
    /// Lines of one queue keep their order; lines of two queues need not wait for each other.
    pub queue: usize,
}

/// Something worth knowing that is not a miss: a request was answered although it differs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remark {
    /// What the client sent: a method, or the method that an answer is to.
    pub what: String,
    /// The recording that was played.
    pub recording: String,
    /// The number of the recorded line.
    pub line: u64,
    /// What differs.
    pub differences: Vec<Difference>,
}

/// What follows from a line of the client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reaction {
    /// The lines that Codex writes.
    pub emissions: Vec<Emission>,
    /// What no recording answers, nor the script.
    pub miss: Option<Miss>,
    /// A request that was answered although it differs.
    pub remark: Option<Remark>,
    /// Whether the session is over.
    pub ends: bool,
}
