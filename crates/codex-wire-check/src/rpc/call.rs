//! Defines what the requests and responses around a message show about it.

use codex_wire_base::MessageSet;

use crate::dialect::json_rpc::Kind;
use crate::violation::MessageRef;
use crate::writer::Writer;

/// What the requests and responses around a message show about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// The number of the connection, if the recording has several.
    pub(crate) connection: Option<u32>,
    /// Whose message it is: who wrote it, or who writes such messages.
    pub(crate) writer: Writer,
    /// What kind it is.
    pub(crate) kind: Kind,
    /// Its method, if any release has it. For a response it is that of the request, if that was seen.
    pub(crate) method: Option<&'static str>,
    /// The request that a response answers, if it was seen.
    pub(crate) request: Option<MessageRef>,
    /// Its message set, if that is known.
    pub(crate) message_set: Option<MessageSet>,
}
