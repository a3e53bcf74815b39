//! Defines what JSON-RPC tells of a message beyond what the message says itself.

use codex_wire_base::MessageSet;

use crate::dialect::json_rpc::Kind;
use crate::violation::MessageRef;
use crate::writer::Writer;

/// What is known of a message beyond what it says itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// The connection, where a recording tells several apart.
    pub(crate) connection: Option<u32>,
    /// Whose message it is: who wrote it, or who writes such messages.
    pub(crate) writer: Writer,
    /// What kind it is.
    pub(crate) kind: Kind,
    /// Its method, if any release has it; of an answer that of the request, if that was seen.
    pub(crate) method: Option<&'static str>,
    /// Where the request of an answer stands, if it is known.
    pub(crate) request: Option<MessageRef>,
    /// What it is validated with, if that is known.
    pub(crate) message_set: Option<MessageSet>,
}
